"""The block grid of a query: its blocks and terms, where each term came from, and what each was counted to have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litapp.core.querylang.draft import Origin
from litapp.core.querylang.editing import grid_of
from searches.models_plans import PartCount

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
