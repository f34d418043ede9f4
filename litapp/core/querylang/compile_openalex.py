"""A PubMed query tree as a Boolean search of OpenAlex (AND, OR, NOT, quotes, brackets; no fields, no truncation).

Source: OpenAlex's guide on searching. It looks in title, abstract and some full texts; words are stemmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import DATE_FIELDS, Field, Leaf, Node, Proximity, Range, Term
from litapp.core.querylang.translation import Meaning, Said, Translation, has_star_inside_a_word, translate
from litapp.core.querylang.unquoted import JOINED, with_phrase_note, words_side_by_side

_EVERYWHERE = "OpenAlex looks in title, abstract and some full texts."
_TEXT: Mapping[Field, tuple[Meaning, str]] = MappingProxyType(
    {
        Field.UNTAGGED: (Meaning.NARROWER, "OpenAlex does not add MeSH headings to an untagged word as PubMed does."),
        Field.ALL: (Meaning.NARROWER, _EVERYWHERE),
        Field.TITLE: (Meaning.WIDER, _EVERYWHERE),
        Field.ABSTRACT: (Meaning.WIDER, _EVERYWHERE),
        Field.TITLE_ABSTRACT: (Meaning.WIDER, _EVERYWHERE),
        Field.TEXT_WORD: (Meaning.CHECK, _EVERYWHERE),
        Field.OTHER_TERM: (Meaning.CHECK, "Keywords are searched as words in title, abstract and some full texts."),
        Field.SUPPLEMENTARY_CONCEPT: (Meaning.NARROWER, "The substance's name is searched as words."),
    }
)

_NO_STAR = "OpenAlex takes no *: it finds other endings of a word by itself, but not every word that begins so."


def compile_openalex(tree: Node) -> Translation:
    """The search text for OpenAlex, with each change of meaning."""
    return translate(tree, _say)


def _say(leaf: Leaf) -> Said:
    if isinstance(leaf, Proximity):
        return _all_words(leaf.text.split(), Meaning.WIDER, "The words may stand anywhere, not near each other.")
    if isinstance(leaf, Range) or leaf.field in DATE_FIELDS:
        return Said("", Meaning.LOST, "Dates cannot stand in OpenAlex's search; set the years as a limit of the plan.")
    if leaf.field in (Field.MESH, Field.MESH_MAJOR):
        return _said_heading(leaf)
    if leaf.field in (Field.LANGUAGE, Field.PUBLICATION_TYPE):
        return Said("", Meaning.LOST, "OpenAlex takes languages and types only as limits of the plan.")
    if leaf.field not in _TEXT:
        return Said("", Meaning.LOST, "OpenAlex's search has no such field; this part is left out.")
    if has_star_inside_a_word(leaf):
        return Said("", Meaning.LOST, "OpenAlex takes no * inside a word; this part is left out.")
    meaning, why = _TEXT[leaf.field]
    apart = words_side_by_side(leaf)
    if apart:
        return _all_words(apart, meaning, f"{JOINED} {_NO_STAR if leaf.truncated else why}")
    if leaf.truncated:
        return _checked(leaf.text.replace("*", " "), Meaning.NARROWER, _NO_STAR)
    return _checked(leaf.text, meaning, with_phrase_note(leaf, why))


def _said_heading(term: Term) -> Said:
    why = "OpenAlex has no MeSH search: the heading is searched as words, without narrower headings."
    if term.qualifier:
        why = f"{why} The subheading is left out."
    return _checked(term.heading, Meaning.NARROWER, why)


def _all_words(words: Iterable[str], meaning: Meaning, why: str) -> Said:
    parts = [part for part in (_quoted(word) for word in words) if part]
    if not parts:
        return Said("", Meaning.LOST, "Nothing of this can be searched here.")
    return Said(parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})", meaning, why)


def _checked(text: str, meaning: Meaning, why: str) -> Said:
    words = _quoted(text)
    return Said(words, meaning, why) if words else Said("", Meaning.LOST, "Nothing of this can be searched here.")


def _quoted(text: str) -> str:
    """Words as OpenAlex takes them: one plain word bare, everything else in quotes; its own signs are left out."""
    clean = " ".join(re.sub(r'[?*"\\~|]', " ", text).split())
    if re.fullmatch(r"[^\W_]+", clean) and clean not in {"AND", "OR", "NOT"}:
        return clean
    return f'"{clean}"' if clean else ""
