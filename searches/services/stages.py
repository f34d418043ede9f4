"""Sets how a project is screened: stages, screeners, blinding, calibration, closing. Each change is an event."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from litapp.projects.models import Membership, Project
from litapp.projects.permissions import RIGHTS, Right
from litapp.projects.services.events import record_event
from litapp.verification.models import Priority
from litapp.verification.services.requests import prioritise
from searches.blinding import stages_of
from searches.models import (
    Assignment,
    Candidate,
    CriteriaVersion,
    Decision,
    KeyPreset,
    ScreeningStage,
    Sharing,
    Stage,
    StageRecord,
    Vote,
)
from searches.services.outcomes import rebuild

SMALLEST_PILOT, LARGEST_PILOT = 2, 500
CHUNK = 500


class StageProblem(ValueError):
    """The stage cannot be set so; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a lead chooses for a stage."""

    in_use: bool = True
    screeners: int = 1
    blind: bool = False
    sharing: str = Sharing.EVERYONE
    keys: str = KeyPreset.LITLEDGER


def screeners_of(project: Project) -> list[User]:
    """The members who may screen, in the order in which they joined."""
    roles = [role for role, rights in RIGHTS.items() if Right.SCREEN in rights]
    members = Membership.objects.filter(project=project, role__in=roles).select_related("user").order_by("pk")
    return [member.user for member in members]


@transaction.atomic
def stage_set(*, project: Project, actor: Any, stage: str, wanted: Settings) -> ScreeningStage:
    """Set a stage. Where it changes what votes come to, everything is derived anew; no vote is lost. Raises
    StageProblem for what contradicts itself, or would break a blinding unseen."""
    row = _locked(project, stage)
    if stage == Stage.TITLE and not wanted.in_use:
        raise StageProblem("Every review screens titles and abstracts; this stage cannot be left out.")
    if wanted.screeners not in (1, 2):
        raise StageProblem("A record has one or two screeners.")
    if wanted.blind and wanted.screeners != 2:
        raise StageProblem("Blind screening needs two screeners per record; with one there is no other vote to hide.")
    if row.blind and not wanted.blind and row.closed_at is None and _votes_stand(row):
        raise StageProblem("Votes were given blind. Lift the blinding by its own button: the history then tells it.")
    if row.pilot_open and wanted.screeners != row.screeners:
        raise StageProblem("A calibration round is going on. Lock it before the number of screeners is changed.")
    before = Settings(row.in_use, row.screeners, row.blind, row.sharing, row.keys)
    if before == wanted and row.pk:
        return row
    row.in_use, row.screeners, row.blind = wanted.in_use, wanted.screeners, wanted.blind
    row.sharing, row.keys = Sharing(wanted.sharing).value, KeyPreset(wanted.keys).value
    _save(row)
    _event(project, actor, row, "screening.set_up", {
        "in_use": row.in_use, "screeners": row.screeners, "blind": row.blind,
        "sharing": row.get_sharing_display(), "keys": row.get_keys_display(),
    })  # fmt: skip
    if (before.screeners, before.in_use) != (row.screeners, row.in_use) or before.blind != row.blind:
        rebuild(project=project)
    return row


@transaction.atomic
def stage_unblind(*, project: Project, actor: Any, stage: str) -> ScreeningStage:
    """Show everybody's votes of a stage to all who screen. Twice is once."""
    row = _locked(project, stage)
    if not row.blind:
        return row
    row.blind, row.unblinded_at = False, timezone.now()
    _save(row)
    votes = Vote.objects.filter(project=project, stage=stage).exclude(decision="").count()
    _event(project, actor, row, "screening.unblinded", {"votes": votes})
    _check_included(project)
    return row


@transaction.atomic
def stage_close(*, project: Project, actor: Any, stage: str) -> ScreeningStage:
    """End a stage: no votes any more, outcomes for all to see. What is open or in conflict stays so and is told."""
    row = _locked(project, stage)
    if row.closed_at is not None:
        return row
    if row.pilot_open:
        raise StageProblem("A calibration round is going on. Lock it before the stage is closed.")
    row.closed_at = timezone.now()
    _save(row)
    rows = StageRecord.objects.filter(project=project, stage=stage)
    told = {"conflicts": rows.filter(state="conflict").count()}
    _event(project, actor, row, "screening.closed", told)
    _check_included(project)
    return row


@transaction.atomic
def stage_reopen(*, project: Project, actor: Any, stage: str) -> ScreeningStage:
    """Take votes again. A blinding that was on when the stage was closed is gone: its outcomes were shown."""
    row = _locked(project, stage)
    if row.closed_at is None:
        return row
    unblinded = row.blind
    row.closed_at, row.blind = None, False
    if unblinded:
        row.unblinded_at = timezone.now()
    _save(row)
    _event(project, actor, row, "screening.reopened", {"unblinded": unblinded})
    return row


@transaction.atomic
def pilot_start(*, project: Project, actor: Any, stage: str, size: int, people: Sequence[User] = ()) -> ScreeningStage:
    """Begin a calibration round: `size` records that all who screen (or `people`) decide alone, before anything else.

    The records are drawn by a hash of their number and the project's, so that the draw can be repeated; records that
    somebody decided on are not drawn. Raises StageProblem.
    """
    row = _locked(project, stage)
    if row.pilot_started_at is not None:
        raise StageProblem("A calibration round was held at this stage already.")
    if not SMALLEST_PILOT <= size <= LARGEST_PILOT:
        raise StageProblem(f"A calibration round has {SMALLEST_PILOT} to {LARGEST_PILOT} records; 20 to 50 are usual.")
    screeners = list(people) or screeners_of(project)
    if len(screeners) < 2:
        raise StageProblem("A calibration round needs at least two members who may screen. Invite them first.")
    rows = Candidate.objects.listed(project)
    rows = rows.filter(decision=Decision.INCLUDE, fulltext="") if stage == Stage.FULLTEXT else rows.filter(decision="")
    rows = rows.exclude(votes__stage=stage, votes__decision__gt="")
    drawn = sorted(rows.values_list("pk", flat=True), key=lambda pk: _draw(project.pk, pk))[:size]
    if len(drawn) < size:
        raise StageProblem(f"Only {len(drawn):,} records are not decided yet; {size:,} were asked for.")
    row.pilot_size, row.pilot_started_at = size, timezone.now()
    _save(row)
    StageRecord.objects.bulk_create(
        [StageRecord(project=project, stage=stage, candidate_id=pk, pilot=True, needed=len(screeners)) for pk in drawn],
        update_conflicts=True,
        unique_fields=["candidate", "stage"],
        update_fields=["pilot", "needed"],
    )
    Assignment.objects.bulk_create(
        [
            Assignment(project=project, stage=stage, candidate_id=pk, reviewer=person, how=Assignment.How.PILOT)
            for pk in drawn
            for person in screeners
        ],
        ignore_conflicts=True,
    )
    _event(project, actor, row, "screening.pilot_started", {"records": size, "screeners": len(screeners)})
    rebuild(project=project)
    return row


@transaction.atomic
def pilot_lock(*, project: Project, actor: Any, stage: str) -> ScreeningStage:
    """End the calibration round: its votes stand, and the criteria as they are now are the ones to screen by. Raises
    StageProblem while somebody has not screened all of its records."""
    row = _locked(project, stage)
    if row.pilot_started_at is None:
        raise StageProblem("There is no calibration round at this stage.")
    if row.pilot_locked_at is not None:
        return row
    round_records = StageRecord.objects.filter(project=project, stage=stage, pilot=True)
    missing = round_records.filter(votes__lt=F("needed")).count()
    if missing:
        raise StageProblem(f"{missing:,} records of the round wait for a vote. Lock it when all have screened them.")
    row.pilot_locked_at = timezone.now()
    _save(row)
    newest = CriteriaVersion.objects.filter(project=project).order_by("-number").first()
    told = {"records": row.pilot_size, "criteria": newest.number if newest else None}
    _event(project, actor, row, "screening.pilot_locked", told)
    rebuild(project=project)
    return row


def _draw(project: int, candidate: int) -> str:
    return hashlib.sha256(f"calibration {project} {candidate}".encode()).hexdigest()


def _locked(project: Project, stage: str) -> ScreeningStage:
    """The stage's row (not yet saved where there was none), with the project locked."""
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    return stages_of(project)[Stage(stage).value]


def _save(row: ScreeningStage) -> None:
    row.version += 1
    row.save()


def _votes_stand(row: ScreeningStage) -> bool:
    votes = Vote.objects.filter(project=row.project_id, stage=row.stage)
    return votes.exclude(decision="").exists()


def _event(project: Project, actor: Any, row: ScreeningStage, verb: str, told: dict[str, Any]) -> None:
    record_event(project=project, actor=actor, verb=verb, payload={"stage": row.stage, **told})


def _check_included(project: Project) -> None:
    """While votes were secret, no check was made sooner because of them; now those of the included come first."""
    if stages_of(project).secret:
        return
    included = Candidate.objects.listed(project).filter(decision=Decision.INCLUDE, verification__isnull=False)
    ids = list(included.values_list("verification_id", flat=True))
    for start in range(0, len(ids), CHUNK):
        prioritise(verification_ids=ids[start : start + CHUNK], priority=Priority.INCLUDED)
