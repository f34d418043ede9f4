"""Seed papers of a plan version: the form, and which line finds or loses each."""

from __future__ import annotations

from uuid import uuid4

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from searches.models import Mode, PaperSearch, SearchPlanVersion
from searches.services.mode_searches import SearchProblem
from searches.services.seeds import MOST_SEEDS, seeds_begin
from searches.views.mode_page import asked_number, mode_context


@project_view(Right.VIEW)
@never_cache
@require_GET
def seed_papers(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """The form, filled with the seeds of the last time, and what was asked before of any version of the plan."""
    version = _version(project, version_id)
    before = _before(version).first()
    return _form_page(request, version, "\n".join(before.question["pmids"]) if before else "")


def _version(project: Project, version_id: int) -> SearchPlanVersion:
    rows = SearchPlanVersion.objects.select_related("plan__project")
    return get_object_or_404(rows, pk=version_id, plan__project=project)


def _before(version: SearchPlanVersion) -> QuerySet[PaperSearch]:
    return PaperSearch.objects.filter(version__plan=version.plan_id, mode=Mode.SEEDS).select_related("requested_by")


def _form_page(
    request: ProjectRequest, version: SearchPlanVersion, text: str, problem: str = "", status: int = 200
) -> HttpResponse:
    queries = [(index, query) for index, query in enumerate(version.plan_content.queries) if query.boolean.strip()]
    context = {
        "version": version,
        "queries": queries,
        "searches": list(_before(version)[:20]),
        "text": text,
        "problem": problem,
        "most": MOST_SEEDS,
        "request_id": uuid4(),
    }
    return render(request, "searches/seeds_form.html", context, status=status)


@project_view(Right.PLAN)
@require_POST
def seeds_new(request: ProjectRequest, project: Project, version_id: int) -> HttpResponse:
    """Begin: `pmids`, `query` (its number from 0), `terms` = every alternative of every line, too."""
    version = _version(project, version_id)
    text, number = request.POST.get("pmids", ""), request.POST.get("query", "0")
    try:
        search = seeds_begin(
            version=version, actor=request.user, request_id=asked_number(request), text=text,
            query_index=int(number[:4]) if number.isdecimal() else 0, terms=bool(request.POST.get("terms")),
        )  # fmt: skip
    except SearchProblem as problem:
        return _form_page(request, version, text, str(problem), status=422)
    return redirect_page(request, reverse("searches:seeds", args=[project.pk, search.pk]))


@project_view(Right.VIEW)
@never_cache
@require_GET
def seeds(request: ProjectRequest, project: Project, seeds_id: int) -> HttpResponse:
    """Found and lost seeds, the lines, the ways back and the terms; the changing part alone for htmx."""
    rows = PaperSearch.objects.select_related("project", "requested_by", "version__plan")
    search = get_object_or_404(rows, pk=seeds_id, project=project, mode=Mode.SEEDS)
    seen = fingerprint([search.state, search.done, sorted(search.result)])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    assert search.version is not None
    context = {
        **mode_context(search, seen),
        "version": search.version,
        "report": search.result,
        "changed": search.version.content_hash != search.question["content_hash"],
        "seeds_text": "\n".join(search.question["pmids"]),
    }
    part = "#found" if wants_part(request) else ""
    response = render(request, f"searches/seeds.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response
