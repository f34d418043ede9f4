"""A query without one of its blocks, or with a broader one: for a search that finds nothing, or too much.

A block is one of the parts that must all be met (`words.query_blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from litapp.core.querylang.ast import And, Field, Node, Not, Or, Term
from litapp.core.querylang.printer import print_pubmed
from litapp.core.querylang.words import query_blocks


@dataclass(frozen=True, slots=True)
class BlockVariants:
    """One block, `number` from 1, as PubMed queries.

    `alone`; the whole query `without` it ("" = nothing would be left); the whole query with a `broader` form of it
    ("" = there is none).
    """

    number: int
    alone: str
    without: str
    broader: str


def block_variants(tree: Node) -> tuple[BlockVariants, ...]:
    """The variants for every block, in order. A query of one block has no `without`."""
    found = []
    for number, block in enumerate(query_blocks(tree)):
        left = _changed(tree, number, lambda _: None)
        wider = _changed(tree, number, _broader)
        found.append(
            BlockVariants(
                number=number + 1,
                alone=print_pubmed(block),
                without="" if left is None else print_pubmed(left),
                broader="" if wider is None or wider == tree else print_pubmed(wider),
            )
        )
    return tuple(found)


def _changed(tree: Node, number: int, change: Callable[[Node], Node | None]) -> Node | None:
    """The tree with block `number` (from 0) changed, or taken out where `change` gives None; None = nothing is left."""
    return _walked(tree, number, change, count())


def _walked(node: Node, number: int, change: Callable[[Node], Node | None], places: Iterator[int]) -> Node | None:
    if isinstance(node, Not):
        keep = _walked(node.keep, number, change, places)
        return None if keep is None else Not(keep, node.drop)
    if isinstance(node, And):
        children = [_walked(child, number, change, places) for child in node.children]
        kept = tuple(child for child in children if child is not None)
        return And(kept) if len(kept) > 1 else (kept[0] if kept else None)
    return change(node) if next(places) == number else node


def _broader(node: Node) -> Node:
    """Titles become titles and abstracts, major topics any heading, and headings take in the narrower ones."""
    if isinstance(node, Or):
        children = tuple(dict.fromkeys(_broader(child) for child in node.children))
        return Or(children) if len(children) > 1 else children[0]
    if isinstance(node, And):
        return And(tuple(_broader(child) for child in node.children))
    if isinstance(node, Term):
        wider = {Field.TITLE: Field.TITLE_ABSTRACT, Field.MESH_MAJOR: Field.MESH}.get(node.field, node.field)
        return replace(node, field=wider, explode=True)
    return node
