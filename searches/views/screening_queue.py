"""The queue that is screened: which candidates, in which order, how far it is; all of it read from the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import parse_qsl

from django.db.models import Count, Exists, F, OrderBy, Q
from django.http import QueryDict

from searches.blinding import Viewer
from searches.models import Candidate, RankingOrder
from searches.querysets import CandidateFilter, CandidateQuerySet
from searches.ranked import before, behind, in_order, order_of
from searches.seen import UNDECIDED, column_of, decided_as, own_votes
from searches.views.candidate_filters import DECISION_CHOICES, CandidateFilterForm, read_list_query

ALL = "all"
SHOW_CHOICES = (*DECISION_CHOICES, (ALL, "All, decided or not"))


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the queue by one column; ties stand in the order of finding, empty values last."""

    label: str
    column: str
    descending: bool = False

    def forwards(self) -> list[OrderBy]:
        column = F(self.column)
        first = column.desc(nulls_last=True) if self.descending else column.asc(nulls_last=True)
        return [first, F("id").asc()]

    def backwards(self) -> list[OrderBy]:
        column = F(self.column)
        first = column.asc(nulls_first=True) if self.descending else column.desc(nulls_first=True)
        return [first, F("id").desc()]

    def behind(self, place: Candidate) -> Q:
        """Condition of what comes after `place`."""
        value = getattr(place, self.column)
        if value is None:
            return Q(**{f"{self.column}__isnull": True, "id__gt": place.pk})
        beyond = f"{self.column}__{'lt' if self.descending else 'gt'}"
        condition = Q(**{beyond: value}) | Q(**{self.column: value, "id__gt": place.pk})
        return condition | Q(year__isnull=True) if self.column == "year" else condition

    def before(self, place: Candidate) -> Q:
        """Condition of what comes in front of `place`."""
        value = getattr(place, self.column)
        if value is None:
            return Q(**{f"{self.column}__isnull": False}) | Q(**{f"{self.column}__isnull": True, "id__lt": place.pk})
        nearer = f"{self.column}__{'gt' if self.descending else 'lt'}"
        return Q(**{nearer: value}) | Q(**{self.column: value, "id__lt": place.pk})


DEFAULT_ORDER = "fit"
RELEVANT = "relevant"
"""The order of the project's ranking (`searches.ranked`); offered, and the default, where the person has one."""
ORDERS: Mapping[str, Order] = MappingProxyType(
    {
        RELEVANT: Order("Most relevant first", "ranked_place"),
        "fit": Order("Best fit first", "fit", descending=True),
        "newest": Order("Newest first", "year", descending=True),
        "oldest": Order("Oldest first", "year"),
        "title": Order("By title", "title_key"),
        "found": Order("As found", "id"),
    }
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a queue is: `total` counts every candidate that its filters let through, decided or not."""

    total: int
    decided: int

    @property
    def left(self) -> int:
        return self.total - self.decided


@dataclass(frozen=True, slots=True)
class ScreeningQueue:
    """A queue: `wanted` holds every filter but the decision, `show` is one of SHOW_CHOICES, `order` one of ORDERS."""

    wanted: CandidateFilter
    show: str
    order: str
    parameters: tuple[tuple[str, str], ...] = ()
    viewer: Viewer | None = None
    ranking: RankingOrder | None = None
    """The person's order by relevance, where the project ranks."""

    def rows(self, candidates: CandidateQuerySet) -> CandidateQuerySet:
        """The candidates of the queue in its order; decided or not as the viewer sees them."""
        if self.order == RELEVANT and self.ranking is not None:
            return in_order(self._wanted(candidates), self.ranking)
        return self._wanted(candidates).order_by(*ORDERS[self.order].forwards())

    def following(self, candidates: CandidateQuerySet, place: Candidate) -> CandidateQuerySet:
        """The rest of the queue behind `place` (which need not be in it any more), nearest first."""
        if self.order == RELEVANT and self.ranking is not None:
            return behind(self._wanted(candidates), self.ranking, place)
        return self.rows(candidates).filter(ORDERS[self.order].behind(place))

    def preceding(self, candidates: CandidateQuerySet, place: Candidate) -> CandidateQuerySet:
        """The queue in front of `place`, nearest first."""
        if self.order == RELEVANT and self.ranking is not None:
            return before(self._wanted(candidates), self.ranking, place)
        order = ORDERS[self.order]
        return self.rows(candidates).filter(order.before(place)).order_by(*order.backwards())

    def _wanted(self, candidates: CandidateQuerySet) -> CandidateQuerySet:
        return decided_as(candidates.filtered(self.wanted), "" if self.show == ALL else self.show, self.viewer)

    def progress(self, candidates: CandidateQuerySet) -> Progress:
        """One query; two where each screens alone."""
        rows = candidates.filtered(self.wanted).order_by()
        if self.viewer is not None and self.viewer.own:
            return Progress(rows.count(), rows.filter(Exists(own_votes(self.viewer))).count())
        undecided = Q(**{column_of(self.viewer): ""})
        counts = rows.aggregate(total=Count("pk"), decided=Count("pk", filter=~undecided))
        return Progress(counts["total"], counts["decided"])

    def query(self, **changes: object) -> str:
        """The query string of this queue with `changes` (for example record=17; None takes a parameter out)."""
        query = QueryDict(mutable=True)
        for name, value in self.parameters:
            query[name] = value
        if self.show != UNDECIDED:
            query["decision"] = self.show
        if self.order != self.default_order:
            query["order"] = self.order
        for name, change in changes.items():
            query.pop(name, None)
            if change is not None:
                query[name] = str(change)
        return query.urlencode()

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The parameters as hidden fields, for forms."""
        return parse_qsl(self.query())

    @property
    def is_narrowed(self) -> bool:
        """True when more than the decision limits the queue."""
        return bool(self.parameters)

    @property
    def default_order(self) -> str:
        """The order where the address names none."""
        return RELEVANT if self.ranking is not None else DEFAULT_ORDER

    @property
    def orders(self) -> list[tuple[str, str]]:
        """What can be chosen: name, words."""
        return [(key, order.label) for key, order in ORDERS.items() if key != RELEVANT or self.ranking is not None]

    @property
    def order_label(self) -> str:
        return ORDERS[self.order].label

    @property
    def show_label(self) -> str:
        return dict(SHOW_CHOICES)[self.show]


def read_queue(data: QueryDict, viewer: Viewer | None = None) -> ScreeningQueue:
    """The queue that an address or a posted form describes; what is not understood is left at its default."""
    values = data.copy()
    values.pop("decision", None)
    list_query = read_list_query(CandidateFilterForm(values), "")
    show, order = data.get("decision", ""), data.get("order", "")
    ranking = order_of(viewer)
    known = order in ORDERS and (order != RELEVANT or ranking is not None)
    return ScreeningQueue(
        wanted=list_query.wanted,
        show=show if show in dict(SHOW_CHOICES) else UNDECIDED,
        order=order if known else RELEVANT if ranking is not None else DEFAULT_ORDER,
        parameters=list_query.parameters,
        viewer=viewer,
        ranking=ranking,
    )
