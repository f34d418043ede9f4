"""Puts a published filter into a PubMed query, finds the filters that a query holds, and takes one out again."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.filters.filter import Purpose, SearchFilter
from litapp.core.querylang import And, Node, Not, Or, QuerySyntaxError, parse, print_pubmed
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.editing import closed, with_part
from litapp.core.querylang.normal import same_meaning


def with_filter(text: str, search_filter: SearchFilter) -> str:
    """`text` AND the filter; a filter for papers on animals only is taken away by NOT.

    Raises WrongDatabase for a filter of another database, QuerySyntaxError where the query cannot be read, ValueError
    for an empty query or one that has the filter already.
    """
    tree = search_filter.tree(Dialect.PUBMED)
    if not text.strip():
        raise ValueError("Write the query first; a filter alone finds everything of its kind.")
    if any(found.key == search_filter.key for found in filters_in(text, (search_filter,))):
        raise ValueError(f"The query has the filter “{search_filter.name}” already.")
    part = print_pubmed(tree)
    if search_filter.purpose is Purpose.ANIMALS_ONLY:
        return f"{closed(text.strip())} NOT ({part})"
    return with_part(text.strip(), f"({part})" if isinstance(tree, And | Or | Not) else part)


def filters_in(text: str, library: tuple[SearchFilter, ...]) -> tuple[SearchFilter, ...]:
    """Those of the library's PubMed filters that the query holds whole, and not as a part of another one; () where it
    cannot be read."""
    try:
        tree = parse(text)
    except QuerySyntaxError:
        return ()
    mine = [found for found in library if found.dialect is Dialect.PUBMED]
    places = [(found, node.span) for found in mine if (node := _place(tree, found)) is not None]
    return tuple(
        found
        for found, (start, end) in places
        if not any(a <= start and end <= b and (a, b) != (start, end) for _, (a, b) in places)
    )


def without_filter(text: str, search_filter: SearchFilter) -> str:
    """The query without the filter. Raises QuerySyntaxError; ValueError where the query does not have it."""
    tree = parse(text)
    node = _place(tree, search_filter)
    if node is None:
        raise ValueError(f"The query does not have the filter “{search_filter.name}”.")
    end = text.rstrip()
    part = text[node.span.start : node.span.end]
    operator = "NOT" if search_filter.purpose is Purpose.ANIMALS_ONLY else "AND"
    for tail in (f" {operator} {part}", f" {operator} ({part})"):
        if end.endswith(tail) and same_meaning(parse(end[: -len(tail)]), _left(tree, node)):
            return end[: -len(tail)]
    return print_pubmed(_left(tree, node))


def filter_library(
    library: Iterable[SearchFilter],
) -> list[tuple[str, list[SearchFilter], list[SearchFilter]]]:
    """The filters by purpose: (purpose, PubMed's, those of other databases)."""
    found: dict[str, tuple[list[SearchFilter], list[SearchFilter]]] = {}
    for one in library:
        mine, others = found.setdefault(one.purpose.value, ([], []))
        (mine if one.dialect is Dialect.PUBMED else others).append(one)
    return [(name, mine, others) for name, (mine, others) in found.items()]


def _place(tree: Node, search_filter: SearchFilter) -> Node | None:
    """The part of the query that is the filter: of its topmost ANDs, or behind a NOT; None if there is none."""
    wanted = search_filter.tree(Dialect.PUBMED)
    excluded = search_filter.purpose is Purpose.ANIMALS_ONLY
    waiting = [(tree, False)]
    while waiting:
        node, behind_not = waiting.pop(0)
        if node is not tree and behind_not is excluded and same_meaning(node, wanted):
            return node
        if isinstance(node, And) and not behind_not:
            waiting.extend((child, False) for child in node.children)
        elif isinstance(node, Not) and not behind_not:
            waiting.extend([(node.keep, False), (node.drop, True)])
    return None


def _left(node: Node, target: Node) -> Node:
    """The tree without the target, which stands in an AND or behind a NOT."""
    if isinstance(node, Not):
        if node.drop is target:
            return node.keep
        return Not(_left(node.keep, target), node.drop, node.span)
    if isinstance(node, And):
        kept = tuple(_left(child, target) for child in node.children if child is not target)
        return kept[0] if len(kept) == 1 else And(kept, node.span)
    return node
