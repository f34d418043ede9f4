"""Replays: the run's own archived answers and nothing else; the same records and papers, or what differs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from litapp.core.plan import Caps
from litapp.core.ports import Outcome, Request
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.bodies import body_path
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Project
from litapp.providers.base import Page, SourceError
from searches.management.commands import replay as replay_command
from searches.models import Candidate, RetrievalHit, RetrievalRun, RunState, StepAnswer
from searches.services.bundle_export import bundle_export
from searches.services.bundle_import import bundle_import
from searches.services.replay import CannotReplay, replay_report, run_replay
from searches.services.step_answers import NOT_ARCHIVED, ReplayingClient, request_hash
from tests.searches.conftest import steps_of, work_all
from tests.searches.stand_in import StandIn, papers, trouble

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


def go_silent(sources: Sources) -> None:
    """From now on every source fails the test when it is asked."""
    for stand_in in sources.values():
        stand_in.state = SourceState(False, "gone")

        def asked(*args: Any, **kwargs: Any) -> Any:
            raise AssertionError("a source was asked")

        stand_in.send = asked  # type: ignore[method-assign]


def replayed(run: RetrievalRun, actor: User) -> RetrievalRun:
    replay = work_all(run_replay(run=run, actor=actor, request_id=uuid4()))
    return RetrievalRun.objects.select_related("replay_of").get(pk=replay.pk)


def hits(run: RetrievalRun) -> list[tuple[Any, ...]]:
    return sorted(
        RetrievalHit.objects.filter(step__run=run).values_list(
            "step__source", "step__query_index", "rank", "source_record_id", "duplicate_in_source"
        )
    )


def test_a_replay_gives_the_same_and_asks_nobody(sources: Sources, started: Start, person: User) -> None:
    sources["pubmed"].records, sources["crossref"].records = papers(25), papers(12, "crossref", start=20)
    run = work_all(started("pubmed", "crossref", queries=2))
    answers, candidates = SourceAnswer.objects.count(), Candidate.objects.count()
    go_silent(sources)
    replay = replayed(run, person)
    assert (replay.state, replay.reasons) == (run.state, run.reasons)
    assert hits(replay) == hits(run)
    assert (SourceAnswer.objects.count(), Candidate.objects.count()) == (answers, candidates)
    report = replay_report(replay)
    assert (report.same, report.hits, report.papers) == (True, 74, 31)
    assert set(StepAnswer.objects.filter(step__run=replay).values_list("how", flat=True)) == {"replayed"}


@pytest.mark.parametrize("caps", [Caps(per_query=7), Caps(per_source=11), Caps(per_run=20)])
def test_limits_cut_a_replay_where_they_cut_the_run(sources: Sources, started: Start, person: User, caps: Caps) -> None:
    sources["pubmed"].records, sources["crossref"].records = papers(25), papers(12, "crossref")
    run = work_all(started("pubmed", "crossref", queries=2, caps=caps))
    go_silent(sources)
    replay = replayed(run, person)
    assert hits(replay) == hits(run)
    told = lambda r: {key: (s.state, s.capped, s.reported, s.done) for key, s in steps_of(r).items()}  # noqa: E731
    assert told(replay) == told(run)


def test_a_resumed_run_is_replayed_with_the_shares_it_had(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    from searches.services.runs import run_resume

    sources["pubmed"].records = papers(25)
    sources["pubmed"].faults = [trouble(outcome=Outcome.PERMANENT)]
    run = work_all(started("pubmed", queries=2, caps=Caps(per_source=8)), clock)
    clock.shift(60)
    run = work_all(run_resume(run=run, actor=person), clock)
    go_silent(sources)
    replay = replayed(run, person)
    assert hits(replay) == hits(run)
    told = lambda r: {key: (s.state, s.message, s.capped, s.done, s.cap) for key, s in steps_of(r).items()}  # noqa: E731
    assert told(replay) == told(run)
    assert {key: step.cap for key, step in steps_of(run).items()} == {("pubmed", 0): 0, ("pubmed", 1): 8}


def test_what_was_skipped_stays_skipped_and_what_failed_fails_again(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(5)
    sources["crossref"].state = SourceState(False, "switched off")
    sources["openalex"].faults = [trouble("openalex", Outcome.PERMANENT)]
    run = work_all(started("pubmed", "crossref", "openalex"), clock)
    go_silent(sources)
    replay = work_all(run_replay(run=run, actor=person, request_id=uuid4()), clock)
    states = {key[0]: step.state for key, step in steps_of(replay).items()}
    assert states == {"pubmed": StepState.DONE, "crossref": StepState.SKIPPED, "openalex": StepState.FAILED}
    assert steps_of(replay)["openalex", 0].message.startswith(f"Run {run.pk} did not read an answer to this request")


@pytest.mark.parametrize("damage", ["link", "bytes", "outcome"])
def test_an_answer_that_is_missing_fails_the_step(
    sources: Sources, started: Start, person: User, damage: str, clock: Any
) -> None:
    sources["pubmed"].records = papers(25)
    run = work_all(started("pubmed"))
    last = StepAnswer.objects.filter(step__run=run).order_by("-pk").first()
    assert last is not None
    if damage == "link":
        last.delete()
    elif damage == "bytes":
        body_path(last.answer.sha256).unlink()
    else:
        SourceAnswer.objects.filter(pk=last.answer_id).update(outcome="malformed")
    go_silent(sources)
    replay = work_all(run_replay(run=run, actor=person, request_id=uuid4()), clock)
    [step] = replay.steps.all()
    assert (step.state, step.fetched, replay.state) == (StepState.PARTIAL, 20, RunState.PARTIAL)
    report = replay_report(RetrievalRun.objects.get(pk=replay.pk))
    assert (report.same, len(report.only_run), len(report.only_replay)) == (False, 5, 0)


def test_answers_of_another_run_are_not_used(sources: Sources, started: Start, person: User, clock: Any) -> None:
    sources["pubmed"].records = papers(5)
    first = work_all(started("pubmed"))
    clock.shift(3600)
    second = work_all(started("pubmed"))
    StepAnswer.objects.filter(step__run=second).delete()
    with pytest.raises(CannotReplay, match="No archived answers of this run"):
        run_replay(run=second, actor=person, request_id=uuid4())
    request = Request("pubmed", "GET", "/search", (("q", "x"),))
    with pytest.raises(SourceError) as caught:
        ReplayingClient(first.steps.get()).send(request, max_age_seconds=10**9)
    assert (caught.value.code, caught.value.permanent) == (NOT_ARCHIVED, True)


def test_an_answer_that_only_another_run_read_is_missing(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(15)
    work_all(started("pubmed"))
    clock.shift(3600)
    run = work_all(started("pubmed"))
    shared = set(StepAnswer.objects.exclude(step__run=run).values_list("request_hash", flat=True))
    last = StepAnswer.objects.filter(step__run=run).order_by("-pk").first()
    assert last is not None
    assert last.request_hash in shared
    last.delete()
    go_silent(sources)
    replay = work_all(run_replay(run=run, actor=person, request_id=uuid4()), clock)
    [step] = replay.steps.all()
    assert (step.state, step.fetched) == (StepState.PARTIAL, 10)
    assert f"Run {run.pk} did not read an answer to this request" in step.message


def test_a_record_that_is_read_otherwise_now_is_told(sources: Sources, started: Start, person: User) -> None:
    sources["pubmed"].records = papers(5)
    run = work_all(started("pubmed"))
    go_silent(sources)

    def read_otherwise(page: Page) -> Page:
        return replace(
            page,
            hits=tuple(
                replace(hit, record=replace(hit.record, volume="changed")) if hit.rank == 2 else hit
                for hit in page.hits
            ),
        )

    sources["pubmed"].change_page = read_otherwise
    replay = replayed(run, person)
    report = replay_report(replay)
    assert not report.same
    assert report.notes == ("This version reads 1 of these records otherwise than the run did: 1000002.",)


def test_a_replay_of_a_replay_is_one_of_the_run(sources: Sources, started: Start, person: User) -> None:
    sources["pubmed"].records = papers(3)
    run = work_all(started("pubmed"))
    again = replayed(replayed(run, person), person)
    assert again.replay_of_id == run.pk


def test_a_double_click_replays_once_and_an_open_run_never(sources: Sources, started: Start, person: User) -> None:
    sources["pubmed"].records = papers(3)
    run = started("pubmed")
    with pytest.raises(CannotReplay, match="still going on"):
        run_replay(run=run, actor=person, request_id=uuid4())
    run, number = work_all(run), uuid4()
    made = [run_replay(run=run, actor=person, request_id=number).pk for _ in range(2)]
    assert made[0] == made[1]
    assert RetrievalRun.objects.filter(replay_of=run).count() == 1


def test_the_hash_of_a_request_is_of_what_it_asks() -> None:
    base = Request("pubmed", "GET", "/a", (("x", "1"),))
    same = replace(base, path="a", operation="other", accept="x", cost=3)
    assert request_hash(base) == request_hash(same)
    others = [
        replace(base, source="crossref"), replace(base, method="POST"), replace(base, path="/b"),
        replace(base, params=(("x", "2"),)), replace(base, params=()), replace(base, form=(("x", "1"),)),
        replace(base, json_body="{}"),
    ]  # fmt: skip
    assert len({request_hash(one) for one in [base, *others]}) == 8


def test_an_imported_run_is_replayed_from_its_bundle_elsewhere(
    sources: Sources, started: Start, person: User, tmp_path: Path
) -> None:
    sources["pubmed"].records, sources["crossref"].records = papers(25), papers(12, "crossref", start=20)
    run = work_all(started("pubmed", "crossref"))
    bundle_export(run=run, out=tmp_path / "with.zip", answers=True)
    bundle_export(run=run, out=tmp_path / "without.zip")
    project = Project.objects.create(name="Elsewhere", created_by=person)
    bare = bundle_import(path=tmp_path / "without.zip", project=project, actor=person).run
    with pytest.raises(CannotReplay, match="only if it was exported with its answers"):
        run_replay(run=bare, actor=person, request_id=uuid4())
    further = Project.objects.create(name="Further", created_by=person)
    whole = bundle_import(path=tmp_path / "with.zip", project=further, actor=person).run
    go_silent(sources)
    replay = replayed(whole, person)
    assert hits(replay) == hits(whole)
    assert (replay_report(replay).same, Candidate.objects.listed(further).count()) == (True, 31)


def test_the_command_replays_and_fails_where_it_differs(
    sources: Sources, started: Start, person: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(replay_command, "SignOfLife", nullcontext)
    sources["pubmed"].records = papers(15)
    run = work_all(started("pubmed"))
    go_silent(sources)
    call_command("replay", str(run.pk))
    assert "gave the same as run" in capsys.readouterr().out
    RetrievalHit.objects.filter(step__run=run, rank=3).delete()
    with pytest.raises(CommandError, match="differs from run"):
        call_command("replay", str(run.pk))
    assert "only in the replay: pubmed, query 1, rank 3: 1000003" in capsys.readouterr().err
    StepAnswer.objects.all().delete()
    with pytest.raises(CommandError, match="No archived answers"):
        call_command("replay", str(run.pk))
