"""The list of criteria: the reasons to exclude, in the order of their keys; every change is a new version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import CriteriaVersion, Criterion

MOST = 20
"""Criteria in a list; the first nine have a key."""


class CriteriaProblem(ValueError):
    """The list cannot be saved so; the message says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One criterion as it was typed; `pk` None = a new one."""

    text: str
    prisma_text: str = ""
    pk: int | None = None


def newest_version(project: Project) -> CriteriaVersion | None:
    """The list that holds now; None where there never was one."""
    return CriteriaVersion.objects.filter(project=project).order_by("-number").first()


@transaction.atomic
def criteria_save(
    *, project: Project, actor: Any, wanted: Sequence[Wanted], number: int, why: str = ""
) -> CriteriaVersion:
    """Save the list as a new version (the same list again makes none). `number` is the version that was edited, 0 for
    none. A criterion that is left out keeps its row: decisions name it. Raises CriteriaProblem."""
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    newest = newest_version(project)
    if number != (newest.number if newest else 0):
        raise CriteriaProblem("Somebody changed the criteria in the meantime. Look at them again, then change them.")
    kept = [Wanted(one.text.strip(), one.prisma_text.strip(), one.pk) for one in wanted if one.text.strip()]
    _check(kept)
    known = Criterion.objects.filter(project=project).in_bulk([one.pk for one in kept if one.pk is not None])
    Criterion.objects.filter(project=project).update(position=None)
    content = []
    for position, one in enumerate(kept, start=1):
        if one.pk is not None and one.pk not in known:
            raise CriteriaProblem("One of the criteria is not of this project. Reload the page.")
        row = known[one.pk] if one.pk is not None else Criterion(project=project)
        row.text, row.prisma_text, row.position = one.text, one.prisma_text, position
        row.save()
        content.append({"id": row.pk, "text": row.text, "prisma_text": row.prisma_text})
    if newest is not None and newest.content == content:
        return newest
    version = CriteriaVersion.objects.create(
        project=project, number=number + 1, content=content, why=why.strip()[:300], created_by=actor
    )
    payload = {"number": version.number, "criteria": [entry["text"] for entry in content], "why": version.why}
    record_event(project=project, actor=actor, verb="criteria.saved", payload=payload)
    return version


def _check(kept: Sequence[Wanted]) -> None:
    if len(kept) > MOST:
        raise CriteriaProblem(f"At most {MOST} criteria; these are {len(kept)}.")
    if any(len(one.text) > 200 or len(one.prisma_text) > 200 for one in kept):
        raise CriteriaProblem("A criterion may have 200 characters. Shorten it.")
    texts = [one.text.casefold() for one in kept]
    if len(set(texts)) != len(texts):
        raise CriteriaProblem("Two criteria are the same.")
