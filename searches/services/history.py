"""Reads the append-only decisions: what a person can take back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from litapp.projects.models import Project
from searches.models import ScreeningDecision


@dataclass(frozen=True, slots=True)
class Action:
    """What a person did with one request: one decision, or a bulk."""

    request_id: UUID
    candidate_ids: tuple[int, ...]
    stage: str
    resolution: bool


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
        found = mine.filter(request_id=newest).order_by("pk")
        entries = list(found.values_list("pk", "candidate_id", "stage", "resolution"))
        before, _, stage, resolution = entries[0]
        yield Action(newest, tuple(entry[1] for entry in entries), stage, resolution)
