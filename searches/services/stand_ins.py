"""PubMed's records from Europe PMC's copy of them while PubMed is closed: offered, and started by a person only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from litapp.jobs.models import OPEN_STATES, HealthState, SourceHealth, StepState
from litapp.ledger.services.clients import source_state
from litapp.projects.services.events import record_event
from litapp.providers.base import CompiledQuery, SourceError
from litapp.providers.registry import copy_of_pubmed
from searches.models import RetrievalRun, RetrievalStep, RunState
from searches.services.queries import IN_PLACE_OF, note, notes_of, stands_in_for
from searches.services.runs import RunNotChanged, ring_for

ORIGINAL, COPY = "pubmed", "europepmc"
LABEL = "in place of PubMed"


@dataclass(frozen=True, slots=True)
class StandIn:
    """One of PubMed's queries as Europe PMC is asked it: compiled, or why it cannot be."""

    step: RetrievalStep
    query: CompiledQuery | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class StandInOffer:
    """What a person may start: `why` says what keeps PubMed from being asked."""

    why: str
    stand_ins: tuple[StandIn, ...]

    @property
    def can_start(self) -> bool:
        """At least one query can be asked in Europe PMC's syntax."""
        return any(one.query is not None for one in self.stand_ins)


def stand_in_offer(run: RetrievalRun, steps: Iterable[RetrievalStep]) -> StandInOffer | None:
    """What can be asked at Europe PMC now because PubMed is closed; None where nothing is to be offered.

    Offered while the circuit breaker leaves PubMed alone, for searches of this run that PubMed has not finished and
    that nobody has started at Europe PMC yet.
    """
    if run.replay_of_id is not None or run.bundle or run.cancel_requested_at is not None:
        return None
    steps = list(steps)
    unfinished = _unfinished(steps)
    if not unfinished:
        return None
    health = SourceHealth.objects.filter(pk=ORIGINAL).exclude(state=HealthState.CLOSED).first()
    if health is None or not source_state(COPY).usable:
        return None
    content = run.version.plan_content
    stand_ins = tuple(_stand_in(step, content) for step in unfinished)
    return StandInOffer(health.last_error or "PubMed cannot be asked at the moment.", stand_ins)


@transaction.atomic
def stand_in_start(*, run: RetrievalRun, actor: Any) -> RetrievalRun:
    """Add a search of Europe PMC's copy for every query of the offer; the run goes on if it had ended.

    PubMed's own searches stay as they are: the run tells both. Raises RunNotChanged when nothing is offered (any more).
    """
    row = RetrievalRun.objects.select_for_update().select_related("version").get(pk=run.pk)
    steps = list(row.steps.all())
    offer = stand_in_offer(row, steps)
    if offer is None or not offer.can_start:
        raise RunNotChanged(
            "Nothing is to be asked in place of PubMed: PubMed can be asked again, or it was done already."
        )
    taken = {step.query_index for step in steps if step.source == COPY}
    made: list[RetrievalStep] = []
    for one in offer.stand_ins:
        if one.query is None:
            continue
        index = one.step.query_index
        if index in taken:
            index = max(taken) + 1
        taken.add(index)
        made.append(_new_step(row, one.step, one.query, index))
    RetrievalStep.objects.bulk_create(made)
    row.state, row.reasons, row.finished_at = RunState.RUNNING, [], None
    row.save(update_fields=["state", "reasons", "finished_at"])
    record_event(
        project=row.project,
        actor=actor,
        verb="run.stood_in",
        subject=f"run:{row.pk}",
        payload={
            "in_place_of": ORIGINAL,
            "source": COPY,
            "why": offer.why,
            "queries": [{"query": step.query_index, "text": step.query_text} for step in made],
        },
    )
    ring_for(row)
    return row


def _unfinished(steps: Sequence[RetrievalStep]) -> list[RetrievalStep]:
    """PubMed's searches that brought nothing, or not everything, and have no stand-in yet."""
    done = {_original_index(step) for step in steps if stands_in_for(step.notes)}
    return [
        step
        for step in steps
        if step.source == ORIGINAL
        and step.query_index not in done
        and (step.state in (StepState.FAILED, *OPEN_STATES) or (step.state == StepState.PARTIAL and not step.exhausted))
    ]


def _original_index(step: RetrievalStep) -> int:
    return next((int(item["query"]) for item in step.notes if item.get(IN_PLACE_OF)), step.query_index)


def _stand_in(step: RetrievalStep, content: Any) -> StandIn:
    query = content.queries[step.query_index]
    try:
        return StandIn(step, copy_of_pubmed(COPY).compile_in_place_of_pubmed(query, content.filters))
    except SourceError as error:
        return StandIn(step, None, f"{error.message} {error.hint}".strip())


def _new_step(run: RetrievalRun, original: RetrievalStep, query: CompiledQuery, index: int) -> RetrievalStep:
    label = f"{original.query_label}, {LABEL}" if original.query_label else LABEL
    told = note(f"Started by a person {LABEL}, which could not be asked: {original.message}".rstrip(" :"))
    return RetrievalStep(
        run=run,
        source=COPY,
        query_index=index,
        query_label=label[:200],
        query_text=query.text,
        query_params=[list(pair) for pair in query.params],
        notes=[{**told, IN_PLACE_OF: ORIGINAL, "query": original.query_index}, *notes_of(query)],
    )
