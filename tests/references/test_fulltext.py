"""Full texts from end to end against the sandbox: the chain, every kind of false PDF, what is kept, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from litapp.core.fulltext import SENTENCES, Outcome
from litapp.core.ports import Outcome as AnswerOutcome
from litapp.core.records import Identifier, Record, Scheme
from litapp.jobs.models import StepState
from litapp.jobs.pace import DatabaseRateGate
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.bodies import read_body
from litapp.ledger.services.web import web_reader
from litapp.projects.models import Event
from litapp.providers.base import Client, SourceError
from litapp.providers.fulltext.policy import pace_key, policy_of
from litapp.sandbox.faults import Fault
from litapp.sandbox.server import RunningSandbox
from references.models import CopyState, FullText, FullTextAttempt, FullTextCopy, Reference, ResolverAddress
from references.services import fulltext_work
from references.services.fulltext_chain import MOST_ADDRESSES, Chain, Told
from references.services.fulltext_reads import best_copies, sections_of, state_counts, waiting_copies
from references.services.fulltext_requests import (
    FullTextProblem,
    copy_decide,
    copy_withdraw,
    fulltexts_cancel,
    fulltexts_request,
    fulltexts_resume,
    mark_not_retrieved,
    mark_open,
    resolver_save,
)
from references.services.fulltext_work import FullTextWork
from searches.models import ReportRetrieval, RetrievalOutcome
from searches.services.report_retrieval import not_retrieved, retrieval_counts
from tests.providers.fakes import FakeClock
from tests.references.fulltext_papers import CONTACT, article_of_kind, articles, kind_of, refer
from tests.references.world import World, make_world
from tests.sandbox.fixtures import FAST, running_sandbox, sandbox_server, tiny_corpus

__all__ = ["running_sandbox", "sandbox_server", "tiny_corpus"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def sandbox(sandbox_server: RunningSandbox, settings: Any) -> RunningSandbox:
    settings.SANDBOX_URL, settings.SANDBOX_CLOCK, settings.CONTACT_EMAIL = sandbox_server.url, FAST, CONTACT
    return sandbox_server


@pytest.fixture
def world(sandbox: RunningSandbox) -> World:
    return make_world(sandbox=True)


def unreachable(source: str) -> Client:
    raise SourceError(source, AnswerOutcome.PERMANENT, "Not in this test.", code="switched_off")


def at_host(sandbox: RunningSandbox, kind: str, *, doi: str = "") -> Told:
    """What the chain makes of a host that gives this kind of answer for a paper that is to be had nowhere else."""
    article = article_of_kind(sandbox, "paywall")
    record = Record("pubmed", "1", title=article.title, identifiers=(Identifier(Scheme.DOI, article.doi.lower()),))
    told: list[Told] = []
    Chain(record, unreachable, web_reader(), told.append, resolver=f"https://kinds.sandbox/{kind}/{{doi}}").run()
    return next(one for one in told if one.source == "resolver")


EXPECTED = {
    "good": Outcome.ACCEPTED,
    "octet_stream": Outcome.ACCEPTED,
    "cut_off": Outcome.CUT_OFF,
    "cut_short": Outcome.DAMAGED,
    "scanned": Outcome.SCANNED,
    "about_it": Outcome.ABOUT_IT,
    "other_paper": Outcome.OTHER_PAPER,
    "too_small": Outcome.TOO_SMALL,
    "damaged": Outcome.DAMAGED,
    "locked": Outcome.LOCKED,
    "not_a_pdf": Outcome.NOT_A_PDF,
    "wrong_type": Outcome.WRONG_TYPE,
    "pdf_called_text": Outcome.WRONG_TYPE,
    "html_as_pdf": Outcome.WEB_PAGE,
    "too_large": Outcome.TOO_LARGE,
    "empty": Outcome.NO_ANSWER,
    "login": Outcome.LOGIN,
    "institution_login": Outcome.LOGIN,
    "captcha": Outcome.CAPTCHA,
    "proof_of_work": Outcome.PROOF_OF_WORK,
    "paywall": Outcome.PAYWALL,
    "web_page": Outcome.WEB_PAGE,
    "no_pdf_named": Outcome.WEB_PAGE,
    "refused": Outcome.REFUSED,
    "wants_payment": Outcome.LOGIN,
    "absent": Outcome.ABSENT,
    "busy": Outcome.BUSY,
    "broken": Outcome.BUSY,
    "to_loopback": Outcome.REFUSED_ADDRESS,
    "to_metadata": Outcome.REFUSED_ADDRESS,
    "to_private": Outcome.REFUSED_ADDRESS,
    "to_file": Outcome.REFUSED_ADDRESS,
    "loop": Outcome.NO_ANSWER,
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_every_kind_of_answer_is_named(sandbox: RunningSandbox, kind: str) -> None:
    told = at_host(sandbox, kind)
    assert told.outcome is EXPECTED[kind]
    assert told.message
    is_file = EXPECTED[kind] in (
        Outcome.ACCEPTED, Outcome.CUT_OFF, Outcome.SCANNED, Outcome.ABOUT_IT,
    )  # fmt: skip
    assert (told.copy is not None) == is_file
    answer = SourceAnswer.objects.get(pk=told.answer_id)
    assert (answer.source, answer.url, answer.sandbox) == ("web", told.url, True)


def test_a_landing_page_leads_to_its_pdf(sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall")
    record = Record("pubmed", "1", title=article.title, identifiers=(Identifier(Scheme.DOI, article.doi.lower()),))
    told: list[Told] = []
    Chain(record, unreachable, web_reader(), told.append, resolver="https://kinds.sandbox/landing/{doi}").run()
    mine = [(one.url.split("/")[3], one.outcome) for one in told if one.source == "resolver"]
    assert mine == [("landing", Outcome.WEB_PAGE), ("good", Outcome.ACCEPTED)]


def search(world: World, *references: Reference) -> None:
    fulltexts_request(project=world.project, actor=world.owner, reference_ids=[one.pk for one in references])
    FullTextWork().run("0")


def test_a_paper_in_pmc_is_found_there_with_licence_version_and_sections(world: World, sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall", pmc=True)
    reference = refer(world, article)
    search(world, reference)
    row = FullText.objects.get(reference=reference)
    assert (row.state, row.message) == (StepState.DONE, "")
    copies = list(FullTextCopy.objects.filter(reference=reference).order_by("pk"))
    assert [(one.kind, one.state, one.source, one.version) for one in copies] == [
        ("xml", "accepted", "pmc", "published version"), ("pdf", "accepted", "pmc", "published version"),
    ]  # fmt: skip
    assert [one.licence for one in copies] == ["CC BY 4.0", "CC BY"]
    for one in copies:
        body = read_body(one.sha256)
        assert (len(body), one.answer.sha256, one.answer.url) == (one.size, one.sha256, one.url)
    assert read_body(copies[1].sha256).startswith(b"%PDF-")
    best = best_copies([reference.pk])[reference.pk]
    assert best == copies[0]
    assert [part.kind for part in sections_of(best)] == ["body"] * len(article.abstract or [1])
    assert sections_of(copies[1])[0].name == "Page 1"
    assert article.title[:30] in sections_of(copies[1])[0].text.replace("\n", " ")
    retrieval = ReportRetrieval.objects.get(candidate=reference.candidate)
    assert (retrieval.outcome, retrieval.reason, retrieval.actor) == ("retrieved", "", None)
    assert Event.objects.filter(verb="fulltext.searched").get().payload["found"] is True


def test_every_attempt_is_kept_with_source_outcome_and_archived_answer(world: World, sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall")
    reference = refer(world, article)
    search(world, reference)
    attempts = list(FullTextAttempt.objects.filter(full_text__reference=reference))
    assert [(one.source, one.outcome) for one in attempts] == [
        ("unpaywall", "nothing"), ("pmc", "unknown"), ("openalex", "nothing"), ("crossref", "nothing"),
        ("landing", "paywall"),
    ]  # fmt: skip
    assert all(one.answer_id for one in attempts)
    assert attempts[-1].answer.headers["litledger-redirections"].startswith("https://publisher.sandbox/article/")
    retrieval = ReportRetrieval.objects.get(candidate=reference.candidate)
    assert (retrieval.outcome, retrieval.reason) == ("not_retrieved", "paywall")
    assert retrieval.because == "The publisher's page has it for subscribers only."
    [missing] = not_retrieved(world.project)
    assert (missing.candidate_id, missing.reason, missing.by_rule) == (reference.candidate_id, "paywall", True)
    counts = retrieval_counts(world.project)
    assert (counts.sought, counts.retrieved, counts.not_retrieved, counts.open, counts.reasons) == (
        1, 0, 1, 0, {"paywall": 1},
    )  # fmt: skip


def test_all_papers_of_the_corpus_end_somewhere_and_no_false_pdf_is_accepted(
    world: World, sandbox: RunningSandbox
) -> None:
    chosen = articles(sandbox)[:25]
    references = [refer(world, one) for one in chosen]
    search(world, *references)
    for article, reference in zip(chosen, references, strict=True):
        row = FullText.objects.get(reference=reference)
        assert row.state in (StepState.DONE, StepState.PARTIAL), (article.doi, row.state)
        accepted = FullTextCopy.objects.filter(reference=reference, state=CopyState.ACCEPTED).exists()
        is_preprint = article.doi.startswith("10.1101")
        if not accepted:
            assert not article.pmc
            assert is_preprint or kind_of(sandbox, article) != "good"
    counts = state_counts(world.project)
    assert counts["all"] == 25
    assert sum(counts[name] for name in counts if name != "all") == 25
    assert counts["found"] >= 5


def test_a_silent_source_is_never_a_missing_paper(world: World, sandbox: RunningSandbox, monkeypatch: Any) -> None:
    monkeypatch.setattr(fulltext_work, "MOST_WAITS", 0)
    article = article_of_kind(sandbox, "paywall")
    reference = refer(world, article)
    sandbox.faults.replace([Fault(kind="http", source="crossref", status=500)])
    search(world, reference)
    row = FullText.objects.get(reference=reference)
    assert row.state == StepState.PARTIAL
    retrieval = ReportRetrieval.objects.get(candidate=reference.candidate)
    assert (retrieval.outcome, retrieval.reason) == ("sought", "")
    assert retrieval.because == "Crossref could not be asked. Search again later."


def test_a_busy_host_is_waited_for_and_then_asked_again(world: World, sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall")
    reference = refer(world, article)
    ResolverAddress.objects.create(user=world.owner, address="https://kinds.sandbox/busy/{doi}")
    search(world, reference)
    row = FullText.objects.get(reference=reference)
    assert (row.state, row.failures, row.message) == (
        StepState.WAITING, 1, "Waits for a place that could not be asked.",
    )  # fmt: skip
    assert row.not_before is not None
    FullText.objects.update(not_before=None, state=StepState.QUEUED, failures=fulltext_work.MOST_WAITS)
    FullTextWork().run("0")
    row.refresh_from_db()
    assert row.state == StepState.PARTIAL
    assert ReportRetrieval.objects.get().outcome == RetrievalOutcome.SOUGHT


def test_a_host_that_keeps_programs_out_leaves_the_decision_to_a_person(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "refused"))
    search(world, reference)
    retrieval = ReportRetrieval.objects.get(candidate=reference.candidate)
    assert (retrieval.outcome, retrieval.because) == (
        "sought", "The publisher's page lets no program in. Open the page yourself and bring the file.",
    )  # fmt: skip
    assert state_counts(world.project)["undecided"] == 1


def test_a_scanned_file_is_asked_about_and_the_answer_counts(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "scanned"))
    search(world, reference)
    [copy] = FullTextCopy.objects.filter(reference=reference)
    assert (copy.state, copy.outcome, copy.why) == ("asked", "scanned", SENTENCES[Outcome.SCANNED])
    assert ReportRetrieval.objects.get(candidate=reference.candidate).outcome == "sought"
    assert state_counts(world.project)["asked"] == 1
    copy_decide(copy=copy, actor=world.owner, reference=reference)
    copy.refresh_from_db()
    assert (copy.state, copy.decided_by) == ("accepted", world.owner)
    assert ReportRetrieval.objects.get(candidate=reference.candidate).outcome == "retrieved"
    assert sections_of(copy) == []
    copy_withdraw(copy=copy, actor=world.owner)
    assert ReportRetrieval.objects.get(candidate=reference.candidate).outcome == "sought"
    with pytest.raises(FullTextProblem):
        copy_withdraw(copy=copy, actor=world.owner)


def test_a_doubtful_fetched_file_is_no_question_once_the_paper_is_here(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "scanned"))
    search(world, reference)
    assert waiting_copies(world.project).count() == 1
    resolver_save(user=world.owner, address="https://kinds.sandbox/good/{doi}")
    search(world, reference)
    assert state_counts(world.project)["found"] == 1
    assert waiting_copies(world.project).count() == 0


def test_two_requests_to_one_host_are_two_seconds_apart_for_all_processes(world: World) -> None:
    clock = FakeClock()
    gates = [DatabaseRateGate(policy_of, clock=clock) for _ in range(2)]
    assert gates[0].reserve(pace_key("a.test"), "") == 0
    assert 2 <= gates[1].reserve(pace_key("a.test"), "") < 2.5
    assert gates[1].reserve(pace_key("b.test"), "") == 0


def test_the_resolver_is_asked_only_if_set_and_only_for_its_owner(world: World, sandbox: RunningSandbox) -> None:
    assert ResolverAddress.objects.count() == 0
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    world.person("ben", "lead")
    resolver_save(user=world.people["ben"], address="https://kinds.sandbox/good/{doi}")
    search(world, reference)
    assert not FullTextAttempt.objects.filter(source="resolver").exists()
    fulltexts_request(project=world.project, actor=world.people["ben"], reference_ids=[reference.pk])
    FullTextWork().run("0")
    [attempt] = FullTextAttempt.objects.filter(source="resolver")
    assert (attempt.round, attempt.outcome) == (2, "accepted")


@pytest.mark.parametrize(
    "address",
    ["proxy.uni.example", "ftp://a.test/", "https://", "https://user:pw@proxy.test/", "http://localhost/", "https://10.0.0.1/",
     "https://proxy/login", "https://a.test/ b", "https://a.test/" + "x" * 500, "http://[x"],
)  # fmt: skip
def test_resolver_addresses_that_are_none(world: World, address: str) -> None:
    with pytest.raises(FullTextProblem):
        resolver_save(user=world.owner, address=address)
    assert ResolverAddress.objects.count() == 0


def test_a_resolver_is_changed_and_removed(world: World) -> None:
    resolver_save(user=world.owner, address=" https://a.test/login?url= ")
    assert ResolverAddress.objects.get().address == "https://a.test/login?url="
    resolver_save(user=world.owner, address="https://b.test/")
    assert ResolverAddress.objects.get().address == "https://b.test/"
    resolver_save(user=world.owner, address="")
    assert ResolverAddress.objects.count() == 0


def test_cancelled_searches_keep_what_was_found_and_are_resumed(world: World, sandbox: RunningSandbox) -> None:
    references = [refer(world, one) for one in articles(sandbox)[:3]]
    fulltexts_request(project=world.project, actor=world.owner, reference_ids=[one.pk for one in references])
    assert fulltexts_cancel(project=world.project, actor=world.owner) == 3
    FullTextWork().run("0")
    assert set(FullText.objects.values_list("state", flat=True)) == {StepState.CANCELLED}
    assert FullTextAttempt.objects.count() == 0
    assert fulltexts_resume(project=world.project, actor=world.owner) == 3
    assert FullTextWork().due() != []
    FullTextWork().run("0")
    assert FullTextWork().due() == []
    assert not FullText.objects.filter(state=StepState.CANCELLED).exists()
    assert fulltexts_resume(project=world.project, actor=world.owner) == 0


def test_a_search_that_is_cancelled_while_it_runs_ends_at_the_next_place(
    world: World, sandbox: RunningSandbox, monkeypatch: Any
) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk])
    real = fulltext_work._store

    def store(*args: Any) -> None:
        real(*args)
        fulltexts_cancel(project=world.project, actor=world.owner)

    monkeypatch.setattr(fulltext_work, "_store", store)
    FullTextWork().run("0")
    assert FullText.objects.get().state == StepState.CANCELLED
    assert FullTextAttempt.objects.count() == 1


def test_after_a_killed_worker_no_address_is_asked_twice(
    world: World, sandbox: RunningSandbox, monkeypatch: Any
) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk])
    real = fulltext_work._settle
    monkeypatch.setattr(fulltext_work, "_settle", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        FullTextWork().run("0")
    pages = sum(one.source == "web" for one in sandbox.sandbox.log())
    assert pages > 0
    FullText.objects.update(state=StepState.QUEUED, lease_token="")
    monkeypatch.setattr(fulltext_work, "_settle", real)
    FullTextWork().run("0")
    assert sum(one.source == "web" for one in sandbox.sandbox.log()) == pages
    sources = list(FullTextAttempt.objects.values_list("source", flat=True))
    assert sources == ["unpaywall", "pmc", "openalex", "crossref", "landing"]
    assert ReportRetrieval.objects.get().reason == "paywall"


def test_begun_twice_while_it_runs_is_begun_once(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    assert fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk]) == 1
    assert fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk]) == 0
    assert FullText.objects.get().round == 1
    FullTextWork().run("0")
    assert fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk]) == 1
    assert FullText.objects.get().round == 2
    with pytest.raises(FullTextProblem):
        fulltexts_request(project=world.project, actor=world.owner, reference_ids=[reference.pk + 1000])


def test_a_persons_reason_stands_until_a_text_is_found(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    with pytest.raises(FullTextProblem):
        mark_not_retrieved(reference=reference, actor=world.owner, reason="boring")
    mark_not_retrieved(reference=reference, actor=world.owner, reason="language", because="in Finnish")
    search(world, reference)
    retrieval = ReportRetrieval.objects.get()
    assert (retrieval.reason, retrieval.because, retrieval.actor) == ("language", "in Finnish", world.owner)
    mark_open(reference=reference, actor=world.owner)
    assert ReportRetrieval.objects.get().outcome == "sought"
    resolver_save(user=world.owner, address="https://kinds.sandbox/good/{doi}")
    search(world, reference)
    assert ReportRetrieval.objects.get().outcome == "retrieved"
    with pytest.raises(FullTextProblem):
        mark_not_retrieved(reference=reference, actor=world.owner, reason="paywall")


def test_a_withdrawn_paper_says_so(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    world.verify(reference.candidate, publication_state="withdrawn")
    search(world, reference)
    assert ReportRetrieval.objects.get().reason == "withdrawn"


def test_a_paper_without_identifiers_is_not_decided(world: World, sandbox: RunningSandbox) -> None:
    candidate = world.candidate(identifiers=())
    world.decide(candidate, "include")
    search(world, Reference.objects.get(candidate=candidate))
    assert ReportRetrieval.objects.get().because.startswith("No place could be asked")
    assert FullTextAttempt.objects.count() == 0


def test_an_unusable_source_is_named_and_the_others_are_asked(
    world: World, sandbox: RunningSandbox, settings: Any
) -> None:
    settings.CONTACT_EMAIL = ""
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    search(world, reference)
    first = FullTextAttempt.objects.order_by("pk")[0]
    assert (first.source, first.outcome) == ("unpaywall", "switched_off")
    assert "contact e-mail" in first.message
    assert ReportRetrieval.objects.get().reason == "paywall"


def test_addresses_beyond_the_cap_are_named(sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall")
    record = Record("pubmed", "1", title=article.title, identifiers=(Identifier(Scheme.DOI, article.doi.lower()),))
    told: list[Told] = []
    chain = Chain(record, unreachable, web_reader(), told.append)
    chain._asked = MOST_ADDRESSES
    chain.run()
    assert [one.outcome for one in told if one.source == "landing"] == [Outcome.NOT_TRIED]
