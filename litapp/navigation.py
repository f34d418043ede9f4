"""The numbers beside the entries of a project's side navigation. Part of the composition root: it reads all floors."""

from __future__ import annotations

from typing import Any

from django.db.models import Func, IntegerField, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from litapp.projects.models import Membership, Project
from references.models import Reference
from searches.models import Candidate, RecordImport, RecordPair, RetrievalRun, SearchPlan


def numbers(request: HttpRequest) -> dict[str, object]:
    """`nav_counts` of the project the page belongs to: one query, and only when the navigation is shown."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    return {"nav_counts": SimpleLazyObject(lambda: project_numbers(membership.project))}


def project_numbers(project: Project) -> dict[str, int]:
    """plans, runs, imports, undecided, candidates, duplicates, references, members. One query."""
    candidates = Candidate.objects.filter(project=OuterRef("pk"), merged_into=None, withdrawn_at=None)
    counts = {
        "plans": SearchPlan.objects.filter(project=OuterRef("pk")),
        "runs": RetrievalRun.objects.filter(project=OuterRef("pk")),
        "imports": RecordImport.objects.filter(project=OuterRef("pk"), undone_at=None),
        "undecided": candidates.filter(decision=""),
        "candidates": candidates,
        "duplicates": RecordPair.objects.filter(project=OuterRef("pk"), queued=True),
        "references": Reference.objects.current().filter(project=OuterRef("pk")),
        "members": Membership.objects.filter(project=OuterRef("pk")),
    }
    row = Project.objects.filter(pk=project.pk).annotate(**{f"n_{k}": _count(v) for k, v in counts.items()})
    values = row.values_list(*(f"n_{name}" for name in counts)).get()
    return dict(zip(counts, values, strict=True))


def _count(rows: QuerySet[Any]) -> Subquery:
    """How many rows, as a subquery of the outer one."""
    counted = rows.order_by().annotate(all_rows=Func("pk", function="COUNT", output_field=IntegerField()))
    return Subquery(counted.values("all_rows"))
