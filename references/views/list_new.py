"""Bringing a list of references to be checked, and the lists that were brought before."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from litapp.projects.models import Membership, Project
from litapp.projects.permissions import RIGHTS, ProjectRequest, Right, project_view
from litapp.web.htmx import redirect_page
from litapp.web.pagination import page_of_list
from references.models import ReferenceListCheck
from references.services.list_checks import LARGEST, ListProblem, list_check_request

PAGE_SIZE = 50
ACCEPT = ".bib,.ris,.nbib,.txt,.md,.docx,.xml,.json,.enw,.ciw,.csv,.tsv,.rdf"
LONGEST_PASTE = 2_000_000
"""Characters of pasted text; a file may be larger."""


class ListForm(forms.Form):
    """A pasted text or a file, not both."""

    text = forms.CharField(
        label="References",
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPT}),
        error_messages={"empty": "The file is empty."},
    )
    title = forms.CharField(label="Name", required=False, max_length=200)
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)

    def clean(self) -> dict[str, Any]:
        """One of both; neither lost in silence."""
        data = super().clean() or {}
        text, file = (data.get("text") or "").strip(), data.get("file")
        if self.errors:
            return data
        if text and file:
            self.add_error("file", "Paste a text or choose a file, not both: one of them would be lost.")
        if not text and not file:
            self.add_error("text", "Paste the references here, or choose a file.")
        if file and file.size > LARGEST:
            self.add_error(
                "file", f"The file is larger than {LARGEST // 1024**2} MB. Bring the reference section alone."
            )
        return data


@project_view(Right.VIEW)
@never_cache
@require_GET
def list_checks(request: ProjectRequest, project: Project) -> HttpResponse:
    """Every list that was checked in this project, newest first."""
    rows = ReferenceListCheck.objects.filter(project=project).select_related("requested_by")
    return render(request, "references/list_checks.html", {"page": page_of_list(request, rows, size=PAGE_SIZE)})


@project_view(Right.VERIFY)
@never_cache
@require_http_methods(["GET", "POST"])
def list_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form; what it sends is checked in the background, entry by entry."""
    if request.method == "GET":
        return _page(request, ListForm())
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=422)
    data = form.cleaned_data
    file = data["file"]
    try:
        row = list_check_request(
            project=project,
            actor=request.user,
            request_id=data["request_id"] or uuid4(),
            chunks=file.chunks(1 << 20) if file else [data["text"].encode("utf-8", "replace")],
            name=file.name if file else "",
            title=data["title"].strip(),
        )
    except ListProblem as problem:
        form.add_error("file" if file else "text", str(problem))
        return _page(request, form, status=422)
    return redirect_page(request, reverse("references:list_check", args=[project.pk, row.pk]))


def _page(request: ProjectRequest, form: ListForm, *, status: int = 200) -> HttpResponse:
    return render(request, "references/list_new.html", {"form": form, "largest": LARGEST}, status=status)


@never_cache
@login_required
@require_GET
def check_references(request: HttpRequest) -> HttpResponse:
    """From the start page: straight to the form where there is one project, else a choice of projects."""
    able = [role for role, rights in RIGHTS.items() if Right.VERIFY in rights]
    places = list(
        Membership.objects.filter(user=request.user, role__in=able, project__deleted_at=None)  # type: ignore[misc]
        .select_related("project")
        .order_by("-project_id")
    )
    if len(places) == 1:
        return redirect("references:list_new", places[0].project_id)
    return render(request, "references/list_where.html", {"projects": [place.project for place in places]})
