"""Tells when a topic is too broad to screen, and which block to narrow and how. It asks; it never refuses or cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_TO_SCREEN = 5_000
"""Hits above which one team hardly screens them all; a setting of the person who asks."""
BROAD_BLOCK = 500_000
"""Hits of a block that hardly narrows anything."""


@dataclass(frozen=True, slots=True)
class BlockHits:
    """A block and its hits. `without` = hits of the whole search when this block is left out (None = not counted)."""

    label: str
    hits: int
    without: int | None = None


@dataclass(frozen=True, slots=True)
class ScopeAdvice:
    """What to ask. `block` is the one to narrow ("" = add a block); `question` and `ways` are sentences."""

    block: str
    question: str
    ways: tuple[str, ...]


def scope_advice(blocks: Sequence[BlockHits], total: int, *, most: int = MOST_TO_SCREEN) -> ScopeAdvice | None:
    """Advice for a search with `total` hits, or None if it can be screened. Changes nothing."""
    if total <= most:
        return None
    found = f"This search finds {total:,} papers, more than {most:,}."
    if len(blocks) < 2:
        name = blocks[0].label if blocks else "The topic"
        return ScopeAdvice(
            "",
            f"{found} “{name}” is its only block. Which patients, intervention or outcome do you mean?",
            (
                "Add a block for the intervention, test or exposure.",
                "Add a block for the patients or the setting.",
                "Add a filter for the kind of study.",
            ),
        )
    weakest = max(blocks, key=lambda block: _let_through(block, total))
    ways = [f"Use a narrower heading in “{weakest.label}”.", f"Look for the words of “{weakest.label}” in titles only."]
    if weakest.hits >= BROAD_BLOCK:
        ways.append(f"“{weakest.label}” alone finds {weakest.hits:,} papers: replace its widest term.")
    ways.append("Add a filter for the kind of study.")
    return ScopeAdvice(weakest.label, f"{found} Can “{weakest.label}” be asked more closely?", tuple(ways))


def _let_through(block: BlockHits, total: int) -> tuple[float, int]:
    """How little a block takes away: the share of papers it lets through, then its size."""
    return (total / block.without if block.without else 0.0, block.hits)
