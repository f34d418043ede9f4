"""Repairs of the linter on a draft's page: made with one click, taken back with one, counted before and after."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page, render_part
from searches.models import SearchPlanVersion
from searches.services.plan_repair import plan_repair, plan_repair_undo, repair_hits
from searches.services.plans import PlanFrozen, StaleDraft
from searches.services.query_check import RepairGone, one_line_end
from searches.views.plan_repair_undo import SESSION_KEY, undo_offered
from searches.views.plans import version_of


@dataclass(frozen=True, slots=True)
class RepairNamed:
    """The repair that a button names: `repair:<query>:<code>:<start>:<end>`."""

    query: int
    code: str
    start: int
    end: int


def repair_named(value: str) -> RepairNamed:
    """The repair in a button's value. Raises RepairGone for anything else."""
    parts = value.split(":")
    numbers = [part for place, part in enumerate(parts) if place in (1, 3, 4)]
    if len(parts) != 5 or parts[0] != "repair" or not all(n.isascii() and n.isdigit() and len(n) < 8 for n in numbers):
        raise RepairGone
    return RepairNamed(int(parts[1]), parts[2], int(parts[3]), int(parts[4]))


def query_text(data: QueryDict, index: int) -> str:
    """The PubMed query of that number in a plan's form."""
    return one_line_end(str(data.get(f"queries-{index}-boolean", "")))


@project_view(Right.PLAN)
@require_POST
def repair(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Make one repair in the saved draft; its undo is offered on the page that follows."""
    version = version_of(project, version_id)
    try:
        named = repair_named(request.POST.get("then", ""))
        done = plan_repair(
            version=version,
            actor=request.user,
            query_index=named.query,
            code=named.code,
            start=named.start,
            end=named.end,
        )
    except (RepairGone, PlanFrozen, StaleDraft) as refusal:
        messages.error(request, str(refusal))
    else:
        request.session[SESSION_KEY] = {
            "version": version.pk,
            "revision": done.version.revision,
            "query": named.query,
            "start": done.start,
            "written": done.written,
            "was": done.was,
        }
    return _back(request, project, version)


@project_view(Right.PLAN)
@require_POST
def repair_undo(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Take the last repair of this draft back, if nothing was saved since."""
    version = version_of(project, version_id)
    last = undo_offered(request, version)
    try:
        if last is None:
            raise RepairGone
        plan_repair_undo(
            version=version,
            actor=request.user,
            query_index=last["query"],
            start=last["start"],
            written=last["written"],
            was=last["was"],
        )
    except (RepairGone, PlanFrozen, StaleDraft) as refusal:
        messages.error(request, str(refusal))
    else:
        del request.session[SESSION_KEY]
        messages.success(request, "The query is as it was before.")
    return _back(request, project, version)


@project_view(Right.PLAN)
@never_cache
@require_POST
def repair_count(request: ProjectRequest, project: Project) -> HttpResponse:
    """PubMed's hits of a query before and after a repair; a part of the page, and a page of its own without script."""
    context: dict[str, object] = {}
    try:
        named = repair_named(request.POST.get("then", ""))
        context["hits"] = repair_hits(
            text=query_text(request.POST, named.query),
            code=named.code,
            start=named.start,
            end=named.end,
            user_id=request.user.pk,
        )
    except RepairGone as refusal:
        context["refused"] = str(refusal)
    return render_part(request, "searches/plan_repair_hits.html", "hits", context)


def _back(request: ProjectRequest, project: Project, version: SearchPlanVersion) -> HttpResponse:
    return redirect_page(request, reverse("searches:plan", args=[project.pk, version.pk]) + "#queries-title")
