"""What each source and query of a run found, what others found too, and what was found only there. Reads only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, F, Min

from searches.models import RetrievalHit, RetrievalRun


@dataclass(frozen=True, slots=True)
class Overlap:
    """Papers (candidates) of one source, or of one query at it (`query` from 1). `records` are its hits, before papers
    are joined; `shared` papers were found elsewhere in the run too, `only` nowhere else."""

    source: str
    query: int | None
    label: str
    records: int
    found: int
    only: int

    @property
    def shared(self) -> int:
        return self.found - self.only


@dataclass(frozen=True, slots=True)
class RunOverlap:
    """`papers` of the whole run; `sources` and `queries` in the order of the steps."""

    papers: int
    sources: tuple[Overlap, ...]
    queries: tuple[Overlap, ...]


def run_overlap(run: RetrievalRun) -> RunOverlap:
    """Count over the project's candidates as they are now. Five queries, whatever the size.

    Each number is that of `CandidateQuerySet.found_in` with the same source, query and overlap.
    """
    hits = RetrievalHit.objects.filter(
        step__run=run,
        source_record__candidates__project=run.project_id,
        source_record__candidates__candidate__merged_into=None,
    ).order_by()
    candidate = F("source_record__candidates__candidate")
    of_step = dict(hits.values("step").annotate(n=Count(candidate, distinct=True)).values_list("step", "n"))
    of_source = dict(
        hits.values("step__source").annotate(n=Count(candidate, distinct=True)).values_list("step__source", "n")
    )
    records = dict(
        RetrievalHit.objects.filter(step__run=run)
        .order_by()
        .values("step")
        .annotate(n=Count("pk"))
        .values_list("step", "n")
    )
    papers = 0
    only_step: Counter[int] = Counter()
    only_source: Counter[str] = Counter()
    by_candidate = hits.values(paper=candidate).annotate(
        steps=Count("step", distinct=True),
        places=Count("step__source", distinct=True),
        first_step=Min("step"),
        first_place=Min("step__source"),
    )
    for steps, places, step, place in by_candidate.values_list("steps", "places", "first_step", "first_place"):
        papers += 1
        if steps == 1:
            only_step[step] += 1
        if places == 1:
            only_source[place] += 1
    queries = tuple(
        Overlap(
            source=step.source,
            query=step.query_index + 1,
            label=step.query_label,
            records=records.get(step.pk, 0),
            found=of_step.get(step.pk, 0),
            only=only_step[step.pk],
        )
        for step in run.steps.order_by("pk")
    )
    sources = tuple(
        Overlap(
            source=key,
            query=None,
            label="",
            records=sum(one.records for one in queries if one.source == key),
            found=of_source.get(key, 0),
            only=only_source[key],
        )
        for key in dict.fromkeys(one.source for one in queries)
    )
    return RunOverlap(papers, sources, queries)
