"""Writes an order down: the places of its unread records, so that every training stands in front of the ones before.

After a training the first records get new places; all records do at the first training, when records came or went, and
whenever there are twice as many labels as then. Nobody reads the rest before the next training, and 100,000 rows are
not written for one label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from litapp.core.ranking.control import interleave, is_control
from litapp.core.ranking.why import Why
from searches.models import RankedRecord, Ranking, RankingOrder, StoppingSample

GENERATION = 10_000_000
"""Places of one training; no project has so many records."""
FIRST = 500
"""Unread records that get a new place at every training."""
CHUNK = 500
Mark = RankedRecord.Mark


@dataclass(frozen=True, slots=True)
class Place:
    """One unread record in its order."""

    candidate_id: int
    mark: str


def base_of(training: int) -> int:
    """The smallest place that this training writes."""
    return -training * GENERATION


def compose(ranking: Ranking, ranked: Sequence[int], sample: StoppingSample | None) -> list[Place]:
    """The unread records in the order in which they are read: the open sample first, then the ranking with the control
    stream in it, as often as its share says."""
    unread = set(ranked)
    first = [pk for pk in (sample.chosen if sample else ()) if pk in unread]
    share = ranking.control_share
    control = [pk for pk in sorted(unread) if share and is_control(ranking.seed, pk, share)]
    stream = set(control)
    order = interleave(ranked, control, max(2, round(1 / share))) if control else list(ranked)
    chosen = set(first)
    return [Place(pk, Mark.SAMPLE.value) for pk in first] + [
        Place(pk, Mark.CONTROL.value if pk in stream else Mark.RANKED.value) for pk in order if pk not in chosen
    ]


def needs_whole(order: RankingOrder, *, labels: int, records: int) -> bool:
    """Whether all places are written at this training."""
    if order.trainings == 0 or records != order.records:
        return True
    return labels >= 2 * max(order.whole_at, 1) or labels < order.whole_at


def write_places(order: RankingOrder, places: Sequence[Place], why: dict[int, Why], *, training: int) -> None:
    """Write the places in small transactions, the first ones first: whoever screens meanwhile waits for none."""
    base = base_of(training)
    for start in range(0, len(places), CHUNK):
        rows = [
            RankedRecord(
                order=order,
                candidate_id=place.candidate_id,
                place=base + position,
                position=position,
                training=training,
                mark=place.mark,
                why=_told(why.get(place.candidate_id)),
            )
            for position, place in enumerate(places[start : start + CHUNK], start=start + 1)
        ]
        with transaction.atomic():
            RankedRecord.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["order", "candidate"],
                update_fields=["place", "position", "training", "mark", "why"],
            )


def _told(why: Why | None) -> dict[str, object]:
    if why is None:
        return {}
    return {"for": list(why.raised_by), "against": list(why.lowered_by), "learned": why.learned}
