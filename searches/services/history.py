"""Reads the append-only decisions: what stands on a candidate, and what a person can take back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from litapp.projects.models import Project
from searches.models import ScreeningDecision

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Effective:
    """A decision that still counts on a candidate."""

    request_id: UUID
    decision: str
    reviewer_id: Any
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Action:
    """What a person did with one request: one decision, or a bulk."""

    request_id: UUID
    candidate_ids: tuple[int, ...]


def effective_decisions(candidate_ids: Sequence[int]) -> dict[int, list[Effective]]:
    """For each candidate its decisions in order, without those taken back; the last one counts."""
    standing: dict[int, list[Effective]] = {pk: [] for pk in candidate_ids}
    for start in range(0, len(candidate_ids), CHUNK):
        rows = ScreeningDecision.objects.filter(candidate_id__in=candidate_ids[start : start + CHUNK]).order_by("pk")
        for candidate_id, request_id, undoes, decision, reviewer_id, created_at in rows.values_list(
            "candidate_id", "request_id", "undoes", "decision", "reviewer_id", "created_at"
        ):
            if undoes is None:
                standing[candidate_id].append(Effective(request_id, decision, reviewer_id, created_at))
            else:
                standing[candidate_id] = [entry for entry in standing[candidate_id] if entry.request_id != undoes]
    return standing


def undoable_actions(project: Project, actor: Any, target: UUID | None) -> Iterator[Action]:
    """The person's actions in the project, newest first, that are not (wholly) taken back; only `target` if given."""
    mine = ScreeningDecision.objects.filter(project=project, reviewer=actor, undoes=None)
    if target is not None:
        mine = mine.filter(request_id=target)
    undone = ScreeningDecision.objects.filter(
        project=project, candidate=OuterRef("candidate"), undoes=OuterRef("request_id")
    )
    open_entries = mine.filter(~Exists(undone)).order_by("-pk")
    before: int | None = None
    while True:
        rows = open_entries if before is None else open_entries.filter(pk__lt=before)
        newest = rows.values_list("request_id", flat=True).first()
        if newest is None:
            return
        entries = list(mine.filter(request_id=newest).order_by("pk").values_list("pk", "candidate_id"))
        before = entries[0][0]
        yield Action(newest, tuple(candidate_id for _, candidate_id in entries))
