"""Two runs of a plan side by side: what is new, gone, changed, newly retracted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.presentation import source_label
from litapp.web.htmx import redirect_page
from searches.blinding import Viewer, viewer_of
from searches.models import Candidate
from searches.seen import UNDECIDED, decided_as, dressed
from searches.services.run_comparison import Comparison, NotComparable, compare_runs, titles_of
from searches.views.provenance import FIELD_LABELS
from searches.views.run_more import run_of

SHOWN = 100
"""Papers of each list that the page shows; all of the new ones are one click away."""


@dataclass(frozen=True, slots=True)
class PaperList:
    """Papers of one kind: `total` of them, the first `rows` shown."""

    total: int
    rows: list[Candidate]


@dataclass(frozen=True, slots=True)
class ChangeShown:
    """A changed record with the names of its fields in words."""

    candidate: Candidate | None
    source: str
    source_id: str
    fields: str


@dataclass(frozen=True, slots=True)
class RetractionShown:
    """A paper that is newly called retracted."""

    candidate: Candidate | None
    what: str
    source: str
    date: str


@project_view(Right.VIEW)
@never_cache
@require_GET
def run_comparison(request: ProjectRequest, project: Project, run_id: int, earlier_id: int) -> HttpResponse:
    """Run `run_id` compared with the earlier run `earlier_id` of the same plan."""
    later, earlier = run_of(project, run_id), run_of(project, earlier_id)
    try:
        compared = compare_runs(earlier=earlier, later=later)
    except NotComparable as refusal:
        messages.error(request, str(refusal))
        return redirect_page(request, reverse("searches:run", args=[project.pk, later.pk]))
    return render(request, "searches/run_comparison.html", _context(project, compared, viewer_of(request.membership)))


def _context(project: Project, compared: Comparison, viewer: Viewer) -> dict[str, object]:
    new = compared.new | compared.perhaps_new
    rows = Candidate.objects.for_list().in_bulk(
        [*(one.candidate_id for one in compared.changed[:SHOWN]), *(one.candidate_id for one in compared.retracted)]
    )
    dressed(rows.values(), viewer)
    address = reverse("searches:candidates", args=[project.pk])
    undecided: dict[str, str | int] = {
        "run": compared.later.pk,
        "not_in": compared.earlier.pk,
        "decision": "undecided",
    }
    return {
        "compared": compared,
        "new": _papers(new, viewer),
        "new_url": f"{address}?{urlencode({'run': compared.later.pk, 'not_in': compared.earlier.pk})}",
        "undecided": decided_as(Candidate.objects.filter(pk__in=list(new)[:20_000]), UNDECIDED, viewer).count(),
        "undecided_url": f"{address}?{urlencode(undecided)}",
        "gone": _papers(compared.gone, viewer),
        "perhaps_gone": _papers(compared.perhaps_gone, viewer),
        "changed": [
            ChangeShown(
                rows.get(one.candidate_id),
                source_label(one.source),
                one.source_id,
                ", ".join(FIELD_LABELS.get(name, name.replace("_", " ").capitalize()) for name in one.fields),
            )
            for one in compared.changed[:SHOWN]
        ],
        "changed_total": len(compared.changed) + compared.changed_more,
        "retracted": [
            RetractionShown(
                rows.get(one.candidate_id),
                one.kind.replace("_", " ").capitalize(),
                source_label(one.source),
                one.date,
            )
            for one in compared.retracted
        ],
        "shown": SHOWN,
    }


def _papers(ids: Iterable[int], viewer: Viewer) -> PaperList:
    """Best fit first."""
    everything = titles_of(ids)
    return PaperList(len(everything), dressed(everything[:SHOWN], viewer))
