"""Briefings: asking for one, its entries with summaries and full abstracts, its earlier versions, its files."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.core.briefing import DEFAULT_PAPERS, MOST_PAPERS
from litapp.core.formats.briefing import paper_entry
from litapp.jobs.models import StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from references.models import Briefing, BriefingPaper
from references.models_briefing import TOPICS
from references.services.briefing import BriefingProblem, briefing_cancel, briefing_request, briefing_resume
from references.services.briefing_files import MEDIA, briefing_files, briefing_zip
from references.services.model import BadModelSettings, installed_model

PAGE_SIZE = 50


class BriefingForm(forms.Form):
    """What a briefing is about. Numbers are checked by the service, which names every problem at once."""

    asked = forms.CharField(
        label="Gene, disease or question", required=False, strip=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
    )  # fmt: skip
    topic = forms.ChoiceField(label="It is", choices=TOPICS, initial="question", widget=forms.RadioSelect)
    papers = forms.CharField(
        label="Papers", initial=str(DEFAULT_PAPERS), required=False, max_length=9,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )  # fmt: skip
    with_model = forms.BooleanField(label="AI summaries in place of the openings", required=False)
    request_id = forms.UUIDField(widget=forms.HiddenInput, required=False, initial=uuid4)


def _model_told() -> dict[str, Any]:
    """Whether this installation has a model, and what is wrong with it if it cannot be used."""
    try:
        chosen = installed_model()
    except BadModelSettings as bad:
        return {"model": None, "model_problem": str(bad)}
    return {"model": chosen, "model_problem": ""}


@project_view(Right.VIEW)
@never_cache
@require_GET
def briefings(request: ProjectRequest, project: Project) -> HttpResponse:
    """Every briefing of the project, the newest run first."""
    rows = Briefing.objects.filter(project=project).select_related("requested_by").defer("document")
    context = {"project": project, "page": page_of_list(request, rows, size=PAGE_SIZE)}
    return render(request, "references/briefings.html", context)


@project_view(Right.RUN)
@never_cache
@require_http_methods(["GET", "POST"])
def new(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form; nothing is asked before every setting was checked."""
    if request.method == "GET":
        again = request.GET.get("again", "")
        row = Briefing.objects.filter(project=project, pk=int(again[:18])).first() if again.isdecimal() else None
        initial = (
            {"asked": row.asked, "topic": row.topic, "papers": row.papers, "with_model": row.with_model} if row else {}
        )
        return _form(request, project, BriefingForm(initial=initial))
    form = BriefingForm(request.POST)
    if not form.is_valid():
        return _form(request, project, form, status=422)
    data = form.cleaned_data
    try:
        made = briefing_request(
            project=project, actor=request.user, request_id=data["request_id"] or uuid4(), asked=data["asked"],
            topic=data["topic"], papers=data["papers"] or str(DEFAULT_PAPERS), with_model=data["with_model"],
        )  # fmt: skip
    except BriefingProblem as problem:
        for sentence in problem.problems:
            form.add_error(None, sentence)
        return _form(request, project, form, status=422)
    return redirect_page(request, reverse("references:briefing", args=[project.pk, made.pk]))


def _form(request: ProjectRequest, project: Project, form: BriefingForm, *, status: int = 200) -> HttpResponse:
    context = {"project": project, "form": form, "most": MOST_PAPERS, **_model_told()}
    return render(request, "references/briefing_new.html", context, status=status)


def _row(project: Project, briefing_id: int) -> Briefing:
    return get_object_or_404(
        Briefing.objects.select_related("requested_by", "project"), pk=briefing_id, project=project
    )  # fmt: skip


@project_view(Right.VIEW)
@never_cache
@require_GET
def briefing(request: ProjectRequest, project: Project, briefing_id: int) -> HttpResponse:
    """One version; its changing part alone for htmx, while it is being made."""
    row = _row(project, briefing_id)
    seen = fingerprint([row.state, row.done, row.message])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    papers = BriefingPaper.objects.filter(briefing=row).select_related("source_record").order_by("place")
    entries = [
        {"place": one.place, "paper": paper_entry(one.source_record.record, one.summary), "written": bool(one.summary)}
        for one in papers
    ]  # fmt: skip
    versions = Briefing.objects.filter(project=project, asked_key=row.asked_key).defer("document").order_by("-number")
    context = {
        "project": project,
        "row": row,
        "document": row.document,
        "entries": entries,
        "versions": list(versions[:20]),
        "seen": seen,
        "following": row.state in (StepState.QUEUED, StepState.RUNNING),
        "worker_missing": row.is_open and not worker_runs(),
        "can_resume": row.state in (StepState.CANCELLED, StepState.FAILED),
        "warnings": row.document.get("warnings", row.warnings),
        "files": [(name, name.rsplit(".", 1)[1].upper()) for name in MEDIA],
    }
    part = "#briefing" if wants_part(request) else ""
    response = render(request, f"references/briefing.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@project_view(Right.RUN)
@require_POST
def cancel(request: ProjectRequest, project: Project, briefing_id: int) -> HttpResponse:
    """Stop it; summaries that are written stay."""
    row = _row(project, briefing_id)
    try:
        briefing_cancel(briefing=row, actor=request.user)
    except BriefingProblem as problem:
        messages.info(request, str(problem))
    return redirect_page(request, reverse("references:briefing", args=[project.pk, row.pk]))


@project_view(Right.RUN)
@require_POST
def resume(request: ProjectRequest, project: Project, briefing_id: int) -> HttpResponse:
    """Go on where it stopped."""
    row = _row(project, briefing_id)
    try:
        briefing_resume(briefing=row, actor=request.user)
    except BriefingProblem as problem:
        messages.warning(request, str(problem))
    return redirect_page(request, reverse("references:briefing", args=[project.pk, row.pk]))


@project_view(Right.EXPORT)
@never_cache
@require_GET
def file(request: ProjectRequest, project: Project, briefing_id: int, file_name: str) -> HttpResponse:
    """A file of a finished version: the same bytes every time."""
    row = _row(project, briefing_id)
    if file_name not in MEDIA or not row.document:
        raise Http404("no such file")
    body = briefing_zip(row) if file_name == "briefing.zip" else briefing_files(row)[file_name]
    response = HttpResponse(body, content_type=MEDIA[file_name])
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
