"""A PubMed query tree in the syntax of Semantic Scholar's bulk search: + | - in place of AND, OR, NOT.

Source: Semantic Scholar's API documentation (paper bulk search). It looks in title and abstract; words are stemmed;
`*` at the end of a word and `"a b"~3` (words at most three apart) are understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import DATE_FIELDS, Field, Leaf, Node, Proximity, Range
from litapp.core.querylang.translation import (
    Meaning,
    Operators,
    Said,
    Translation,
    has_star_inside_a_word,
    translate,
)
from litapp.core.querylang.unquoted import JOINED, is_tagged_run, with_phrase_note, words_side_by_side

_EXCLUSION = "\x00"
"""Stands for the minus sign until the text is whole: "-" must touch what it excludes, and also occurs in words."""
_BOTH = "Semantic Scholar looks in title and abstract together."
_TEXT: Mapping[Field, tuple[Meaning, str]] = MappingProxyType(
    {
        Field.UNTAGGED: (
            Meaning.NARROWER,
            "Semantic Scholar does not add MeSH headings to an untagged word as PubMed does.",
        ),
        Field.ALL: (Meaning.NARROWER, _BOTH),
        Field.TITLE: (Meaning.WIDER, _BOTH),
        Field.ABSTRACT: (Meaning.WIDER, _BOTH),
        Field.TITLE_ABSTRACT: (Meaning.EXACT, ""),
        Field.TEXT_WORD: (Meaning.NARROWER, _BOTH),
        Field.OTHER_TERM: (Meaning.CHECK, "Keywords are searched as words in title and abstract."),
        Field.SUPPLEMENTARY_CONCEPT: (Meaning.NARROWER, "The substance's name is searched as words."),
        Field.MESH: (
            Meaning.NARROWER,
            "Semantic Scholar has no MeSH: the heading is searched as words, without narrower headings.",
        ),
        Field.MESH_MAJOR: (
            Meaning.NARROWER,
            "Semantic Scholar has no MeSH: the heading is searched as words, without narrower headings.",
        ),
    }
)


def compile_s2(tree: Node) -> Translation:
    """The query for the bulk search, with each change of meaning."""
    translation = translate(tree, _say, Operators("+", "|", _EXCLUSION))
    return Translation(translation.text.replace(f"{_EXCLUSION} ", "-"), translation.changes)


def _say(leaf: Leaf) -> Said:
    if isinstance(leaf, Proximity):
        return Said(f"{_phrase(leaf.text)}~{leaf.distance}")
    if isinstance(leaf, Range) or leaf.field in DATE_FIELDS:
        return Said("", Meaning.LOST, "Dates cannot stand in this search; set the years as a limit of the plan.")
    if leaf.field not in _TEXT:
        return Said("", Meaning.LOST, "Semantic Scholar's search has no such field; this part is left out.")
    if has_star_inside_a_word(leaf):
        return Said("", Meaning.LOST, "Semantic Scholar takes * only at the end of a word; this part is left out.")
    meaning, why = _TEXT[leaf.field]
    text = leaf.heading
    if leaf.truncated and any(not re.fullmatch(r"[^\W_]+\*?", word) for word in text.split()):
        meaning, why = Meaning.NARROWER, "Semantic Scholar takes no * behind a word with a hyphen or other sign."
    apart = words_side_by_side(leaf)
    if apart:
        joined = " + ".join(word for word in map(_term, apart) if word)
        if not joined:
            return Said("", Meaning.LOST, "Nothing of this can be searched here.")
        return Said(f"({joined})", meaning, f"{JOINED} {why}")
    if leaf.truncated and not re.fullmatch(r"[^\W_]+\*", text):
        words = [_term(word) for word in text.split()]
        joined = " + ".join(word for word in words if word)
        if not joined:
            return Said("", Meaning.LOST, "Nothing of this can be searched here.")
        if meaning is Meaning.NARROWER and " " not in text:
            return Said(joined, meaning, why)
        return Said(f"({joined})", Meaning.WIDER, "A phrase with * is searched as its words.")
    said = _term(text) if leaf.truncated else _quoted(text)
    if is_tagged_run(leaf):
        meaning = Meaning.CHECK if meaning is Meaning.EXACT else meaning
        why = with_phrase_note(leaf, why)
    return Said(said, meaning, why) if said else Said("", Meaning.LOST, "Nothing of this can be searched here.")


def _term(word: str) -> str:
    """One word, its * only at the end."""
    bare = " ".join(re.sub(r'[*"\\~|+()]', " ", word).split())
    if word.endswith("*") and re.fullmatch(r"[^\W_]+", bare):
        return f"{bare}*"
    return _quoted(bare)


def _quoted(text: str) -> str:
    clean = " ".join(re.sub(r'[*"\\~|]', " ", text).split())
    return clean if re.fullmatch(r"[^\W_]+", clean) else (f'"{clean}"' if clean else "")


def _phrase(text: str) -> str:
    words = " ".join(re.sub(r'[*"]', " ", text).split())
    return f'"{words}"'
