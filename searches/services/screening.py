"""Decisions at title and abstract: one, many at once, and taking them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Priority
from litapp.verification.services.requests import prioritise
from searches.models import Candidate, Decision, ScreeningDecision
from searches.services.history import Effective, effective_decisions, undoable_actions
from searches.services.listeners import tell_listeners

CHUNK = 500
"""Candidates in one SQL list."""
MOST_AT_ONCE = 20_000
"""Candidates of one bulk decision."""


class StaleCandidate(Exception):
    """The candidate changed since the page was shown: nothing was decided. `candidate` is how it is now; where it was
    merged into another, that one."""

    def __init__(self, candidate: Candidate) -> None:
        super().__init__(
            "Somebody decided on this record meanwhile, or it was joined with another. Look at it again and decide."
        )
        self.candidate = candidate


class NothingToUndo(Exception):
    """The person has no decision in this project that can be taken back."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as it stands: the candidate's new version, and what was there before. `applied` is False where the
    same request had been applied already."""

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


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: `restored` candidates with their decision now; `kept` were decided anew by somebody since
    and stay as they are. `undone` is the request that was taken back."""

    undone: UUID
    request_id: UUID
    restored: dict[int, str]
    kept: tuple[int, ...] = ()
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
) -> Decided:
    """Record one person's decision on the candidate as it was shown (`version`).

    The same `request_id` again (double click, re-send) gives the same result and changes nothing. Raises
    StaleCandidate; Candidate.DoesNotExist for one of another project; ValueError for an unknown decision.
    """
    value = Decision(decision).value
    try:
        return _decide(project, candidate_id, actor, value, version, request_id, reason)
    except IntegrityError:  # the same request, at the same moment
        return _decide(project, candidate_id, actor, value, version, request_id, reason)


@transaction.atomic
def _decide(
    project: Project, candidate_id: int, actor: Any, decision: str, version: int, request_id: UUID, reason: str
) -> Decided:
    applied = ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor).first()
    if applied is not None:
        return _applied_before(applied)
    previous = Candidate.objects.select_for_update().get(pk=candidate_id, project=project)
    if previous.merged_into_id is not None or previous.version != version:
        raise StaleCandidate(current_candidate(previous))
    now = timezone.now()
    changed = Candidate.objects.filter(pk=candidate_id, version=version, merged_into=None).update(
        decision=decision, decided_by=actor if decision else None, decided_at=now if decision else None,
        version=F("version") + 1,
    )  # fmt: skip
    if not changed:
        raise StaleCandidate(current_candidate(Candidate.objects.get(pk=candidate_id)))
    ScreeningDecision.objects.create(
        candidate_id=candidate_id,
        project=project,
        reviewer=actor,
        decision=decision,
        previous=previous.decision,
        reason=reason[:300],
        request_id=request_id,
    )
    _after(project, [candidate_id], [previous.verification_id] if decision == Decision.INCLUDE else [])
    payload = {"decision": decision, "previous": previous.decision, "request": request_id}
    if reason:
        payload["reason"] = reason[:300]
    subject = f"candidate:{candidate_id}"
    record_event(project=project, actor=actor, verb="screening.decided", subject=subject, payload=payload)
    return Decided(candidate_id, decision, previous.decision, version + 1)


def _applied_before(entry: ScreeningDecision) -> Decided:
    candidate = Candidate.objects.only("version").get(pk=entry.candidate_id)
    return Decided(entry.candidate_id, entry.decision, entry.previous, candidate.version, applied=False)


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
) -> DecidedMany:
    """One decision on many candidates of the list, whatever was decided before; one undo takes all of it back.

    The same `request_id` again changes nothing. Raises ValueError for more than MOST_AT_ONCE candidates.
    """
    wanted = sorted(set(candidate_ids))
    if len(wanted) > MOST_AT_ONCE:
        raise ValueError(f"At most {MOST_AT_ONCE:,} records can be decided at once; these are {len(wanted):,}.")
    value = Decision(decision).value
    try:
        return _decide_many(project, actor, wanted, value, request_id, reason)
    except IntegrityError:  # the same request, at the same moment
        return _decide_many(project, actor, wanted, value, request_id, reason)


@transaction.atomic
def _decide_many(
    project: Project, actor: Any, wanted: Sequence[int], decision: str, request_id: UUID, reason: str
) -> DecidedMany:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    entries = ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor)
    applied = tuple(entries.order_by("candidate_id").values_list("candidate_id", flat=True))
    if applied:
        return DecidedMany(decision, request_id, applied, len(wanted) - len(applied), applied=False)
    before: list[tuple[int, str, int | None]] = []
    for chunk in _chunks(wanted):
        rows = Candidate.objects.listed(project).filter(pk__in=chunk).exclude(decision=decision)
        before += rows.order_by("pk").values_list("pk", "decision", "verification_id")
    changed = [pk for pk, _, _ in before]
    now = timezone.now()
    for chunk in _chunks(changed):
        Candidate.objects.filter(pk__in=chunk).update(
            decision=decision, decided_by=actor if decision else None, decided_at=now if decision else None,
            version=F("version") + 1,
        )  # fmt: skip
    ScreeningDecision.objects.bulk_create(
        (
            ScreeningDecision(
                candidate_id=pk,
                project=project,
                reviewer=actor,
                decision=decision,
                previous=previous,
                reason=reason[:300],
                request_id=request_id,
            )
            for pk, previous, _ in before
        ),
        batch_size=1000,
    )
    if changed:
        checks = [check for _, _, check in before] if decision == Decision.INCLUDE else []
        _after(project, changed, checks)
        payload = {"decision": decision, "records": len(changed), "request": request_id}
        if reason:
            payload["reason"] = reason[:300]
        record_event(project=project, actor=actor, verb="screening.decided_many", payload=payload)
    return DecidedMany(decision, request_id, tuple(changed), len(wanted) - len(changed))


def undo(*, project: Project, actor: Any, request_id: UUID | None = None, target: UUID | None = None) -> Undone:
    """Take back the person's latest decision (or bulk) in the project that still counts anywhere; again and again
    goes further back.

    `request_id` is this undo's own, made by the page: the same one again changes nothing. `target` names the decision
    to take back in place of the latest. A candidate that somebody decided anew since is left alone and told. Raises
    NothingToUndo.
    """
    made_by_page = request_id or uuid4()
    try:
        return _undo(project, actor, made_by_page, target)
    except IntegrityError:  # the same request, at the same moment
        return _undo(project, actor, made_by_page, target)


@transaction.atomic
def _undo(project: Project, actor: Any, request_id: UUID, target: UUID | None) -> Undone:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    applied = list(ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor))
    if applied and applied[0].undoes is not None:
        restored = {entry.candidate_id: entry.decision for entry in applied}
        return Undone(applied[0].undoes, request_id, restored, applied=False)
    for action in undoable_actions(project, actor, target):
        ids = action.candidate_ids
        standing = effective_decisions(ids)
        restorable = [pk for pk in ids if standing[pk] and standing[pk][-1].request_id == action.request_id]
        if restorable or target is not None:
            return _take_back(project, actor, request_id, action.request_id, ids, restorable, standing)
    raise NothingToUndo("You have no decision in this project that could be taken back.")


def _take_back(
    project: Project,
    actor: Any,
    request_id: UUID,
    undone: UUID,
    ids: Sequence[int],
    restorable: Sequence[int],
    standing: dict[int, list[Effective]],
) -> Undone:
    """Give each candidate the decision that stood before, and write that down."""
    if not restorable:
        raise NothingToUndo("Somebody decided anew on every record of this decision; there is nothing to take back.")
    now_standing = {pk: standing[pk][-2] if len(standing[pk]) > 1 else None for pk in restorable}
    by_value: dict[tuple[str, Any, datetime | None], list[int]] = {}
    for pk, entry in now_standing.items():
        value = (entry.decision, entry.reviewer_id, entry.created_at) if entry and entry.decision else ("", None, None)
        by_value.setdefault(value, []).append(pk)
    for (decision, reviewer_id, decided_at), group in by_value.items():
        for chunk in _chunks(group):
            Candidate.objects.filter(pk__in=chunk).update(
                decision=decision, decided_by=reviewer_id, decided_at=decided_at, version=F("version") + 1
            )
    restored = {pk: entry.decision if entry else "" for pk, entry in now_standing.items()}
    ScreeningDecision.objects.bulk_create(
        (
            ScreeningDecision(
                candidate_id=pk,
                project=project,
                reviewer=actor,
                decision=decision,
                previous=standing[pk][-1].decision,
                request_id=request_id,
                undoes=undone,
            )
            for pk, decision in restored.items()
        ),
        batch_size=1000,
    )
    _after(project, list(restored), [])
    kept = tuple(sorted(set(ids) - set(restored)))
    subject = f"candidate:{restorable[0]}" if len(restorable) == 1 else ""
    payload = {"undone": undone, "records": len(restored), "kept": len(kept), "request": request_id}
    record_event(project=project, actor=actor, verb="screening.undone", subject=subject, payload=payload)
    return Undone(undone, request_id, restored, kept)


def _after(project: Project, candidate_ids: Sequence[int], include_checks: Iterable[int | None]) -> None:
    """What follows a decision in the same transaction: the reference list, and the check of what was included."""
    tell_listeners(project=project, candidate_ids=candidate_ids)
    checks = [check for check in include_checks if check is not None]
    for chunk in _chunks(checks):
        prioritise(verification_ids=chunk, priority=Priority.INCLUDED)


def _chunks(values: Sequence[int]) -> Iterable[Sequence[int]]:
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
