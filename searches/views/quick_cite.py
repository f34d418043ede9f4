"""Quick cite: one box, up to three papers with their verdicts, .bib entries and a way into the reference list."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from litapp.core.patient_details import Suspicion
from litapp.projects.models import Membership, Project
from litapp.projects.permissions import RIGHTS, ProjectRequest, Right, project_view
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from searches.blinding import sees_outcomes
from searches.models import Mode, PaperSearch
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import papers_take
from searches.services.quick_cite import (
    LONGEST_TEXT,
    PatientDetailsTyped,
    offers_of,
    quick_cite_begin,
    recent,
    silent_sources,
)
from searches.services.quick_cite_bib import bib_entries
from searches.services.refusals import DecisionRefused
from searches.views.mode_page import asked_number, mode_context


@project_view(Right.VIEW)
@never_cache
@require_GET
def quick_cites(request: ProjectRequest, project: Project) -> HttpResponse:
    """The box, and what was looked for before."""
    return _box_page(request, project, "")


def _box_page(
    request: ProjectRequest,
    project: Project,
    text: str,
    problem: str = "",
    suspicions: tuple[Suspicion, ...] = (),
    status: int = 200,
) -> HttpResponse:
    context = {
        "suspicions": suspicions,
        "searches": recent(project, Mode.QUICK_CITE, 20),
        "text": text,
        "problem": problem,
        "longest": LONGEST_TEXT,
        "request_id": uuid4(),
    }
    return render(request, "searches/quick_cite_list.html", context, status=status)


@project_view(Right.VERIFY)
@require_POST
def quick_cite_new(request: ProjectRequest, project: Project) -> HttpResponse:
    """Begin to look for the paper of a sentence (`text`)."""
    text, meant = request.POST.get("text", ""), request.POST.get("details") == "meant"
    try:
        search = quick_cite_begin(
            project=project, actor=request.user, request_id=asked_number(request), text=text, details_meant=meant
        )
    except PatientDetailsTyped as found:
        return _box_page(request, project, text, suspicions=found.suspicions, status=422)
    except SearchProblem as problem:
        return _box_page(request, project, text, str(problem), status=422)
    return redirect_page(request, reverse("searches:quick_cite", args=[project.pk, search.pk]))


@project_view(Right.VIEW)
@never_cache
@require_GET
def quick_cite(request: ProjectRequest, project: Project, search_id: int) -> HttpResponse:
    """What was found; its changing part alone for htmx, which asks again while sources answer."""
    search = _search(project, search_id)
    offers, against = offers_of(search)
    seen = fingerprint(
        [search.state, search.done, [(one.paper.pk, one.checked, one.paper.candidate_id) for one in offers]]
    )
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    outcomes = sees_outcomes(request.membership)
    entries = bib_entries(search, [one.paper for one in offers], own_keys=outcomes)
    context = {
        **mode_context(search, seen),
        "offers": [(one, entries[one.paper.pk]) for one in offers],
        "against": against,
        "outcomes": outcomes,
        "silent": silent_sources(search),
        "text": search.title,
    }
    part = "#found" if wants_part(request) else ""
    response = render(request, f"searches/quick_cite.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _search(project: Project, search_id: int) -> PaperSearch:
    rows = PaperSearch.objects.select_related("project", "requested_by")
    return get_object_or_404(rows, pk=search_id, project=project, mode=Mode.QUICK_CITE)


@project_view(Right.REFERENCES, shows_outcomes=True)
@require_POST
def quick_cite_add(request: ProjectRequest, project: Project, search_id: int, paper_id: int) -> HttpResponse:
    """Include a found paper in the project: a candidate that this person includes, hence a reference."""
    search = _search(project, search_id)
    paper = get_object_or_404(search.papers, pk=paper_id)
    number = UUID(int=asked_number(request).int)
    try:
        taken = papers_take(search=search, actor=request.user, request_id=number, paper_ids=[paper.pk], include=True)
    except DecisionRefused as refused:
        messages.warning(request, f"Not added: {refused}")
        return redirect_page(request, reverse("searches:quick_cite", args=[project.pk, search.pk]))
    if taken.candidates:
        said = "It was in the project before; now it is included." if taken.before else "Added to the reference list."
        messages.success(request, said)
    else:
        messages.warning(request, f"Not added: {next(iter(taken.left_out.values()), 'it is gone')}.")
    return redirect_page(request, reverse("searches:quick_cite", args=[project.pk, search.pk]))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def quick_cite_start(request: HttpRequest) -> HttpResponse:
    """From the box of the start page into the chosen project (`project`); a GET goes to the newest one's box."""
    able = [role for role, rights in RIGHTS.items() if Right.VERIFY in rights]
    places = Membership.objects.filter(user=request.user, role__in=able, project__deleted_at=None)  # type: ignore[misc]
    places = places.select_related("project").order_by("-project_id")
    chosen = request.POST.get("project", "")
    if chosen:
        place = places.filter(project_id=int(chosen[:18])).first() if chosen.isdecimal() else None
        if place is None:
            raise Http404("no such project, or no right to search in it")
    else:
        place = places.first()
    if place is None:
        messages.info(request, "A project first: what you cite is kept in one.")
        return redirect("projects:create")
    box = reverse("searches:quick_cites", args=[place.project_id])
    if request.method == "GET":
        return redirect(box)
    # 307: the browser posts the same form to the project's own box, which answers for it with what was typed.
    return redirect("searches:quick_cite_new", place.project_id, preserve_request=True)
