"""The words and blocks of a query: what to highlight in a record and what a record's fit is measured by."""

from __future__ import annotations

import re

from litapp.core.querylang.ast import TEXT_FIELDS, And, Field, Node, Not, Proximity, Range, Term, leaves

WORD_FIELDS = TEXT_FIELDS | {
    Field.OTHER_TERM,
    Field.MESH,
    Field.MESH_MAJOR,
    Field.SUPPLEMENTARY_CONCEPT,
    Field.TRANSLITERATED_TITLE,
}
"""Fields whose terms are words of the subject; dates, types, names and identifiers are not."""

_ANY_LETTERS = r"\w*"


def query_blocks(tree: Node) -> tuple[Node, ...]:
    """The parts of the query that must all be met: the children of its topmost AND, without what NOT takes away.

    `(a OR b) AND c NOT d` has the blocks `(a OR b)` and `c`; a query without AND is one block.
    """
    while isinstance(tree, Not):
        tree = tree.keep
    if not isinstance(tree, And):
        return (tree,)
    blocks: list[Node] = []
    for child in tree.children:
        blocks.extend(query_blocks(child) if isinstance(child, And | Not) else (child,))
    return tuple(blocks)


def query_terms(tree: Node) -> tuple[Term, ...]:
    """The subject words of the query in order, each once, without those behind NOT.

    MeSH terms come without their subheading. A proximity gives one term per word. The field is kept, so that a caller
    can tell headings from words.
    """
    found: dict[tuple[str, Field], Term] = {}
    for leaf in leaves(tree, wanted_only=True):
        if isinstance(leaf, Range) or leaf.field not in WORD_FIELDS:
            continue
        if isinstance(leaf, Proximity):
            terms = [Term(word, leaf.field, span=leaf.span) for word in leaf.text.split()]
        elif leaf.qualifier:
            terms = [Term(leaf.heading, leaf.field, leaf.phrase, leaf.explode, span=leaf.span)]
        else:
            terms = [leaf]
        for term in terms:
            found.setdefault((term.text.casefold(), term.field), term)
    return tuple(found.values())


def term_pattern(text: str) -> re.Pattern[str]:
    """A case-insensitive pattern that finds the words of a term in running text.

    `*` stands for any letters; blanks and hyphens between words are equal; words are whole words.
    """
    words = [word for word in re.split(r"[^\w*]+", text) if word.replace("*", "")]
    if not words:
        return re.compile(r"(?!)")
    body = r"[\W_]+".join(_ANY_LETTERS.join(re.escape(part) for part in word.split("*")) for word in words)
    return re.compile(rf"(?<!\w){body}(?!\w)", re.IGNORECASE)
