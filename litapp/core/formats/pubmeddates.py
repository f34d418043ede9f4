"""Dates as NLM writes them: PubDate elements with months, seasons and ranges, and dates within short citations."""

from __future__ import annotations

import re

from lxml import etree

from litapp.core.records import PartialDate

_Element = etree._Element

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_YEARS = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_DATE_IN_CITATION = re.compile(
    r"\b(1[89]\d\d|20\d\d)\b(?:\s+([A-Z][a-z]{2})[a-z]*(?:[-/][A-Z][a-z]{2})?(?:\s+(\d{1,2})\b)?)?"
)


def _of(element: _Element, name: str) -> str:
    return " ".join((element.findtext(name) or "").split())


def _month(text: str) -> int | None:
    if text.isdigit():
        return int(text) if 1 <= int(text) <= 12 else None
    return _MONTHS.get(text[:3].lower())


def pubmed_date(element: _Element | None) -> PartialDate:
    """A PubDate: year with month and day, or with a season; or MedlineDate, of which the first year is read."""
    if element is None:
        return PartialDate()
    free = _of(element, "MedlineDate")
    if free:
        found = _YEARS.search(free)
        return PartialDate(int(found[1]) if found else None, text=free)
    year_text = _of(element, "Year")
    if not (year_text.isascii() and year_text.isdigit() and len(year_text) == 4):
        return PartialDate(text=year_text)
    month_text = _of(element, "Month")
    month = _month(month_text)
    day_text = _of(element, "Day")
    day = int(day_text) if month and day_text.isascii() and day_text.isdigit() and 1 <= int(day_text) <= 31 else None
    return PartialDate(int(year_text), month, day, _of(element, "Season") or ("" if month else month_text))


def pubmed_years(date: PartialDate, *others: _Element) -> tuple[int, ...]:
    """Every year in `date` (a range has two) and in the other date elements, sorted."""
    years = {int(found) for found in _YEARS.findall(date.text)}
    years |= {year for year in (date.year, *(pubmed_date(other).year for other in others)) if year is not None}
    return tuple(sorted(years))


def date_in_citation(citation: str) -> str:
    """The date within NLM's short citation ("Lancet. 2010 Feb 6;375…") as YYYY, YYYY-MM or YYYY-MM-DD."""
    found = _DATE_IN_CITATION.search(citation)
    if found is None:
        return ""
    month = _MONTHS.get((found[2] or "").lower())
    if month is None:
        return found[1]
    return f"{found[1]}-{month:02d}" + (f"-{int(found[3]):02d}" if found[3] else "")
