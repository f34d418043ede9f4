"""Bringing files of full texts, what became of each, and the queue of files that a person has to look at."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.jobs.models import StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from litapp.web.uploads import is_over_cap
from references.models import CopyState, FullTextCopy, FullTextUpload, Reference
from references.services.fulltext_chain import LABELS
from references.services.fulltext_reads import waiting_copies
from references.services.fulltext_requests import FullTextProblem, copy_decide
from references.services.fulltext_uploads import MOST_FILES, upload_request

QUESTIONS_A_PAGE = 10
FILES_A_PAGE = 100


@project_view(Right.REFERENCES, shows_outcomes=True)
@never_cache
@require_http_methods(["GET", "POST"])
def bring(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form; the files are opened and matched in the background."""
    chosen = request.POST.get("reference") or request.GET.get("reference") or ""
    rows = Reference.objects.current().filter(project=project).select_related("candidate")
    reference = get_object_or_404(rows, pk=int(chosen[:18])) if chosen.isdecimal() else None
    if request.method == "GET":
        return _form(request, project, reference)
    files = [*request.FILES.getlist("files"), *request.FILES.getlist("folder")]
    if is_over_cap(request):
        return _form(
            request, project, reference, "A file was larger than this installation accepts. Bring fewer at once."
        )
    try:
        number = UUID(request.POST.get("request_id", ""))
    except ValueError:
        number = uuid4()
    try:
        upload = upload_request(
            project=project, actor=request.user, request_id=number, reference=reference,
            files=[(str(file.name), file.chunks(1 << 20)) for file in files],
        )  # fmt: skip
    except FullTextProblem as problem:
        return _form(request, project, reference, str(problem))
    return redirect_page(request, reverse("references:fulltext_upload", args=[project.pk, upload.pk]))


def _form(request: ProjectRequest, project: Project, reference: Any, problem: str = "") -> HttpResponse:
    context = {
        "project": project, "reference": reference, "problem": problem, "request_id": uuid4(), "most": MOST_FILES,
    }  # fmt: skip
    return render(request, "references/fulltext_bring.html", context, status=422 if problem else 200)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def upload(request: ProjectRequest, project: Project, upload_id: int) -> HttpResponse:
    """What became of each file of one upload."""
    row = get_object_or_404(FullTextUpload.objects.select_related("requested_by"), pk=upload_id, project=project)
    copies = FullTextCopy.objects.filter(upload=row).select_related("reference").order_by("pk")
    seen = fingerprint([row.state, row.done, copies.count()])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    states = list(copies.values_list("state", flat=True))
    context = {
        "project": project,
        "row": row,
        "seen": seen,
        "following": row.state in (StepState.QUEUED, StepState.RUNNING),
        "worker_missing": row.is_open and not worker_runs(),
        "page": page_of_list(request, copies, size=FILES_A_PAGE),
        "tally": [(label, states.count(state)) for state, label in CopyState.choices],
        "asked": states.count(CopyState.ASKED),
    }
    part = "#upload" if wants_part(request) else ""
    return render(request, f"references/fulltext_upload.html{part}", context)


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def questions(request: ProjectRequest, project: Project) -> HttpResponse:
    """Files that a person has to look at, with the references each may belong to."""
    page = page_of_list(request, waiting_copies(project), size=QUESTIONS_A_PAGE)
    references = list(
        Reference.objects.current().filter(project=project).select_related("candidate").order_by("key")
    )  # fmt: skip
    known = {one.pk: one for one in references}
    rows = [
        {
            "copy": copy,
            "from": LABELS.get(copy.source, copy.source),
            "suggested": [known[pk] for pk in copy.suggested if pk in known],
        }
        for copy in page.items
    ]  # fmt: skip
    context = {"project": project, "page": page, "rows": rows, "references": references}
    return render(request, "references/fulltext_questions.html", context)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def answer(request: ProjectRequest, project: Project, copy_id: int) -> HttpResponse:
    """A person's answer: the file is the full text of `reference`, or (`none`) of none of the list."""
    copy = get_object_or_404(FullTextCopy, pk=copy_id, project=project)
    chosen = request.POST.get("reference", "")
    reference = None
    if not request.POST.get("none"):
        rows = Reference.objects.current().filter(project=project).select_related("candidate")
        reference = rows.filter(pk=int(chosen[:18])).first() if chosen.isdecimal() else None
        if reference is None:
            messages.warning(request, "Choose the reference that the file belongs to.")
            return redirect_page(request, reverse("references:fulltext_questions", args=[project.pk]))
    if copy.state != CopyState.ASKED:
        messages.info(request, "Somebody has answered this already.")
    else:
        try:
            copy_decide(copy=copy, actor=request.user, reference=reference)
            told = f"It is the full text of {reference.key}." if reference else "It belongs to none of the list."
            messages.success(request, told)
        except FullTextProblem as problem:
            messages.warning(request, str(problem))
    return redirect_page(request, reverse("references:fulltext_questions", args=[project.pk]))
