"""The queue of doubtful pairs: which pair of records stands for two candidates that may be one. Derived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import F, Q, QuerySet

from litapp.core.dedupe import Relation
from litapp.projects.models import Project
from searches.models import CandidateSource, PairAnswer, PairDecision, RecordPair
from searches.services.grouping import SUPPLEMENT
from searches.services.workbench import CHUNK

KEPT_APART_RANK = 0.3
"""Rank of two records that are the same by themselves, but whose groups hold records that are kept apart."""
KEPT_APART = "Other records of the two groups are kept apart."


def doubtful_pairs(project: Project) -> QuerySet[RecordPair]:
    """Pairs that wait for a person, likeliest first: one for any two candidates."""
    return (
        RecordPair.objects.filter(project=project, queued=True)
        .select_related("a__source_record", "b__source_record", "a__candidate", "b__candidate")
        .order_by("-rank", "id")
    )


def requeue(*, project_id: int, candidate_ids: Iterable[int]) -> None:
    """Choose anew which pairs of these candidates with any others wait. In the caller's transaction."""
    ids = sorted(set(candidate_ids))
    if not ids:
        return
    pairs: dict[int, tuple[int, int, float, bool, int, int, str, str]] = {}
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        for side in ("a", "b"):
            rows = RecordPair.objects.filter(
                ~Q(relation=Relation.COMPANION), project_id=project_id, **{f"{side}__candidate__in": chunk}
            ).filter(Q(relation=Relation.DOUBTFUL) | ~Q(a__candidate=F("b__candidate")) | Q(queued=True))
            for pk, relation, rank, queued, one, other, a, b in rows.values_list(
                "pk", "relation", "rank", "queued", "a__candidate_id", "b__candidate_id", "a__entry", "b__entry"
            ):
                rank = KEPT_APART_RANK if relation == Relation.SAME else rank
                pairs[pk] = (min(one, other), max(one, other), rank, queued, one, other, a, b)
    best: dict[tuple[int, int], tuple[float, int]] = {}
    apart = _apart(project_id, {pk for row in pairs.values() for pk in row[:2]})
    for pk, (one, other, rank, *_) in pairs.items():
        if one != other and frozenset({one, other}) not in apart:
            best[one, other] = min(best.get((one, other), (1.0, pk)), (-rank, pk))
    waiting = {pk for _, pk in best.values()}
    _mark([pk for pk in waiting if not pairs[pk][3]], True)
    _mark([pk for pk, row in pairs.items() if row[3] and pk not in waiting], False)


def _mark(pair_ids: Sequence[int], queued: bool) -> None:
    for start in range(0, len(pair_ids), CHUNK):
        RecordPair.objects.filter(pk__in=pair_ids[start : start + CHUNK]).update(queued=queued)


def _apart(project_id: int, candidate_ids: set[int]) -> set[frozenset[int]]:
    """Pairs of candidates of which a person said that they are not the same."""
    standing = PairDecision.objects.filter(project_id=project_id, undone_at=None)
    if len(candidate_ids) < 2 or not standing.exists():
        return set()
    of_entry: dict[str, set[int]] = {}
    ids = sorted(candidate_ids)
    for start in range(0, len(ids), CHUNK):
        links = CandidateSource.objects.filter(candidate__in=ids[start : start + CHUNK]).exclude(rule=SUPPLEMENT)
        for entry, candidate in links.values_list("entry", "candidate_id"):
            of_entry.setdefault(entry, set()).add(candidate)
    latest: dict[tuple[str, str], str] = {}
    entries = sorted(of_entry)
    rows: dict[int, tuple[str, str, str]] = {}
    for start in range(0, len(entries), CHUNK):
        for pk, a, b, answer in standing.filter(a__in=entries[start : start + CHUNK]).values_list(
            "pk", "a", "b", "answer"
        ):
            rows[pk] = (a, b, answer)
    for _, (a, b, answer) in sorted(rows.items()):
        latest[a, b] = answer
    return {
        frozenset({one, other})
        for (a, b), answer in latest.items()
        if answer == PairAnswer.APART
        for one in of_entry.get(a, ())
        for other in of_entry.get(b, ())
        if one != other
    }
