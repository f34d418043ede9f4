"""A list that is being checked or was: its entries worst first, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.jobs.models import StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.models import Verification
from litapp.verification.services.corrections import (
    ACCEPTED_FIELDS,
    CorrectionRefused,
    correction_accept,
    nearest_accept,
)
from litapp.verification.services.requests import recheck as ask_again
from litapp.verification.services.source_summary import silences
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from references.models import FILTERS, EntryKind, ListEntry, ReferenceListCheck
from references.services.list_checks import (
    ListProblem,
    is_sandbox_list,
    list_cancel,
    list_recheck,
    list_resume,
)
from references.services.list_files import FILES, list_file
from references.services.list_rows import VERDICT_WORDS, rows_of
from references.services.list_take import list_take
from references.services.pandoc import DocumentError
from searches.services.refusals import DecisionRefused

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter of the list, with how many entries it shows."""

    name: str
    label: str
    count: int
    current: bool


def _list(project: Project, list_id: int) -> ReferenceListCheck:
    rows = ReferenceListCheck.objects.select_related("project", "requested_by", "answer")
    return get_object_or_404(rows, pk=list_id, project=project)


@project_view(Right.VIEW)
@never_cache
@require_GET
def list_check(request: ProjectRequest, project: Project, list_id: int) -> HttpResponse:
    """The list; its changing part alone for htmx, which asks again while the check goes on."""
    row = _list(project, list_id)
    counts = row.entries.counts()
    show = request.GET.get("show", "")
    show = show if show in FILTERS else ""
    waiting = Verification.objects.filter(list_entry__list_check=row, state=StepState.WAITING).count()
    again = row.entries.unfinished().count()
    seen = fingerprint([row.state, row.done, row.message, counts, waiting, again])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    entries = row.entries.shown(show).worst_first()
    page = page_of_list(
        request,
        entries.select_related("verification__manual_by", "verification", "duplicate_of", "candidate__reference"),
        size=PAGE_SIZE,
    )
    settled = counts["all"] - counts["checking"]
    told = {name: label for name, label in VERDICT_WORDS.items() if counts[name] or name == show}
    context = {
        "row": row,
        "seen": seen,
        "show": show,
        "counts": counts,
        "settled": settled,
        "page": page,
        "rows": rows_of(page.items),
        "chips": [Chip("", "All", counts["all"], not show)]
        + [Chip(name, label, counts[name], show == name) for name, label in told.items()],
        "takeable": row.entries.filter(FILTERS["verified"])
        .filter(candidate=None)
        .exclude(FILTERS["retracted"])
        .count(),
        "silences": [one.sentence for one in silences(Verification.objects.filter(list_entry__list_check=row))],
        "worker_missing": row.is_open and not worker_runs(),
        "files": [(kind, form.title) for kind, form in FILES.items()],
        "sandbox": is_sandbox_list(row),
        "acceptable": ACCEPTED_FIELDS,
        "following": row.is_open or again > 0,
        "request_id": uuid4(),
        "address": f"{reverse('references:list_check', args=[project.pk, row.pk])}?{_query(request)}",
    }
    part = "#list" if wants_part(request) else ""
    response = render(request, f"references/list_check.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _query(request: ProjectRequest) -> str:
    """The filter and page of the address, for the next poll."""
    query = request.GET.copy()
    query.pop("seen", None)
    return query.urlencode()


def _back(request: ProjectRequest, row: ReferenceListCheck, show: str = "") -> HttpResponse:
    address = reverse("references:list_check", args=[row.project_id, row.pk])
    show = show or request.POST.get("show", "")
    return redirect_page(request, f"{address}?show={show}" if show in FILTERS else address)


def _do(request: ProjectRequest, row: ReferenceListCheck, act: Callable[..., Any], said: str) -> HttpResponse:
    try:
        act(list_check=row, actor=request.user)
    except ListProblem as refusal:
        messages.info(request, str(refusal))
    else:
        if said:
            messages.success(request, said)
    return _back(request, row)


@project_view(Right.VERIFY)
@require_POST
def cancel(request: ProjectRequest, project: Project, list_id: int) -> HttpResponse:
    """Stop; verdicts that are there stay."""
    return _do(request, _list(project, list_id), list_cancel, "Cancelled. The verdicts that are there stay.")


@project_view(Right.VERIFY)
@require_POST
def resume(request: ProjectRequest, project: Project, list_id: int) -> HttpResponse:
    """Go on where it stopped."""
    return _do(request, _list(project, list_id), list_resume, "")


@project_view(Right.VERIFY)
@require_POST
def recheck(request: ProjectRequest, project: Project, list_id: int) -> HttpResponse:
    """Ask the sources anew about every entry."""
    return _do(request, _list(project, list_id), list_recheck, "The sources are being asked again about every entry.")


@project_view(Right.VERIFY)
@require_POST
def entry_recheck(request: ProjectRequest, project: Project, list_id: int, entry_id: int) -> HttpResponse:
    """Ask the sources anew about one entry."""
    row = _list(project, list_id)
    entry = _entry(row, entry_id)
    assert entry.verification is not None
    ask_again(verification=entry.verification, actor=request.user)
    messages.success(request, f"Entry {entry.number}: the sources are being asked again.")
    return _back(request, row)


def _entry(row: ReferenceListCheck, entry_id: int) -> ListEntry:
    rows = ListEntry.objects.select_related("verification")
    return get_object_or_404(rows, pk=entry_id, list_check=row, kind=EntryKind.REFERENCE)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def take(request: ProjectRequest, project: Project, list_id: int) -> HttpResponse:
    """Take one entry (`entry`), or all good ones, into the project's references."""
    row = _list(project, list_id)
    chosen = request.POST.get("entry", "")
    if chosen and not chosen.isdecimal():
        raise Http404("no such entry")
    try:
        number = UUID(request.POST.get("request_id", ""))
    except ValueError:
        number = uuid4()
    try:
        done = list_take(
            list_check=row, actor=request.user, request_id=number, entry_ids=[int(chosen[:18])] if chosen else None
        )
    except DecisionRefused as refused:
        messages.warning(request, f"Not taken: {refused}")
        return _back(request, row)
    if done.entries:
        papers = f"{done.papers} paper{'' if done.papers == 1 else 's'} in the reference list"
        messages.success(request, f"{papers}, {done.papers - done.before} new.")
    kept_back = sum(1 for why in done.left_out.values() if why) if chosen or not done.entries else 0
    if kept_back:
        messages.warning(request, f"Not taken: {next(iter(done.left_out.values()))}.")
    return _back(request, row)


@project_view(Right.VERIFY)
@require_POST
def accept(request: ProjectRequest, project: Project, list_id: int, entry_id: int) -> HttpResponse:
    """Put the right value of one field (`field`) into an entry, or take one of the nearest papers (`paper`, as
    "source:id") for it; what stood there stays in the history."""
    row = _list(project, list_id)
    entry = _entry(row, entry_id)
    assert entry.verification is not None
    source, _, source_id = request.POST.get("paper", "").partition(":")
    try:
        if source:
            nearest_accept(verification=entry.verification, source=source, source_id=source_id, actor=request.user)
        else:
            correction_accept(verification=entry.verification, field=request.POST.get("field", ""), actor=request.user)
    except CorrectionRefused as problem:
        messages.warning(request, str(problem))
    else:
        what = "the paper you meant" if source else "the right value"
        messages.success(request, f"Entry {entry.number}: {what} was put in, and it is checked again.")
    return _back(request, row)


@project_view(Right.EXPORT)
@never_cache
@require_GET
def file(request: ProjectRequest, project: Project, list_id: int, kind: str) -> HttpResponse:
    """A file made of the list as it is now."""
    row = _list(project, list_id)
    if kind not in FILES:
        raise Http404("no such file")
    try:
        made = list_file(row, kind)
    except DocumentError as error:
        context = {"row": row, "message": str(error), "hint": error.hint}
        return render(request, "references/list_file_failed.html", context, status=500)
    response = HttpResponse(made.content, content_type=made.media_type)
    response["Content-Disposition"] = f'attachment; filename="{made.name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
