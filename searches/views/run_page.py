"""What the page of a run shows: one card and one row of numbers per step, and the sentence that sums it up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litapp.jobs.models import StepState
from litapp.providers.registry import source, source_keys
from litapp.web.htmx import fingerprint
from searches.models import RetrievalRun, RetrievalStep, RunState
from searches.services.outcome import step_name, step_shortfalls
from searches.services.stand_ins import StandInOffer
from searches.views.plan_sources import Remark

STATE_WORDS = {
    StepState.QUEUED: "Queued",
    StepState.RUNNING: "Reading",
    StepState.WAITING: "Waiting",
    StepState.DONE: "Done",
    StepState.PARTIAL: "Partial",
    StepState.FAILED: "Failed",
    StepState.SKIPPED: "Skipped",
    StepState.CANCELLED: "Cancelled",
}
RUN_PILLS = {
    RunState.RUNNING: "pill-accent",
    RunState.SUCCESS: "pill-ok",
    RunState.PARTIAL: "pill-warn",
    RunState.FAILED: "pill-stop",
    RunState.CANCELLED: "",
}


@dataclass(frozen=True, slots=True)
class StepShown:
    """One query at one source. `done` and `total` are for the meter; the other numbers are the source's and ours:
    `reported` None = the source gave no count."""

    key: str
    source: str
    name: str
    state: str
    state_text: str
    done: int
    total: int | None
    message: str
    hint: str
    reported: int | None
    exact: bool
    fetched: int
    invalid: int
    empty: int
    missing: int
    cut: str
    query: str
    params: tuple[tuple[str, str], ...]
    remarks: tuple[Remark, ...]
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def open(self) -> bool:
        return self.state in (StepState.QUEUED, StepState.RUNNING, StepState.WAITING)


@dataclass(frozen=True, slots=True)
class RunShown:
    """A run as its page shows it. `seen` names this state: a poll that knows it already gets nothing."""

    run: RetrievalRun
    steps: tuple[StepShown, ...]
    worker_runs: bool
    can_resume: bool
    seen: str
    source_lines: tuple[str, ...] = ()
    """Once the run has ended: how it ended at each source."""
    offer: StandInOffer | None = None
    """While PubMed is closed: what can be asked at Europe PMC in its place."""

    @property
    def fetched(self) -> int:
        return sum(step.fetched for step in self.steps)

    @property
    def finished_steps(self) -> int:
        return sum(not step.open for step in self.steps)

    @property
    def cancelling(self) -> bool:
        return self.run.is_open and self.run.cancel_requested_at is not None

    @property
    def pill(self) -> str:
        return RUN_PILLS.get(RunState(self.run.state), "")

    @property
    def summary(self) -> str:
        """One sentence, for the live region: it changes when a source ends, not with every record."""
        of = f"{self.finished_steps} of {len(self.steps)} searches ended"
        if self.cancelling:
            return f"The run is being cancelled; {of}."
        return f"The run goes on; {of}." if self.run.is_open else f"The run has ended: {self.run.get_state_display()}."


def run_shown(
    run: RetrievalRun,
    steps: Sequence[RetrievalStep],
    *,
    worker_runs: bool,
    can_resume: bool,
    source_lines: Sequence[str] = (),
    offer: StandInOffer | None = None,
) -> RunShown:
    """The page's data from rows that were read already."""
    several = len({step.query_index for step in steps}) > 1
    place = {key: number for number, key in enumerate(source_keys())}
    ordered = sorted(steps, key=lambda step: (place.get(step.source, len(place)), step.query_index))
    shown = tuple(_step(step, several) for step in ordered)
    stamp = [
        run.state,
        run.cancel_requested_at,
        run.reasons,
        worker_runs or not run.is_open,
        can_resume,
        offer.why if offer else "",
    ]
    seen = fingerprint([*stamp, [_stamp(step) for step in shown]])
    return RunShown(run, shown, worker_runs, can_resume, seen, tuple(source_lines), offer)


def _stamp(step: StepShown) -> list[Any]:
    """What a change of which is worth a new picture."""
    numbers = [step.done, step.total, step.reported, step.fetched, step.invalid, step.empty, step.missing]
    return [step.key, step.state, step.message, step.hint, step.cut, *numbers]


def _step(step: RetrievalStep, several: bool) -> StepShown:
    return StepShown(
        key=f"{step.source}-{step.query_index + 1}",
        source=step.source,
        name=step_name(step, several=several),
        state=step.state,
        state_text=STATE_WORDS[StepState(step.state)],
        done=step.done,
        total=step.done if step.state == StepState.DONE and step.total is not None else step.total,
        message=_message(step),
        hint="" if step.state == StepState.RUNNING else step.hint,
        reported=step.reported,
        exact=source(step.source).counts_exactly,
        fetched=step.fetched,
        invalid=step.invalid_records,
        empty=step.empty_records,
        missing=len(step.missing),
        cut=step.capped,
        query=step.query_text,
        params=tuple((str(name), str(value)) for name, value in step.query_params),
        remarks=tuple(Remark(item.get("text", ""), item.get("loss", "") or "") for item in step.notes),
        started_at=step.started_at,
        finished_at=step.finished_at,
    )


def _message(step: RetrievalStep) -> str:
    """The sentence beside the meter: what the step says, and when a waiting one goes on."""
    if step.state == StepState.WAITING and step.not_before:
        return f"{step.message} Goes on at {step.not_before:%H:%M:%S} UTC.".strip()
    if step.state == StepState.RUNNING and step.message:
        return f"Trying again. Before: {step.message}"
    if step.state in (StepState.DONE, StepState.PARTIAL) and not step.message:
        shortfalls = step_shortfalls(step)
        if not shortfalls and not step.fetched:
            return f"{source(step.source).label} answered: it has no record for this query."
        return shortfalls[0] if shortfalls else "Everything the source reported is here."
    return step.message
