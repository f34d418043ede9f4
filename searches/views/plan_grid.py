"""The block grid of a query: its blocks and terms, where each term came from, and what each was counted to have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litapp.core.plan import PlanQuery
from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of
from litapp.core.querylang.scope_guard import MOST_TO_SCREEN, ScopeAdvice
from searches.models import PlanCount, SearchPlanVersion
from searches.models_plans import PartCount
from searches.services.part_counts import advice_of, newest_counts, parts_of, whole
from searches.services.term_origins import origins_of

MOST_TERMS = 200
"""Terms of a query up to which the grid is shown; longer strategies are edited as text."""


@dataclass(frozen=True, slots=True)
class TermShown:
    """A term of a block: its number in it, its text, its origin, and its newest count (None = not counted)."""

    number: int
    text: str
    origin: str
    count: PartCount | None = None


@dataclass(frozen=True, slots=True)
class BlockShown:
    """A block with its terms."""

    number: int
    label: str
    text: str
    terms: tuple[TermShown, ...]
    count: PartCount | None = None


def blocks_shown(
    text: str, origins: Mapping[str, str], counts: Mapping[str, PartCount] | None = None
) -> tuple[BlockShown, ...]:
    """The grid of a query; () where it has too many terms, or cannot be read. `counts`: part's text -> newest count."""
    counted = counts or {}
    blocks = grid_of(text)
    if sum(len(block.terms) for block in blocks) > MOST_TERMS:
        return ()
    return tuple(
        BlockShown(
            block.number,
            block.label,
            block.text,
            tuple(
                TermShown(number, term, origins.get(term, Origin.PERSON.value), counted.get(term))
                for number, term in enumerate(block.terms, start=1)
            ),
            counted.get(block.text),
        )
        for block in blocks
    )


@dataclass(frozen=True, slots=True)
class GridShown:
    """The grid of one query: its blocks, its count as a whole, the parts without a number, and what to ask about it.

    `many` = more records than can be screened are known of, but not yet from which block they come.
    """

    place: int
    blocks: tuple[BlockShown, ...]
    total: PartCount | None
    missing: int
    advice: ScopeAdvice | None
    many: int | None = None


def grids_of(version: SearchPlanVersion, counted: Sequence[PlanCount]) -> list[GridShown]:
    """The grid of each query of a version. `counted` are the plan's counts, of which PubMed's shows a broad topic."""
    origins = origins_of(version.plan_id)
    queries = version.plan_content.queries
    parts = [parts_of(query.boolean) if query.boolean.strip() else () for query in queries]
    counts = newest_counts(version.plan_id, [part for some in parts for part in some])
    return [
        _grid(place, query, some, origins, counts, counted)
        for place, (query, some) in enumerate(zip(queries, parts, strict=True))
    ]


def _grid(
    place: int,
    query: PlanQuery,
    parts: Sequence[str],
    origins: Mapping[str, str],
    counts: dict[str, PartCount],
    counted: Sequence[PlanCount],
) -> GridShown:
    advice = advice_of(query.boolean, counts)
    at_pubmed = [row.total for row in counted if (row.source, row.query_index) == ("pubmed", place)]
    many = next((total for total in at_pubmed if total is not None and total > MOST_TO_SCREEN), None)
    missing = sum(part not in counts or counts[part].total is None for part in parts)
    return GridShown(
        place,
        blocks_shown(query.boolean, origins, counts),
        counts.get(whole(query.boolean)),
        missing,
        advice,
        many if advice is None else None,
    )
