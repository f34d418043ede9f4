"""Puts a term or a filter into a PubMed query as a person typed it: what stands there keeps its form and its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from litapp.core.querylang.ast import And, Field, Node, Not, Or, Term, leaves
from litapp.core.querylang.normal import same_meaning
from litapp.core.querylang.parser import parse
from litapp.core.querylang.printer import print_leaf, print_pubmed
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.words import query_blocks

LONGEST_LABEL = 40


def block_label(block: Node) -> str:
    """A short name of a block: its first words, and how many more terms it has."""
    found = list(leaves(block))
    first = found[0]
    name = first.heading if isinstance(first, Term) else print_leaf(first)
    short = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
    return f"{short} and {len(found) - 1} more" if len(found) > 1 else short


def block_labels(text: str) -> tuple[str, ...]:
    """The names of the blocks of a query, in order; () for an empty query or one that cannot be read."""
    try:
        return tuple(block_label(block) for block in query_blocks(parse(text)))
    except QuerySyntaxError:
        return ()


def with_heading(text: str, heading: str, block: int = 0, *, explode: bool = True) -> str:
    """`text` with a MeSH heading: in block number `block` (from 1) by OR, or (0) as a block of its own by AND.

    Raises QuerySyntaxError where the query cannot be read, ValueError for a block that it does not have.
    """
    return with_term(text, print_leaf(Term(heading, Field.MESH, phrase=True, explode=explode)), block)


def with_term(text: str, term: str, block: int = 0) -> str:
    """`text` with a term as it is written in PubMed; see `with_heading`."""
    if not text.strip():
        return term
    if block == 0:
        return with_part(text, term)
    blocks = query_blocks(parse(text))
    if not 1 <= block <= len(blocks):
        raise ValueError(f"The query has no block {block}.")
    node = blocks[block - 1]
    start, end = node.span
    inside = text[start:end]
    if inside.startswith("(") and inside.endswith(")"):
        joined = f"{inside[:-1].rstrip()} OR {term})"
    else:
        joined = f"({inside} OR {term})"
    return text[:start] + joined + text[end:]


def with_part(text: str, part: str) -> str:
    """`text` AND `part`, each in parentheses where it needs them. Raises QuerySyntaxError."""
    if not text.strip():
        return part
    return f"{closed(text.rstrip(), behind=False)} AND {closed(part)}"


def without_part(text: str, part: str) -> str | None:
    """`text` without the ` AND part` that `with_part` put at its end; None where it does not stand there."""
    for tail in (closed(part), f"({part})"):
        end = f" AND {tail}"
        if text.rstrip().endswith(end):
            return text.rstrip()[: -len(end)]
    return None


def closed(text: str, *, behind: bool = True) -> str:
    """In parentheses unless it is one leaf, stands in parentheses already, or (in front) is joined by AND alone."""
    tree = parse(text)
    if not isinstance(tree, And | Or | Not):
        return text
    if isinstance(tree, And) and not behind and _plain_and(text):
        return text
    return text if tree.span == (0, len(text)) and _whole(text) else f"({text})"


def _plain_and(text: str) -> bool:
    """True when adding ` AND x` behind the text joins the same topmost AND."""
    before, after = parse(text), parse(f"{text} AND x[ti]")
    return isinstance(before, And) and isinstance(after, And) and after.children[:-1] == before.children


def _whole(text: str) -> bool:
    """True when the first parenthesis is closed by the last character."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(text) - 1 and sign == ")"
    return False


def either(texts: Iterable[str]) -> str:
    """The texts joined by OR in parentheses; one alone as it is."""
    parts = list(texts)
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


@dataclass(frozen=True, slots=True)
class GridBlock:
    """A block of a query: its name, its text, and the parts joined by OR in it, each as PubMed's syntax has it."""

    number: int
    label: str
    text: str
    terms: tuple[str, ...]


def grid_of(text: str) -> tuple[GridBlock, ...]:
    """The blocks of a query with their terms; () for an empty query or one that cannot be read."""
    try:
        blocks = query_blocks(parse(text))
    except QuerySyntaxError:
        return ()
    return tuple(
        GridBlock(number, block_label(block), print_pubmed(block), tuple(print_pubmed(term) for term in _terms(block)))
        for number, block in enumerate(blocks, start=1)
    )


def without(text: str, block: int, term: int | None = None) -> str:
    """`text` without block number `block`, or without term number `term` of it (both from 1); "" when nothing is left.

    Raises QuerySyntaxError, or ValueError for a block or term that the query does not have.
    """
    tree = parse(text)
    blocks = query_blocks(tree)
    if not 1 <= block <= len(blocks):
        raise ValueError(f"The query has no block {block}.")
    target = blocks[block - 1]
    if term is not None:
        terms = _terms(target)
        if not 1 <= term <= len(terms):
            raise ValueError(f"Block {block} has no term {term}.")
        if len(terms) > 1:
            target = terms[term - 1]
    left = _left(tree, target)
    if left is None:
        return ""
    cut = _cut(text, tree, target)
    try:
        if cut is not None and same_meaning(parse(cut), left):
            return cut
    except QuerySyntaxError:
        pass
    return print_pubmed(left)


def _terms(block: Node) -> tuple[Node, ...]:
    return block.children if isinstance(block, Or) else (block,)


def _left(node: Node, target: Node) -> Node | None:
    """The tree without `target` (by place)."""
    if node is target:
        return None
    if isinstance(node, Not):
        keep = _left(node.keep, target)
        return None if keep is None else replace(node, keep=keep)
    if isinstance(node, And | Or):
        kept = tuple(part for child in node.children if (part := _left(child, target)) is not None)
        return replace(node, children=kept) if len(kept) > 1 else (kept[0] if kept else None)
    return node


def _cut(text: str, node: Node, target: Node) -> str | None:
    """The text without the target and the operator at its side; None where it is no part of an AND or OR."""
    if isinstance(node, Not):
        return _cut(text, node.keep, target)
    if not isinstance(node, And | Or):
        return None
    for place, child in enumerate(node.children):
        if child is target:
            if place:
                return text[: node.children[place - 1].span.end] + text[child.span.end :]
            return text[: child.span.start] + text[node.children[1].span.start :]
        found = _cut(text, child, target)
        if found is not None:
            return found
    return None
