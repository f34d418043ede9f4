"""Fetching page by page: nothing lost, nothing doubled, nothing called zero that was not proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.core.plan import Caps
from litapp.core.ports import Outcome
from litapp.jobs import services as jobs
from litapp.jobs.models import LEASE, StepState
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.providers.base import Deferred, Page
from searches.models import Candidate, CandidateSource, RetrievalHit, RetrievalRun, RetrievalStep, RunState
from searches.services import retrieval
from searches.services.retrieval import RETRY_WAITS, RetrievalWork
from tests.searches.conftest import NOW, steps_of, work_all, work_once
from tests.searches.stand_in import StandIn, papers, trouble, without_total

Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


class Killed(BaseException):
    """Stands for kill -9: nothing may catch it, nothing after it runs."""


def kill_and_free(run: RetrievalRun) -> None:
    """Work until the worker dies, then free its leases as the next worker does at its start."""
    with pytest.raises(Killed):
        work_once()
    RetrievalStep.objects.filter(state=StepState.RUNNING).update(
        state=StepState.QUEUED, lease_token="", leased_by="", lease_until=None
    )


def picture(run: RetrievalRun) -> dict[str, Any]:
    """What a run left behind, without ids."""
    run.refresh_from_db()
    return {
        "state": run.state,
        "reasons": run.reasons,
        "steps": {
            key: (s.state, s.reported, s.fetched, s.done, s.capped, s.exhausted) for key, s in steps_of(run).items()
        },
        "hits": sorted(
            RetrievalHit.objects.filter(step__run=run).values_list(
                "step__source", "rank", "source_record__source_id", "duplicate_in_source"
            )
        ),
        "candidates": sorted(Candidate.objects.listed(run.project).values_list("title", "doi", "pmid")),
        "links": sorted(CandidateSource.objects.values_list("candidate__title", "source_record__source_id")),
        "records": SourceRecord.objects.count(),
    }


def test_pages_follow_each_other_and_the_cursor_is_saved(sources: Sources, started: Start) -> None:
    sources["pubmed"].records = papers(25)
    run = work_all(started("pubmed"))
    step = run.steps.get()
    assert sources["pubmed"].sent == ["/search?0", "/search?10", "/search?20"]
    assert (step.state, step.reported, step.fetched, step.done, step.total, step.exhausted, step.cursor) == (
        StepState.DONE, 25, 25, 25, 25, True, {},
    )  # fmt: skip
    ranks = list(RetrievalHit.objects.order_by("rank").values_list("rank", "source_record__source_id"))
    assert ranks == [(number, str(1_000_000 + number)) for number in range(1, 26)]


@pytest.mark.parametrize("request_number", [1, 2, 3])
@pytest.mark.parametrize("moment", ["in the request", "after the answer", "while saving", "after saving"])
def test_killed_at_any_moment_nothing_is_lost_or_doubled(
    sources: Sources, started: Start, monkeypatch: pytest.MonkeyPatch, request_number: int, moment: str
) -> None:
    sources["pubmed"].records = papers(25)
    run = started("pubmed")
    calls = {"absorb": 0, "fetch": 0}
    absorb, fetch = retrieval.absorb_hits, sources["pubmed"].fetch_page
    asked_again = 0

    def dying_absorb(**kwargs: Any) -> Any:
        calls["absorb"] += 1
        result = absorb(**kwargs)
        if moment == "while saving" and calls["absorb"] == request_number:
            raise Killed
        return result

    def dying_fetch(*args: Any) -> Page:
        calls["fetch"] += 1
        page = fetch(*args)
        if moment == "after the answer" and calls["fetch"] == request_number:
            raise Killed
        return page

    save = retrieval._save

    def dying_save(*args: Any) -> None:
        save(*args)
        if moment == "after saving" and calls["absorb"] == request_number:
            raise Killed

    monkeypatch.setattr(retrieval, "_save", dying_save)
    monkeypatch.setattr(retrieval, "absorb_hits", dying_absorb)
    monkeypatch.setattr(sources["pubmed"], "fetch_page", dying_fetch)
    if moment == "in the request":
        sources["pubmed"].faults = [*[None] * (request_number - 1), Killed()]
        asked_again = 1
    kill_and_free(run)
    run = work_all(run)
    step = run.steps.get()
    assert (run.state, run.reasons, step.fetched, step.done, step.reported) == (RunState.SUCCESS, [], 25, 25, 25)
    assert (Candidate.objects.count(), RetrievalHit.objects.count(), SourceRecord.objects.count()) == (25, 25, 25)
    assert len(sources["pubmed"].sent) == 3 + asked_again
    assert SourceAnswer.objects.count() == 3


def test_a_disturbed_run_ends_like_an_undisturbed_one(
    sources: Sources, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("pubmed", "crossref"):
        sources[key].records = papers(40, key)
    first = picture(work_all(started("pubmed", "crossref")))
    for model in (RetrievalHit, CandidateSource, Candidate, RetrievalStep, RetrievalRun, SourceRecord, SourceAnswer):
        model.objects.all().delete()
    run = started("pubmed", "crossref")
    for key in ("pubmed", "crossref"):
        sources[key].faults = [None, Killed(), None, None, Killed()]
    for _ in range(4):
        try:
            work_once()
        except Killed:
            RetrievalStep.objects.filter(state=StepState.RUNNING).update(
                state=StepState.QUEUED, lease_token="", leased_by="", lease_until=None
            )
    assert picture(work_all(run)) == first


def test_a_worker_that_lost_its_lease_saves_nothing(sources: Sources, started: Start) -> None:
    sources["pubmed"].records = papers(25)
    run = started("pubmed")

    def lose() -> None:
        RetrievalStep.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert jobs.claim(RetrievalStep.objects.all(), run.steps.get().pk)

    sources["pubmed"].faults = [None, lose]
    assert work_once() == 1
    step = run.steps.get()
    assert (step.state, step.fetched, step.done) == (StepState.RUNNING, 10, 10)
    assert (Candidate.objects.count(), RetrievalHit.objects.count()) == (10, 10)


def test_one_step_of_a_lane_at_a_time_and_all_sources_side_by_side(sources: Sources, started: Start) -> None:
    run = started("pubmed", "crossref", queries=2)
    steps = {key: step.pk for key, step in steps_of(run).items()}
    work = RetrievalWork()
    assert set(work.due()) == {str(steps["pubmed", 0]), str(steps["crossref", 0])}
    jobs.claim(RetrievalStep.objects.all(), steps["pubmed", 0])
    assert set(work.due()) == {str(steps["crossref", 0])}
    work.run(str(steps["pubmed", 1]))
    assert sources["pubmed"].sent == []


def test_zero_hits_are_done_and_proven_by_the_total(sources: Sources, started: Start) -> None:
    run = work_all(started("pubmed"))
    step = run.steps.get()
    assert (run.state, step.state, step.reported, step.fetched) == (RunState.SUCCESS, StepState.DONE, 0, 0)
    assert sources["pubmed"].sent == ["/search?0"]


def test_zero_hits_without_a_total_are_proven_by_a_count(sources: Sources, started: Start) -> None:
    sources["pubmed"].change_page = without_total
    run = work_all(started("pubmed"))
    assert (run.state, run.steps.get().state) == (RunState.SUCCESS, StepState.DONE)
    assert sources["pubmed"].sent == ["/search?0", "/count?"]


@pytest.mark.parametrize("tells_total", [True, False])
def test_an_empty_page_against_the_total_is_never_zero(
    sources: Sources, started: Start, clock: Any, tells_total: bool
) -> None:
    sources["pubmed"].reported, sources["pubmed"].tells_total = 12, tells_total
    run = work_all(started("pubmed"), clock)
    step = run.steps.get()
    assert (run.state, step.state) == (RunState.FAILED, StepState.FAILED)
    assert run.reasons == ["PubMed failed: PubMed reports 12 records and gave none."]


def test_records_that_never_came_are_told(sources: Sources, started: Start) -> None:
    sources["pubmed"].records, sources["pubmed"].reported = papers(8), 11
    run = work_all(started("pubmed"))
    assert (run.state, run.reasons) == (
        RunState.PARTIAL,
        ["PubMed: PubMed reported 11 records and gave 3 fewer, without saying why."],
    )


def test_missing_invalid_and_empty_records_are_counted_and_told(sources: Sources, started: Start) -> None:
    source = sources["pubmed"]
    source.records, source.reported = papers(5), 14
    source.change_page = lambda page: replace(
        page, missing=("11", "12", "13", "14", "15", "16"), invalid_records=1, empty_records=2
    )
    run = work_all(started("pubmed"))
    step = run.steps.get()
    assert (step.missing, step.invalid_records, step.empty_records) == (["11", "12", "13", "14", "15", "16"], 1, 2)
    assert (run.state, run.reasons) == (
        RunState.PARTIAL,
        [
            "PubMed: PubMed named 6 records that it did not deliver: 11, 12, 13, 14, 15 and 1 more.",
            "PubMed: 1 record without a title could not be used.",
            "PubMed: 2 entries were empty.",
        ],
    )


def test_a_sources_own_limit_is_told(sources: Sources, started: Start) -> None:
    sources["pubmed"].records, sources["pubmed"].capped_at = papers(30), 20
    run = work_all(started("pubmed"))
    assert (run.state, run.reasons) == (
        RunState.PARTIAL,
        ["PubMed: PubMed gives no more of this query than the 20 records that were fetched; it reports 30."],
    )


@pytest.mark.parametrize(
    ("caps", "expected"),
    [
        (Caps(per_query=12), {("pubmed", 0): 12, ("pubmed", 1): 12, ("crossref", 0): 12, ("crossref", 1): 12}),
        (Caps(per_source=25), {("pubmed", 0): 13, ("pubmed", 1): 12, ("crossref", 0): 13, ("crossref", 1): 12}),
        (Caps(per_run=7), {("pubmed", 0): 2, ("pubmed", 1): 2, ("crossref", 0): 2, ("crossref", 1): 1}),
        (Caps(per_run=2), {("pubmed", 0): 1, ("pubmed", 1): 0, ("crossref", 0): 1, ("crossref", 1): 0}),
    ],
)
def test_limits_hold_and_each_cut_is_told(
    sources: Sources, started: Start, caps: Caps, expected: dict[tuple[str, int], int]
) -> None:
    for key in ("pubmed", "crossref"):
        sources[key].records = papers(40, key)
    run = work_all(started("pubmed", "crossref", queries=2, caps=caps))
    steps = steps_of(run)
    # the plan names PubMed first: the rest of a division is its
    assert {key: step.fetched for key, step in steps.items()} == expected
    assert run.state == RunState.PARTIAL
    assert all(step.capped and step.state == StepState.PARTIAL for step in steps.values())
    assert len(run.reasons) == 4


def test_a_limit_that_cuts_nothing_is_no_shortfall(sources: Sources, started: Start) -> None:
    sources["pubmed"].records = papers(20)
    run = work_all(started("pubmed", caps=Caps(per_query=20, per_run=100)))
    assert (run.state, run.reasons, run.steps.get().capped) == (RunState.SUCCESS, [], "")


def test_trouble_is_tried_again_with_growing_waits_and_then_given_up(
    sources: Sources, started: Start, clock: Any
) -> None:
    sources["pubmed"].faults = [trouble()] * 100
    run = started("pubmed")
    waits = []
    for number in range(len(RETRY_WAITS)):
        work_once()
        step = run.steps.get()
        assert (step.state, step.failures, step.message, step.hint) == (
            StepState.WAITING, number + 1, "pubmed has a problem.", "Try later.",
        )  # fmt: skip
        waits.append((step.not_before - timezone.now()).total_seconds())
        assert work_once() == 0
        clock.move_to(step.not_before, tick=False)
    work_once()
    run.refresh_from_db()
    assert waits == list(RETRY_WAITS)
    assert (run.state, run.steps.get().state) == (RunState.FAILED, StepState.FAILED)


def test_trouble_that_passes_leaves_no_trace_in_the_result(sources: Sources, started: Start, clock: Any) -> None:
    sources["pubmed"].records = papers(30)
    sources["pubmed"].faults = [trouble(), None, trouble(outcome=Outcome.MALFORMED), None, trouble()]
    run = work_all(started("pubmed"), clock)
    step = run.steps.get()
    assert (run.state, step.state, step.fetched, step.failures, step.message) == (
        RunState.SUCCESS, StepState.DONE, 30, 0, "",
    )  # fmt: skip


def test_a_permanent_refusal_is_not_repeated(sources: Sources, started: Start, clock: Any) -> None:
    sources["pubmed"].faults = [trouble(outcome=Outcome.PERMANENT)]
    run = work_all(started("pubmed"), clock)
    assert (run.state, sources["pubmed"].sent) == (RunState.FAILED, ["/search?0"])


def test_a_failure_in_the_middle_keeps_what_is_here(sources: Sources, started: Start, clock: Any) -> None:
    sources["pubmed"].records = papers(30)
    sources["pubmed"].faults = [None, trouble(outcome=Outcome.PERMANENT)]
    run = work_all(started("pubmed"), clock)
    step = run.steps.get()
    assert (run.state, step.state, step.fetched, step.exhausted) == (RunState.PARTIAL, StepState.PARTIAL, 10, False)
    assert run.reasons == ["PubMed broke off after 10 records: pubmed has a problem."]


def test_a_source_that_wants_to_be_left_alone_is(sources: Sources, started: Start, clock: Any) -> None:
    sources["pubmed"].records = papers(5)
    until = NOW + timedelta(hours=7)
    sources["pubmed"].faults = [Deferred("pubmed", Outcome.RATE_LIMITED, "Budget spent.", hint="Wait.", retry_at=until)]
    run = started("pubmed")
    work_once()
    step = run.steps.get()
    assert (step.state, step.not_before, step.failures, step.message) == (StepState.WAITING, until, 0, "Budget spent.")
    assert work_all(run, clock).state == RunState.SUCCESS


def test_an_answer_that_was_no_use_is_asked_for_again(sources: Sources, started: Start, clock: Any) -> None:
    """A page archived as good, in which the parser found nonsense, must not be reused for ever."""
    source = sources["pubmed"]
    source.records = papers(5)
    bad = [True]

    def nonsense_once(page: Page) -> Page:
        if bad.pop() if bad else False:
            raise trouble(outcome=Outcome.MALFORMED)
        return page

    source.change_page = nonsense_once
    run = work_all(started("pubmed"), clock)
    assert (run.state, source.sent, source.reused) == (RunState.SUCCESS, ["/search?0", "/search?0"], 0)


def test_a_cursor_that_does_not_move_is_an_error(sources: Sources, started: Start, clock: Any) -> None:
    sources["pubmed"].records = papers(30)
    sources["pubmed"].change_page = lambda page: replace(page, cursor={"start": 10})
    run = work_all(started("pubmed"), clock)
    assert run.reasons == ["PubMed broke off after 10 records: PubMed went round in circles."]


def test_an_expired_cursor_is_read_again_from_the_start_without_doubles(
    sources: Sources, started: Start, clock: Any
) -> None:
    source = sources["crossref"]
    source.records = papers(25, "crossref")
    source.faults = [None, None, trouble("crossref", code="cursor_expired")]
    run = started("crossref")
    clock.shift(1)
    work_once()
    run = work_all(run, clock)
    step = run.steps.get()
    assert (run.state, step.fetched, step.done) == (RunState.SUCCESS, 25, 25)
    assert (Candidate.objects.count(), RetrievalHit.objects.count()) == (25, 25)
    assert [note["text"] for note in step.notes] == [
        "Crossref forgot its list before all of it was read; it was read again from the start."
    ]


def test_a_list_in_another_order_after_a_restart_loses_nothing(sources: Sources, started: Start, clock: Any) -> None:
    source = sources["crossref"]
    source.records = papers(25, "crossref")

    def expire() -> None:
        source.records = [*reversed(source.records)]
        raise trouble("crossref", code="cursor_expired")

    source.faults = [None, expire]
    run = work_all(started("crossref"), clock)
    assert (run.state, run.steps.get().fetched, Candidate.objects.count()) == (RunState.SUCCESS, 25, 25)
    assert sorted(RetrievalHit.objects.values_list("source_record__source_id", flat=True)) == sorted(
        record.source_id for record in source.records
    )


def test_a_paper_returned_twice_in_a_step_is_counted_and_used_once(sources: Sources, started: Start) -> None:
    first = papers(12)
    sources["pubmed"].records = [*first[:5], first[0], *first[5:], first[3]]
    run = work_all(started("pubmed"))
    step = run.steps.get()
    assert (step.fetched, Candidate.objects.count()) == (14, 12)
    doubles = RetrievalHit.objects.filter(duplicate_in_source=True).order_by("rank")
    assert [(hit.rank, hit.source_record.source_id) for hit in doubles] == [(6, "1000001"), (14, "1000004")]


def test_a_long_step_gives_its_place_up_between_pages(
    sources: Sources, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "TURN", -1.0)
    sources["pubmed"].records = papers(30)
    run = started("pubmed")
    work_once()
    step = run.steps.get()
    assert (step.state, step.fetched, step.lease_token) == (StepState.QUEUED, 10, "")
    assert work_all(run).state == RunState.SUCCESS


def test_an_unforeseen_error_is_raised_and_the_step_waits(sources: Sources, started: Start, clock: Any) -> None:
    run = started("pubmed")
    sources["pubmed"].faults = [ZeroDivisionError()]
    with pytest.raises(ZeroDivisionError):
        work_once()
    step = run.steps.get()
    assert (step.state, step.not_before) == (StepState.WAITING, NOW + timedelta(seconds=10))
    sources["pubmed"].records = papers(3)
    assert work_all(run, clock).state == RunState.SUCCESS


def test_a_step_that_stumbles_for_ever_is_given_up(sources: Sources, started: Start, clock: Any) -> None:
    run = started("pubmed")
    sources["pubmed"].faults = [ZeroDivisionError()] * 100
    for _ in range(retrieval.MOST_STUMBLES):
        with pytest.raises(ZeroDivisionError):
            work_once()
        clock.move_to(run.steps.get().not_before, tick=False)
    work_once()
    run.refresh_from_db()
    assert (run.state, run.reasons) == (
        RunState.FAILED,
        ["PubMed failed: LitLedger stumbled over this step several times."],
    )


def test_a_source_switched_off_during_the_run_ends_its_step_with_the_reason(sources: Sources, started: Start) -> None:
    from litapp.ledger.services.clients import SourceState

    run = started("pubmed")
    sources["pubmed"].state = SourceState(False, "PubMed is switched off.", "")
    run = work_all(run)
    assert (run.state, run.reasons) == (RunState.FAILED, ["PubMed failed: PubMed is switched off."])


def test_no_request_is_made_within_a_transaction(
    sources: Sources, started: Start, django_capture_on_commit_callbacks: Callable
) -> None:
    """A bell set while the source is asked would wait for a commit if a transaction were open around it."""
    from django.db import connection

    depth: list[int] = []
    sources["pubmed"].records = papers(15)
    run = started("pubmed")
    before = len(connection.savepoint_ids)
    sources["pubmed"].faults = [lambda: depth.append(len(connection.savepoint_ids) - before)] * 2
    work_all(run)
    assert depth == [0, 0]


def test_work_that_is_gone_is_left_quietly(db: None) -> None:
    RetrievalWork().run("12345")


def test_a_dead_workers_step_is_taken_up_when_its_lease_runs_out(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(5)
    run = started("pubmed")
    jobs.claim(RetrievalStep.objects.all(), run.steps.get().pk)
    assert work_once() == 0
    clock.shift(LEASE + timedelta(seconds=1))
    assert work_all(run).state == RunState.SUCCESS
