"""Compares imported records with expected values by the rules that ../shared/imports/README.md states."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from litapp.core.records import Person, Record, Scheme


def _dashes(text: str) -> str:
    return re.sub(r"[\u2010-\u2015\u2212]+|--+", "-", text)


def _text(text: str | None) -> str:
    """Without tags and final full stop, dashes alike."""
    plain = re.sub(r"</?[a-zA-Z][^>]*>", "", text or "")
    return " ".join(_dashes(unicodedata.normalize("NFC", plain)).split()).rstrip(".").strip()


def _initials(given: str | None) -> str:
    """F.M., F. M. and FM are the same."""
    return re.sub(r"[.,\s-]", "", _dashes(given or "")).lower()


def _pages(pages: str | None) -> str:
    """476-85 and 476-485 are the same; so are 82-82 and 82."""
    text = _dashes(pages or "").replace(" ", "").lower()
    found = re.fullmatch(r"(\D*)(\d+)-(\D*)(\d+)", text)
    if not found:
        return text
    first, last = found[2], found[4]
    last = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    return f"{found[1]}{first}-{found[3] or found[1]}{last}"


def _person(one: dict[str, str] | Person) -> tuple[str, str]:
    """Family name and given names with suffix; a name without given names counts as whole."""
    parts = (
        one
        if isinstance(one, dict)
        else {"family": one.family, "given": one.given, "suffix": one.suffix, "literal": one.literal}
    )
    family, given = parts.get("family") or "", parts.get("given") or ""
    if parts.get("literal") or not given:
        return _text(parts.get("literal") or family).lower(), ""
    return _text(family).lower(), _initials(given + (parts.get("suffix") or ""))


def differences(expected: dict[str, Any], record: Record, *, any_case: bool) -> set[str]:
    """The names of the fields in which the record differs from what is expected."""
    out = set()
    titles = _text(expected.get("title")), _text(record.title)
    if any_case:
        titles = titles[0].lower(), titles[1].lower()
    if titles[0] != titles[1]:
        out.add("title")
    if [_person(one) for one in expected.get("authors") or []] != [_person(one) for one in record.authors]:
        out.add("authors")
    if expected.get("authors_truncated") and record.authors_complete:
        out.add("authors_complete")
    if str(expected.get("year") or "") != str(record.year or ""):
        out.add("year")
    names = (record.journal, record.journal_abbreviation, *record.journal_alternatives)
    if _text(expected.get("journal")).lower() not in [_text(name).lower() for name in names]:
        out.add("journal")
    out |= {name for name in ("volume", "issue") if _text(expected.get(name)) != _text(getattr(record, name))}
    if _pages(expected.get("pages")) != _pages(record.pages):
        out.add("pages")
    if (expected.get("doi") or "").lower() != record.doi:
        out.add("doi")
    if (expected.get("pmid") or "").lstrip("0") != record.pmid:
        out.add("pmid")
    if expected.get("pmcid") and expected["pmcid"] != record.identifier(Scheme.PMCID):
        out.add("pmcid")
    return out


def paired(expected: list[dict[str, Any]], records: list[Record | None]) -> list[tuple[dict[str, Any], Record | None]]:
    """Each expected record with its record of the file: by place where it is given, else the best match first."""
    pairs: dict[int, Record | None] = {}
    scores = []
    for at, one in enumerate(expected):
        if "record" in one:
            place = one["record"] - 1
            pairs[at] = records[place] if place < len(records) else None
            continue
        for place, record in enumerate(records):
            if record is not None:
                scores.append((_likeness(one, record) + 2 * (place == at), -at, -place))
    used: set[int] = set()
    for _, at, place in sorted(scores, reverse=True):
        if -at not in pairs and -place not in used:
            pairs[-at] = records[-place]
            used.add(-place)
    return [(one, pairs.get(at)) for at, one in enumerate(expected)]


def _likeness(one: dict[str, Any], record: Record) -> int:
    return (
        8 * (bool(one.get("doi")) and one["doi"].lower() == record.doi)
        + 8 * (bool(one.get("pmid")) and one["pmid"] == record.pmid)
        + 4 * (_text(one.get("title")).lower() == _text(record.title).lower())
        + (_pages(one.get("pages")) == _pages(record.pages))
        + (str(one.get("year") or "") == str(record.year or ""))
        + ((one.get("volume") or "") == record.volume)
    )
