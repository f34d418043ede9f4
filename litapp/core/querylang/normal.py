"""When two trees ask the same: a normal form, and the outline of the operators alone.

`a.ti,ab.` is `a.ti. or a.ab.`; an OR inside an OR is one OR; the order of an OR's or an AND's parts and quotes around
a single word change nothing. No other rule is used: what is equal in normal form finds the same records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from litapp.core.querylang.ast import (
    HEADING_FIELDS,
    NOWHERE,
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
from litapp.core.querylang.dialects.scope import UNTAGGED, Scope, common_scope, scope_of, with_scope


def normal_form(node: Node) -> Node:
    """The tree with equal AND and OR joined, and OR's children that differ in their fields alone made one."""
    if isinstance(node, Term):
        return _plain_term(node)
    if isinstance(node, Proximity | Range | LineReference):
        return node
    if isinstance(node, Not):
        return Not(normal_form(node.keep), normal_form(node.drop))
    if isinstance(node, Near):
        return Near(normal_form(node.left), normal_form(node.right), node.distance, node.ordered)
    kind = type(node)
    children: list[Node] = []
    for child in map(normal_form, node.children):
        children.extend(child.children if isinstance(child, And | Or) and type(child) is kind else (child,))
    if kind is Or:
        children = _merged(children)
    return children[0] if len(children) == 1 else kind(tuple(sorted(children, key=repr)))


def grouped(node: Node) -> Node:
    """The tree with an OR's terms put together by field: `TI=(a OR b) OR AB=(a OR b)` in place of four terms.

    For databases in which a term is looked for in one field at a time. Equal to `node` in normal form.
    """
    if isinstance(node, Term | Proximity | Range | LineReference):
        return node
    if isinstance(node, Not):
        return Not(grouped(node.keep), grouped(node.drop), node.span)
    if isinstance(node, Near):
        return node
    if isinstance(node, And):
        return And(tuple(grouped(child) for child in node.children), node.span)
    columns: dict[Scope, list[Node]] = {}
    others: list[Node] = []
    for child in _flat(node):
        scope = scope_of(child) if isinstance(child, Term) else None
        if scope is None or scope.tag or scope.fields <= _NOT_IN_GROUPS:
            others.append(grouped(child))
        else:
            columns.setdefault(scope, []).append(child)
    parts = [*others, *(terms[0] if len(terms) == 1 else Or(tuple(terms)) for terms in columns.values())]
    return parts[0] if len(parts) == 1 else Or(tuple(parts), node.span)


_NOT_IN_GROUPS = HEADING_FIELDS | {Field.UNTAGGED, Field.FILTER, Field.SUBSET, Field.SUBHEADING}


def _flat(node: Or) -> Iterable[Node]:
    for child in node.children:
        if isinstance(child, Or):
            yield from _flat(child)
        else:
            yield child


def _plain_term(term: Term) -> Term:
    phrase = term.phrase and (" " in term.text or term.field is Field.UNTAGGED)
    return replace(term, phrase=phrase, span=NOWHERE)


def _merged(children: Iterable[Node]) -> list[Node]:
    """OR's children: those that are equal but for their fields become one that is looked for in all of them."""
    order: list[object] = []
    groups: dict[object, tuple[Node, Scope]] = {}
    for child in children:
        scope = common_scope(child)
        if scope is None or scope.tag or scope.fields == UNTAGGED.fields:
            order.append(child)
            continue
        key = (with_scope(child, UNTAGGED),)
        if key in groups:
            first, so_far = groups[key]
            groups[key] = (first, Scope(so_far.fields | scope.fields))
        else:
            groups[key] = (child, scope)
            order.append(key)
    result: list[Node] = []
    for item in order:
        if isinstance(item, tuple):
            node, scope = groups[item]
            result.append(with_scope(node, scope) if common_scope(node) != scope else node)
        else:
            result.append(item)  # type: ignore[arg-type]
    return result


def same_meaning(left: Node, right: Node) -> bool:
    """True when both trees are equal in normal form."""
    return normal_form(left) == normal_form(right)
