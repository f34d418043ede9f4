"""The candidate list: filters, order, pages; and one candidate with where it came from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
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
from searches.imported import NOT_CROSS_CHECKED, brought_by, is_not_cross_checked
from searches.models import Candidate
from searches.querysets import CandidateQuerySet
from searches.views.candidate_duplicates import duplicates_context
from searches.views.candidate_filters import DECISION_CHOICES, CandidateFilterForm, ListQuery, read_list_query
from searches.views.candidate_row import DECISION_KEYS, candidate_rows
from searches.views.provenance import decision_timeline, field_provenance, returned_records
from searches.views.record_card import record_card
from searches.views.screening import last_decision
from searches.views.screening_queue import UNDECIDED

PAGE_SIZE = 50


def list_query_of(request: HttpRequest) -> tuple[CandidateFilterForm, ListQuery]:
    """The filter form of the address, and what it asks for."""
    form = CandidateFilterForm(request.GET)
    return form, read_list_query(form, request.GET.get("sort", ""))


@dataclass(frozen=True, slots=True)
class Chip:
    """A quick filter by decision: its address, and how many it would show beside the other filters."""

    label: str
    query: str
    count: int
    current: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """What the filters let through: ids in the order of the list, and how many there are of each decision."""

    ids: list[int]
    by_decision: Counter[str]


def matches(candidates: CandidateQuerySet, query: ListQuery) -> Matches:
    """One query for list, pages and chips: the text of ten thousand records is gone through once."""
    wanted = query.wanted
    found = candidates.filtered(replace(wanted, decision="")).sorted_by(query.order).values_list("pk", "decision")
    pairs = [(pk, decision or UNDECIDED) for pk, decision in found]
    return Matches(
        ids=[pk for pk, decision in pairs if wanted.decision in ("", decision)],
        by_decision=Counter(decision for _, decision in pairs),
    )


def _chips(query: ListQuery, by_decision: Counter[str]) -> list[Chip]:
    everything = Chip("All", query.query(decision=None), by_decision.total(), not query.wanted.decision)
    return [
        everything,
        *(
            Chip(label, query.query(decision=value), by_decision[value], query.wanted.decision == value)
            for value, label in DECISION_CHOICES
        ),
    ]


@never_cache
@require_GET
@project_view(Right.VIEW)
def candidates(request: ProjectRequest, project: Project) -> HttpResponse:
    """The list; its table alone for htmx."""
    form, query = list_query_of(request)
    everything = Candidate.objects.listed(project)
    found = matches(everything, query)
    page = page_of_list(request, found.ids, size=PAGE_SIZE)
    rows = Candidate.objects.for_list().in_bulk(page.items)
    context = {
        "project": project,
        "form": form,
        "query": query,
        "sort": query.sort,
        "page": page,
        "rows": candidate_rows([rows[pk] for pk in page.items if pk in rows]),
        "total": everything.count() if query.is_narrowed else len(found.ids),
        "chips": _chips(query, found.by_decision),
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
    brought = brought_by([found.pk]).get(found.pk, [])
    status = found.verification.status if found.verification else ""
    context = {
        "project": project,
        "candidate": found,
        "brought": brought,
        "not_cross_checked": NOT_CROSS_CHECKED if is_not_cross_checked(found.sources, brought, status) else "",
        "card": record_card(found),
        "returned": returned_records(found, brought),
        "fields": field_provenance(found),
        "timeline": decision_timeline(found),
        "absorbed": found.absorbed.count(),
        "request_id": uuid4(),
        "decision_keys": DECISION_KEYS,
        **duplicates_context(found),
    }
    return render(request, "searches/candidate.html", context)
