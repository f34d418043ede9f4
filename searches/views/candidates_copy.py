"""The list as text: Markdown or CSV of the chosen rows, or of everything that the filters show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from django.http import HttpResponse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.core.formats.markdown import CandidateRow, candidates_csv, candidates_markdown
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from searches.citable import entry_of
from searches.models import Candidate
from searches.querysets import CandidateQuerySet
from searches.views.candidate_filters import CandidateFilterForm, read_list_query

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
    candidates = candidates.filter(pk__in=chosen) if chosen else candidates.filtered(query.wanted)
    text = write(_rows(candidates.sorted_by(query.order), sandbox=project.sandbox))
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    name = slugify(project.name)[:60].strip("-") or "candidates"
    response["Content-Disposition"] = f'attachment; filename="{name}-candidates{ending}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _rows(candidates: CandidateQuerySet, *, sandbox: bool) -> Iterator[CandidateRow]:
    full = candidates.select_related("verification__manual_by").defer(
        "search_text", "provenance", "verification__record"
    )
    for candidate in full.iterator(chunk_size=500):
        entry = entry_of(candidate, key="candidate", sandbox=sandbox)
        yield CandidateRow(
            record=entry.record,
            verdict=entry.verdict.value,
            marks=entry.marks,
            decision=candidate.get_decision_display().lower(),
            fit=candidate.get_fit_display().lower(),
            found_in=entry.found_in,
        )
