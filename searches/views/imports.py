"""The list of imports, and what can be done with one: describe its search, cancel, resume, undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from litapp.web.pagination import page_of_list
from searches.blinding import viewer_of
from searches.import_forms import SearchForm, details_of
from searches.models import Candidate, RecordImport
from searches.seen import UNDECIDED, decided_as
from searches.services.import_databases import DATABASES, PLATFORMS
from searches.services.imports import (
    ImportNotChanged,
    import_cancel,
    import_describe,
    import_resume,
    import_undo,
)

PAGE_SIZE = 50


def import_of(project: Project, import_id: int) -> RecordImport:
    """The import, or 404."""
    rows = RecordImport.objects.select_related("imported_by", "undone_by", "project")
    return get_object_or_404(rows, pk=import_id, project=project)


def import_address(row: RecordImport) -> str:
    """The page of an import."""
    return reverse("searches:import", args=[row.project_id, row.pk])


@project_view(Right.VIEW)
@never_cache
@require_GET
def import_list(request: ProjectRequest, project: Project) -> HttpResponse:
    """Every import, newest first, with the ways to bring more."""
    rows = RecordImport.objects.filter(project=project).select_related("imported_by").order_by("-pk")
    return render(request, "searches/import_list.html", {"page": page_of_list(request, rows, size=PAGE_SIZE)})


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def describe(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Correct or complete what PRISMA-S asks of the search."""
    row = import_of(project, import_id)
    form = SearchForm(request.POST) if request.method == "POST" else SearchForm(initial=details_of(row))
    if request.method == "POST" and form.is_valid():
        import_describe(record_import=row, actor=request.user, details=form.details())
        messages.success(request, "Saved.")
        return redirect_page(request, import_address(row))
    context = {
        "form": form,
        "row": row,
        "databases": [database.name for database in DATABASES],
        "platforms": PLATFORMS,
    }
    return render(request, "searches/import_describe.html", context, status=422 if form.is_bound else 200)


@project_view(Right.RUN)
@require_POST
def cancel(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Stop reading; what was read stays."""
    return _do(request, import_of(project, import_id), import_cancel, "Cancelled. What was read stays in the project.")


@project_view(Right.RUN)
@require_POST
def resume(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Go on behind the last record that was read."""
    return _do(request, import_of(project, import_id), import_resume, "")


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def undo(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Say what undoing does, and do it."""
    row = import_of(project, import_id)
    if request.method == "POST":
        return _do(request, row, import_undo, "")
    brought = Candidate.objects.listed(project)
    alone = brought.brought_by(row.pk, "new")
    context = {
        "row": row,
        "alone": alone.count(),
        "decided": alone.count() - decided_as(alone, UNDECIDED, viewer_of(request.membership)).count(),
        "shared": brought.brought_by(row.pk, "known").count(),
    }
    return render(request, "searches/import_undo.html", context)


def _do(request: ProjectRequest, row: RecordImport, act: Callable[..., Any], said: str) -> HttpResponse:
    try:
        act(record_import=row, actor=request.user)
    except ImportNotChanged as refusal:
        messages.info(request, str(refusal))
    else:
        if said:
            messages.success(request, said)
    return redirect_page(request, import_address(row))
