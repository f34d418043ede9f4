"""Missing abstracts: which papers lack one, who was asked, and the search for them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.presentation import source_label
from litapp.web.htmx import fingerprint, redirect_page, unchanged, wants_part
from litapp.web.pagination import page_of_list
from searches.models import AbstractFill, AbstractLookup, Candidate
from searches.querysets import CandidateQuerySet
from searches.services.abstracts import NothingMissing, abstracts_request, asked_sources

PAGE_SIZE = 100
RECENT = 5


@dataclass(frozen=True, slots=True)
class Lacking:
    """A paper without abstract, and what each source said when it was asked, newest first."""

    candidate: Candidate
    asked: tuple[str, ...]


@project_view(Right.VIEW)
@never_cache
@require_GET
def abstracts(request: ProjectRequest, project: Project) -> HttpResponse:
    """The papers that lack an abstract, the counts, and the last searches."""
    everything = Candidate.objects.listed(project)
    page = page_of_list(request, everything.without_abstract().sorted_by("fit").for_list(), size=PAGE_SIZE)
    rows = list(page.items)
    context = {
        "page": page,
        "rows": _lacking(rows),
        "counts": counts_of(everything),
        "sources": [source_label(key) for key in asked_sources()],
        "fills": list(AbstractFill.objects.filter(project=project).select_related("requested_by")[:RECENT]),
        "request_id": uuid4(),
    }
    return render(request, "searches/abstracts.html", context)


def counts_of(everything: CandidateQuerySet) -> dict[str, int]:
    """How many abstracts are present, filled and missing."""
    missing = everything.without_abstract().count()
    filled = everything.with_filled_abstract().count()
    return {"present": everything.count() - missing - filled, "filled": filled, "missing": missing}


def _lacking(rows: list[Candidate]) -> list[Lacking]:
    said: dict[int, list[str]] = {}
    lookups = AbstractLookup.objects.filter(candidate__in=rows).order_by("-pk")
    seen: set[tuple[int, str]] = set()
    for one in lookups:
        if (one.candidate_id, one.source) in seen:
            continue
        seen.add((one.candidate_id, one.source))
        sentence = f"{source_label(one.source)} {one.get_outcome_display()}"
        said.setdefault(one.candidate_id, []).append(f"{sentence}: {one.message}" if one.message else sentence)
    return [Lacking(row, tuple(said.get(row.pk, ()))) for row in rows]


@project_view(Right.VERIFY)
@require_POST
def look(request: ProjectRequest, project: Project) -> HttpResponse:
    """Look for the abstracts of all papers that lack one, or of the chosen (`ids`)."""
    try:
        number = UUID(request.POST.get("request_id", ""))
    except ValueError:
        number = uuid4()
    chosen = [int(pk) for pk in request.POST.getlist("ids") if pk.isdecimal() and len(pk) < 19]
    which = None if request.POST.get("which") == "all" else chosen
    try:
        made = abstracts_request(project=project, actor=request.user, request_id=number, candidate_ids=which)
    except NothingMissing as refusal:
        messages.info(request, "Choose at least one record first." if which == [] else str(refusal))
        return redirect_page(request, reverse("searches:abstracts", args=[project.pk]))
    return redirect_page(request, reverse("searches:abstracts_fill", args=[project.pk, made.pk]))


@project_view(Right.VIEW)
@never_cache
@require_GET
def fill(request: ProjectRequest, project: Project, fill_id: int) -> HttpResponse:
    """How a search for abstracts goes, and what came of it. Polled by the page while it is open."""
    found = get_object_or_404(AbstractFill.objects.select_related("requested_by"), pk=fill_id, project=project)
    state = fingerprint([found.state, found.done, found.counts])
    if wants_part(request) and request.GET.get("seen") == state:
        return unchanged()
    filled_by = [(source_label(key), number) for key, number in found.counts.get("filled_by", {}).items()]
    context = {"fill": found, "seen": state, "filled_by": filled_by}
    part = "#fill" if wants_part(request) else ""
    response = render(request, f"searches/abstracts_fill.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response
