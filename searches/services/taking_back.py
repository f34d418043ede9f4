"""Takes decisions back, at any depth: an undo is a new entry of the log, and what stood before stands again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import F

from litapp.core.screening import standing
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.blinding import Stages, stages_of
from searches.models import Candidate, ScreeningDecision, ScreeningStage, StageRecord
from searches.services.history import Action, undoable_actions
from searches.services.listeners import tell_listeners
from searches.services.outcomes import Row, read_log, settle
from searches.services.refusals import NothingToUndo

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: `restored` candidates with what stands there now (the person's own vote, where each
    screener votes alone); `kept` were decided anew by somebody since and stay as they are. `undone` is the request
    that was taken back."""

    undone: UUID
    request_id: UUID
    restored: dict[int, str]
    kept: tuple[int, ...] = ()
    applied: bool = True


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
    stages = stages_of(project)
    for action in undoable_actions(project, actor, target):
        lanes = _lanes(stages[action.stage], action, actor)
        restorable = [pk for pk in action.candidate_ids if lanes[pk] and lanes[pk][-1].request == action.request_id]
        restorable = _unlocked(stages[action.stage], action, restorable)
        if restorable or target is not None:
            return _take_back(project, actor, request_id, action, restorable, lanes, stages)
    raise NothingToUndo("You have no decision in this project that could be taken back.")


def _lanes(row: ScreeningStage, action: Action, actor: Any) -> dict[int, list[Row]]:
    """For each candidate of the action what stands, as far as the action could have taken its place: where screeners
    vote alone the person's own votes (or the resolutions, if it was one), else everybody's decisions."""
    lanes: dict[int, list[Row]] = {}
    for start in range(0, len(action.candidate_ids), CHUNK):
        ids = action.candidate_ids[start : start + CHUNK]
        log = read_log(ids)
        for pk in ids:
            entries = [entry for entry in standing(log.get((pk, action.stage), ())) if isinstance(entry, Row)]
            if row.own_votes:
                entries = [
                    entry
                    for entry in entries
                    if entry.resolution == action.resolution and (entry.resolution or entry.reviewer == actor.pk)
                ]
            lanes[pk] = entries
    return lanes


def _unlocked(row: ScreeningStage, action: Action, ids: Sequence[int]) -> list[int]:
    """Without those whose votes stand for good: of a closed stage, of a locked calibration round."""
    if row.closed_at is not None:
        return []
    if row.pilot_locked_at is None or action.resolution:
        return list(ids)
    locked = StageRecord.objects.filter(project=row.project_id, stage=row.stage, pilot=True)
    known = set(locked.values_list("candidate_id", flat=True))
    return [pk for pk in ids if pk not in known]


def _take_back(
    project: Project,
    actor: Any,
    request_id: UUID,
    action: Action,
    restorable: Sequence[int],
    lanes: dict[int, list[Row]],
    stages: Stages,
) -> Undone:
    """Give each candidate what stood before, and write that down."""
    if not restorable:
        raise NothingToUndo(
            "Somebody decided anew on every record of this decision, or its stage is closed; there is nothing to take "
            "back."
        )
    restored = {pk: lanes[pk][-2].decision if len(lanes[pk]) > 1 else "" for pk in restorable}
    ScreeningDecision.objects.bulk_create(
        (
            ScreeningDecision(
                candidate_id=pk,
                project=project,
                stage=action.stage,
                reviewer=actor,
                decision=decision,
                resolution=action.resolution,
                previous=lanes[pk][-1].decision,
                request_id=request_id,
                undoes=action.request_id,
            )
            for pk, decision in restored.items()
        ),
        batch_size=1000,
    )
    changed = settle(project=project, candidate_ids=restored, stages=stages)
    if not stages[action.stage].own_votes:
        changed = list(restored)
        for start in range(0, len(changed), CHUNK):
            Candidate.objects.filter(pk__in=changed[start : start + CHUNK]).update(version=F("version") + 1)
    if changed:
        tell_listeners(project=project, candidate_ids=changed)
    kept = tuple(sorted(set(action.candidate_ids) - set(restored)))
    subject = f"candidate:{restorable[0]}" if len(restorable) == 1 else ""
    payload = {"undone": action.request_id, "records": len(restored), "kept": len(kept), "request": request_id}
    record_event(project=project, actor=actor, verb="screening.undone", subject=subject, payload=payload)
    return Undone(action.request_id, request_id, restored, kept)
