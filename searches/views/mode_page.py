"""What the pages of all short searches share: one address for any of them, the number of a request, the state."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.models import PaperSearch
from searches.services.mode_taking import papers_take


@project_view(Right.VIEW)
@require_GET
def paper_search(request: ProjectRequest, project: Project, search_id: int) -> HttpResponse:
    """From the history, which knows the number only, to the page of the search."""
    search = get_object_or_404(PaperSearch, pk=search_id, project=project)
    return redirect(f"searches:{search.mode}", project.pk, search.pk)


def asked_number(request: HttpRequest) -> UUID:
    """The form's number: a double click sends it twice. A form without one gets a new number."""
    try:
        return UUID(request.POST.get("request_id", ""))
    except ValueError:
        return uuid4()


def mode_context(search: PaperSearch, seen: str) -> dict[str, Any]:
    """The search, its poll, and a number for each form of the page."""
    return {
        "search": search,
        "seen": seen,
        "address": reverse(f"searches:{search.mode}", args=[search.project_id, search.pk]),
        "worker_missing": search.is_open and not worker_runs(),
        "request_id": uuid4(),
        "failed": search.failures_told,
    }


def take_chosen(request: ProjectRequest, search: PaperSearch) -> None:
    """Take the papers that the form names (`papers`) into the project as candidates, and say what came of it."""
    ids = [int(value[:18]) for value in request.POST.getlist("papers") if value.isdecimal()]
    if not ids:
        messages.info(request, "Nothing was chosen. Tick the papers first.")
        return
    taken = papers_take(search=search, actor=request.user, request_id=asked_number(request), paper_ids=ids)
    new = len(set(taken.candidates)) - taken.before
    if new > 0:
        messages.success(request, f"{new} new candidate{'' if new == 1 else 's'} to screen.")
    if taken.before:
        messages.info(request, f"{taken.before} of the chosen papers {'was' if taken.before == 1 else 'were'} in the "
                      "project before; nothing was changed there.")  # fmt: skip
    for why in dict.fromkeys(taken.left_out.values()):
        messages.warning(request, f"Not taken: {why}.")
