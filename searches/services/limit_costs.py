"""What each limit of a plan costs in hits: PubMed is asked with all limits, and without each one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from litapp.core.plan import Filters, Preprints
from searches.forms import LANGUAGES as LANGUAGE_NAMES
from searches.services.hits import Number, pubmed_hits

YEARS, LANGUAGES, TYPES, PREPRINTS = "years", "languages", "types", "preprints"


@dataclass(frozen=True, slots=True)
class LimitCost:
    """One limit: its `name` in forms, in words, and PubMed's hits when it is lifted and the others stay."""

    name: str
    words: str
    lifted: Number
    cost: int | None


@dataclass(frozen=True, slots=True)
class LimitCosts:
    """Hits with all limits, and what each costs."""

    total: Number
    costs: tuple[LimitCost, ...]


def limits_of(filters: Filters) -> dict[str, tuple[str, Filters]]:
    """Each limit that is set: its words, and the filters without it."""
    found: dict[str, tuple[str, Filters]] = {}
    if filters.year_from is not None or filters.year_to is not None:
        span = f"{filters.year_from or 'any year'} to {filters.year_to or 'today'}"
        found[YEARS] = (f"Years {span}", replace(filters, year_from=None, year_to=None))
    if filters.languages:
        names = ", ".join(LANGUAGE_NAMES.get(code, code) for code in filters.languages)
        found[LANGUAGES] = (f"Only in {names}", replace(filters, languages=()))
    if filters.publication_types:
        types = ", ".join(filters.publication_types)
        found[TYPES] = (f"Only {types}", replace(filters, publication_types=()))
    if filters.preprints is not Preprints.INCLUDED:
        found[PREPRINTS] = (f"Preprints {filters.preprints.value}", replace(filters, preprints=Preprints.INCLUDED))
    return found


def limit_costs(*, query: str, filters: Filters, user_id: int | None = None) -> LimitCosts:
    """Count the query with all limits and without each. Network: one question for each limit and one more."""
    [total] = pubmed_hits([query], filters=filters, user_id=user_id)
    costs = []
    for name, (words, lifted) in limits_of(filters).items():
        [number] = pubmed_hits([query], filters=lifted, user_id=user_id)
        cost = None if number.total is None or total.total is None else max(0, number.total - total.total)
        costs.append(LimitCost(name, words, number, cost))
    return LimitCosts(total, tuple(costs))
