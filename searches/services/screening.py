"""Decisions at a stage of screening: one, or many at once. Applied exactly once, never on what was not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from litapp.core.screening import final_decision
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Priority
from litapp.verification.services.requests import prioritise
from searches.blinding import Stages, stages_of
from searches.models import Candidate, Decision, ScreeningDecision, Stage, Vote
from searches.services.listeners import tell_listeners
from searches.services.outcomes import settle
from searches.services.refusals import NothingToUndo, StaleCandidate
from searches.services.rules import Reason, check_record, reason_of, votable
from searches.services.taking_back import Undone, undo

__all__ = [
    "MOST_AT_ONCE",
    "Decided",
    "DecidedMany",
    "NothingToUndo",
    "StaleCandidate",
    "Undone",
    "current_candidate",
    "decide",
    "decide_many",
    "undo",
]
CHUNK = 500
"""Candidates in one SQL list."""
MOST_AT_ONCE = 20_000
"""Candidates of one bulk decision."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as it stands: the version that the person's next decision on the record is made on, and what was
    there before. `applied` is False where the same request had been applied already."""

    candidate_id: int
    decision: str
    previous: str
    version: int
    applied: bool = True


@dataclass(frozen=True, slots=True)
class DecidedMany:
    """Result of a bulk: `changed` candidates got the decision, `unchanged` had it already (or are not in the list any
    more). `request_id` takes the whole bulk back."""

    decision: str
    request_id: UUID
    changed: tuple[int, ...]
    unchanged: int
    applied: bool = True


def decide(
    *,
    project: Project,
    candidate_id: int,
    actor: Any,
    decision: str,
    version: int,
    request_id: UUID,
    reason: str = "",
    stage: str = Stage.TITLE,
    criterion_id: int | None = None,
    criteria: int | None = None,
) -> Decided:
    """Record one person's decision on the candidate as it was shown (`version`).

    `criterion_id` is the reason to exclude, `criteria` the number of the list's version that the person had before
    them. The same `request_id` again (double click, re-send) gives the same result and changes nothing. Raises
    DecisionRefused (StaleCandidate among them); Candidate.DoesNotExist for one of another project; ValueError for an
    unknown decision, stage or criterion.
    """
    value, where = Decision(decision).value, Stage(stage).value
    try:
        return _decide(project, candidate_id, actor, value, version, request_id, reason, where, criterion_id, criteria)
    except IntegrityError:  # the same request, at the same moment
        return _decide(project, candidate_id, actor, value, version, request_id, reason, where, criterion_id, criteria)


@transaction.atomic
def _decide(
    project: Project,
    candidate_id: int,
    actor: Any,
    decision: str,
    version: int,
    request_id: UUID,
    words: str,
    stage: str,
    criterion_id: int | None,
    criteria: int | None,
) -> Decided:
    previous = Candidate.objects.select_for_update().get(pk=candidate_id, project=project)
    # Looked for behind the lock: the same request sent twice at once finds what the first of the two wrote.
    applied = ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor).first()
    if applied is not None:
        return _applied_before(applied)
    stages = stages_of(project)
    own = _own_vote(candidate_id, stage, actor) if stages[stage].own_votes else None
    if previous.merged_into_id is not None or version != previous.version + (own.version if own else 0):
        raise StaleCandidate(current_candidate(previous))
    check_record(stages, stage, previous, actor)
    reason = reason_of(project, stage, decision, words, criterion_id, criteria)
    before = _before(previous, own, stage, alone=stages[stage].own_votes)
    entry = ScreeningDecision.objects.create(
        candidate_id=candidate_id,
        project=project,
        stage=stage,
        reviewer=actor,
        decision=decision,
        previous=before,
        reason=reason.text,
        criterion_id=reason.criterion_id,
        criteria_version_id=reason.version_id,
        request_id=request_id,
    )
    _apply(project, stages, stage, entry, [(previous.pk, previous.decision, previous.verification_id)])
    payload = {"decision": decision, "previous": before, "request": request_id, **_told(stage, reason)}
    subject = f"candidate:{candidate_id}"
    record_event(project=project, actor=actor, verb="screening.decided", subject=subject, payload=payload)
    return Decided(candidate_id, decision, before, version + 1)


def _own_vote(candidate_id: int, stage: str, actor: Any) -> Vote | None:
    return Vote.objects.filter(candidate=candidate_id, stage=stage, reviewer=actor).first()


def _before(candidate: Candidate, own: Vote | None, stage: str, *, alone: bool) -> str:
    """What the decision takes the place of: the person's own vote, or what stands on the record."""
    if alone:
        return own.decision if own else Decision.UNDECIDED.value
    return candidate.fulltext if stage == Stage.FULLTEXT else candidate.decision


def _told(stage: str, reason: Reason) -> dict[str, Any]:
    """What an event tells beside the decision; nothing of it where there is nothing to tell."""
    told: dict[str, Any] = {} if stage == Stage.TITLE else {"stage": stage}
    if reason.text:
        told["reason"] = reason.text
    if reason.criterion_id:
        told["criterion"] = reason.criterion_id
    if reason.number:
        told["criteria"] = reason.number
    return told


def _apply(
    project: Project,
    stages: Stages,
    stage: str,
    entry: ScreeningDecision,
    before: Sequence[tuple[int, str, int | None]],
) -> None:
    """Let a new entry count on candidates (id, decision at title, verification), and tell who listens."""
    ids = [pk for pk, _, _ in before]
    if stages[stage].own_votes:
        changed = settle(project=project, candidate_ids=ids, stages=stages)
        if changed:
            tell_listeners(project=project, candidate_ids=changed)
        if stages[stage].secret:
            return  # a check that is made sooner would tell who was included
    elif stage == Stage.FULLTEXT:
        for chunk in _chunks(ids):
            rows = Candidate.objects.filter(pk__in=chunk)
            rows.update(fulltext=entry.decision, final=entry.decision, version=F("version") + 1)
        tell_listeners(project=project, candidate_ids=ids)
    else:
        _apply_at_title(project, stages, entry, ids)
    if entry.decision == Decision.INCLUDE:
        checks = [check for _, _, check in before if check is not None]
        for chunk in _chunks(checks):
            prioritise(verification_ids=chunk, priority=Priority.INCLUDED)


def _apply_at_title(project: Project, stages: Stages, entry: ScreeningDecision, ids: Sequence[int]) -> None:
    """One screener per record: what was decided last stands, for everybody."""
    decision = entry.decision
    keeps_fulltext = stages.uses_fulltext and decision == Decision.INCLUDE
    values: dict[str, Any] = {
        "decision": decision,
        "decided_by": entry.reviewer if decision else None,
        "decided_at": (entry.created_at or timezone.now()) if decision else None,
        "final": F("fulltext") if keeps_fulltext else final_decision(decision, "", uses_fulltext=False),
    }
    for chunk in _chunks(ids):
        Candidate.objects.filter(pk__in=chunk).update(version=F("version") + 1, **values)
    tell_listeners(project=project, candidate_ids=ids)


def _applied_before(entry: ScreeningDecision) -> Decided:
    candidate = Candidate.objects.only("version").get(pk=entry.candidate_id)
    own = _own_vote(entry.candidate_id, entry.stage, entry.reviewer_id)
    alone = stages_of(entry.project)[entry.stage].own_votes
    version = candidate.version + (own.version if own and alone else 0)
    return Decided(entry.candidate_id, entry.decision, entry.previous, version, applied=False)


def current_candidate(candidate: Candidate) -> Candidate:
    """The candidate that stands for this one now (itself, or the one it was merged into)."""
    while candidate.merged_into_id is not None:
        candidate = Candidate.objects.get(pk=candidate.merged_into_id)
    return candidate


def decide_many(
    *,
    project: Project,
    actor: Any,
    candidate_ids: Iterable[int],
    decision: str,
    request_id: UUID,
    reason: str = "",
    stage: str = Stage.TITLE,
    criterion_id: int | None = None,
    criteria: int | None = None,
) -> DecidedMany:
    """One decision on many candidates of the list, whatever was decided before; one undo takes all of it back.

    Records that are not the person's to decide count as unchanged. The same `request_id` again changes nothing.
    Raises ValueError for more than MOST_AT_ONCE candidates; DecisionRefused where the stage takes no votes.
    """
    wanted = sorted(set(candidate_ids))
    if len(wanted) > MOST_AT_ONCE:
        raise ValueError(f"At most {MOST_AT_ONCE:,} records can be decided at once; these are {len(wanted):,}.")
    value, where = Decision(decision).value, Stage(stage).value
    given = (reason, criterion_id, criteria)
    try:
        return _decide_many(project, actor, wanted, value, request_id, where, given)
    except IntegrityError:  # the same request, at the same moment
        return _decide_many(project, actor, wanted, value, request_id, where, given)


@transaction.atomic
def _decide_many(
    project: Project,
    actor: Any,
    wanted: Sequence[int],
    decision: str,
    request_id: UUID,
    stage: str,
    given: tuple[str, int | None, int | None],
) -> DecidedMany:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    entries = ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor)
    applied = tuple(entries.order_by("candidate_id").values_list("candidate_id", flat=True))
    if applied:
        return DecidedMany(decision, request_id, applied, len(wanted) - len(applied), applied=False)
    stages = stages_of(project)
    reason = reason_of(project, stage, decision, *given)
    before = votable(project, stages, stage, actor, wanted, decision)
    new = [
        ScreeningDecision(
            candidate_id=pk,
            project=project,
            stage=stage,
            reviewer=actor,
            decision=decision,
            previous=previous,
            reason=reason.text,
            criterion_id=reason.criterion_id,
            criteria_version_id=reason.version_id,
            request_id=request_id,
        )
        for pk, previous, _ in before
    ]
    ScreeningDecision.objects.bulk_create(new, batch_size=1000)
    if new:
        _apply(project, stages, stage, new[0], before)
        payload = {"decision": decision, "records": len(new), "request": request_id, **_told(stage, reason)}
        record_event(project=project, actor=actor, verb="screening.decided_many", payload=payload)
    changed = tuple(pk for pk, _, _ in before)
    return DecidedMany(decision, request_id, changed, len(wanted) - len(changed))


def _chunks(values: Sequence[int]) -> Iterable[Sequence[int]]:
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
