"""The candidate list: filters, order, pages; and one candidate with where it came from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from uuid import uuid4

from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, may, project_view
from litapp.web.htmx import wants_part
from litapp.web.pagination import page_of_list
from searches.blinding import Viewer, stages_of, viewer_of
from searches.imported import NOT_CROSS_CHECKED, brought_by, is_not_cross_checked
from searches.models import Candidate, Vote
from searches.querysets import CandidateQuerySet
from searches.seen import UNDECIDED, decided_as, dressed
from searches.services.criteria import newest_version
from searches.views.candidate_duplicates import duplicates_context
from searches.views.candidate_filters import DECISION_CHOICES, CandidateFilterForm, ListQuery, matching, read_list_query
from searches.views.candidate_row import candidate_rows
from searches.views.decision_keys import decision_keys
from searches.views.provenance import decision_timeline, field_provenance, returned_records
from searches.views.record_card import record_card
from searches.views.remarks import label_names, remarks_context
from searches.views.screening import last_decision

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

    ids: QuerySet[Candidate, int]
    by_decision: Counter[str]


def matches(candidates: CandidateQuerySet, query: ListQuery, viewer: Viewer) -> Matches:
    """What a page and its chips need: ids to be cut into pages, and one count for all decisions (three queries where
    each screens alone)."""
    rows = matching(candidates, query, viewer, decided=False).order_by()
    counts: Counter[str] = Counter()
    if viewer.own:
        votes = Vote.objects.filter(project=viewer.stage.project_id, stage=viewer.stage.stage, reviewer=viewer.person)
        mine = votes.exclude(decision="").order_by()
        mine = (
            mine.filter(candidate__in=rows.values("pk"))
            if query.is_narrowed
            else mine.exclude(
                candidate__in=Candidate.objects.filter(
                    project=viewer.stage.project_id, withdrawn_at__isnull=False
                ).values("pk")
            )
        )
        counts.update(dict(mine.values("decision").annotate(n=Count("pk")).values_list("decision", "n")))
        counts[UNDECIDED] = rows.count() - counts.total()
    else:
        grouped = rows.values("decision").annotate(n=Count("pk")).values_list("decision", "n")
        counts.update({decision or UNDECIDED: number for decision, number in grouped})
    ids = decided_as(rows, query.wanted.decision, viewer).sorted_by(query.order).values_list("pk", flat=True)
    return Matches(ids, counts)


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
    viewer = viewer_of(request.membership)
    if not viewer.outcomes or not viewer.stage.own_votes:
        form.fields.pop("state")
    found = matches(everything, query, viewer)
    shown = found.by_decision[query.wanted.decision] if query.wanted.decision else found.by_decision.total()
    page = page_of_list(request, found.ids, size=PAGE_SIZE, total=shown)
    rows = Candidate.objects.for_list().in_bulk(page.items)
    seen = dressed([rows[pk] for pk in page.items if pk in rows], viewer)
    context = {
        "project": project,
        "form": form,
        "query": query,
        "sort": query.sort,
        "page": page,
        "rows": candidate_rows(seen),
        "total": everything.count() if query.is_narrowed else page.total,
        "chips": _chips(query, found.by_decision),
        "copy_query": query.query(),
        "decision_keys": decision_keys(viewer.stage.keys),
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
    stages = stages_of(project)
    viewer = viewer_of(request.membership, stages=stages)
    [found] = dressed([found], viewer)
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
        "timeline": decision_timeline(found, request.user, stages),
        "undo_id": uuid4(),
        "criteria": newest_version(project),
        "viewer": viewer,
        "label_names": label_names(project, request.user, stages),
        **remarks_context(request.user, found, stages),
        "absorbed": found.absorbed.count(),
        "request_id": uuid4(),
        "decision_keys": decision_keys(viewer.stage.keys),
        **duplicates_context(found, request.membership),
    }
    return render(request, "searches/candidate.html", context)
