"""Batches of verifications: what is asked, what is stored, and what the verdict rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Scheme
from litapp.jobs.models import StepState
from litapp.projects.models import Project
from litapp.verification.models import Check, Priority, Verification
from litapp.verification.services.reading import check_values, verdict_again
from litapp.verification.services.requests import (
    ManualVerdictError,
    prioritise,
    recheck,
    set_manual,
    verification_renew,
    verification_request,
    verifications_request,
)
from litapp.verification.services.work import VerificationWork, claim_batch, verify_batch
from tests.projects.conftest import make_person
from tests.verification.conftest import StandIn, paper

pytestmark = pytest.mark.django_db(transaction=True)
ALL = ("pubmed", "crossref", "openalex", "semanticscholar")


def known_everywhere(world: dict[str, StandIn], **changes: object) -> None:
    for key in ALL:
        record = replace(paper(key), **changes)
        world[key].records = {"32678530": record, "10.1056/nejmoa2021436": record}


def run(verification: Verification) -> Verification:
    VerificationWork().run("")
    return Verification.objects.get(pk=verification.pk)


def test_a_paper_that_every_source_knows_is_verified(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert (row.state, row.status, row.kind, row.wrong) == ("done", "verified", "", [])
    assert "crossref" in row.verified_by
    assert "pubmed" not in row.verified_by, "the source that returned the record confirms nothing"
    assert row.verified_on == timezone.now().date()
    assert row.publication_state == ""
    assert set(row.state_asked_of) >= {"pubmed", "crossref"}
    assert row.passed == row.asked > 0


def test_each_source_is_asked_once_for_a_batch_with_its_best_identifier(
    project: Project, world: dict[str, StandIn]
) -> None:
    known_everywhere(world)
    only_pmid = paper(identifiers=(Identifier(Scheme.PMID, "32678530"),))
    verifications_request(project=project, records=[(paper(), ["pubmed"]), (only_pmid, ["pubmed"])])
    VerificationWork().run("")
    doi, pmid = Identifier(Scheme.DOI, "10.1056/nejmoa2021436"), Identifier(Scheme.PMID, "32678530")
    assert {key: world[key].asked for key in ALL} == {
        "pubmed": [[pmid]],
        "crossref": [[doi]],
        "openalex": [[doi, pmid]],
        "semanticscholar": [[doi, pmid]],
    }


def test_a_doi_that_leads_to_another_paper_is_suspect_of_identity(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    other = paper("crossref", title="A cookbook of alpine cheeses", authors=(), years=(1998,), date=PartialDate(1998))
    world["crossref"].records = {"10.1056/nejmoa2021436": other}
    claimed = paper(identifiers=(Identifier(Scheme.DOI, "10.1056/nejmoa2021436"),))
    world["openalex"].records = world["semanticscholar"].records = {}
    row = run(verification_request(project=project, record=claimed, returned_by=[]))
    assert (row.status, row.kind) == ("suspect", "identity")
    assert row.verified_on is None


def test_a_wrong_year_is_suspect_of_details(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    claimed = paper(date=PartialDate(2012), years=(2012,))
    row = run(verification_request(project=project, record=claimed, returned_by=[]))
    assert (row.status, row.kind, row.wrong) == ("suspect", "details", ["year"])


def test_when_every_source_is_down_nothing_is_decided_and_it_is_asked_again(
    project: Project, world: dict[str, StandIn], fails: Callable
) -> None:
    for key in world:
        world[key].error = fails(key)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert (row.status, row.passed, row.asked) == ("unverified", 0, 0)
    assert row.state == StepState.WAITING
    assert row.not_before is not None
    assert row.reasons, "the reason stands beside the badge"
    assert not Check.objects.exclude(outcome="skipped").exists()


def test_it_gives_up_on_silent_sources_after_four_more_rounds(
    project: Project, world: dict[str, StandIn], fails: Callable
) -> None:
    for key in world:
        world[key].error = fails(key)
    row = verification_request(project=project, record=paper(), returned_by=["pubmed"])
    for _ in range(5):
        Verification.objects.update(not_before=None, state=StepState.QUEUED)
        row = run(row)
    assert (row.state, row.status, row.round) == ("done", "unverified", 1), "the same silence is no new round"


def test_a_source_that_is_switched_off_is_named_and_never_asked(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    world["crossref"].usable = False
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert world["crossref"].asked == []
    assert row.state == StepState.DONE
    told = [c.reason for c in row.checks.filter(source="crossref", outcome="skipped")]
    assert any("switched off" in reason for reason in told)


def test_a_record_without_identifiers_is_searched_and_a_hit_may_verify(
    project: Project, world: dict[str, StandIn]
) -> None:
    world["pubmed"].records = {"x": paper("pubmed")}
    row = run(verification_request(project=project, record=paper("openalex", identifiers=()), returned_by=["openalex"]))
    assert world["pubmed"].searched == world["crossref"].searched == [paper().title]
    assert row.status == "verified"


def test_a_record_that_only_its_own_source_confirms_is_searched_for_at_the_others(
    project: Project, world: dict[str, StandIn]
) -> None:
    only_pmid = paper(identifiers=(Identifier(Scheme.PMID, "32678530"),))
    world["pubmed"].records = {"32678530": only_pmid}
    world["openalex"].records = {"10.1056/nejmoa2021436": paper("openalex", identifiers=paper().identifiers[:1])}
    row = run(verification_request(project=project, record=only_pmid, returned_by=["pubmed"]))
    assert (row.status, row.verified_by) == ("verified", ["openalex"])
    assert {key: len(world[key].searched) for key in ALL} == {
        "pubmed": 0,
        "crossref": 1,
        "openalex": 1,
        "semanticscholar": 1,
    }


def test_a_retraction_is_told_with_its_notice(project: Project, world: dict[str, StandIn]) -> None:
    notice = Notice(NoticeKind.RETRACTION, doi="10.1000/notice", date="2022-03-04")
    known_everywhere(world)
    world["crossref"].records = {"10.1056/nejmoa2021436": paper("crossref", notices=(notice,))}
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert (row.publication_state, row.notice_doi, row.notice_date) == ("retracted", "10.1000/notice", "2022-03-04")
    assert row.status == "verified", "the status stands beside the verdict"


def test_a_retraction_once_seen_is_not_unsaid_by_silence(
    project: Project, world: dict[str, StandIn], fails: Callable
) -> None:
    known_everywhere(world, notices=(Notice(NoticeKind.RETRACTION, doi="10.1000/notice"),))
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    for key in ALL:
        world[key].records, world[key].error = {}, fails(key)
    recheck(verification=row, actor=project.created_by)
    row = run(row)
    assert (row.round, row.publication_state, row.notice_doi) == (2, "retracted", "10.1000/notice")


def test_the_verdict_can_be_said_again_offline(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert verdict_again(verification_id=row.pk) is False
    Verification.objects.update(status="suspect", reasons=["tampered"], passed=99)
    assert verdict_again(verification_id=row.pk) is True
    again = Verification.objects.get(pk=row.pk)
    assert (again.status, again.passed, again.reasons) == (row.status, row.passed, row.reasons)
    assert len(check_values(again)) == row.checks.count()


def test_every_decided_check_points_to_an_archived_answer(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    decided = row.checks.exclude(outcome="skipped")
    assert decided.exists()
    assert [check.pk for check in decided if not check.answers.exists()] == []


def test_a_worker_that_lost_its_lease_writes_nothing(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    row = verification_request(project=project, record=paper(), returned_by=["pubmed"])
    batch = claim_batch()
    assert [v.pk for v in batch] == [row.pk]
    assert claim_batch() == [], "a leased verification is not given to a second worker"
    Verification.objects.update(lease_token="somebody else")
    verify_batch(batch)
    row.refresh_from_db()
    assert (row.round, row.checks.count()) == (0, 0)


def test_included_papers_are_checked_first(project: Project, world: dict[str, StandIn]) -> None:
    first, second = verifications_request(project=project, records=[(paper(), ["pubmed"]), (paper(), ["crossref"])])
    assert prioritise(verification_ids=[second.pk]) == 1
    assert [v.pk for v in claim_batch(size=1)] == [second.pk]
    assert prioritise(verification_ids=[first.pk], priority=Priority.RETRIEVED) == 0, "never back"


def test_a_changed_record_loses_its_verdict_until_it_is_checked(project: Project, world: dict[str, StandIn]) -> None:
    known_everywhere(world)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    same = verification_renew(verification_id=row.pk, record=paper(abstract=()), returned_by=["pubmed"])
    assert same is False
    assert verification_renew(verification_id=row.pk, record=paper(), returned_by=["pubmed", "openalex"]) is True
    row.refresh_from_db()
    assert (row.status, row.state) == ("verified", "queued"), "one more source keeps the verdict meanwhile"
    assert verification_renew(verification_id=row.pk, record=paper(volume="9"), returned_by=["pubmed"]) is True
    row.refresh_from_db()
    assert (row.status, row.checked_at, row.reasons) == ("unverified", None, [])


def test_a_verdict_by_hand_needs_a_reason_and_never_becomes_verified(
    project: Project, world: dict[str, StandIn]
) -> None:
    known_everywhere(world)
    person = make_person("Anna Weber")
    row = verification_request(project=project, record=paper(), returned_by=["pubmed"])
    with pytest.raises(ManualVerdictError, match="Say why"):
        set_manual(verification=row, actor=person, reason="  ")
    set_manual(verification=row, actor=person, reason="I hold the printed issue.")
    row = run(row)
    assert (row.status, row.verified_on) == ("manual", None)
    assert (row.manual_by, row.manual_reason) == (person, "I hold the printed issue.")
    verification_renew(verification_id=row.pk, record=paper(volume="9"), returned_by=["pubmed"])
    row.refresh_from_db()
    assert (row.status, row.manual_by, row.manual_reason) == ("unverified", None, "")


def test_the_wait_follows_the_source_but_not_for_ever(
    project: Project, world: dict[str, StandIn], fails: Callable
) -> None:
    known_everywhere(world)
    far = datetime(2099, 1, 1, tzinfo=UTC)
    world["crossref"].error = fails("crossref", retry_at=far)
    row = run(verification_request(project=project, record=paper(), returned_by=["pubmed"]))
    assert row.state == StepState.WAITING
    assert row.not_before is not None
    assert (row.not_before - timezone.now()).total_seconds() <= 3600
