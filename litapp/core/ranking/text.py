"""What of a record, and of a question, is read for ranking: its words, in one form for all spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from litapp.core.citations import TITLE_STOP_WORDS
from litapp.core.markup import plain_text
from litapp.core.records import Record

_WORD = re.compile(r"\w\w+")
_Z_SPELLING = re.compile(r"(?<=\w{4})is(e[drs]?|ing|ations?)$")
MESH = "mesh:"
"""Beginning of the term that stands for a whole MeSH heading."""


@dataclass(frozen=True, slots=True)
class RankedText:
    """The texts of one record that are ranked on. `parts` are read one by one: no pair of words crosses them."""

    title: str
    abstract: str = ""
    headings: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """Every part that has words."""
        return tuple(part for part in (self.title, self.abstract, *self.headings, *self.keywords) if part)


def text_of(record: Record) -> RankedText:
    """What a record says of its content; nothing of who wrote it, where it appeared, or who found it."""
    return RankedText(
        title=plain_text(record.title),
        abstract=plain_text(record.abstract_text),
        headings=tuple(heading.descriptor for heading in record.mesh),
        keywords=record.keywords,
    )


def words(text: str) -> list[str]:
    """The words of a text in order: small letters without accents, singular (Harman's s-stemmer, J Am Soc Inf Sci
    1991;42:7-15), "-ize" for "-ise"."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(sign))
    return [_one_form(word) for word in _WORD.findall(plain)]


def _one_form(word: str) -> str:
    if len(word) > 4 and word.endswith("ies") and not word.endswith(("eies", "aies")):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _Z_SPELLING.sub(r"iz\1", word)


def single_words(text: RankedText) -> list[str]:
    """All words of a record, part by part."""
    return [word for part in text.parts for word in words(part)]


def terms(text: RankedText) -> list[str]:
    """All words and pairs of neighbouring words of a record, and its MeSH headings as wholes."""
    found: list[str] = []
    for part in text.parts:
        single = words(part)
        found += single
        found += [f"{one} {next_one}" for one, next_one in pairwise(single)]
    return found + [MESH + heading.lower() for heading in text.headings]


def question_text(parts: Iterable[str]) -> RankedText:
    """The question, the blocks of the strategy and the criteria as one text to rank by before any label."""
    said = [part.strip() for part in parts if part.strip()]
    return RankedText(title=said[0] if said else "", keywords=tuple(said[1:]))


def subject_of(question: RankedText) -> RankedText:
    """The question without its small words. "Effectiveness" or "comparison" stay: they tell what kind of study is
    wanted, and how rare a word is among the records weighs it."""

    def kept(part: str) -> str:
        return " ".join(word for word in _WORD.findall(part) if word.lower() not in TITLE_STOP_WORDS)

    parts = [kept(part) for part in question.parts]
    return RankedText(title=parts[0] if parts else "", keywords=tuple(part for part in parts[1:] if part))
