"""Says how a step and a run ended, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from litapp.jobs.models import StepState
from litapp.providers.registry import source
from searches.models import RetrievalStep, RunState
from searches.services.queries import stands_in_for

NAMED = 5
"""Missing records that are named in a sentence; the rest are counted."""
ALIKE = 3
"""Queries of one source that ended alike without records and are told in one sentence."""
_WORDS = {StepState.FAILED: "failed", StepState.SKIPPED: "was skipped"}
GOT_RECORDS = (StepState.DONE, StepState.PARTIAL)


def step_name(step: RetrievalStep, *, several: bool) -> str:
    """ "PubMed", or "PubMed (query 2, masks)" where the plan has several queries."""
    label = source(step.source).label
    if stands_in_for(step.notes):
        return f"{label} ({step.query_label})"
    if not several:
        return label
    number = f"query {step.query_index + 1}"
    return f"{label} ({number}, {step.query_label})" if step.query_label else f"{label} ({number})"


def step_shortfalls(step: RetrievalStep) -> list[str]:
    """What is missing in a step's records, one sentence each; [] = complete."""
    label, found = source(step.source).label, []
    if step.capped:
        found.append(step.capped)
    if step.missing:
        named = ", ".join(str(item) for item in step.missing[:NAMED])
        more = f" and {len(step.missing) - NAMED:,} more" if len(step.missing) > NAMED else ""
        found.append(f"{label} named {_records(len(step.missing))} that it did not deliver: {named}{more}.")
    if step.invalid_records:
        found.append(f"{_records(step.invalid_records)} without a title could not be used.")
    if step.empty_records:
        entries = "1 entry was" if step.empty_records == 1 else f"{step.empty_records:,} entries were"
        found.append(f"{entries} empty.")
    if gap := unexplained(step):
        found.append(f"{label} reported {step.reported:,} records and gave {gap:,} fewer, without saying why.")
    return found


def unexplained(step: RetrievalStep) -> int:
    """Records that an exactly counting source reported and that are neither here nor accounted for."""
    if not step.exhausted or step.capped or step.reported is None or not source(step.source).counts_exactly:
        return 0
    return max(0, step.reported - step.fetched - len(step.missing) - step.invalid_records - step.empty_records)


def final_state(step: RetrievalStep) -> StepState:
    """DONE when everything the source reported is here, else PARTIAL."""
    return StepState.PARTIAL if step_shortfalls(step) else StepState.DONE


def run_outcome(steps: Sequence[RetrievalStep], *, cancelled: bool) -> tuple[RunState, list[str]]:
    """State of a run whose steps have all ended, and why it is not a full success, one sentence a reason."""
    several = len({step.query_index for step in steps}) > 1
    reasons: list[str] = []
    alike = _alike(steps)
    for step in steps:
        name = step_name(step, several=several)
        if len(group := alike.get(_kind(step), [])) >= ALIKE:
            if step is group[0]:
                label = source(step.source).label
                reasons.append(f"{label} {_WORDS[StepState(step.state)]} in {len(group)} queries: {step.message}")
            continue
        if step.state == StepState.SKIPPED:
            reasons.append(f"{name} was skipped: {step.message}")
        elif step.state == StepState.FAILED:
            reasons.append(f"{name} failed: {step.message}")
        elif step.state == StepState.CANCELLED:
            reasons.append(f"{name} was stopped after {_records(step.fetched)}.")
        elif step.state == StepState.PARTIAL:
            if not step.exhausted:
                reasons.append(f"{name} broke off after {_records(step.fetched)}: {step.message}")
            reasons += [f"{name}: {sentence}" for sentence in step_shortfalls(step)]
    if cancelled:
        return RunState.CANCELLED, reasons
    if not any(step.state in GOT_RECORDS for step in steps):
        return RunState.FAILED, reasons or ["Nothing could be searched: no source takes any of the plan's queries."]
    return (RunState.PARTIAL if reasons else RunState.SUCCESS), reasons


def _kind(step: RetrievalStep) -> tuple[str, str, str]:
    return step.source, step.state, step.message


def _alike(steps: Sequence[RetrievalStep]) -> dict[tuple[str, str, str], list[RetrievalStep]]:
    """Steps that failed or were skipped, by source and message: many alike are told once."""
    found: dict[tuple[str, str, str], list[RetrievalStep]] = {}
    for step in steps:
        if step.state in _WORDS:
            found.setdefault(_kind(step), []).append(step)
    return found


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number:,} records"
