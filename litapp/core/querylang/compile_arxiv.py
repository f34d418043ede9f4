"""A PubMed query tree in arXiv's syntax (ti, abs, au, jr, all; AND, OR, ANDNOT; submittedDate ranges).

Source: arXiv API user's manual, section on search queries. arXiv has no controlled vocabulary and no languages.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable

from litapp.core.querylang.ast import Field, Leaf, Node, Proximity, Range
from litapp.core.querylang.translation import (
    Meaning,
    Operators,
    Said,
    Translation,
    has_star_inside_a_word,
    translate,
)
from litapp.core.querylang.unquoted import JOINED, is_tagged_run, with_phrase_note, words_side_by_side

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

_NO_STAR = "arXiv takes no *: it finds other endings of a word by itself, but not every word that begins so."


def compile_arxiv(tree: Node) -> Translation:
    """The query for arXiv's `search_query`, with each change of meaning."""
    return translate(tree, _say, Operators(exclusion="ANDNOT"))


def _say(leaf: Leaf) -> Said:
    if isinstance(leaf, Range):
        return _said_dates(leaf)
    if not re.search(r"\w", leaf.text):
        return Said("", Meaning.LOST, "There is no letter or digit in it to search for; this part is left out.")
    if isinstance(leaf, Proximity):
        anywhere = "The words may stand anywhere, not near each other."
        return Said(_all_words(("ti", "abs"), leaf.text.split()), Meaning.WIDER, anywhere)
    if leaf.field in {Field.MESH, Field.MESH_MAJOR}:
        why = "arXiv has no MeSH: the heading is searched as words in title and abstract."
        return Said(_in_fields(("ti", "abs"), leaf.heading), Meaning.NARROWER, why)
    names = _FIELDS.get(leaf.field)
    if names is None:
        return Said("", Meaning.LOST, "arXiv has no such field; this part is left out.")
    if has_star_inside_a_word(leaf):
        return Said("", Meaning.LOST, "arXiv takes no * inside a word; this part is left out.")
    text = leaf.text.replace("*", "")
    apart = words_side_by_side(leaf)
    why = JOINED if apart else ""
    meaning = Meaning.CHECK if apart else Meaning.EXACT
    if leaf.truncated:
        meaning, why = Meaning.NARROWER, f"{why} {_NO_STAR}".strip()
    elif leaf.field in {Field.FIRST_AUTHOR, Field.LAST_AUTHOR}:
        meaning, why = Meaning.WIDER, "Searched among all authors."
    elif is_tagged_run(leaf):
        meaning = Meaning.CHECK
    said = _all_words(names, [word.replace("*", "") for word in apart]) if apart else _in_fields(names, text)
    return Said(said, meaning, with_phrase_note(leaf, why))


def _all_words(names: tuple[str, ...], words: Iterable[str]) -> str:
    parts = [_in_fields(names, word) for word in words if re.search(r"\w", word)]
    return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"


def _said_dates(leaf: Range) -> Said:
    low, high = _day(leaf.low, last=False), _day(leaf.high, last=True)
    if leaf.field is Field.DATE_PUBLICATION and low and high:
        text = f"submittedDate:[{low}0000 TO {high}2359]"
        return Said(text, Meaning.CHECK, "arXiv counts from the day of submission.")
    return Said("", Meaning.LOST, "arXiv cannot limit by this date; this part is left out.")


def _day(text: str, *, last: bool) -> str:
    """A date of PubMed's (YYYY, YYYY/MM, YYYY/MM/DD) as YYYYMMDD, the first or last day it means; "" if it is none."""
    found = re.fullmatch(r"(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?", text.strip())
    if found is None:
        return ""
    year, month = int(found[1]), int(found[2] or (12 if last else 1))
    if not 1 <= month <= 12 or not year:
        return ""
    day = int(found[3] or (monthrange(year, month)[1] if last else 1))
    return f"{year:04d}{month:02d}{day:02d}"


def _in_fields(names: tuple[str, ...], text: str) -> str:
    clean = re.sub(r'[\\"()\[\]:]', " ", text).strip()
    plain = re.fullmatch(r"\w+", clean) and clean.upper() not in {"AND", "OR", "ANDNOT"}
    words = clean if plain else f'"{" ".join(clean.split())}"'
    parts = [f"{name}:{words}" for name in names]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"
