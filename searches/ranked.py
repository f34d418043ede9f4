"""What is read of a ranking: a person's order, the place of a record in it and why, the queue behind a record."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, FilteredRelation, Q

from searches.blinding import Viewer
from searches.models import Candidate, RankedRecord, RankingOrder, Stage
from searches.querysets import CandidateQuerySet
from searches.services.ranking_places import base_of


@dataclass(frozen=True, slots=True)
class Ranked:
    """A record in the person's order: its place, and why in words."""

    position: int
    mark: str
    raised_by: tuple[str, ...]
    lowered_by: tuple[str, ...]
    learned: bool


def order_of(viewer: Viewer | None) -> RankingOrder | None:
    """The order that the person screens by: that of the person alone where each screens alone. None where the project
    does not rank, at full text, and until the first training is done."""
    if viewer is None or viewer.stage.stage != Stage.TITLE or viewer.stage.project_id is None:
        return None
    orders = RankingOrder.objects.filter(
        ranking__project=viewer.stage.project_id, ranking__in_use=True, person=viewer.person if viewer.own else None
    )
    return orders.exclude(trained_at=None).first()


def with_place(rows: CandidateQuerySet, order: RankingOrder) -> CandidateQuerySet:
    """The same rows with `ranked_place`: smaller = sooner, empty = not ranked yet (those come last)."""
    rows = rows.alias(in_order=FilteredRelation("places", condition=Q(places__order=order)))
    return rows.annotate(ranked_place=F("in_order__place"))


def behind(order: RankingOrder, candidate: Candidate) -> Q:
    """Condition (on `with_place`) of what comes after the record: what stands behind it, and what was ranked anew since
    it was: a later training stands in front of all earlier ones."""
    here = RankedRecord.objects.filter(order=order, candidate=candidate).values_list("place", "training").first()
    if here is None:
        return Q(ranked_place__isnull=False) | Q(ranked_place__isnull=True, pk__gt=candidate.pk)
    place, training = here
    later = Q(ranked_place__gt=place) | Q(ranked_place__isnull=True)
    return later | Q(ranked_place__lt=base_of(training)) & ~Q(pk=candidate.pk)


def before(order: RankingOrder, candidate: Candidate) -> Q:
    """Condition (on `with_place`) of what stands in front of the record."""
    place = RankedRecord.objects.filter(order=order, candidate=candidate).values_list("place", flat=True).first()
    if place is None:
        return Q(ranked_place__isnull=False) | Q(ranked_place__isnull=True, pk__lt=candidate.pk)
    return Q(ranked_place__lt=place)


def ranked(candidate: Candidate, order: RankingOrder | None) -> Ranked | None:
    """Where the record stands in the order, and why."""
    row = RankedRecord.objects.filter(order=order, candidate=candidate).first() if order is not None else None
    if row is None:
        return None
    why = row.why or {}
    return Ranked(
        row.position, row.mark, tuple(why.get("for", ())), tuple(why.get("against", ())), bool(why.get("learned"))
    )
