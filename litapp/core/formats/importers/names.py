"""Names of authors as files write them: which part is the family name, and what is a group.

A name is split only where its form says how: a comma, initials before or after, or a format that states the order.
What cannot be told apart stays whole, as `literal`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from litapp.core.matching.names import PARTICLES
from litapp.core.records import Person

_GROUP = re.compile(
    r"\b(?:groups?|consorti\w+|collaborat\w+|committee|societ\w+|association|organi[sz]ation|institut\w*|universit\w+|"
    r"department|ministry|agency|trialists?|study|investigators|network|cent(?:er|re)s?|council|foundation|team|initiative|"
    r"project|college|academy|commission|federation|inc|ltd|llc|gmbh|company|corp(?:oration)?|office|bureau|board|panel|"
    r"task force|services?|program(?:me)?|administration|authority|union|hospital|laborator\w+|registry|alliance|"
    r"partnership|workgroup|clinic|collective|press|government|nations|bank|school|faculty|participants|members|"
    r"trial|unit|division|section|group's|library|museum|trust|coalition|forum|staff|editors?|works|force|community)\b",
    re.IGNORECASE,
)
_JOINING = re.compile(r"\s(?:of|for|and|the|on|in|&|at|from)\s", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:jr|sr|jnr|snr|i{1,3}|iv|vi{0,3}|2nd|3rd|4th|filho|neto)\.?", re.IGNORECASE)
_SUFFIX_STRICT = re.compile(r"(?:Jr|Sr|JR|SR|I{2,3}|IV|2nd|3rd|4th)\.?")
_INITIALS = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.?(?:[-\u2010 ]?[^\W\d_a-z]\.?){0,4}|(?:[^\W\d_]\w{0,2}\.[- ]?){1,5})")
_ALL_INITIALS = re.compile(r"(?:[A-ZÀ-ÞĀ-ŽА-Я][a-z]?\.[-\s]?){1,5}|[A-ZÀ-Þ](?:[-\u2010]?[A-ZÀ-Þ]){0,3}")
_DOTTED = re.compile(r"(?:[^\W\d_][^\W\d_]{0,2}\.[-\u2010]?)+|[A-ZÀ-Þ]")
_DEGREE = re.compile(
    r"\b(?:Ph\.?\s?D|M\.?D|M\.?P\.?H|M\.?Sc|B\.?Sc|B\.?A|M\.?A|R\.?N|F\.?A\.?A\.?N|F\.?A\.?C\.?S\.?M|M\.?S|Dr\.?P\.?H|D\.?O|"
    r"Pharm\.?D|D\.?D\.?S|M\.?B\.?B\.?S|FRCP|FACP|FACS|MBChB|Sc\.?D|Ed\.?D|DVM|PT|DPT|BSN|MSN|EdD|PsyD|MBA|CNS|APRN)\b\.?"
)
_ET_AL = re.compile(r"\s*,?\s*\b(?:et\.?\s*al\.?|and others|u\.\s?a\.)\s*\Z", re.IGNORECASE)
_ET_AL_ALONE = re.compile(r"et\.?\s*al(?:\.?,?\s*i\.?e)?|others|and others|u\.\s?a", re.IGNORECASE)
_LONGEST_ET_AL = 30
_CJK = re.compile(r"[\u3400-\u9fff\uac00-\ud7af\u3040-\u30ff]")
_FOOTNOTES = " 0123456789,+*†‡§#"
_CLOSING_IDS = re.compile(r"\s*\((?:\d[\d-]{5,}[\dX]?|orcid[^)]*|https?:[^)]*)\)\s*\Z", re.IGNORECASE)


def is_et_al(text: str) -> bool:
    """Whether a "name" only says that the list goes on."""
    core = text.strip(" \t\r\n\u00a0.,;…")
    if not core:
        return "..." in text or "…" in text
    return len(core) < _LONGEST_ET_AL and _ET_AL_ALONE.fullmatch(core) is not None


def split_names(text: str, separator: str) -> tuple[list[str], bool]:
    """The names of a list, and whether the list is complete (no "et al.")."""
    cut = _ET_AL.sub("", text)
    names = [name.strip() for name in cut.split(separator)]
    return [name for name in names if name and not is_et_al(name)], cut == text and not any(map(is_et_al, names))


def names_in(text: str) -> list[str]:
    """The names that semicolons part. HTML's entities, which end with one, are undone first ("Pe&ntilde;alver")."""
    return (unescape(unescape(text)) if "&" in text else text).split(";")


@lru_cache(maxsize=65536)
def person(text: str, first_last: bool = False) -> Person | None:
    """One name, or None for a text that holds none. `first_last` = names without comma stand given name first."""
    text = unescape(unescape(text)) if "&" in text else text
    text = _CLOSING_IDS.sub("", " ".join(text.replace("\u200b", "").split())).strip(" ;")
    if not any(sign.isalnum() for sign in text) or is_et_al(text):
        return None
    if text.endswith(","):
        whole = text.rstrip(", ")
        return Person(literal=whole) if whole.count(" ") or "," in whole else Person(family=whole)
    if "," in text:
        return _comma_name(text)
    return _plain_name(text, first_last)


def _comma_name(text: str) -> Person:
    parts = [part.strip() for part in text.split(",")]
    if (
        _GROUP.search(text)
        and (len(text.split()) > 3 or _GROUP.search(parts[0]))
        and not _ALL_INITIALS.fullmatch(parts[1])
    ):
        return Person(literal=text)
    family, rest = parts[0], [part for part in parts[1:] if part and part.lower() not in ("null", "nan", "none")]
    if not family:
        return Person(literal=text.strip(", "))
    suffix = next(
        (part for part in rest if _SUFFIX.fullmatch(part) and (len(rest) > 1 or _SUFFIX_STRICT.fullmatch(part))), ""
    )
    if suffix:
        rest.remove(suffix)
    given = ", ".join(rest)
    if not suffix:
        family, suffix = _family_suffix(family)
    if not suffix and given:
        found = re.fullmatch(r"(.*\S)\s+(Jr|Sr|JR|SR|I{2,3}|IV|2nd|3rd)\.?", given)
        if found and len(found[1]) > 1:
            given, suffix = found[1], found[2]
    if not given and not suffix:
        return Person(family=family)
    return Person(family=family, given=given, suffix=suffix)


def _family_suffix(family: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*\S)\s+(Jr|Sr|JR|SR|I{2,3}|IV)\.?", family)
    return (found[1], found[2]) if found else (family, "")


def _plain_name(text: str, first_last: bool) -> Person:
    words = text.split(" ")
    if _GROUP.search(text) and len(words) > 1:
        return Person(literal=text)
    if len(words) == 1:
        return Person(literal=text)
    if _JOINING.search(text):
        return Person(literal=text)
    suffix = ""
    if len(words) > 2 and _SUFFIX_STRICT.fullmatch(words[-1]):
        suffix = words.pop()
    place = len(words)
    while place > 1 and _ALL_INITIALS.fullmatch(words[place - 1]):
        place -= 1
    shouted = text.isupper() and place < len(words) and len(words[place]) > 2
    if place < len(words) and not shouted and not all(_DOTTED.fullmatch(word) for word in words[:place]):
        return Person(family=" ".join(words[:place]), given=" ".join(words[place:]), suffix=suffix)
    place = 0
    while not shouted and place < len(words) - 1 and _DOTTED.fullmatch(words[place]):
        place += 1
    if place:
        return Person(family=" ".join(words[place:]), given=" ".join(words[:place]), suffix=suffix)
    if first_last and not _CJK.search(text):
        return _first_last(words, suffix)
    return Person(literal=text)


def _first_last(words: list[str], suffix: str = "") -> Person:
    place = len(words) - 1
    while place > 1 and words[place - 1].lower() in PARTICLES and words[place - 1][0].islower():
        place -= 1
    return Person(family=" ".join(words[place:]), given=" ".join(words[:place]), suffix=suffix)


def without_degrees(text: str) -> str:
    """A name without academic degrees and footnote digits ("Lefkowitz, Rafael Y. MD, MPH 1")."""
    text = " ".join(text.split())
    name = text.rstrip(_FOOTNOTES)
    gap = text.find(" ", len(name))
    if 0 <= gap < len(text) - 1:
        text = text[:gap]
    text = re.sub(r" ?\[[^\[\]]*\]\Z", "", text)
    found = _DEGREE.search(text, text.find(",") + 1)
    if found and found.start() > 0:
        text = text[: found.start()]
    return text.strip(" ,;")
