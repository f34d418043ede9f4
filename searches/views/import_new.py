"""Begins an import: from a file, from a list of identifiers, or one record by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from litapp.web.uploads import is_over_cap
from searches.import_forms import IdentifiersForm, ImportFileForm, RecordForm
from searches.models import CandidateSource
from searches.services.import_by_hand import record_add
from searches.services.import_databases import DATABASES, PLATFORMS
from searches.services.imports import Begun, ImportProblem, import_file, import_identifiers

TABS = (
    ("searches:import_new", "A file"),
    ("searches:import_identifiers", "Identifiers"),
    ("searches:import_by_hand", "By hand"),
)
"""The three ways to bring records, with their addresses."""


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def import_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form for a file. It is imported in the background; the same file again adds nothing."""
    if request.method == "GET":
        return _page(request, "import_new", ImportFileForm())
    form = ImportFileForm(request.POST, request.FILES)
    if is_over_cap(request):
        form.errors.pop("file", None)
        form.add_error("file", f"The file has more than {filesizeformat(settings.IMPORT_LARGEST)}. Export it in parts.")
    elif request.POST.get("complete") != "1":
        form.errors.pop("file", None)
        form.add_error("file", "The upload was cut off on its way, so nothing was imported. Choose the file again.")
    if not form.is_valid():
        return _page(request, "import_new", form, status=422)
    file = form.cleaned_data["file"]

    def begin() -> Begun:
        return import_file(
            project=project, actor=request.user, request_id=_number(form), details=form.details(), name=file.name,
            chunks=file.chunks(1 << 20),
        )  # fmt: skip

    return _begun(request, "import_new", form, "file", begin)


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def import_identifiers_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form for a list of PMIDs, DOIs, PMCIDs and arXiv ids."""
    if request.method == "GET":
        return _page(request, "import_identifiers", IdentifiersForm())
    form = IdentifiersForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, "import_identifiers", form, status=422)
    file = form.cleaned_data.get("file")

    def begin() -> Begun:
        return import_identifiers(
            project=project, actor=request.user, request_id=_number(form), details=form.details(), text=form.listed,
            name=file.name if file else "",
        )  # fmt: skip

    return _begun(request, "import_identifiers", form, "text", begin)


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def import_by_hand(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form for one record; it becomes a candidate at once, labelled as added by hand."""
    if request.method == "GET":
        return _page(request, "import_by_hand", RecordForm())
    form = RecordForm(request.POST)
    if not form.is_valid():
        return _page(request, "import_by_hand", form, status=422)
    made = record_add(project=project, actor=request.user, request_id=_number(form), typed=form.typed())
    link = CandidateSource.objects.filter(
        project=project, source_record__answer=made.record_import.answer_id
    ).values_list("candidate_id", flat=True)
    if made.before:
        messages.warning(request, "This very record was added before. Nothing was added.")
    else:
        messages.success(request, "Added. It is checked against the sources now; until then it is marked as unchecked.")
    return redirect_page(request, reverse("searches:candidate", args=[project.pk, link[0]]))


def _number(form: forms.Form) -> Any:
    return form.cleaned_data.get("request_id") or uuid4()


def _begun(
    request: ProjectRequest, name: str, form: forms.Form, field: str, begin: Callable[[], Begun]
) -> HttpResponse:
    """To the page of the import; back to the form where nothing was imported, and why."""
    try:
        made = begin()
    except ImportProblem as problem:
        form.add_error(field, str(problem))
        return _page(request, name, form, status=422)
    row = made.record_import
    if made.before:
        messages.warning(
            request, f"This file was imported before, as import {row.pk} ({row.database}). Nothing was added."
        )
    return redirect_page(request, reverse("searches:import", args=[row.project_id, row.pk]))


def _page(request: ProjectRequest, name: str, form: forms.Form, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "tabs": [(reverse(view, args=[request.membership.project_id]), label, view.endswith(f":{name}"))
                 for view, label in TABS],
        "databases": [database.name for database in DATABASES],
        "platforms": PLATFORMS,
        "largest": settings.IMPORT_LARGEST,
    }  # fmt: skip
    return render(request, f"searches/{name}.html", context, status=status)
