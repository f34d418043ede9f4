"""Asks PubMed for the hits of single queries, beside those of a whole plan: before and after a change, term by term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litapp.core.plan import Filters, PlanQuery, SearchPlan
from searches.services.counts import count_lines


@dataclass(frozen=True, slots=True)
class Number:
    """What a source counted. `total` None = it could not be asked (`error`), never 0. `answer_id` = archived answer."""

    total: int | None
    error: str = ""
    answer_id: int | None = None


def pubmed_hits(texts: Sequence[str], *, filters: Filters | None = None, user_id: int | None = None) -> list[Number]:
    """PubMed's hits of each query, in order. Network: not within a transaction."""
    plan = SearchPlan("", ("pubmed",), tuple(PlanQuery(boolean=text) for text in texts), filters=filters or Filters())
    counted = {item.line.index: item for item in count_lines(plan, user_id=user_id)}
    numbers = []
    for index in range(len(texts)):
        item = counted.get(index)
        if item is None:
            numbers.append(Number(None, "There is nothing to search for."))
        else:
            numbers.append(Number(item.result.total if item.result else None, item.error, item.answer_id))
    return numbers
