"""Translation of a query tree into another source's syntax, with every change of meaning said.

A source gives a function that prints one leaf (or says that it cannot); the tree around it is printed here, always with
explicit parentheses. A leaf that cannot be said is left out, and what that does to the result is told: out of an AND
or a NOT it makes the search wider, out of an OR narrower. Behind a NOT it is the other way round: what is excluded more
widely leaves less.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.querylang.ast import (
    NOWHERE,
    And,
    Leaf,
    LineReference,
    Near,
    Node,
    Not,
    Or,
    Proximity,
    Range,
    Span,
    Term,
)
from litapp.core.querylang.printer import print_leaf


class Meaning(StrEnum):
    """How a translated part stands to the original. CHECK = a person must look at it."""

    EXACT = "exact"
    WIDER = "wider"
    NARROWER = "narrower"
    LOST = "lost"
    CHECK = "check by hand"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of meaning. `span` is the place in the original text; `why` a sentence for a clinician."""

    original: str
    meaning: Meaning
    why: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Said:
    """A leaf in the target's syntax. `text` "" = it cannot be said there. `why` is empty for EXACT only."""

    text: str
    meaning: Meaning = Meaning.EXACT
    why: str = ""


@dataclass(frozen=True, slots=True)
class Translation:
    """The query for the target and all changes, in reading order. `text` "" = nothing of it can be said there."""

    text: str
    changes: tuple[Change, ...]


def has_star_inside_a_word(leaf: Leaf) -> bool:
    """True for `wom*n`: sources that cut off endings do not all take a * in other places."""
    return isinstance(leaf, Term) and re.search(r"\*\S", leaf.text) is not None


LeafPrinter = Callable[[Leaf], Said]


@dataclass(frozen=True, slots=True)
class Operators:
    """How the target writes its operators."""

    conjunction: str = "AND"
    disjunction: str = "OR"
    exclusion: str = "NOT"


def translate(tree: Node, say: LeafPrinter, operators: Operators = Operators()) -> Translation:
    """Print `tree` for another source (the parser refuses trees that are nested too deeply to walk)."""
    changes: list[Change] = []
    text = _printed(tree, say, operators, changes, outermost=True)
    return Translation(text, tuple(sorted(changes, key=lambda change: change.span)))


_BEHIND_NOT = {Meaning.WIDER: Meaning.NARROWER, Meaning.NARROWER: Meaning.WIDER}


def _printed(
    node: Node,
    say: LeafPrinter,
    operators: Operators,
    changes: list[Change],
    *,
    outermost: bool = False,
    excluded: bool = False,
) -> str:
    """`excluded` = the node stands behind a NOT (and not behind two)."""
    if isinstance(node, Term | Proximity | Range):
        said = say(node)
        if said.meaning is not Meaning.EXACT:
            meaning = _BEHIND_NOT.get(said.meaning, said.meaning) if excluded else said.meaning
            changes.append(Change(print_leaf(node), meaning, said.why, node.span))
        return said.text
    if isinstance(node, Not):
        keep = _printed(node.keep, say, operators, changes, excluded=excluded)
        drop = _printed(node.drop, say, operators, changes, excluded=not excluded)
        if not keep:
            changes.append(Change("", Meaning.LOST, "Nothing is left to exclude from.", node.span))
            return ""
        if not drop:
            meaning = Meaning.NARROWER if excluded else Meaning.WIDER
            changes.append(Change("", meaning, "The exclusion cannot be said here and is left out.", node.span))
            return keep
        text = f"{keep} {operators.exclusion} {drop}"
        return text if outermost else f"({text})"
    if isinstance(node, LineReference):
        why = "This points to another line of a list, which is not part of this query."
        changes.append(Change(f"#{node.number}", Meaning.LOST, why, node.span))
        return ""
    if isinstance(node, Near):
        meaning = Meaning.NARROWER if excluded else Meaning.WIDER
        changes.append(Change("", meaning, "The words may stand anywhere, not near each other.", node.span))
        node = And((node.left, node.right), node.span)
    parts = [_printed(child, say, operators, changes, excluded=excluded) for child in node.children]
    kept = [part for part in parts if part]
    if len(kept) < len(parts) and kept:
        changes.append(_left_out(node, len(parts) - len(kept), excluded=excluded))
    if not kept:
        return ""
    if len(kept) == 1:
        return kept[0]
    operator = operators.conjunction if isinstance(node, And) else operators.disjunction
    text = f" {operator} ".join(kept)
    return text if outermost else f"({text})"


def _left_out(node: And | Or, number: int, *, excluded: bool) -> Change:
    parts = "One part" if number == 1 else f"{number} parts"
    name = "an AND" if isinstance(node, And) else "an OR"
    if isinstance(node, And) is not excluded:
        return Change("", Meaning.WIDER, f"{parts} of {name} cannot be said here: more is found.", node.span)
    return Change("", Meaning.NARROWER, f"{parts} of {name} cannot be said here: less is found.", node.span)
