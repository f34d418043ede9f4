"""Where words are looked for: sets of fields, put into nodes and taken out of them.

PubMed's [tiab] looks in title, abstract and author keywords (NLM, search field tags); it is the same as the three
fields together and is always written as TITLE_ABSTRACT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from litapp.core.querylang.ast import And, Field, LineReference, Near, Node, Not, Or, Proximity, Range, Term

_ORDER = {field: position for position, field in enumerate(Field)}
TIAB = frozenset({Field.TITLE, Field.ABSTRACT, Field.OTHER_TERM})
"""What [tiab] means."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The fields in which words are looked for; `tag` = the database's code of a field that only it has."""

    fields: frozenset[Field]
    tag: str = ""
    explode: bool = True


UNTAGGED = Scope(frozenset({Field.UNTAGGED}))


def scope_of_fields(*fields: Field, tag: str = "", explode: bool = True) -> Scope:
    """A scope of these fields, TITLE_ABSTRACT taken apart."""
    return Scope(_apart(fields), tag, explode)


def _apart(fields: Iterable[Field]) -> frozenset[Field]:
    found = set(fields)
    if Field.TITLE_ABSTRACT in found:
        found = (found - {Field.TITLE_ABSTRACT}) | TIAB
    return frozenset(found)


def scope_of(term: Term) -> Scope:
    """The scope of a term."""
    return Scope(_apart((term.field, *term.also)), term.tag)


def placed(term: Term, scope: Scope) -> Term:
    """`term` in the fields of `scope`."""
    found = set(scope.fields)
    if found >= TIAB:
        found = (found - TIAB) | {Field.TITLE_ABSTRACT}
    first, *rest = sorted(found, key=_ORDER.__getitem__)
    explode = term.explode and scope.explode
    return replace(term, field=first, also=tuple(rest), tag=scope.tag or term.tag, explode=explode)


def put_into(node: Node, scope: Scope, finish: Callable[[Term], Node] = lambda term: term) -> Node:
    """Give `scope` to every term of `node` that has no field of its own, as a group's field does."""
    if isinstance(node, Term):
        return finish(placed(node, scope)) if node.field is Field.UNTAGGED else node
    if isinstance(node, And | Or):
        return replace(node, children=tuple(put_into(child, scope, finish) for child in node.children))
    if isinstance(node, Not):
        return replace(node, keep=put_into(node.keep, scope, finish), drop=put_into(node.drop, scope, finish))
    if isinstance(node, Near):
        return replace(node, left=put_into(node.left, scope, finish), right=put_into(node.right, scope, finish))
    return node


def common_scope(node: Node) -> Scope | None:
    """The scope that all terms of `node` share; None if they differ or there is something other than terms."""
    if isinstance(node, Term):
        return scope_of(node)
    if isinstance(node, Proximity | Range | LineReference):
        return None
    children = node.children if isinstance(node, And | Or) else _pair(node)
    first = common_scope(children[0])
    if first is None or any(common_scope(child) != first for child in children[1:]):
        return None
    return first


def _pair(node: Not | Near) -> tuple[Node, Node]:
    return (node.keep, node.drop) if isinstance(node, Not) else (node.left, node.right)


def without_scope(node: Node) -> Node:
    """`node` with its terms untagged."""
    return with_scope(node, UNTAGGED)


def with_scope(node: Node, scope: Scope) -> Node:
    """`node` with every term in the fields of `scope`, whatever they had."""
    if isinstance(node, Term):
        return placed(replace(node, tag=""), scope)
    if isinstance(node, And | Or):
        return replace(node, children=tuple(with_scope(child, scope) for child in node.children))
    if isinstance(node, Not):
        return replace(node, keep=with_scope(node.keep, scope), drop=with_scope(node.drop, scope))
    if isinstance(node, Near):
        return replace(node, left=with_scope(node.left, scope), right=with_scope(node.right, scope))
    return node
