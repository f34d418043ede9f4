"""The candidate list: filters, order, pages; and one candidate with where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, may, project_view
from litapp.web.htmx import wants_part
from litapp.web.pagination import page_of_list
from searches.models import Candidate
from searches.querysets import Facets
from searches.views.candidate_filters import DECISION_CHOICES, CandidateFilterForm, ListQuery, read_list_query
from searches.views.candidate_row import DECISION_KEYS, candidate_row
from searches.views.provenance import decision_timeline, field_provenance, returned_records
from searches.views.record_card import record_card
from searches.views.screening import last_decision

PAGE_SIZE = 100


def list_query_of(request: HttpRequest) -> tuple[CandidateFilterForm, ListQuery]:
    """The filter form of the address, and what it asks for."""
    form = CandidateFilterForm(request.GET)
    return form, read_list_query(form, request.GET.get("sort", ""))


@dataclass(frozen=True, slots=True)
class Chip:
    """A quick filter by decision: its address, and how many it would show without other filters."""

    label: str
    query: str
    count: int
    current: bool


def _chips(query: ListQuery, facets: Facets) -> list[Chip]:
    return [
        Chip(label, query.query(decision=value), facets.decisions[value], query.wanted.decision == value)
        for value, label in DECISION_CHOICES
    ]


@never_cache
@require_GET
@project_view(Right.VIEW)
def candidates(request: ProjectRequest, project: Project) -> HttpResponse:
    """The list; its table alone for htmx."""
    form, query = list_query_of(request)
    everything = Candidate.objects.listed(project)
    rows = everything.filtered(query.wanted).sorted_by(query.order).for_list()
    page = page_of_list(request, rows, size=PAGE_SIZE)
    facets = everything.facets()
    context = {
        "project": project,
        "form": form,
        "query": query,
        "sort": query.sort,
        "page": page,
        "rows": [candidate_row(candidate) for candidate in page.items],
        "facets": facets,
        "decision_chips": _chips(query, facets),
        "query_any": query.query(decision=None),
        "copy_query": query.query(),
        "decision_keys": DECISION_KEYS,
        "last": last_decision(project, request.user) if may(request.membership, Right.SCREEN) else None,
        "undo_id": uuid4(),
        "list_query": request.GET.urlencode(),
    }
    part = "#results" if wants_part(request) else ""
    response = render(request, f"searches/candidates.html{part}", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@never_cache
@require_GET
@project_view(Right.VIEW)
def candidate(request: ProjectRequest, project: Project, candidate_id: int) -> HttpResponse:
    """One candidate: the record, every source record behind it, and what was decided when."""
    found = Candidate.objects.filter(project=project, pk=candidate_id).for_card().first()
    if found is None:
        raise Http404("no such candidate in this project")
    if found.merged_into_id:
        return redirect("searches:candidate", project.pk, found.merged_into_id)
    context = {
        "project": project,
        "candidate": found,
        "card": record_card(found),
        "returned": returned_records(found),
        "fields": field_provenance(found),
        "timeline": decision_timeline(found),
        "absorbed": found.absorbed.count(),
        "request_id": uuid4(),
        "decision_keys": DECISION_KEYS,
    }
    return render(request, "searches/candidate.html", context)
