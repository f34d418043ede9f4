"""Exports: what to export, how it goes, and the files."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, unchanged, wants_part
from references.models import Export, ExportFormat, Reference, Scope
from references.services.citation_styles import (
    DEFAULT_STYLE,
    UnknownStyle,
    all_styles,
    common_styles,
    find_styles,
    style_named,
)
from references.services.entries import export_content, is_sandbox
from references.services.export import ExportProblem, export_folder, export_request
from references.services.gate import OverrideRefused, override

RECENT = 20
"""Earlier exports shown."""
SLOW = timedelta(seconds=15)
"""A queued export older than this makes the page say that no worker may be running."""


class ExportForm(forms.Form):
    """What to export. The style counts for documents."""

    format = forms.ChoiceField(label="Format", choices=ExportFormat.choices, widget=forms.RadioSelect)
    scope = forms.ChoiceField(
        label="Which references",
        choices=Scope.choices,
        widget=forms.RadioSelect,
    )
    style = forms.CharField(label="Citation style", required=False, max_length=400)
    extends = forms.FileField(
        label="Extend a .bib of yours",
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".bib"}),
        help_text="Your entries stay byte for byte; new ones are appended, and those it has already are named.",
    )
    request_id = forms.UUIDField(widget=forms.HiddenInput)

    def clean_style(self) -> str:
        """The key of the style; the default for an empty field."""
        text = self.cleaned_data["style"] or DEFAULT_STYLE
        try:
            return style_named(text).key
        except UnknownStyle as error:
            raise forms.ValidationError(str(error)) from error


@never_cache
@require_http_methods(["GET", "POST"])
@project_view(Right.EXPORT, shows_outcomes=True)
def export_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """The export form, with everything that it would leave out or mark, by name."""
    form = ExportForm(request.POST or None, request.FILES or None, initial=_initial(request))
    if request.method == "POST" and form.is_valid():
        try:
            brought = form.cleaned_data.pop("extends")
            made = export_request(
                project=project,
                actor=request.user,
                extends=brought.read() if brought else None,
                **form.cleaned_data,
            )
            return redirect("references:export", project.pk, made.pk)
        except (ExportProblem, UnknownStyle) as problem:
            form.add_error("style" if isinstance(problem, UnknownStyle) else None, str(problem))
    content = export_content(project, Scope.VERIFIED)
    context = {
        "project": project,
        "form": form,
        "entries": content.entries,
        "left_out": content.left_out,
        "marked": [entry for entry in content.everything if entry.status_mark or entry.verdict_mark],
        "total": len(content.everything),
        "removed": Reference.objects.filter(project=project).exclude(removed_at=None).count(),
        "styles": common_styles(),
        "style_count": len(all_styles()),
        "sandbox": is_sandbox(project),
        "recent": Export.objects.filter(project=project).select_related("requested_by").order_by("-pk")[:RECENT],
    }
    return render(request, "references/export_new.html", context, status=422 if form.errors else 200)


def _initial(request: ProjectRequest) -> dict[str, Any]:
    wanted = request.GET.get("format", "")
    return {
        "format": wanted if wanted in ExportFormat.values else ExportFormat.DOCX,
        "scope": Scope.VERIFIED,
        "style": style_named(DEFAULT_STYLE).title,
        "request_id": uuid4(),
    }


@require_GET
@project_view(Right.EXPORT, shows_outcomes=True)
def styles(request: ProjectRequest, project: Project) -> HttpResponse:
    """Citation styles that match what was typed, as choices of the form's list."""
    typed = request.GET.get("style", "")
    found = find_styles(typed) or common_styles()
    return render(request, "references/style_options.html", {"styles": found})


@never_cache
@require_GET
@project_view(Right.EXPORT, shows_outcomes=True)
def export(request: ProjectRequest, project: Project, export_id: int) -> HttpResponse:
    """How the export goes; with its files once it is done. Polled by the page while it is open."""
    found = get_object_or_404(Export.objects.select_related("requested_by"), project=project, pk=export_id)
    state = fingerprint([found.state, found.message, _is_slow(found)])
    if wants_part(request) and request.GET.get("seen") == state:
        return unchanged()
    context = {
        "project": project,
        "export": found,
        "seen": state,
        "slow": _is_slow(found),
        "style": style_named(found.style) if found.style in all_styles() else None,
        "arrived": wants_part(request) and not found.is_open,
        "sandbox": is_sandbox(project),
        **_gate_context(project, found),
    }
    part = "#export" if wants_part(request) else ""
    response = render(request, f"references/export.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _gate_context(project: Project, export: Export) -> dict[str, Any]:
    """What the checks found, each failure with the reference it is about."""
    checks = export.gate.get("checks", ())
    keys = {one["key"] for check in checks for one in check["failures"] if one["key"]}
    references = {one.key: one for one in Reference.objects.filter(project=project, key__in=keys)}
    told = [
        {**check, "failures": [{**one, "reference": references.get(one["key"])} for one in check["failures"]]}
        for check in checks
    ]
    return {"checks": told, "stopped": export.state == "failed" and not export.gate.get("passed", True)}


@require_POST
@project_view(Right.EXPORT, shows_outcomes=True)
def export_override(request: ProjectRequest, project: Project, export_id: int) -> HttpResponse:
    """Let an export go although checks failed: under this person's name, with a reason that is printed in it."""
    found = get_object_or_404(Export, project=project, pk=export_id)
    try:
        override(export=found, actor=request.user, reason=request.POST.get("reason", ""))
    except OverrideRefused as problem:
        messages.warning(request, str(problem))
    return redirect("references:export", project.pk, found.pk)


def _is_slow(export: Export) -> bool:
    return export.is_open and timezone.now() - export.created_at > SLOW


@never_cache
@require_GET
@project_view(Right.EXPORT, shows_outcomes=True)
def export_file(request: ProjectRequest, project: Project, export_id: int, name: str) -> HttpResponse:
    """One file of a finished export, as an attachment."""
    found = get_object_or_404(Export, project=project, pk=export_id)
    file = next((file for file in found.files if file["name"] == name), None)
    path = export_folder(found) / name
    if file is None or not path.is_file():
        raise Http404("no such file in this export")
    response = HttpResponse(path.read_bytes(), content_type=file["media_type"])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
