"""Paragraphs that the optional model drafts from a column of the matrix: which columns, and what came of each."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.jobs.models import OPEN_STATES
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from references.models import ColumnDraft
from references.services.model import BadModelSettings, installed_model
from references.services.model_drafts import DraftProblem, draft_request, draftable

RECENT = 20


@project_view(Right.VIEW)
@never_cache
@require_GET
def drafts(request: ProjectRequest, project: Project) -> HttpResponse:
    """The columns that can be drafted from, and the latest drafts."""
    rows = list(ColumnDraft.objects.filter(project=project).select_related("topic", "requested_by")[:RECENT])
    seen = fingerprint([(row.pk, row.state) for row in rows])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    try:
        model, problem = installed_model(), ""
    except BadModelSettings as bad:
        model, problem = None, str(bad)
    following = any(row.state in OPEN_STATES for row in rows)
    context = {
        "project": project, "rows": rows, "seen": seen, "model": model, "problem": problem, "following": following,
        "columns": [{"head": head, "count": count, "request_id": uuid4()} for head, count in draftable(project)],
        "worker_missing": following and not worker_runs(),
    }  # fmt: skip
    return render(request, f"references/briefing_drafts.html{'#drafts' if wants_part(request) else ''}", context)


@project_view(Right.REFERENCES)
@require_POST
def draft(request: ProjectRequest, project: Project) -> HttpResponse:
    """Have one column drafted."""
    try:
        number = UUID(request.POST.get("request_id", ""))
    except ValueError:
        number = uuid4()
    try:
        draft_request(
            project=project, actor=request.user, request_id=number, column=request.POST.get("column", "")[:40]
        )  # fmt: skip
    except DraftProblem as problem:
        messages.warning(request, str(problem))
    return redirect_page(request, reverse("references:briefing_drafts", args=[project.pk]))
