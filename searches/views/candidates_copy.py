"""The list as text: Markdown or CSV of the chosen rows, or of everything that the filters show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.core.formats.markdown import CandidateRow, candidates_csv, candidates_markdown
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.blinding import viewer_of
from searches.citable import entry_of
from searches.models import Candidate, Decision
from searches.seen import with_seen
from searches.views.candidate_filters import CandidateFilterForm, matching, read_list_query

MOST_CHOSEN = 5000
"""Rows that one address can name."""
_WRITERS: Mapping[str, tuple[str, Callable[[Iterator[CandidateRow]], str]]] = MappingProxyType(
    {"md": (".md", candidates_markdown), "csv": (".csv", candidates_csv)}
)


@never_cache
@require_GET
@project_view(Right.VIEW)
def candidates_copy(request: ProjectRequest, project: Project) -> HttpResponse:
    """A text file of the rows `ids` names, or of all that the filters show where it names none; `format` md or csv.

    Always plain text and an attachment: nothing in it is ever run or rendered by the browser.
    """
    ending, write = _WRITERS.get(request.GET.get("format", "md"), _WRITERS["md"])
    query = read_list_query(CandidateFilterForm(request.GET), request.GET.get("sort", ""))
    candidates = Candidate.objects.listed(project)
    chosen = [int(pk) for pk in request.GET.getlist("ids") if pk.isdecimal() and len(pk) < 19][:MOST_CHOSEN]
    viewer = viewer_of(request.membership)
    candidates = candidates.filter(pk__in=chosen) if chosen else matching(candidates, query, viewer)
    text = write(_rows(with_seen(candidates.sorted_by(query.order), viewer), sandbox=project.sandbox))
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    name = slugify(project.name)[:60].strip("-") or "candidates"
    response["Content-Disposition"] = f'attachment; filename="{name}-candidates{ending}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _rows(candidates: QuerySet[Any], *, sandbox: bool) -> Iterator[CandidateRow]:
    full = candidates.select_related("verification__manual_by").defer(
        "search_text", "provenance", "verification__record"
    )
    for candidate in full.iterator(chunk_size=500):
        entry = entry_of(candidate, key="candidate", sandbox=sandbox)
        yield CandidateRow(
            record=entry.record,
            verdict=entry.verdict.value,
            marks=entry.marks,
            decision=Decision(candidate.seen).label.lower(),
            fit=candidate.get_fit_display().lower(),
            found_in=entry.found_in,
        )
