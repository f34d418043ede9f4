"""The project's shared reference list."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.core.normalise import title_key
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.presentation import told_notices
from litapp.web.pagination import page_of_list
from references.models import VERDICTS, Reference, ReferenceQuerySet

PAGE_SIZE = 100
REMOVED = "removed"
CHIPS = (
    ("", "All", "all"),
    ("verified", "Verified", "verified"),
    ("suspect", "Suspect", "suspect"),
    ("unverified", "Unverified", "unverified"),
    ("unchecked", "Not checked yet", "unchecked"),
    ("manual", "Confirmed by a person", "manual"),
    ("retracted", "Retracted", "retracted"),
)
"""Filters of the list: value in the address, word, name of its count."""


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter of the list, with how many references it shows."""

    label: str
    query: str
    count: int
    current: bool


@never_cache
@require_GET
@project_view(Right.VIEW, shows_outcomes=True)
def reference_list(request: ProjectRequest, project: Project) -> HttpResponse:
    """References by key, filtered by verdict and words; those taken out apart."""
    show = request.GET.get("verdict", "")
    words = request.GET.get("q", "").strip()[:500]
    everything = Reference.objects.filter(project=project)
    counts = everything.current().verdict_counts()
    removed = everything.exclude(removed_at=None).count()
    rows = everything.exclude(removed_at=None) if show == REMOVED else everything.current().with_verdict(show)
    page = page_of_list(request, with_words(rows, words).for_list().order_by("key", "pk"), size=PAGE_SIZE)
    context = {
        "project": project,
        "page": page,
        "counts": counts,
        "removed": removed,
        "show": show if show in VERDICTS or show == REMOVED else "",
        "words": words,
        "chips": _chips(counts, removed, show, words),
        "status_notices": told_notices(project),
        "to_verify": counts["unchecked"] + counts["unverified"] + counts["suspect"],
    }
    return render(request, "references/list.html", context)


def with_words(references: ReferenceQuerySet, words: str) -> ReferenceQuerySet:
    """Those whose paper, key or note holds every word."""
    for word in title_key(words).split():
        references = references.filter(
            Q(candidate__search_text__contains=word) | Q(key__icontains=word) | Q(note__icontains=word)
        )
    return references


def _chips(counts: dict[str, int], removed: int, show: str, words: str) -> list[Chip]:
    chips = [
        Chip(label, _query(value, words), counts[name], show == value)
        for value, label, name in CHIPS
        if counts[name] or not value or show == value
    ]
    if removed or show == REMOVED:
        chips.append(Chip("Taken out", _query(REMOVED, words), removed, show == REMOVED))
    return chips


def _query(verdict: str, words: str) -> str:
    query = QueryDict(mutable=True)
    if verdict:
        query["verdict"] = verdict
    if words:
        query["q"] = words
    return query.urlencode()
