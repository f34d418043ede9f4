"""The literature matrix: the table, and a project's own columns."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.pagination import page_of_list
from references.models import OwnColumn, Reference
from references.services.matrix import MatrixProblem, column_add, column_remove, column_rename
from references.services.matrix_reading import MatrixRow, basis_counts, basis_of, columns_of, rows_of

PAGE_SIZE = 50


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def matrix(request: ProjectRequest, project: Project) -> HttpResponse:
    """The matrix: a row for each reference of the list, by key."""
    everything = Reference.objects.filter(project=project).current().for_list().order_by("key", "pk")
    page = page_of_list(request, everything, size=PAGE_SIZE)
    heads = columns_of(project)
    rows = rows_of(project, page.items, heads)
    context = {
        "project": project,
        "page": page,
        "heads": heads,
        "own_columns": [head.own for head in heads if head.own],
        "rows": rows,
        "told": [_told(row) for row in rows],
        "basis_counts": [one for one in basis_counts(basis_of(everything)) if one[1]],
    }
    return render(request, "references/matrix.html", context)


def _told(row: MatrixRow) -> dict[str, Any]:
    """A row with the first cell that nobody has looked at and that something is offered for."""
    waiting = next((view for view in row.cells if not view.state and view.offers), None)
    empty = next((view for view in row.cells if not view.state), None)
    return {"row": row, "next": waiting or empty or row.cells[0]}


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def columns(request: ProjectRequest, project: Project) -> HttpResponse:
    """Add, rename or take out a column of the project's own."""
    name, number = request.POST.get("name", ""), request.POST.get("own", "")
    try:
        if not number:
            column = column_add(project=project, actor=request.user, name=name)
            messages.success(request, f"Column “{column.name}” added.")
        else:
            own = get_object_or_404(
                OwnColumn, project=project, removed_at=None, pk=int(number) if _is_number(number) else 0
            )
            if request.POST.get("do") == "remove":
                column_remove(column=own, actor=request.user)
                messages.success(
                    request, f"Column “{own.name}” taken out. Add a column of that name, and its cells are back."
                )
            else:
                column_rename(column=own, actor=request.user, name=name)
                messages.success(request, f"The column is now called “{own.name}”.")
    except MatrixProblem as problem:
        messages.warning(request, str(problem))
    return redirect("references:matrix", project.pk)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16
