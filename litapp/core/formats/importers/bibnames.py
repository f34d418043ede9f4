"""Names of BibTeX and BibLaTeX: "von Last, Jr, First", "First von Last", braces for groups (Patashnik, BibTeXing,
1988)."""

from __future__ import annotations

import re

from litapp.core.formats.importers.draft import tidy
from litapp.core.formats.importers.names import person
from litapp.core.latex import latex_to_unicode
from litapp.core.matching.names import PARTICLES
from litapp.core.records import Person

_GROUP_WORD = re.compile(
    r"\b(?:group|consortium|collaboration|committee|society|association|organi[sz]ation|institute|university|ministry|"
    r"agency|investigators|network|council|foundation|commission|federation|department|team|company|inc\.?|"
    r"centre for)\b",
    re.IGNORECASE,
)
_JOINING = frozenset(("of", "for", "and", "the", "on", "in", "at", "from", "to"))
"""Small words that stand in names of groups, and are no particles of family names."""
_EXTENDED = re.compile(r"\s*(family|given|prefix|suffix|useprefix|given-i)\s*=\s*(.*)", re.DOTALL)


def bib_people(value: str) -> tuple[list[Person], bool]:
    """The persons of a name field (still LaTeX), and whether the list is complete (no "and others")."""
    names = split_top(value, re.compile(r"\s+and(?=\s)|\A\s*and(?=\s)", re.IGNORECASE))
    if len(names) == 1 and ";" in value:
        names = split_top(value, re.compile(";"))
    elif len(names) == 1 and value.count(",") > 1:
        names = _comma_list(value)
    complete = True
    people = []
    for name in names:
        bare = name.strip()
        if bare.lower().strip("{}. ") in ("others", "et al"):
            complete = False
        elif bare and (found := bib_person(bare)) is not None:
            people.append(found)
    return people, complete


def _comma_list(value: str) -> list[str]:
    """ "A. One, B. Two, C. Three", "Ann One, Ben Two, Cem Three": names that commas part, as some sites write them."""
    parts = [part.strip() for part in split_top(value, re.compile(","))]
    if len(parts) < 3 or _EXTENDED.match(value):
        return [value]
    initials = re.compile(r"(?:[A-Z][a-z]?\.[\s~-]*)+\S.*")
    if len(parts) > 3 and all(initials.match(part) for part in parts if part):
        return parts
    whole = not _GROUP_WORD.search(value) and all(len(part.replace("~", " ").split()) > 1 for part in parts)
    return parts if whole else [value]


def split_top(text: str, pattern: re.Pattern[str]) -> list[str]:
    """`text` split where `pattern` matches outside braces."""
    out, depth, start, place = [], 0, 0, 0
    while place < len(text):
        sign = text[place]
        if sign == "\\":
            place += 2
            continue
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(0, depth - 1)
        elif depth == 0 and (found := pattern.match(text, place)):
            out.append(text[start:place])
            start = place = found.end()
            continue
        place += 1
    out.append(text[start:])
    return out


def bib_person(name: str) -> Person | None:
    """One name. Wholly in braces it is a group; the particle is part of the family name."""
    if _braced(name):
        whole = _plain(name)
        return Person(literal=whole) if whole else None
    parts = split_top(name, re.compile(r"\s*,\s*"))
    if len(parts) > 1 and all(_EXTENDED.match(part) for part in parts):
        named = {found[1]: _plain(found[2].strip('"')) for part in parts if (found := _EXTENDED.match(part))}
        family = " ".join(filter(None, (named.get("prefix", ""), named.get("family", ""))))
        return Person(family=family, given=named.get("given", ""), suffix=named.get("suffix", "")) if family else None
    if len(parts) >= 3:
        if re.search(r"\binc\b|\bltd\b", name, re.IGNORECASE):
            return Person(literal=_plain(name))
        family, suffix, given = _plain(parts[0]), _plain(parts[1]), _plain(" ".join(parts[2:]))
        if not re.fullmatch(
            r"(?:jr|sr|[ivx]+|\d(?:nd|rd|th)|junior|senior)\.?", suffix, re.IGNORECASE
        ) and re.fullmatch(r"(?:jr|sr|[ivx]{2,})\.?", given, re.IGNORECASE):
            suffix, given = given, suffix
        return Person(family=family, given=given, suffix=suffix)
    if len(parts) == 2:
        family, given = _plain(parts[0]), _plain(parts[1])
        if not given:
            return Person(literal=family) if family else None
        found = re.fullmatch(r"(.+?)\s+(Jr\.?|Sr\.?|I{2,3}|IV)", family)
        if found:
            return Person(family=found[1], given=given, suffix=found[2])
        return Person(family=family, given=given) if family else Person(literal=given)
    return _first_von_last(name)


def _braced(name: str) -> bool:
    """Whether one pair of braces holds the whole name."""
    if not (name.startswith("{") and name.endswith("}")):
        return False
    depth = 0
    for place, sign in enumerate(name):
        depth += (sign == "{") - (sign == "}")
        if depth == 0 and place < len(name) - 1:
            return False
    return not name.startswith("{\\")


def _first_von_last(name: str) -> Person | None:
    words = [word for word in split_top(name.strip(), re.compile(r"[\s~]+")) if word]
    if not words:
        return None
    if len(words) == 1:
        whole = _plain(words[0])
        return Person(literal=whole) if whole else None
    whole = _plain(name)
    if _GROUP_WORD.search(whole):
        return Person(literal=whole)
    if any(_plain(word) in _JOINING for word in words[1:-1]):
        return Person(literal=whole)
    initials = person(whole)
    if (
        initials is not None
        and initials.family
        and not (whole.isupper() and len(initials.given) > 3)
        and re.fullmatch(r"(?:[A-Z]\.?[- ]?){1,4}", initials.given)
        and whole.endswith(initials.given)
    ):
        return initials
    suffix = ""
    if len(words) > 2 and re.fullmatch(r"(?:Jr|Sr|JR|SR|I{2,3}|IV)\.?", _plain(words[-1])):
        suffix = _plain(words.pop())
    lower = [place for place, word in enumerate(words[:-1]) if _is_lower(word)]
    first = lower[0] if lower else len(words) - 1
    if first == 0 and (len(words) > 2 or _plain(words[0]) in PARTICLES):
        return Person(family=_plain(" ".join(words)), suffix=suffix)
    first = first or len(words) - 1
    return Person(family=_plain(" ".join(words[first:])), given=_plain(" ".join(words[:first])), suffix=suffix)


def _is_lower(word: str) -> bool:
    text = latex_to_unicode(word) if word.startswith("{\\") or not word.startswith("{") else ""
    letter = next((sign for sign in text if sign.isalpha()), "")
    return letter.islower()


def _plain(text: str) -> str:
    return tidy(latex_to_unicode(" ".join(text.split())).replace("\u00a0", " ")).strip(" ,")
