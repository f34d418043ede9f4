"""How a run ended at each source, one line a source: its searches, and the checks of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from litapp.jobs.models import StepState
from litapp.providers.registry import source, source_keys
from litapp.verification.models import Verification
from litapp.verification.services.source_summary import SourceSilence, silences
from searches.models import Candidate, RetrievalRun, RetrievalStep

_UNFINISHED = (StepState.FAILED, StepState.SKIPPED, StepState.CANCELLED)


def run_source_lines(run: RetrievalRun, steps: Sequence[RetrievalStep]) -> list[str]:
    """One sentence for every source that was searched, or could not be asked about what the run found. One query."""
    found = Candidate.objects.filter(source_records__source_record__hits__step__run=run).values("verification_id")
    return source_lines(steps, silences(Verification.objects.filter(pk__in=found)))


def source_lines(steps: Sequence[RetrievalStep], silent: Sequence[SourceSilence]) -> list[str]:
    """The same from rows that were read already. Pure."""
    by_source: dict[str, list[RetrievalStep]] = {}
    for step in steps:
        by_source.setdefault(step.source, []).append(step)
    silences_by_source = {one.source: one for one in silent}
    place = {key: number for number, key in enumerate(source_keys())}
    keys = sorted({*by_source, *silences_by_source}, key=lambda key: (place.get(key, len(place)), key))
    return [_line(key, by_source.get(key, []), silences_by_source.get(key)) for key in keys]


def _line(key: str, steps: Sequence[RetrievalStep], silence: SourceSilence | None) -> str:
    if not steps:
        return silence.sentence if silence else ""
    told = f"{source(key).label if key in source_keys() else key}: {_searches(steps)}"
    return f"{told} In the checks: {silence.sentence}" if silence else told


def _searches(steps: Sequence[RetrievalStep]) -> str:
    """What became of the searches: "all 3 searches made, 1,234 records." """
    bad = [step for step in steps if step.state in _UNFINISHED or not _whole(step)]
    records = sum(step.fetched for step in steps)
    number = "1 record" if records == 1 else f"{records:,} records"
    if not bad:
        what = "the search was made" if len(steps) == 1 else f"all {len(steps)} searches were made"
        return f"{what}, {number}."
    reasons = list(dict.fromkeys(_reason(step) for step in bad))
    told = [one for one in reasons if not any(other != one and other.startswith(one) for other in reasons)]
    why = "; ".join(reason for reason in told if reason)
    what = "the search was" if len(steps) == 1 else f"{len(bad)} of {len(steps)} searches were"
    return f"{what} not made or not finished{f' ({why})' if why else ''}, {number}."


def _whole(step: RetrievalStep) -> bool:
    return step.state in (StepState.DONE, StepState.PARTIAL) and (step.exhausted or step.state == StepState.DONE)


def _reason(step: RetrievalStep) -> str:
    return "cancelled" if step.state == StepState.CANCELLED else step.message.rstrip(". ")
