"""What candidates, plans, runs, imports and searches for papers are called in the history. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from searches.models import Candidate, PaperSearch, RecordImport, RetrievalRun, SearchPlanVersion


def candidates(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Titles by id."""
    rows = Candidate.objects.filter(project=project_id, pk__in=ids)
    return dict(rows.values_list("pk", "title"))


def runs(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Number and plan by id."""
    rows = RetrievalRun.objects.filter(project=project_id, pk__in=ids)
    return {pk: f"run {pk} of “{title}”" for pk, title in rows.values_list("pk", "version__plan__title")}


def imports(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Database and file by id."""
    rows = RecordImport.objects.filter(project=project_id, pk__in=ids)
    return {
        pk: " · ".join(part for part in (database, name) if part) or f"import {pk}"
        for pk, database, name in rows.values_list("pk", "database", "file_name")
    }


def plan_versions(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Title of the plan and number of the version by id."""
    rows = SearchPlanVersion.objects.filter(plan__project=project_id, pk__in=ids)
    return {pk: f"“{title}”, version {number}" for pk, title, number in rows.values_list("pk", "plan__title", "number")}


def paper_searches(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """What was asked for by id."""
    rows = PaperSearch.objects.filter(project=project_id, pk__in=ids)
    return {pk: f"“{title}”" for pk, title in rows.values_list("pk", "title")}
