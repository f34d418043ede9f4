"""One reference: its record, its note, and taking it out of the list."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import wants_part
from references.models import Reference
from references.services.reference_list import (
    LONGEST_NOTE,
    ReferenceProblem,
    StaleReference,
    note_save,
    reference_remove,
    reference_restore,
)
from searches.citable import entry_of
from searches.models_passages import StoredPassage
from searches.views.record_card import record_card


def _reference(project: Project, reference_id: int) -> Reference:
    return get_object_or_404(Reference.objects.for_list(), project=project, pk=reference_id)


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def reference(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """The reference's page."""
    return _page(request, project, _reference(project, reference_id))


def _page(
    request: ProjectRequest, project: Project, found: Reference, *, status: int = 200, **note: Any
) -> HttpResponse:
    context = {
        "project": project,
        "reference": found,
        "candidate": found.candidate,
        "card": record_card(found.candidate),
        "entry": entry_of(found.candidate, key=found.key, sandbox=project.sandbox),
        "passages": StoredPassage.objects.of([found.candidate_id]).get(found.candidate_id, []),
        **_note_context(found, **note),
    }
    part = "note.html" if wants_part(request) else "reference.html"
    response = render(request, f"references/{part}", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _note_context(
    found: Reference, *, editing: bool = False, mine: str | None = None, conflict: bool = False, problem: str = ""
) -> dict[str, Any]:
    """The note's part of the page. `mine` is what the person typed; in a conflict it stands beside the stored text."""
    return {
        "editing": editing or conflict or bool(problem),
        "typed": found.note if mine is None else mine,
        "conflict": conflict,
        "problem": problem,
        "longest_note": LONGEST_NOTE,
    }


@never_cache
@require_http_methods(["GET", "POST"])
@project_view(Right.REFERENCES, shows_outcomes=True)
def note(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """The note's form, and saving it. Somebody else's newer text is never overwritten: both are shown (409)."""
    found = _reference(project, reference_id)
    if request.method == "GET":
        return _page(request, project, found, editing="close" not in request.GET)
    mine, version = request.POST.get("note", ""), request.POST.get("version", "")
    if not version.isdecimal():
        return _page(request, project, found, status=422, mine=mine, problem="The form was incomplete. Save again.")
    try:
        saved = note_save(reference=found, actor=request.user, note=mine, version=int(version))
    except StaleReference as stale:
        return _page(request, project, stale.current, status=409, mine=mine, conflict=True)
    except ReferenceProblem as problem:
        return _page(request, project, found, status=422, mine=mine, problem=str(problem))
    if wants_part(request):
        return _page(request, project, saved)
    messages.success(request, f"Note of {saved.key} saved.")
    return redirect("references:reference", project.pk, saved.pk)


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def remove(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """Take the reference out of the list; it can be put back."""
    found = _reference(project, reference_id)
    reference_remove(reference=found, actor=request.user)
    messages.success(request, f"{found.key} is out of the list. Its key is kept; you find it under “Taken out”.")
    return redirect("references:list", project.pk)


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def restore(request: ProjectRequest, project: Project, reference_id: int) -> HttpResponse:
    """Put a reference back that was taken out by hand."""
    found = _reference(project, reference_id)
    try:
        reference_restore(reference=found, actor=request.user)
        messages.success(request, f"{found.key} is back in the list.")
    except ReferenceProblem as problem:
        messages.warning(request, str(problem))
    return redirect("references:list", project.pk)
