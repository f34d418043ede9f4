"""One cell of the literature matrix: what stands there, the quotes that are offered, and every change of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import wants_part
from references.models import MatrixCell, Reference
from references.services.matrix import (
    MatrixProblem,
    StaleCell,
    cell_accept,
    cell_check,
    cell_clear,
    cell_not_reported,
    cell_save,
    cell_undo,
)
from references.services.matrix_reading import (
    ColumnHead,
    MatrixRow,
    Offer,
    cell_quote_stands,
    column_named,
    records_of,
    rows_of,
)
from searches.models_passages import StoredPassage

DONE = {
    "accept": "Accepted.",
    "save": "Saved.",
    "not_reported": "Marked as not reported.",
    "clear": "Cleared: it counts as not looked at.",
    "check": "Marked as checked.",
    "undo": "Taken back.",
}


@dataclass(frozen=True, slots=True)
class OfferView:
    """An offer as the page shows it: the quote parted around the value, and where it stands."""

    offer: Offer
    before: str
    value: str
    after: str


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def cell(request: ProjectRequest, project: Project, reference_id: int, column: str) -> HttpResponse:
    """The cell with what is offered for it."""
    return _page(request, project, _reference(project, reference_id), _head(project, column))


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def cell_change(request: ProjectRequest, project: Project, reference_id: int, column: str) -> HttpResponse:
    """One change of the cell. Somebody else's newer cell is never overwritten: both are shown (409)."""
    found, head = _reference(project, reference_id), _head(project, column)
    sent, do = request.POST, request.POST.get("do", "")
    version = sent.get("version", "")
    typed = {"value": sent.get("value", ""), "quote": sent.get("quote", ""), "page": sent.get("page", "")}
    if do not in DONE or not (version.isascii() and version.isdecimal() and len(version) < 10):
        return _page(
            request, project, found, head, status=422, problem="The form was incomplete. Try again.", typed=typed
        )
    given: dict[str, Any] = {"reference": found, "head": head, "actor": request.user, "version": int(version)}
    changes: dict[str, Callable[[], MatrixCell]] = {
        "accept": lambda: cell_accept(**given, offer=sent.get("offer", ""), value=sent.get("value", "")),
        "save": lambda: cell_save(value=typed["value"], quote=typed["quote"], page=typed["page"], **given),
        "not_reported": lambda: cell_not_reported(**given),
        "clear": lambda: cell_clear(**given),
        "check": lambda: cell_check(**given),
        "undo": lambda: cell_undo(**given),
    }
    try:
        changes[do]()
    except StaleCell:
        return _page(request, project, found, head, status=409, conflict=True, typed=typed if do == "save" else None)
    except MatrixProblem as problem:
        return _page(request, project, found, head, status=422, problem=str(problem), typed=typed)
    if wants_part(request):
        row = _row(project, found, head)
        context = {"project": project, "row": row, "view": row.cells[0], "changed": True}
        return _varied(render(request, "references/matrix_changed.html", context))
    messages.success(request, DONE[do])
    return redirect("references:matrix_cell", project.pk, found.pk, head.key)


def _reference(project: Project, reference_id: int) -> Reference:
    return get_object_or_404(Reference.objects.current().for_list(), project=project, pk=reference_id)


def _head(project: Project, column: str) -> ColumnHead:
    head = column_named(project, column)
    if head is None:
        raise Http404("no such column")
    return head


def _row(project: Project, reference: Reference, head: ColumnHead) -> MatrixRow:
    return rows_of(project, [reference], [head])[0]


def _page(
    request: ProjectRequest,
    project: Project,
    reference: Reference,
    head: ColumnHead,
    *,
    status: int = 200,
    problem: str = "",
    conflict: bool = False,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    row = _row(project, reference, head)
    view = row.cells[0]
    stored = view.cell
    if typed is None:
        typed = {
            "value": stored.value if stored else "",
            "quote": stored.quote if stored else "",
            "page": stored.page if stored else "",
        }
    records = [
        one for one in records_of([reference.candidate_id]).get(reference.candidate_id, ()) if one.record.abstract
    ]
    context = {
        "project": project,
        "row": row,
        "reference": reference,
        "head": head,
        "view": view,
        "cell": stored,
        "stands": stored is None or cell_quote_stands(stored),
        "offers": [_offer(one) for one in view.offers],
        "typed": typed,
        "problem": problem,
        "conflict": conflict,
        "passages": StoredPassage.objects.of([reference.candidate_id]).get(reference.candidate_id, []),
        "abstract_record": records[0] if records else None,
    }
    part = "#cell" if wants_part(request) else ""
    return _varied(render(request, f"references/matrix_cell.html{part}", context, status=status))


def _offer(offer: Offer) -> OfferView:
    before, value, after = offer.suggestion.quote.partition(offer.suggestion.value)
    if not before and not after:
        return OfferView(offer, "", "", offer.suggestion.quote)
    return OfferView(offer, before, value, after)


def _varied(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, ["HX-Request"])
    return response
