"""A PubMed query tree in arXiv's syntax (ti, abs, au, jr, all; AND, OR, ANDNOT; submittedDate ranges).

Source: arXiv API user's manual, section on search queries. arXiv has no controlled vocabulary and no languages.
"""

from __future__ import annotations

import re

from litapp.core.querylang.ast import Field, Leaf, Node, Proximity, Range
from litapp.core.querylang.translation import Meaning, Operators, Said, Translation, translate

_FIELDS: dict[Field, tuple[str, ...]] = {
    Field.UNTAGGED: ("all",),
    Field.ALL: ("all",),
    Field.TITLE: ("ti",),
    Field.ABSTRACT: ("abs",),
    Field.TITLE_ABSTRACT: ("ti", "abs"),
    Field.TEXT_WORD: ("ti", "abs"),
    Field.AUTHOR: ("au",),
    Field.FIRST_AUTHOR: ("au",),
    Field.LAST_AUTHOR: ("au",),
    Field.CORPORATE_AUTHOR: ("au",),
    Field.JOURNAL: ("jr",),
}


def compile_arxiv(tree: Node) -> Translation:
    """The query for arXiv's `search_query`, with each change of meaning."""
    return translate(tree, _say, Operators(exclusion="ANDNOT"))


def _say(leaf: Leaf) -> Said:
    if isinstance(leaf, Range):
        return _said_dates(leaf)
    if isinstance(leaf, Proximity):
        words = [_in_fields(("ti", "abs"), word) for word in leaf.text.split()]
        return Said(f"({' AND '.join(words)})", Meaning.WIDER, "The words may stand anywhere, not near each other.")
    if leaf.field in {Field.MESH, Field.MESH_MAJOR}:
        why = "arXiv has no MeSH: the heading is searched as words in title and abstract."
        return Said(_in_fields(("ti", "abs"), leaf.heading), Meaning.NARROWER, why)
    names = _FIELDS.get(leaf.field)
    if names is None:
        return Said("", Meaning.LOST, "arXiv has no such field; this part is left out.")
    text = leaf.text.rstrip("*") if leaf.truncated else leaf.text
    if leaf.truncated:
        return Said(_in_fields(names, text), Meaning.CHECK, "arXiv stems words by itself; * is not used.")
    if leaf.field in {Field.FIRST_AUTHOR, Field.LAST_AUTHOR}:
        return Said(_in_fields(names, text), Meaning.WIDER, "Searched among all authors.")
    return Said(_in_fields(names, text))


def _said_dates(leaf: Range) -> Said:
    low, high = _digits(leaf.low, "0101"), _digits(leaf.high, "1231")
    if leaf.field is Field.DATE_PUBLICATION and low and high:
        text = f"submittedDate:[{low}0000 TO {high}2359]"
        return Said(text, Meaning.CHECK, "arXiv counts from the day of submission.")
    return Said("", Meaning.LOST, "arXiv cannot limit by this date; this part is left out.")


def _digits(text: str, rest: str) -> str:
    digits = re.sub(r"\D", "", text)
    return (digits + rest[len(digits) - 4 :])[:8] if len(digits) in {4, 6, 8} else ""


def _in_fields(names: tuple[str, ...], text: str) -> str:
    clean = re.sub(r'[\\"()\[\]:]', " ", text).strip()
    words = f'"{" ".join(clean.split())}"' if " " in clean else clean
    parts = [f"{name}:{words}" for name in names]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"
