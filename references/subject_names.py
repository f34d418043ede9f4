"""What references, lists, briefings, topics, columns and exports are called in the history. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from references.models import Briefing, Export, OwnColumn, Reference, SummaryTopic
from references.models_lists import ReferenceListCheck


def references(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Citation keys by id."""
    rows = Reference.objects.filter(project=project_id, pk__in=ids)
    return dict(rows.values_list("pk", "key"))


def lists(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Titles by id."""
    rows = ReferenceListCheck.objects.filter(project=project_id, pk__in=ids)
    return {pk: title or f"list {pk}" for pk, title in rows.values_list("pk", "title")}


def briefings(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """What was asked and the number of the briefing by id."""
    rows = Briefing.objects.filter(project=project_id, pk__in=ids)
    return {pk: f"“{asked}”, version {number}" for pk, asked, number in rows.values_list("pk", "asked", "number")}


def topics(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Titles by id."""
    rows = SummaryTopic.objects.filter(project=project_id, pk__in=ids)
    return {pk: f"“{title}”" for pk, title in rows.values_list("pk", "title")}


def columns(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Names by id."""
    rows = OwnColumn.objects.filter(project=project_id, pk__in=ids)
    return {pk: f"“{name}”" for pk, name in rows.values_list("pk", "name")}


def exports(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Kind of file by id."""
    rows = Export.objects.filter(project=project_id, pk__in=ids)
    return {export.pk: export.get_format_display() for export in rows.only("format")}
