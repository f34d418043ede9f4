"""Full texts of the reference list: how each stands, which are proposed, and starting, stopping and resuming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.jobs.models import OPEN_STATES, StepState
from litapp.projects.installation import worker_runs
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from references.models import FullText, FullTextUpload, Reference, ResolverAddress
from references.services.fulltext_chain import LABELS
from references.services.fulltext_reads import (
    STATES,
    best_copies,
    proposals,
    state_counts,
    waiting_copies,
    with_states,
)
from references.services.fulltext_requests import (
    FullTextProblem,
    fulltexts_cancel,
    fulltexts_request,
    fulltexts_resume,
    resolver_save,
)
from searches.models import ReportRetrieval

PAGE_SIZE = 100
PROPOSED = "proposed"


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter of the list, with how many references it shows."""

    name: str
    label: str
    count: int
    current: bool


@project_view(Right.VIEW, shows_outcomes=True)
@never_cache
@require_GET
def fulltexts(request: ProjectRequest, project: Project) -> HttpResponse:
    """The list; the part on its progress alone for htmx, which asks again while a search goes on."""
    counts = state_counts(project)
    progress = _progress(project, counts)
    if wants_part(request):
        if not progress["following"]:
            done = HttpResponse(status=204)
            done["HX-Refresh"] = "true"
            return done
        if request.GET.get("seen") == progress["seen"]:
            return unchanged()
    proposed = proposals(project)
    show = request.GET.get("show", "")
    show = show if show in STATES or show == PROPOSED else ""
    rows = with_states(Reference.objects.current().filter(project=project)).select_related("candidate")
    if show == PROPOSED:
        rows = rows.filter(pk__in=list(proposed.by_reference))
    elif show:
        rows = rows.filter(full_text_state=show)
    page = page_of_list(request, rows.order_by("key", "pk"), size=PAGE_SIZE)
    context = {
        **progress,
        "project": project,
        "counts": counts,
        "show": show,
        "page": page,
        "rows": _rows(page.items, proposed.by_reference),
        "chips": _chips(counts, len(proposed.by_reference), show),
        "proposed": proposed,
        "questions": waiting_copies(project).count(),
        "uploads": FullTextUpload.objects.filter(project=project)[:3],
        "resolver": ResolverAddress.objects.filter(user=request.user).first(),
    }
    response = render(request, f"references/fulltext.html{'#progress' if wants_part(request) else ''}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _progress(project: Project, counts: dict[str, int]) -> dict[str, Any]:
    """What the changing part of the page says."""
    rows = FullText.objects.filter(project=project)
    open_rows = rows.filter(state__in=OPEN_STATES)
    waiting = open_rows.filter(state=StepState.WAITING).count()
    searching = open_rows.count()
    begun = rows.exclude(state__in=(StepState.CANCELLED, StepState.FAILED)).count()
    stopped = rows.filter(state__in=(StepState.CANCELLED, StepState.FAILED)).count()
    asked = sum(open_rows.values_list("done", flat=True))
    return {
        "searching": searching,
        "waiting": waiting,
        "finished": begun - searching,
        "begun": begun,
        "stopped": stopped,
        "following": searching > waiting,
        "seen": fingerprint([counts, searching, waiting, stopped, asked]),
        "worker_missing": searching > 0 and not worker_runs(),
        "counts": counts,
    }


def _rows(references: list[Any], proposed: dict[int, Any]) -> list[dict[str, Any]]:
    copies = best_copies(one.pk for one in references)
    endings = ReportRetrieval.objects.in_bulk(
        [one.candidate_id for one in references], field_name="candidate_id"
    )  # fmt: skip
    found = []
    for one in references:
        copy, ending = copies.get(one.pk), endings.get(one.candidate_id)
        proposal = proposed.get(one.pk)
        found.append(
            {
                "reference": one,
                "state": one.full_text_state,
                "state_text": STATES[one.full_text_state],
                "copy": copy,
                "from": LABELS.get(copy.source, copy.source) if copy else "",
                "ending": ending,
                "reasons": proposal.reasons if proposal else (),
                "chosen": proposal is not None and one.full_text_state == "none",
            }
        )
    return found


def _chips(counts: dict[str, int], proposed: int, show: str) -> list[Chip]:
    chips = [Chip("", "All", counts["all"], not show)]
    if proposed:
        chips.append(Chip(PROPOSED, "Proposed", proposed, show == PROPOSED))
    return chips + [
        Chip(name, label, counts[name], show == name)
        for name, label in STATES.items()
        if counts[name] or show == name
    ]  # fmt: skip


def _back(request: ProjectRequest, project: Project) -> HttpResponse:
    return redirect_page(request, reverse("references:fulltext", args=[project.pk]))


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def start(request: ProjectRequest, project: Project) -> HttpResponse:
    """Look for the full texts of the chosen references, or (`all`) of every one that was not looked for."""
    if request.POST.get("all"):
        rows = with_states(Reference.objects.current().filter(project=project))
        chosen = list(rows.filter(full_text_state__in=("none", "stopped")).values_list("pk", flat=True))
    else:
        chosen = [int(one[:18]) for one in request.POST.getlist("reference") if one.isdecimal()]
    try:
        begun = fulltexts_request(project=project, actor=request.user, reference_ids=chosen)
    except FullTextProblem as problem:
        messages.warning(request, str(problem))
    else:
        if begun:
            messages.success(request, f"Looking for {begun:,} full text{'' if begun == 1 else 's'}.")
        else:
            messages.info(request, "These are being looked for already.")
    if len(chosen) == 1 and request.POST.get("from") == "reference":
        address = reverse("references:fulltext_reference", args=[project.pk, chosen[0]])
        return redirect_page(request, address)
    return _back(request, project)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def cancel(request: ProjectRequest, project: Project) -> HttpResponse:
    """Stop all searches; what was found stays."""
    stopped = fulltexts_cancel(project=project, actor=request.user)
    messages.info(request, "Stopped. What was found stays." if stopped else "Nothing is being looked for.")
    return _back(request, project)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def resume(request: ProjectRequest, project: Project) -> HttpResponse:
    """Go on with what was stopped."""
    if not fulltexts_resume(project=project, actor=request.user):
        messages.info(request, "Nothing was stopped.")
    return _back(request, project)


@project_view(Right.REFERENCES, shows_outcomes=True)
@never_cache
@require_http_methods(["GET", "POST"])
def resolver(request: ProjectRequest, project: Project) -> HttpResponse:
    """A person's own proxy or link resolver: asked for this person's own searches only, and only if set."""
    kept = ResolverAddress.objects.filter(user=request.user).values_list("address", flat=True).first() or ""
    context = {"project": project, "typed": kept, "kept": kept, "problem": ""}
    if request.method == "GET":
        return render(request, "references/fulltext_resolver.html", context)
    typed = request.POST.get("address", "").replace("\x00", "")
    try:
        saved = resolver_save(user=request.user, address=typed)
    except FullTextProblem as problem:
        context.update(typed=typed[:600], problem=str(problem))
        return render(request, "references/fulltext_resolver.html", context, status=422)
    messages.success(request, "Your resolver is kept." if saved else "No resolver is asked.")
    return _back(request, project)
