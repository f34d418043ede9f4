"""Starts, cancels, resumes, repeats and closes runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from litapp.core.plan import plan_hash
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import enqueue
from litapp.ledger.services.clients import source_state
from litapp.projects.services.events import record_event
from litapp.providers.registry import answering
from litapp.verification.services.requests import release_held
from searches.models import RetrievalRun, RetrievalStep, RunState, SearchPlanVersion
from searches.services.outcome import run_outcome
from searches.services.plan_check import require_complete
from searches.services.queries import QueryLine, notes_of, query_lines

KIND = "retrieval"


class NotApproved(Exception):
    """The plan version may not run: it is not approved, or its content is not what was approved."""


class RunNotChanged(Exception):
    """What was asked for does not fit the state the run is in now. The message says which, and what can be done."""


def run_start(*, version: SearchPlanVersion, actor: Any, request_id: UUID) -> RetrievalRun:
    """Run an approved version: one step per source and query. The same `request_id` again gives the same run.

    A source that cannot be used here gets steps that are skipped with the reason. Raises NotApproved; PlanError for a
    plan that this version of LitLedger can no longer read.
    """
    made = RetrievalRun.objects.filter(request_id=request_id, version_id=version.pk).first()
    if made is not None:
        return made
    stored = SearchPlanVersion.objects.select_related("plan__project").get(pk=version.pk)
    content = stored.plan_content
    if not stored.is_approved:
        raise NotApproved("This version of the plan is not approved. Approve it, then run it.")
    if plan_hash(content) != stored.approved_hash or stored.content_hash != stored.approved_hash:
        raise NotApproved(
            "This version's content is not what was approved, so it does not run. Begin a new version and approve that."
        )
    require_complete(content)
    lines = query_lines(content)
    unusable = {key: reason for key in content.sources if (reason := _unusable(key))}
    try:
        return _create(stored, actor, request_id, lines, unusable)
    except IntegrityError:  # the other click of a double click was faster
        return RetrievalRun.objects.get(request_id=request_id)


@transaction.atomic
def _create(
    version: SearchPlanVersion, actor: Any, request_id: UUID, lines: Sequence[QueryLine], unusable: dict[str, str]
) -> RetrievalRun:
    run = RetrievalRun.objects.create(
        project=version.plan.project,
        version=version,
        started_by=actor,
        request_id=request_id,
        sandbox=bool(settings.SANDBOX_URL),
    )
    RetrievalStep.objects.bulk_create(_step(run, line, unusable.get(line.source, "") or line.error) for line in lines)
    record_event(
        project=run.project,
        actor=actor,
        verb="run.started",
        subject=f"run:{run.pk}",
        payload={"plan_version": version.pk, "content_hash": version.approved_hash, "sandbox": run.sandbox},
    )
    ring_for(run)
    run_close_if_done(run_id=run.pk)
    run.refresh_from_db()
    return run


def _step(run: RetrievalRun, line: QueryLine, why_not: str) -> RetrievalStep:
    query = line.query
    return RetrievalStep(
        run=run,
        source=line.source,
        query_index=line.index,
        query_label=line.label[:200],
        query_text=query.text if query else "",
        query_params=[list(pair) for pair in query.params] if query else [],
        notes=notes_of(query) if query else [],
        state=StepState.SKIPPED if why_not else StepState.QUEUED,
        message=why_not,
        finished_at=timezone.now() if why_not else None,
    )


def _unusable(key: str) -> str:
    """Why a source cannot be used here, with the next step; "" when it can."""
    state = source_state(answering(key))
    return "" if state.usable else f"{state.reason} {state.hint}".strip()


def ring_for(run: RetrievalRun) -> None:
    """Ring for the first step of every lane."""
    for pk in RetrievalStep.objects.due().filter(run=run).values_list("pk", flat=True):
        enqueue(KIND, str(pk))


@transaction.atomic
def run_cancel(*, run: RetrievalRun, actor: Any) -> RetrievalRun:
    """Stop a run: what waits is cancelled now, what works stops before its next page. What was fetched stays.

    Cancelling twice changes nothing. Raises RunNotChanged when the run has ended.
    """
    row = RetrievalRun.objects.select_for_update().get(pk=run.pk)
    if not row.is_open:
        raise RunNotChanged("This run has ended already; there is nothing to cancel.")
    if row.cancel_requested_at is None:
        row.cancel_requested_at = timezone.now()
        row.save(update_fields=["cancel_requested_at"])
        record_event(project=row.project, actor=actor, verb="run.cancelled", subject=f"run:{row.pk}")
    row.steps.filter(state__in=(StepState.QUEUED, StepState.WAITING)).update(
        state=StepState.CANCELLED, finished_at=timezone.now(), not_before=None
    )
    run_close_if_done(run_id=row.pk)
    row.refresh_from_db()
    return row


@transaction.atomic
def run_resume(*, run: RetrievalRun, actor: Any) -> RetrievalRun:
    """Go on with a run that ended unfinished: each step where it stopped; nothing is fetched a second time.

    Skipped steps are tried again if their source can be used now. Raises RunNotChanged when nothing is left to do, and
    for a run that came with a bundle: its plan is not approved here.
    """
    row = RetrievalRun.objects.select_for_update().get(pk=run.pk)
    if row.is_open:
        raise RunNotChanged("This run is still going on.")
    if row.bundle:
        raise RunNotChanged(
            "This run was made elsewhere and came with a bundle; it cannot go on here. Approve its plan and run it."
        )
    unfinished = row.steps.filter(
        Q(state__in=(StepState.FAILED, StepState.CANCELLED)) | Q(state=StepState.PARTIAL, exhausted=False)
    )
    again = list(unfinished.values_list("pk", flat=True))
    skipped = row.steps.filter(state=StepState.SKIPPED).exclude(query_text="")
    again += [step.pk for step in skipped if not _unusable(step.source)]
    if not again:
        raise RunNotChanged(
            "Nothing is left to fetch in this run. Run the plan again to search anew, or change the plan's limits."
        )
    row.steps.filter(pk__in=again).update(
        state=StepState.QUEUED,
        failures=0,
        attempts=0,
        message="",
        hint="",
        not_before=None,
        finished_at=None,
        reuse_from=None,
    )
    row.state, row.reasons, row.finished_at, row.cancel_requested_at = RunState.RUNNING, [], None, None
    row.save(update_fields=["state", "reasons", "finished_at", "cancel_requested_at"])
    record_event(
        project=row.project, actor=actor, verb="run.resumed", subject=f"run:{row.pk}", payload={"steps": len(again)}
    )
    ring_for(row)
    return row


def run_again(*, run: RetrievalRun, actor: Any, request_id: UUID) -> RetrievalRun:
    """Run the same approved version anew: every source is asked again, records already here are recognised."""
    return run_start(version=run.version, actor=actor, request_id=request_id)


def can_resume(steps: Iterable[RetrievalStep]) -> bool:
    """True when `run_resume` would find something to do (skipped sources are not looked into)."""
    return any(
        step.state in (StepState.FAILED, StepState.CANCELLED)
        or (step.state == StepState.PARTIAL and not step.exhausted)
        for step in steps
    )


@transaction.atomic
def run_close_if_done(*, run_id: int) -> bool:
    """Close the run once none of its steps is open. Returns True if this call closed it."""
    run = RetrievalRun.objects.select_for_update().get(pk=run_id)
    steps = list(run.steps.all())
    if not run.is_open or any(step.state in OPEN_STATES for step in steps):
        return False
    run.state, run.reasons = run_outcome(steps, cancelled=run.cancel_requested_at is not None)
    run.finished_at = timezone.now()
    run.save(update_fields=["state", "reasons", "finished_at"])
    if not RetrievalRun.objects.filter(project=run.project_id, state=RunState.RUNNING).exists():
        release_held(project=run.project)
    record_event(
        project=run.project,
        actor=None,
        verb="run.finished",
        subject=f"run:{run.pk}",
        payload={
            "state": run.state,
            "reasons": run.reasons,
            "steps": [_told(step) for step in steps],
        },
    )
    return True


def _told(step: RetrievalStep) -> dict[str, Any]:
    """What the log keeps of a step."""
    return {
        "source": step.source,
        "query": step.query_index,
        "state": step.state,
        "fetched": step.fetched,
        "reported": step.reported,
    }
