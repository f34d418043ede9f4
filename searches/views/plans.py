"""Search plans: the list, one version as it reads and runs, its hits, its approval, and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.core.filters import ALL_FILTERS
from litapp.core.filters.applied import filters_in
from litapp.core.plan import Caps, PlanError
from litapp.core.querylang.question import calls_for_chinese_sources
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.views.answer import answer_page
from litapp.web.htmx import render_part, wants_part
from searches.models import PlanCount, RetrievalRun, SearchPlanVersion
from searches.services.counts import counts_refresh
from searches.services.first_draft import suspicions_of
from searches.services.plans import PlanFrozen, StaleDraft, plan_approve, plan_new_version, plan_problems
from searches.views.marked_text import CheckedQuery, checked_query
from searches.views.plan_comparison import plan_changes, plan_fields, years_text
from searches.views.plan_grid import grids_of
from searches.views.plan_repair_undo import undo_offered
from searches.views.plan_sources import plan_at_sources

RUNS_SHOWN = 5
LIMITS = (
    "Years",
    "Publication types",
    "Languages",
    "Preprints",
    "Order",
    "Boolean query also at",
    "Most records per query",
    "Most records per source",
    "Most records in the run",
)
"""Fields of the plan that its page shows under "Filters and limits"."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A plan in the list: its newest version, and the newest approved one if that is another."""

    newest: SearchPlanVersion
    approved: SearchPlanVersion | None
    versions: int
    runs: int


@dataclass(frozen=True, slots=True)
class QueryShown:
    """A query of the plan as written, with what was found in it."""

    number: int
    label: str
    plain: str
    boolean: str
    checked: CheckedQuery

    @property
    def place(self) -> int:
        """Its number in forms, from 0."""
        return self.number - 1


@project_view(Right.VIEW)
@require_GET
def plan_list(request: ProjectRequest, project: Project) -> HttpResponse:
    """Every plan of the project with the state of its newest version."""
    lines: dict[int, PlanLine] = {}
    for version in SearchPlanVersion.objects.of_project(project).annotate(run_count=Count("runs")):
        line = lines.get(version.plan_id) or PlanLine(version, None, 0, 0)
        approved = line.approved or (version if version.is_approved else None)
        lines[version.plan_id] = PlanLine(line.newest, approved, line.versions + 1, line.runs + version.run_count)
    return render(request, "searches/plan_list.html", {"lines": list(lines.values())})


@project_view(Right.VIEW)
@require_GET
def plan(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """One version: what is asked, what each source is sent, what it counted, who approved it."""
    version = version_of(project, version_id)
    context = _page(version, request.user.pk)
    context |= {"undo": undo_offered(request, version), "grids": grids_of(version, context["counted"])}
    return render(request, "searches/plan.html", context)


@project_view(Right.PLAN)
@require_POST
def plan_counts(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Ask every source for its number of hits; answers with the sources' part of the page."""
    version = version_of(project, version_id)
    refused: dict[str, str] = {}
    try:
        counts_refresh(version=version, actor=request.user)
    except PlanError as error:
        refused = error.problems
    if not wants_part(request):
        if refused:
            messages.error(request, "The hits cannot be counted yet: " + " ".join(refused.values()))
        response = redirect("searches:plan", project.pk, version.pk)
        response["Location"] += "#sources"
        return response
    context = {**_page(version, request.user.pk), "count_refused": refused, "just_counted": not refused}
    return render_part(request, "searches/plan.html", "sources", context, status=422 if refused else 200)


@project_view(Right.VIEW)
@require_GET
def count_answer(request: ProjectRequest, project: Project, count_id: int) -> HttpResponse:
    """The archived answer behind a number of hits."""
    counted = PlanCount.objects.select_related("answer").filter(version__plan__project=project)
    row = get_object_or_404(counted.exclude(answer=None), pk=count_id)
    assert row.answer is not None
    return answer_page(request, project, row.answer)


@project_view(Right.PLAN)
@require_POST
def plan_version_new(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Begin a draft with the content of this version; an open draft of the plan is opened instead."""
    made = plan_new_version(version=version_of(project, version_id), actor=request.user)
    return redirect("searches:plan_edit", project.pk, made.pk)


@project_view(Right.APPROVE)
@never_cache
@require_http_methods(["GET", "POST"])
def plan_approval(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """What exactly will be sent and with which limits; POST approves the content whose hash the form carries."""
    version = version_of(project, version_id)
    if version.is_approved:
        messages.info(request, f"Version {version.number} is approved already.")
        return redirect("searches:plan", project.pk, version.pk)
    status, changed, refused = 200, False, {}
    if request.method == "POST":
        try:
            plan_approve(version=version, actor=request.user, content_hash=request.POST.get("content_hash", ""))
        except StaleDraft as stale:
            version, changed, status = version_of(project, stale.stored.pk), True, 409
        except PlanFrozen:
            messages.error(request, "Another content of this version was approved meanwhile. Nothing was changed.")
            return redirect("searches:plan", project.pk, version.pk)
        except PlanError as error:
            refused, status = error.problems, 422
        else:
            messages.success(request, f"Version {version.number} is approved and frozen. It can run now.")
            return redirect("searches:plan", project.pk, version.pk)
    context = {**_page(version, request.user.pk), "changed": changed, "refused": refused}
    return render(request, "searches/plan_approve.html", context, status=status)


@project_view(Right.VIEW)
@require_GET
def plan_compare(request: ProjectRequest, project: Project, version_id: int, other_id: int) -> HttpResponse:
    """What changed from version `other_id` to this one, field by field."""
    after, before = version_of(project, version_id), version_of(project, other_id)
    changes = plan_changes(plan_fields(before.plan_content), plan_fields(after.plan_content))
    context = {
        "version": after,
        "before": before,
        "before_head": f"Version {before.number}",
        "after_head": f"Version {after.number}",
        "changes": [change for change in changes if not change.same],
        "unchanged": [change.name for change in changes if change.same],
        "versions": SearchPlanVersion.objects.filter(plan=after.plan_id).order_by("-number"),
    }
    return render(request, "searches/plan_compare.html", context)


def version_of(project: Project, version_id: int) -> SearchPlanVersion:
    """The version if it belongs to the project; 404 otherwise."""
    versions = SearchPlanVersion.objects.select_related("plan__project", "created_by", "approved_by")
    return get_object_or_404(versions, pk=version_id, plan__project=project)


def _page(version: SearchPlanVersion, user_id: int | None) -> dict[str, Any]:
    """Context of the plan page and of the approval page, for the user who looks."""
    content = version.plan_content
    counts = list(PlanCount.objects.newest_of(version))
    problems = {} if version.is_approved else plan_problems(content)
    runs = list(RetrievalRun.objects.filter(version=version).select_related("started_by").order_by("-pk")[:RUNS_SHOWN])
    return {
        "frozen": version.is_approved or bool(runs),
        "version": version,
        "plan": version.plan,
        "content": content,
        "years": years_text(content.filters.year_from, content.filters.year_to),
        "limits": [field for field in plan_fields(content) if field.text and field.name in LIMITS],
        "no_limit": content.caps == Caps(),
        "queries": [
            QueryShown(number, query.label, query.plain, query.boolean, checked_query(query.boolean))
            for number, query in enumerate(content.queries, start=1)
        ],
        "at_sources": plan_at_sources(content, counts, user_id=user_id),
        "counted": counts,
        "counted_at": max((row.counted_at for row in counts), default=None),
        "problems": list(problems.values()),
        "suspicions": () if version.is_approved else suspicions_of(content),
        "filters_used": list(
            dict.fromkeys(found for query in content.queries for found in filters_in(query.boolean, ALL_FILTERS))
        ),
        "other_methods": list(version.plan.other_methods.select_related("searched_by")),
        "chinese_sources": calls_for_chinese_sources(
            content.question,
            content.pico.population,
            content.pico.intervention,
            *(query.boolean for query in content.queries),
            languages=content.filters.languages,
        ),
        "versions": list(
            SearchPlanVersion.objects.filter(plan=version.plan_id).select_related("approved_by").order_by("-number")
        ),
        "runs": runs,
        "run_id": uuid4(),
    }
