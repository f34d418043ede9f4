"""Puts a term or a filter into a PubMed query as a person typed it: what stands there keeps its form and its place."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.querylang.ast import And, Field, Node, Not, Or, Term, leaves
from litapp.core.querylang.parser import parse
from litapp.core.querylang.printer import print_leaf
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
    return f"{_closed(text.rstrip(), behind=False)} AND {_closed(part, behind=True)}"


def without_part(text: str, part: str) -> str | None:
    """`text` without the ` AND part` that `with_part` put at its end; None where it does not stand there."""
    for closed in (_closed(part, behind=True), f"({part})"):
        end = f" AND {closed}"
        if text.rstrip().endswith(end):
            return text.rstrip()[: -len(end)]
    return None


def _closed(text: str, *, behind: bool) -> str:
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
