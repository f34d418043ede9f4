"""Dates as databases and reference managers write them, read to the year, month or day that they state."""

from __future__ import annotations

import re

from litapp.core.records import PartialDate

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen", "feb fev fév", "mar mär mae", "apr abr avr", "may mai mag", "jun giu juin",
            "jul lug juil", "aug ago aoû aou", "sep set", "oct okt ott out", "nov", "dec dez dic déc",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_YEAR = re.compile(r"(?<![\d.])(1[4-9]\d\d|20\d\d)(?!\d)", re.ASCII)
_ISO = re.compile(r"(?<!\d)(\d{4})\s*[-/.]\s*(\d{1,2})(?:\s*[-/.]\s*(\d{1,2}))?(?!\d)", re.ASCII)
_SLASHES = re.compile(r"\s*(\d{4})\s*/\s*([^/]*)/?\s*([^/]*)/?\s*(.*)", re.ASCII)
_COMPACT = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)", re.ASCII)
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{3,}")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)", re.ASCII)


def month_number(text: str) -> int | None:
    """1 to 12 for a month as number or name (English, and the usual European ones), else None."""
    text = text.strip().strip(".,")
    if text.isascii() and text.isdigit():
        return int(text) if 1 <= int(text) <= 12 else None
    low = text.lower()
    return _MONTHS.get(low[:4]) or _MONTHS.get(low[:3])


def parse_date(text: str) -> PartialDate:
    """What `text` states. Unread parts (season, range) stay in `text`; what states no year has none."""
    text = " ".join(text.split()).strip(" /;,")
    if not text:
        return PartialDate()
    if text.isascii() and text.isdigit() and len(text) == 4:
        return PartialDate(int(text)) if text != "0000" else PartialDate()
    compact = _COMPACT.search(text)
    if compact:
        return PartialDate(int(compact[1]), int(compact[2]), int(compact[3]))
    iso = _ISO.search(text)
    if iso and 1400 <= int(iso[1]) < 2100:
        month, day = month_number(iso[2]), _day(iso[3])
        return PartialDate(int(iso[1]), month, day if month else None, "" if month else text)
    turned = _DAY_FIRST.search(text)
    if turned:
        first, second = int(turned[1]), int(turned[2])
        if first > 12 >= second:
            return PartialDate(int(turned[3]), second or None, _day(turned[1]))
        if second > 12 >= first:
            return PartialDate(int(turned[3]), first or None, _day(turned[2]))
        return PartialDate(int(turned[3]), text=text)
    slashes = _SLASHES.fullmatch(text)
    if slashes and _YEAR.fullmatch(slashes[1]):
        month = month_number(slashes[2])
        day = _day(slashes[3]) if month else None
        rest = " ".join(part for part in (slashes[2] if not month else "", slashes[4]) if part)
        return PartialDate(int(slashes[1]), month, day, rest)
    return _with_words(text)


def _with_words(text: str) -> PartialDate:
    years = _YEAR.findall(text)
    year = int(years[0]) if years else None
    months = [number for word in _WORD.findall(text) if (number := month_number(word)) is not None]
    without_year = _YEAR.sub(" ", text, count=1)
    days = _DAY.findall(without_year)
    if year is None:
        return PartialDate(text=text)
    plain = months and not re.search(r"[-/–]\s*[^\W\d]{3}", text)
    month = months[0] if months else None
    if not plain or len(days) > 1 or len(years) > 1:
        return PartialDate(year, month if plain or len(set(months)) == 1 else None, text=text)
    return PartialDate(year, month, _day(days[0]) if days else None)


def _day(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) <= 31 else None


def years_in(text: str) -> list[int]:
    """Every year that stands in `text`."""
    return [int(year) for year in _YEAR.findall(text)]
