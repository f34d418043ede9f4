"""Comparable keys of titles, names and journals, and LaTeX as Unicode.

A key is for comparing and sorting, never for showing. `title_key`, `name_key`, `family_key` and `journal_key` give the
same again for their own result.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from anyascii import anyascii

from litapp.core.latex import latex_to_unicode
from litapp.core.records import Person

__all__ = [
    "family_key",
    "initials_key",
    "journal_key",
    "latex_to_unicode",
    "name_key",
    "strip_status_prefix",
    "strip_tags",
    "title_key",
]

_ATTRIBUTE = r"""\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"</?[A-Za-z][\w:.-]*(?:{_ATTRIBUTE})*\s*/?>")
_IGNORED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff'’‘ʼ`´′]")
_ASCII_WORDS = {code: None if chr(code) in "'`" else " " for code in range(128) if not chr(code).isalnum()}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LINE_BREAK_HYPHEN = re.compile(r"(?<=[^\W\d_])-[ \t]*\r?\n\s*(?=[a-z])")
_LONE_GREEK = re.compile(r"(?<![\u0370-\u03ff\u1f00-\u1fff])[Α-Ωα-ωϑϕϵ](?![\u0370-\u03ff\u1f00-\u1fff])")
_GREEK_NAMES = {chr(code): unicodedata.name(chr(code)).rsplit(maxsplit=1)[-1].lower() for code in range(0x3B1, 0x3CA)}
_GREEK_NAMES |= {"λ": "lambda", "ϑ": "theta", "ϕ": "phi", "ϵ": "epsilon"}


def strip_tags(text: str) -> str:
    """`text` without HTML, JATS or MathML tags; "P<0.05" and "a < b" stay. Entities are left alone."""
    return _TAG.sub("", text) if "<" in text else text


def _unescaped(text: str) -> str:
    """Entities undone twice: registries hold titles that were escaped once too often (`&amp;lt;`)."""
    return html.unescape(html.unescape(text)) if "&" in text else text


def _folded(text: str) -> str:
    """Lower-case ASCII words parted by single blanks. Apostrophes vanish, other punctuation parts words."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _IGNORED.sub("", text)).casefold()
        text = _LONE_GREEK.sub(lambda found: _GREEK_NAMES[found[0]], text)
        text = _NOT_ASCII.sub(_transliterated, text)
    return " ".join(text.lower().translate(_ASCII_WORDS).split())


def _transliterated(found: re.Match[str]) -> str:
    """anyascii works sign by sign, so only the signs that need it are given to it."""
    return anyascii(found[0])


def title_key(text: str) -> str:
    """The words of a title in lower-case ASCII, parted by single blanks.

    Markup, LaTeX, entities, accents and punctuation are dropped; a lone Greek letter becomes its name. Status prefixes
    stay (see `strip_status_prefix`). Remove the blanks to compare titles that differ in joins ("metaanalysis").
    """
    if "\\" in text:
        text = latex_to_unicode(text)
    text = strip_tags(_unescaped(text))
    if "-" in text and "\n" in text:
        text = _LINE_BREAK_HYPHEN.sub("", text)
    return _folded(text)


_STATUS_WORD = r"(?:retracted|withdrawn|removed|temporary\s+removal|retracted\s+and\s+republished)"
_STATUS_PREFIX = re.compile(
    rf"\A\s*(?:[\[(]\s*{_STATUS_WORD}(?:\s+(?:article|paper|chapter|study|publication))?\s*[:.]?\s*[\])]\s*[:.–—-]?|"
    rf"{_STATUS_WORD}(?:\s+(?:article|paper|chapter|study|publication))?\s*(?::|\s[–—-]\s|\.\s)|"
    r"this\s+article\s+has\s+been\s+(?:retracted|withdrawn)\s*[:.])\s*",
    re.IGNORECASE,
)
_STATUS_SUFFIX = re.compile(
    r"\s*(?:[\[(]\s*(?:retracted|withdrawn)(?:\s+(?:article|paper))?\b[^()\[\]]{0,120}[\])]|[–—-]\s*retracted)\s*\.?\s*\Z",
    re.IGNORECASE,
)


def strip_status_prefix(text: str) -> str:
    """A title without what publishers add when a paper is retracted or withdrawn ("RETRACTED: …", "[Retracted] …").

    Titles of notices ("Retraction: …", "Expression of concern: …") are titles of their own and stay whole.
    A title that is nothing but the mark stays as it is.
    """
    while True:
        shorter = _STATUS_SUFFIX.sub("", _STATUS_PREFIX.sub("", text, count=1)) if text else text
        if shorter == text or not shorter.strip():
            return text
        text = shorter


_COMMA_NAME = re.compile(r"\s*([^,]+),\s*(.+?)\s*\Z", re.DOTALL)
_INITIALS_NAME = re.compile(r"\s*(.+?)\s+((?:[A-Z]\.?[\s-]?){1,4})\s*\Z", re.DOTALL)


def _parts(person: Person | str) -> tuple[str, str]:
    if isinstance(person, Person):
        return (person.literal, "") if person.literal else (person.family, person.given)
    found = _COMMA_NAME.match(person) or _INITIALS_NAME.match(person)
    return (found[1], found[2]) if found else (person, "")


@lru_cache(maxsize=65536)
def _family_key(text: str) -> str:
    if "\\" in text:
        text = latex_to_unicode(text)
    return _folded(strip_tags(_unescaped(text))).replace(" ", "")


def family_key(person: Person | str) -> str:
    """The family name (or a group's name) in lower-case ASCII letters and digits without blanks or hyphens.

    Particles stay ("vanderberg"). A text is read as "Family, Given" or "Family AB"; otherwise it is taken whole.
    """
    return _family_key(_parts(person)[0])


def initials_key(given: str) -> str:
    """Initials of given names in lower-case ASCII: "Peter W." and "PW" give "pw", "Jean-Luc" gives "jl"."""
    compact = re.fullmatch(r"\s*[^\W\d_]{1,4}\s*", given)
    if compact and given.strip().isupper():
        return _folded(given).replace(" ", "")
    return "".join(word[0] for word in _folded(re.sub(r"[-.\u2010-\u2015]", " ", given)).split())


def name_key(person: Person | str) -> str:
    """Family key and first initial ("horby p"); a group, or a name whose parts are not told apart, has no initial."""
    family, given = _parts(person)
    initial = initials_key(given)[:1]
    return f"{_family_key(family)} {initial}".strip()


_JOURNAL_PLACE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*\.?\s*\Z")


@lru_cache(maxsize=16384)
def journal_key(text: str) -> str:
    """A journal's name in lower-case ASCII words: "&" is "and"; a first "The" and a closing "(London, England)" go.

    Abbreviations stay abbreviations: this key does not know that "N Engl J Med" is a longer name.
    """
    text = strip_tags(_unescaped(latex_to_unicode(text) if "\\" in text else text))
    shorter = _JOURNAL_PLACE.sub("", text)
    key = _folded((shorter if shorter.strip() else text).replace("&", " and "))
    return key[4:] if key.startswith("the ") else key
