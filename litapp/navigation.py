"""The numbers beside the entries of a project's side navigation, with the page and by themselves later on.

Part of the composition root: it reads all floors.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Func, IntegerField, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.projects.models import Membership, Project
from litapp.projects.permissions import ProjectRequest, Right, may, project_view
from references.models import Reference
from searches.blinding import stages_of, viewer_of
from searches.models import Candidate, RecordImport, RecordPair, RetrievalRun, SearchPlan, Stage, StageRecord
from searches.models_screening import StateChoices
from searches.seen import tally_of


def numbers(request: HttpRequest) -> dict[str, object]:
    """`nav_counts` of the project the page belongs to: few queries, and only when the navigation is shown."""
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    return {"nav_counts": SimpleLazyObject(lambda: project_numbers(membership))}


@never_cache
@require_GET
@project_view(Right.VIEW)
def side(request: ProjectRequest, project: Project) -> HttpResponse:
    """The side navigation alone, from which `numbers.js` takes the newest numbers; each member gets what is theirs."""
    return render(request, "partials/project_nav.html", {"project": project})


def project_numbers(membership: Membership) -> dict[str, int]:
    """plans, runs, imports, undecided, candidates, duplicates, members; as far as the member may know it references,
    and where the project works so fulltext and conflicts. What is undecided is so for the member. Few queries,
    whatever the number of records."""
    project, stages = membership.project, stages_of(membership.project)
    candidates = Candidate.objects.filter(project=OuterRef("pk"), merged_into=None, withdrawn_at=None)
    title, fulltext = (viewer_of(membership, stage, stages) for stage in Stage.values)
    counts: dict[str, QuerySet[Any]] = {
        "plans": SearchPlan.objects.filter(project=OuterRef("pk")),
        "runs": RetrievalRun.objects.filter(project=OuterRef("pk")),
        "imports": RecordImport.objects.filter(project=OuterRef("pk"), undone_at=None),
        "candidates": candidates,
        "duplicates": RecordPair.objects.filter(project=OuterRef("pk"), queued=True),
        "members": Membership.objects.filter(project=OuterRef("pk")),
    }
    settles = may(membership, Right.SETTLE)
    if settles or not stages.secret:
        counts["references"] = Reference.objects.current().filter(project=OuterRef("pk"))
    if settles and (stages.title.pk or stages.fulltext.pk):
        conflicts = StageRecord.objects.filter(project=OuterRef("pk"), state=StateChoices.CONFLICT)
        counts["conflicts"] = conflicts.filter(candidate__merged_into=None, candidate__withdrawn_at=None)
    row = Project.objects.filter(pk=project.pk).annotate(**{f"n_{k}": _count(v) for k, v in counts.items()})
    values = row.values_list(*(f"n_{name}" for name in counts)).get()
    found = dict(zip(counts, values, strict=True)) | {"undecided": tally_of(membership, title).undecided}
    if stages.uses_fulltext and not stages.title.secret:
        found["fulltext"] = tally_of(membership, fulltext).undecided
    return found


def _count(rows: QuerySet[Any]) -> Subquery:
    """How many rows, as a subquery of the outer one."""
    counted = rows.order_by().annotate(all_rows=Func("pk", function="COUNT", output_field=IntegerField()))
    return Subquery(counted.values("all_rows"))
