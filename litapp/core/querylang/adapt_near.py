"""What a nearness of two parts becomes in another database: in one field at a time, in order if it has one."""

from __future__ import annotations

from litapp.core.querylang.adapted import Adapted
from litapp.core.querylang.ast import And, Field, Near, Node, Or, Proximity, Term
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.dialects.scope import Scope, common_scope, scope_of
from litapp.core.querylang.translation import Meaning

_MOST_PAIRS = 64
"""Pairs that a nearness of two groups may become in PubMed before it is written as AND."""


def adapt_near(left: Adapted, right: Adapted, near: Near, target: Dialect) -> Adapted:
    """The nearness of two parts that are adapted already."""
    assert left.node is not None
    assert right.node is not None
    apart = "The words may stand anywhere, not near each other."
    if target is Dialect.PUBMED:
        pairs = _pairs(left.node, right.node, near)
        if pairs is None:
            return Adapted(And((left.node, right.node), near.span), Meaning.WIDER, apart)
        return Adapted(pairs, Meaning.WIDER, "In any order.") if near.ordered else Adapted(pairs)
    ordered = near.ordered
    meaning, why = Meaning.EXACT, ""
    if ordered and (target is Dialect.WEB_OF_SCIENCE or (target in OVID and near.distance)):
        ordered, meaning, why = False, Meaning.WIDER, "In any order."
    fields = _field_rows(left.node, right.node)
    if fields is None:
        return Adapted(And((left.node, right.node), near.span), Meaning.WIDER, apart)
    nodes: list[Node] = [Near(a, b, near.distance, ordered, near.span) for a, b in fields]
    return Adapted(nodes[0] if len(nodes) == 1 else Or(tuple(nodes), near.span), meaning, why)


def _field_rows(left: Node, right: Node) -> list[tuple[Node, Node]] | None:
    """Both sides field by field, so that each nearness is within one field; None if their fields differ."""
    if common_scope(left) is not None and common_scope(left) == common_scope(right):
        return [(left, right)]
    rows_left, rows_right = _by_field(left), _by_field(right)
    if rows_left is None or rows_right is None or list(rows_left) != list(rows_right):
        return None
    return [(rows_left[key], rows_right[key]) for key in rows_left]


def _by_field(node: Node) -> dict[Scope, Node] | None:
    """A side of a nearness as one tree for each field it is looked for in; None if it cannot be parted."""
    if isinstance(node, Term):
        return {scope_of(node): node}
    if not isinstance(node, Or):
        scope = common_scope(node)
        return {scope: node} if scope is not None else None
    rows: dict[Scope, list[Node]] = {}
    for child in node.children:
        inner = _by_field(child)
        if inner is None:
            return None
        for scope, part in inner.items():
            rows.setdefault(scope, []).append(part)
    return {scope: parts[0] if len(parts) == 1 else Or(tuple(parts)) for scope, parts in rows.items()}


def _pairs(left: Node, right: Node, near: Near) -> Node | None:
    """PubMed's nearness of two groups: each word of one with each of the other; None if it cannot be said."""
    sides: list[tuple[Term, ...]] = []
    for side in (left, right):
        terms = side.children if isinstance(side, Or) else (side,)
        if not all(isinstance(t, Term) and t.field in (Field.TITLE, Field.TITLE_ABSTRACT) for t in terms):
            return None
        sides.append(tuple(t for t in terms if isinstance(t, Term)))
    terms_here = [*sides[0], *sides[1]]
    if any(t.truncated or " " in t.text for t in terms_here) or len({t.field for t in terms_here}) > 1:
        return None
    if len(sides[0]) * len(sides[1]) > _MOST_PAIRS:
        return None
    nodes = tuple(
        Proximity(f"{a.text} {b.text}", a.field, near.distance, near.span) for a in sides[0] for b in sides[1]
    )
    return nodes[0] if len(nodes) == 1 else Or(nodes, near.span)
