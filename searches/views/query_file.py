"""A plan from a query file that is pasted or uploaded: a draft, counted, read and approved like any other."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from litapp.core.formats.queryfile import LARGEST_FILE
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.providers.registry import search_sources
from litapp.web.htmx import redirect_page
from litapp.web.once import once
from searches.services.query_files import PlanFile, QueryFileError, plan_create_from_file, plan_from_query_file
from searches.views.plan_sources import source_choices

MOST_TOLD = 25
"""Notes of a file that are told one by one."""


class QueryFileForm(forms.Form):
    """A query file: pasted or uploaded, not both. `found` is the plan that it makes, after `is_valid()`."""

    title = forms.CharField(label="Title of the plan", max_length=200, required=False)
    topic = forms.CharField(
        label="Question",
        max_length=4_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Counts where the file has no “topic” of its own.",
    )
    text = forms.CharField(
        label="Paste the file",
        required=False,
        strip=False,
        max_length=LARGEST_FILE,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="Or upload it",
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
    )
    sources = forms.MultipleChoiceField(
        choices=[(source.key, source.label) for source in search_sources()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one source."},
    )
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)
    found: PlanFile | None = None

    def clean(self) -> dict[str, Any]:
        """Read the file; what is wrong with it stands beside the field it came by."""
        data: dict[str, Any] = super().clean() or {}
        pasted, uploaded = (data.get("text") or "").strip(), data.get("file")
        if bool(pasted) is bool(uploaded):
            self.add_error("text", "Paste the file or upload it: one of the two." if pasted else "Paste the file here.")
            return data
        if uploaded is not None and uploaded.size > LARGEST_FILE:
            self.add_error("file", f"The file has {uploaded.size:,} bytes; a query file may have {LARGEST_FILE:,}.")
            return data
        content = uploaded.read() if uploaded is not None else pasted.encode()
        try:
            self.found = plan_from_query_file(
                content,
                name=uploaded.name if uploaded is not None else "pasted",
                topic=data.get("topic", ""),
                sources=data.get("sources", ()),
            )
        except QueryFileError as error:
            self.add_error("file" if uploaded is not None else "text", str(error))
        return data


@project_view(Right.PLAN)
@never_cache
@require_http_methods(["GET", "POST"])
def plan_from_file(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form; a valid file becomes a draft, and what of it was not used is told."""
    if request.method == "GET":
        usable = [choice.source.key for choice in source_choices() if choice.state.usable]
        return _page(request, QueryFileForm(initial={"sources": usable}))
    form = QueryFileForm(request.POST, request.FILES)
    if not form.is_valid() or form.found is None:
        return _page(request, form, status=422)
    user, data, found = request.user, form.cleaned_data, form.found

    def make() -> str:
        version = plan_create_from_file(project=project, actor=user, file=found, title=data["title"])
        return reverse("searches:plan", args=[project.pk, version.pk])

    address = once(request_id=data["request_id"], user=user, make=make) if data["request_id"] else make()
    messages.success(
        request, f"Draft with {len(found.content.queries)} queries. Nothing is searched before it is approved."
    )
    for note in found.notes[:MOST_TOLD]:
        messages.warning(request, note)
    return redirect_page(request, address)


def _page(request: ProjectRequest, form: QueryFileForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "choices": source_choices(),
        "chosen": form["sources"].value() or [],
        "least": settings.QUERY_FILE_LEAST,
        "most": settings.QUERY_FILE_MOST,
    }
    return render(request, "searches/plan_from_file.html", context, status=status)
