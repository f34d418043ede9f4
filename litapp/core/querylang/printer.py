"""Prints a query tree in PubMed's syntax, with explicit parentheses around every group.

Reading the text back gives an equal tree; what is printed means the same in databases that rank AND above OR.
"""

from __future__ import annotations

from litapp.core.querylang.ast import And, Field, Leaf, LineReference, Near, Node, Not, Proximity, Range, Term
from litapp.core.querylang.fields import SHORT_TAGS


def print_pubmed(tree: Node) -> str:
    """The tree as a PubMed query with short field tags and straight quotes.

    Raises ValueError for a Near: PubMed's nearness is a Proximity.
    """
    return _printed(tree, outermost=True)


def print_leaf(leaf: Leaf) -> str:
    """One word, phrase, range or proximity in PubMed's syntax."""
    tag = SHORT_TAGS.get(leaf.field, "")
    if isinstance(leaf, Range):
        return f"{leaf.low}:{leaf.high}[{tag}]"
    if isinstance(leaf, Proximity):
        return f'"{leaf.text}"[{tag}:~{leaf.distance}]'
    text = f'"{leaf.text}"' if leaf.phrase else leaf.text
    if leaf.field is Field.UNKNOWN:
        return f"{text}[{leaf.tag}]"
    suffix = "" if leaf.explode else ":noexp"
    return f"{text}[{tag}{suffix}]" if tag else text


def _printed(node: Node, outermost: bool = False) -> str:
    if isinstance(node, Term | Proximity | Range):
        return print_leaf(node)
    if isinstance(node, LineReference):
        return f"#{node.number}"
    if isinstance(node, Near):
        raise ValueError("PubMed cannot say nearness of groups; make it a Proximity first.")
    if isinstance(node, Not):
        text = f"{_printed(node.keep)} NOT {_printed(node.drop)}"
    else:
        operator = " AND " if isinstance(node, And) else " OR "
        text = operator.join(_printed(child) for child in node.children)
    return text if outermost else f"({text})"
