"""References that people bring: claims, citations as text, reuse of answers, corrections, words by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.projects.models import Event, Project
from litapp.verification.findings import findings_of, worst_first
from litapp.verification.models import KnownAnswer, Verification
from litapp.verification.services.corrections import CorrectionRefused, correction_accept
from litapp.verification.services.reading import verdict_again
from litapp.verification.services.requests import Claim, claims_request, recheck, set_manual
from litapp.verification.services.work import check_now
from tests.projects.conftest import make_person
from tests.verification.conftest import StandIn, paper

pytestmark = pytest.mark.django_db(transaction=True)
DOI, PMID = "10.1056/nejmoa2021436", "32678530"
TEXT = (
    "12. Horby P, Lim WS, Emberson JR, et al. Dexamethasone in Hospitalized Patients with Covid-19. "
    "N Engl J Med. 2021;384(8):693-704."
)


def everywhere(world: dict[str, StandIn], **changes: object) -> None:
    for key in ("pubmed", "crossref", "openalex", "semanticscholar"):
        record = replace(paper(key), **changes)
        world[key].records = {PMID: record, DOI: record}


def brought(**changes: object) -> Record:
    return paper("brought", source_id="", years=(), date=PartialDate(2021), **changes)


def checked(project: Project, *claims: Claim) -> list[Verification]:
    rows = claims_request(project=project, claims=claims)
    check_now(verification_ids=[row.pk for row in rows])
    done = Verification.objects.in_bulk([row.pk for row in rows])
    return [done[row.pk] for row in rows]


def test_a_brought_reference_is_verified_by_any_source_and_every_claim_has_its_verdict(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    rows = checked(project, Claim(brought()), Claim(text=TEXT), Claim(brought(title="Quite another title of nobody")))
    assert [row.status for row in rows] == ["verified", "verified", "suspect"]
    assert {"pubmed", "crossref", "openalex", "semanticscholar"} == set(rows[0].verified_by)


def test_a_citation_as_text_is_laid_over_by_the_hit_and_its_wrong_year_is_named(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    row = checked(project, Claim(text=TEXT.replace("2021;384", "2017;384")))[0]
    assert (row.status, row.kind, row.wrong) == ("suspect", "details", ["year"])
    assert row.matched["identifiers"][0]["value"] == DOI
    finding = findings_of([row])[0]
    assert [(c.field, c.ours, c.theirs) for c in finding.corrections] == [("year", "2017", "2020, 2021")]
    assert finding.record.authors == (Person("Horby", "P"), Person("Lim", "WS"), Person("Emberson", "JR"))


def test_a_text_that_nobody_knows_is_suspect_only_when_all_were_asked(
    project: Project, world: dict[str, StandIn], fails: object
) -> None:
    invented = TEXT.replace("Dexamethasone in Hospitalized Patients with", "Moonlight for the treatment of severe")
    assert checked(project, Claim(text=invented))[0].status == "suspect"
    world["openalex"].error = fails("openalex")  # type: ignore[operator]
    KnownAnswer.objects.all().delete()
    again = checked(project, Claim(text=invented.replace("12.", "13.")))[0]
    assert (again.status, "OpenAlex" in again.reasons[0]) == ("unverified", True)


def test_the_nearest_paper_is_offered_and_never_substituted(project: Project, world: dict[str, StandIn]) -> None:
    everywhere(world)
    claimed = brought(
        title="Dexamethasone in Hospitalized Children with Malaria and Covid-19 Infection", identifiers=()
    )
    world["crossref"].records = {DOI: paper("crossref")}
    for key in ("crossref", "pubmed", "openalex", "semanticscholar"):
        world[key].records = {DOI: replace(paper(key), title=claimed.title, authors=(Person("Nobody", "A"),))}
    row = checked(project, Claim(claimed))[0]
    assert row.status == "suspect"
    assert findings_of([row])[0].suggestions[0].record.authors == (Person("Nobody", "A"),)
    assert Verification.objects.get(pk=row.pk).record["title"] == claimed.title


def test_answers_are_reused_by_question_and_failures_never(
    project: Project, world: dict[str, StandIn], fails: object
) -> None:
    everywhere(world)
    world["openalex"].error = fails("openalex")  # type: ignore[operator]
    first = checked(project, Claim(brought()))[0]
    other = brought(title="Other", identifiers=(Identifier(Scheme.DOI, "10.1000/other"),))
    world["openalex"].error = None
    second = checked(project, Claim(other), Claim(brought()))[1]
    asked = [one.value for group in world["crossref"].asked for one in group]
    assert asked.count(DOI) == 1, "the same identifier in another batch is answered from the ledger"
    assert sum(DOI in [one.value for one in group] for group in world["openalex"].asked) == 2
    assert (first.silent, second.silent) == ({"openalex": "rate_limited"}, {})


def test_check_again_now_asks_the_chosen_sources_past_stored_answers(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    row = checked(project, Claim(brought()))[0]
    before = {key: len(source.asked) for key, source in world.items()}
    recheck(verification=row, actor=make_person("again@example.org"), sources=["crossref"])
    check_now(verification_ids=[row.pk])
    after = {key: len(source.asked) - before[key] for key, source in world.items() if len(source.asked) > before[key]}
    assert after == {"crossref": 1}
    with pytest.raises(ValueError, match="google"):
        recheck(verification=row, actor=make_person("b@example.org"), sources=["google"])


def test_the_same_answers_are_no_new_round_and_the_verdict_is_said_again_offline(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    row = checked(project, Claim(brought()))[0]
    checks = row.checks.count()
    recheck(verification=row, actor=make_person("again@example.org"))
    check_now(verification_ids=[row.pk])
    row.refresh_from_db()
    assert (row.round, row.checks.count(), row.status) == (1, checks, "verified")
    Verification.objects.filter(pk=row.pk).update(status="suspect", reasons=[])
    assert verdict_again(verification_id=row.pk)
    row.refresh_from_db()
    assert row.status == "verified"


def test_an_accepted_correction_keeps_both_values_and_is_checked_again(
    project: Project, world: dict[str, StandIn]
) -> None:
    everywhere(world)
    actor = make_person("lead@example.org")
    row = checked(project, Claim(replace(brought(), volume="348")))[0]
    assert row.wrong == ["volume"]
    correction_accept(verification=row, field="volume", actor=actor)
    check_now(verification_ids=[row.pk])
    row.refresh_from_db()
    assert (row.status, row.record["volume"]) == ("verified", "384")
    payload = Event.objects.get(project=project, verb="verification.corrected").payload
    assert (payload["field"], payload["before"], payload["after"]) == ("volume", "348", "384")
    with pytest.raises(CorrectionRefused):
        correction_accept(verification=row, field="volume", actor=actor)


def test_a_word_by_hand_survives_the_same_list_and_ends_with_another_reference(
    project: Project, world: dict[str, StandIn]
) -> None:
    book = Record(source="brought", source_id="", title="A handbook of alpine cheeses", csl_type="book")
    row = checked(project, Claim(book))[0]
    set_manual(verification=row, actor=make_person("lead@example.org"), reason="It stands on my shelf.")
    again, changed = checked(project, Claim(book), Claim(replace(book, title="A handbook of alpine cheese")))
    assert (again.status, again.manual_reason) == ("manual", "It stands on my shelf.")
    assert changed.status == "unverified"


def test_a_doi_of_another_agency_is_never_called_missing(project: Project, world: dict[str, StandIn]) -> None:
    doi = "10.1234/of.another"
    world["doiorg"].agencies = {doi: "JaLC"}
    claimed = brought(identifiers=(Identifier(Scheme.DOI, doi),))
    row = checked(project, Claim(claimed))[0]
    assert (row.status, "JaLC" in " ".join(row.reasons)) == ("unverified", True)
    missing = checked(project, Claim(replace(claimed, identifiers=(Identifier(Scheme.DOI, "10.1234/nowhere"),))))[0]
    assert (missing.status, missing.kind) == ("suspect", "identity")


def test_worst_first(project: Project, world: dict[str, StandIn]) -> None:
    everywhere(world)
    rows = checked(
        project,
        Claim(brought()),
        Claim(replace(brought(), volume="348")),
        Claim(
            replace(brought(), title="Of cheeses and their makers in the alpine valleys", authors=(Person("X", "Y"),))
        ),
    )
    ordered = Verification.objects.filter(project=project).order_by(worst_first())
    assert [row.pk for row in ordered] == [rows[2].pk, rows[1].pk, rows[0].pk]
