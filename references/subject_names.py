"""What references and checked lists are called in the history. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from references.models import Reference
from references.models_lists import ReferenceListCheck


def references(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Citation keys by id."""
    rows = Reference.objects.filter(project=project_id, pk__in=ids)
    return dict(rows.values_list("pk", "key"))


def lists(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Titles by id."""
    rows = ReferenceListCheck.objects.filter(project=project_id, pk__in=ids)
    return {pk: title or f"list {pk}" for pk, title in rows.values_list("pk", "title")}
