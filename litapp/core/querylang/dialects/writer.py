"""Writes a tree in any dialect but PubMed's, with explicit parentheses around every group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from litapp.core.querylang.ast import (
    HEADING_FIELDS,
    And,
    Field,
    LineReference,
    Near,
    Node,
    Not,
    Or,
    Proximity,
    Range,
    Term,
)
from litapp.core.querylang.dialects.scope import Scope, common_scope, without_scope

UPPER: Mapping[str, str] = MappingProxyType({"AND": "AND", "OR": "OR", "NOT": "NOT"})
LOWER: Mapping[str, str] = MappingProxyType({"AND": "and", "OR": "or", "NOT": "not"})


@dataclass(frozen=True, slots=True)
class Style:
    """How a dialect is written.

    `term` writes a whole term that cannot stand in a group with one field (headings, types, limits) or None;
    `words` its words alone; `scoped` puts fields around words or a group in parentheses; `near` is the operator;
    `interval` a range; `reference` a line's number.
    """

    term: Callable[[Term], str | None]
    words: Callable[[Term], str]
    scoped: Callable[[str, Scope], str]
    near: Callable[[int, bool], str]
    interval: Callable[[Range], str]
    reference: Callable[[int], str]
    operators: Mapping[str, str] = field(default_factory=lambda: UPPER)


_NOT_GROUPED = HEADING_FIELDS | {Field.FILTER, Field.SUBSET, Field.SUBHEADING, Field.UNTAGGED, Field.OTHER}


def write(tree: Node, style: Style) -> str:
    """The tree in the dialect. Raises ValueError for what it cannot say (`translating` takes that out first)."""
    return _written(tree, style, outermost=True)


def _written(node: Node, style: Style, *, outermost: bool = False) -> str:
    if isinstance(node, LineReference):
        return style.reference(node.number)
    if isinstance(node, Range):
        return style.interval(node)
    if isinstance(node, Proximity):
        raise ValueError("A PubMed proximity has to be made a Near before it is written in another dialect.")
    if isinstance(node, Term):
        whole = style.term(node)
        return whole if whole is not None else _scoped_term(node, style)
    scope = common_scope(node)
    if scope is not None and not scope.fields & _NOT_GROUPED:
        return style.scoped(f"({_inside(without_scope(node), style)})", scope)
    text = _joined(node, style)
    return text if outermost else f"({text})"


def _inside(node: Node, style: Style) -> str:
    return _joined(node, style) if isinstance(node, And | Or | Not | Near) else _written(node, style)


def _scoped_term(term: Term, style: Style) -> str:
    words = style.words(term)
    scope = common_scope(term)
    if scope is None or term.field is Field.UNTAGGED:
        return words
    text = f"({words})" if not term.phrase and " " in term.text else words
    return style.scoped(text, scope)


def _joined(node: And | Or | Not | Near, style: Style) -> str:
    if isinstance(node, Near):
        operator = style.near(node.distance, node.ordered)
        return f"{_written(node.left, style)} {operator} {_written(node.right, style)}"
    if isinstance(node, Not):
        return f"{_written(node.keep, style)} {style.operators['NOT']} {_written(node.drop, style)}"
    operator = style.operators["AND" if isinstance(node, And) else "OR"]
    return f" {operator} ".join(_written(child, style) for child in node.children)
