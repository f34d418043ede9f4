"""Related papers of one paper: asked for, listed with why, and taken into the project by a person."""

from __future__ import annotations

from uuid import uuid4

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from searches.blinding import sees_outcomes
from searches.models import Candidate, Mode, PaperSearch
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import CITATION_SEARCHING
from searches.services.quick_cite import recent
from searches.services.related import related_begin, rows_of
from searches.views.mode_page import asked_number, mode_context, take_chosen

PAGE_SIZE = 50


@project_view(Right.VIEW)
@never_cache
@require_GET
def related_papers(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form (`of` = the paper, from a page that shows one), and what was asked for before."""
    return _form_page(request, project, request.GET.get("of", ""))


def _form_page(
    request: ProjectRequest, project: Project, text: str, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "searches": recent(project, Mode.RELATED, 20),
        "text": text,
        "problem": problem,
        "request_id": uuid4(),
    }
    return render(request, "searches/related_list.html", context, status=status)


@project_view(Right.VERIFY)
@require_POST
def related_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """Begin to look for papers related to `of`."""
    text = request.POST.get("of", "")
    try:
        search = related_begin(project=project, actor=request.user, request_id=asked_number(request), text=text)
    except SearchProblem as problem:
        return _form_page(request, project, text, str(problem), status=422)
    return redirect_page(request, reverse("searches:related", args=[project.pk, search.pk]))


@project_view(Right.VIEW)
@never_cache
@require_GET
def related(request: ProjectRequest, project: Project, related_id: int) -> HttpResponse:
    """The related papers, the best first; the changing part alone for htmx while sources answer."""
    search = _search(project, related_id)
    seen = fingerprint([search.state, search.done, str(search.searched_at)])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    papers = search.papers.select_related("main_record").prefetch_related("records")
    page = page_of_list(request, papers, size=PAGE_SIZE)
    rows = rows_of(search, page.items)
    outcomes = sees_outcomes(request.membership)
    standing = Candidate.objects.in_bulk([row.candidate_id for row in rows if row.candidate_id is not None])
    context = {
        **mode_context(search, seen),
        "page": page,
        "rows": [(row, standing.get(row.candidate_id or 0)) for row in rows],
        "outcomes": outcomes,
        "counted_under": CITATION_SEARCHING,
    }
    part = "#found" if wants_part(request) else ""
    response = render(request, f"searches/related.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _search(project: Project, search_id: int) -> PaperSearch:
    rows = PaperSearch.objects.select_related("project", "requested_by")
    return get_object_or_404(rows, pk=search_id, project=project, mode=Mode.RELATED)


@project_view(Right.RUN)
@require_POST
def related_take(request: ProjectRequest, project: Project, related_id: int) -> HttpResponse:
    """Make candidates of the chosen papers (`papers`); nobody has decided on them."""
    search = _search(project, related_id)
    take_chosen(request, search)
    return redirect_page(request, reverse("searches:related", args=[project.pk, search.pk]))
