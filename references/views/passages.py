"""Looking for passages of references without full text: the form, progress, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.core.patient_details import Suspicion, patient_details
from litapp.jobs.models import StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from references.models import Reference
from references.services.passages import question_of, without_full_text
from searches.models_passages import PassageLookup, PassageSearch
from searches.services.passages import (
    LONGEST_WORDS,
    PassageProblem,
    passages_cancel,
    passages_request,
    passages_resume,
)

RECENT = 10


@dataclass(frozen=True, slots=True)
class SearchTold:
    """A search as the page shows it; `lines` say how its papers ended."""

    search: PassageSearch
    lines: tuple[tuple[str, int], ...]

    @property
    def can_cancel(self) -> bool:
        return self.search.is_open and self.search.cancel_requested_at is None

    @property
    def can_resume(self) -> bool:
        ended = self.search.state in (StepState.CANCELLED, StepState.FAILED)
        return ended and self.search.done < len(self.search.chosen)


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def passages(request: ProjectRequest, project: Project) -> HttpResponse:
    """The form, and the latest searches. Polled by the page while one is open."""
    return _page(request, project, _number(request.GET.get("of", "")))


def _page(
    request: ProjectRequest,
    project: Project,
    number: int | None,
    *,
    words: str | None = None,
    problem: str = "",
    suspicions: Sequence[Suspicion] = (),
) -> HttpResponse:
    """The page; with what was typed where it was not sent (422)."""
    rows = list(PassageSearch.objects.filter(project=project).select_related("requested_by")[:RECENT])
    seen = fingerprint([(row.pk, row.state, row.done, str(row.cancel_requested_at)) for row in rows])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    following = any(row.is_open for row in rows)
    chosen = without_full_text(project, number)
    context = {
        "project": project, "rows": [_told(row) for row in rows], "seen": seen, "following": following,
        "worker_missing": following and not worker_runs(), "request_id": uuid4(), "longest": LONGEST_WORDS,
        "words": question_of(project)[:LONGEST_WORDS] if words is None else words, "problem": problem,
        "suspicions": suspicions, "papers": len(chosen),
        "one": chosen[0] if number is not None and chosen else None,
    }  # fmt: skip
    part = "#searches" if wants_part(request) else ""
    status = 200 if words is None else 422
    response = render(request, f"references/passages.html{part}", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _told(row: PassageSearch) -> SearchTold:
    lines = [(str(one.label).capitalize(), row.counts.get(one.value, 0)) for one in PassageLookup.Outcome]
    return SearchTold(row, tuple(lines))


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def passages_look(request: ProjectRequest, project: Project) -> HttpResponse:
    """Look for passages in all references without full text, or in the one (`of`). Words that look like details
    of a patient are sent only when the person says that they are none."""
    try:
        asked = UUID(request.POST.get("request_id", ""))
    except ValueError:
        asked = uuid4()
    number = _number(request.POST.get("of", ""))
    if number is not None:
        get_object_or_404(Reference.objects.current(), project=project, pk=number)
    words = request.POST.get("words", "")
    suspicions = patient_details(words[:4_000])
    if suspicions and request.POST.get("sure") != "yes":
        return _page(request, project, number, words=words, suspicions=suspicions)
    chosen = [reference.candidate_id for reference in without_full_text(project, number)]
    try:
        passages_request(
            project=project, actor=request.user, request_id=asked, words=words, candidate_ids=chosen,
        )  # fmt: skip
    except PassageProblem as problem:
        return _page(request, project, number, words=words, problem=str(problem))
    return redirect_page(request, reverse("references:passages", args=[project.pk]))


@require_POST
@project_view(Right.REFERENCES, shows_outcomes=True)
def passages_change(request: ProjectRequest, project: Project, search_id: int) -> HttpResponse:
    """Cancel a search, or go on with it."""
    row = get_object_or_404(PassageSearch, project=project, pk=search_id)
    change = passages_resume if request.POST.get("do") == "resume" else passages_cancel
    try:
        change(search=row, actor=request.user)
    except PassageProblem as problem:
        messages.warning(request, str(problem))
    return redirect_page(request, reverse("references:passages", args=[project.pk]))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
