"""The queue that is screened: which candidates, in which order, how far it is; all of it read from the address."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from searches.models import Candidate, Decision
from searches.views.candidate_filters import (
    DECISION_CHOICES,
    SCREEN_ORDERS,
    UNDECIDED,
    CandidateFilter,
    CandidateFilterForm,
    following,
    ordering,
    preceding,
    read_filter,
    reversed_ordering,
)

ALL = "all"
SHOW_CHOICES = ((UNDECIDED, "Not decided"), *DECISION_CHOICES[2:], (ALL, "All, decided or not"))


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
    """A queue. `filters` hold everything but the decision; `show` is one of SHOW_CHOICES."""

    filters: CandidateFilter
    show: str

    def rows(self, candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
        """The candidates of the queue in its order."""
        rows = self.filters.rows(candidates)
        if self.show == ALL:
            return rows
        return rows.filter(decision=Decision.UNDECIDED if self.show == UNDECIDED else self.show)

    def following(self, candidates: QuerySet[Candidate], place: Candidate) -> QuerySet[Candidate]:
        """The rest of the queue behind `place`, which need not be in it any more."""
        return self.rows(candidates).filter(following(self.filters.sort, place))

    def preceding(self, candidates: QuerySet[Candidate], place: Candidate) -> QuerySet[Candidate]:
        """The queue before `place`, nearest first."""
        return (
            self.rows(candidates)
            .filter(preceding(self.filters.sort, place))
            .order_by(*reversed_ordering(self.filters.sort))
        )

    def progress(self, candidates: QuerySet[Candidate]) -> Progress:
        """One query."""
        counts = candidates.filter(self.filters.conditions).aggregate(
            total=Count("pk"), decided=Count("pk", filter=~Q(decision=Decision.UNDECIDED))
        )
        return Progress(counts["total"], counts["decided"])

    def query(self, **changes: object) -> str:
        """The query string of this queue with `changes` (for example record=17)."""
        show = None if self.show == UNDECIDED else self.show
        return self.filters.query(**{"decision": show, **changes})

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The parameters as hidden fields, for forms."""
        return list(QueryDict(self.query()).items())

    @property
    def is_narrowed(self) -> bool:
        """True when more than the decision limits the queue."""
        return self.filters.is_narrowed

    @property
    def order_label(self) -> str:
        return dict(SCREEN_ORDERS).get(self.filters.sort, "In the list's order")


def read_queue(data: QueryDict) -> ScreeningQueue:
    """The queue that an address or a posted form describes; what is not understood is left at its default."""
    values = data.copy()
    show = values.pop("decision", [UNDECIDED])[-1]
    filters = read_filter(CandidateFilterForm(values), data.get("sort", ""))
    return ScreeningQueue(filters, show if show in dict(SHOW_CHOICES) else UNDECIDED)


__all__ = ["ALL", "SHOW_CHOICES", "Progress", "ScreeningQueue", "ordering", "read_queue"]
