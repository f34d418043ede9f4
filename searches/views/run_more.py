"""What stands below a finished run: found, shared and only there per source and query; bundle, replay, comparison."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.presentation import source_label
from litapp.web.htmx import redirect_page, render_part
from searches.models import RetrievalRun
from searches.services.overlap import Overlap, run_overlap
from searches.services.replay import CannotReplay, ReplayReport, replay_report, run_replay
from searches.services.run_comparison import earlier_runs
from searches.services.step_answers import can_replay

COMPARED = 5
"""Earlier runs that are offered for a comparison."""


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """One row of the table: three numbers, each with the address of its list."""

    name: str
    is_query: bool
    records: int
    found: int
    shared: int
    only: int
    found_url: str
    shared_url: str
    only_url: str


@project_view(Right.VIEW)
@never_cache
@require_GET
def run_more(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """The part below the run's page; as a page of its own without script."""
    run = run_of(project, run_id)
    overlap = run_overlap(run)
    context = {
        "run": run,
        "papers": overlap.papers,
        "papers_url": _address(project, run=run.pk),
        "rows": _rows(project, run, overlap.sources, overlap.queries),
        "earlier": earlier_runs(run)[:COMPARED] if not run.is_open and run.replay_of_id is None else [],
        "can_replay": can_replay(run.replay_of or run) and not run.is_open,
        "replays": list(run.replays.order_by("-pk")[:COMPARED]),
        "report": _report(run),
        "replay_id": uuid4(),
        "query_file": _query_file(run),
    }
    return render_part(request, "searches/run_more.html", "more", context)


@project_view(Right.RUN)
@require_POST
def replay(request: ProjectRequest, project: Project, run_id: int) -> HttpResponse:
    """Replay the run from its archived answers."""
    run = run_of(project, run_id)
    try:
        number = UUID(request.POST.get("request_id", ""))
    except ValueError:
        number = uuid4()
    try:
        made = run_replay(run=run, actor=request.user, request_id=number)
    except CannotReplay as refusal:
        messages.error(request, str(refusal))
        return redirect_page(request, reverse("searches:run", args=[project.pk, run.pk]))
    return redirect_page(request, reverse("searches:run", args=[project.pk, made.pk]))


def run_of(project: Project, run_id: int) -> RetrievalRun:
    """The run if it belongs to the project; 404 otherwise."""
    runs = RetrievalRun.objects.select_related("project", "version__plan", "version__approved_by", "replay_of")
    return get_object_or_404(runs, pk=run_id, project=project)


def _report(run: RetrievalRun) -> ReplayReport | None:
    return replay_report(run) if run.replay_of_id is not None and not run.is_open else None


def _query_file(run: RetrievalRun) -> dict[str, object] | None:
    origin = run.version.origin
    found = origin.get("query_file") if origin.get("kind") == "bundle" else origin
    return found if isinstance(found, dict) and found.get("sha256") else None


def _rows(
    project: Project, run: RetrievalRun, sources: tuple[Overlap, ...], queries: tuple[Overlap, ...]
) -> list[OverlapRow]:
    """Each source, and below it its queries where there are several."""
    rows = []
    for one in sources:
        own = [query for query in queries if query.source == one.source]
        label = source_label(one.source)
        rows.append(_row(project, run, one, label))
        if len(own) > 1:
            rows += [_row(project, run, query, _named(query)) for query in own]
    return rows


def _named(query: Overlap) -> str:
    return f"Query {query.query}, {query.label}" if query.label else f"Query {query.query}"


def _row(project: Project, run: RetrievalRun, one: Overlap, name: str) -> OverlapRow:
    place: dict[str, str | int] = {"run": run.pk, "at": one.source}
    if one.query is not None:
        place["query"] = one.query
    return OverlapRow(
        name=name,
        is_query=one.query is not None,
        records=one.records,
        found=one.found,
        shared=one.shared,
        only=one.only,
        found_url=_address(project, **place),
        shared_url=_address(project, **place, overlap="shared"),
        only_url=_address(project, **place, overlap="only"),
    )


def _address(project: Project, **parameters: str | int) -> str:
    return f"{reverse('searches:candidates', args=[project.pk])}?{urlencode(parameters)}"
