"""Replays: a run over the archived answers of an earlier one, without any source, and whether it gave the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from litapp.core.records import record_to_dict
from litapp.jobs.models import StepState
from litapp.jobs.services import enqueue
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.records import data_hash
from litapp.projects.services.events import record_event
from litapp.providers.base import Page
from searches.models import RetrievalHit, RetrievalRun, RetrievalStep
from searches.services.run_papers import papers_of_run
from searches.services.runs import KIND, run_close_if_done
from searches.services.step_answers import can_replay

COPIED = ("source", "query_index", "query_label", "query_text", "query_params", "notes")
SHOWN = 20
"""Differences that are named; the rest are counted."""


class CannotReplay(Exception):
    """The run has no archived answers to replay it from, or is not over. The message says which."""


def run_replay(*, run: RetrievalRun, actor: Any, request_id: UUID) -> RetrievalRun:
    """Start a replay of a finished run: the same queries, answered from its own archived answers, nobody is asked.

    It is background work like any run. The same `request_id` again gives the same replay. Raises CannotReplay.
    """
    made = RetrievalRun.objects.filter(request_id=request_id, project_id=run.project_id).first()
    if made is not None:
        return made
    if run.is_open:
        raise CannotReplay("This run is still going on. Replay it when it is over.")
    origin = run.replay_of or run
    if not can_replay(origin):
        raise CannotReplay(
            "No archived answers of this run are here to replay it from. A bundle has them only if it was exported "
            "with its answers."
        )
    try:
        return _create(origin, actor, request_id)
    except IntegrityError:  # the other click of a double click was faster
        return RetrievalRun.objects.get(request_id=request_id)


@transaction.atomic
def _create(origin: RetrievalRun, actor: Any, request_id: UUID) -> RetrievalRun:
    run = RetrievalRun.objects.create(
        project=origin.project,
        version=origin.version,
        started_by=actor,
        request_id=request_id,
        sandbox=origin.sandbox,
        replay_of=origin,
    )
    RetrievalStep.objects.bulk_create(_step(run, step) for step in origin.steps.order_by("pk"))
    record_event(
        project=run.project, actor=actor, verb="run.replayed", subject=f"run:{run.pk}", payload={"run": origin.pk}
    )
    for pk in RetrievalStep.objects.due().filter(run=run).values_list("pk", flat=True):
        enqueue(KIND, str(pk))
    run_close_if_done(run_id=run.pk)
    run.refresh_from_db()
    return run


def _step(run: RetrievalRun, earlier: RetrievalStep) -> RetrievalStep:
    """The same step, to be done again; one that was skipped is skipped again."""
    step = RetrievalStep(run=run, **{name: getattr(earlier, name) for name in COPIED})
    if earlier.state == StepState.SKIPPED:
        step.state, step.message, step.finished_at = earlier.state, earlier.message, earlier.finished_at
    return step


def replayed_step(step: RetrievalStep) -> RetrievalStep | None:
    """The step that this one replays; None for a step that asks its source."""
    if step.run.replay_of_id is None:
        return None
    return RetrievalStep.objects.get(run_id=step.run.replay_of_id, source=step.source, query_index=step.query_index)


def compared(step: RetrievalStep, page: Page) -> Page:
    """The page of a replay, with a note where this version reads a record otherwise than the run did."""
    if step.run.replay_of_id is None or not page.hits:
        return page
    answers = sorted({hit.answer_id for hit in page.hits})
    known = {
        (answer, position): sha256
        for answer, position, sha256 in SourceRecord.objects.filter(answer_id__in=answers).values_list(
            "answer_id", "position", "sha256"
        )
    }
    other = [
        hit.record.source_id
        for hit in page.hits
        if known.get((hit.answer_id, hit.position)) != data_hash(record_to_dict(hit.record))
    ]
    if not other:
        return page
    named = ", ".join(other[:SHOWN]) + (f" and {len(other) - SHOWN} more" if len(other) > SHOWN else "")
    text = f"This version reads {len(other)} of these records otherwise than the run did: {named}."
    return replace(page, notes=(*page.notes, text))


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """How a replay compares with its run. `only_run` and `only_replay` name hits (source, query, rank, record);
    `papers_differ` is True when the records join to other papers; `notes` say what was read otherwise."""

    hits: int
    only_run: tuple[tuple[str, int, int, str], ...]
    only_replay: tuple[tuple[str, int, int, str], ...]
    papers: int
    papers_differ: bool
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """The same records at the same ranks, joined to the same papers."""
        return not self.only_run and not self.only_replay and not self.papers_differ and not self.notes


def replay_report(replay: RetrievalRun) -> ReplayReport:
    """Compare a finished replay with the run it replays: every hit, and the papers that the hits join to.

    Raises ValueError for a run that is no replay.
    """
    if replay.replay_of is None:
        raise ValueError(f"run {replay.pk} is no replay")
    ours, theirs = _hits(replay.replay_of), _hits(replay)
    papers = papers_of_run(replay.replay_of).partition()
    return ReplayReport(
        hits=sum(ours.values()),
        only_run=tuple(sorted((ours - theirs).elements())),
        only_replay=tuple(sorted((theirs - ours).elements())),
        papers=len(papers),
        papers_differ=papers != papers_of_run(replay).partition(),
        notes=tuple(
            dict.fromkeys(
                item["text"]
                for step in replay.steps.all()
                for item in step.notes
                if item["text"].startswith("This version reads ")
            )
        ),
    )


def _hits(run: RetrievalRun) -> Counter[tuple[str, int, int, str]]:
    rows = RetrievalHit.objects.filter(step__run=run).values_list(
        "step__source", "step__query_index", "rank", "source_record__source_id"
    )
    return Counter(rows)
