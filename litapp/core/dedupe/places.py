"""Volume, issue and pages as databases write them, read into what they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.records import Record

_DIGITS = re.compile(r"\d+")
_MONTHS = {
    m: n for n, m in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)
}
_EXCEL = re.compile(r"(?:(\d{1,2})-([a-z]{3})|([a-z]{3})-(\d{1,2}))\Z")
_PAGES = re.compile(
    r"\A\D*?(?:p{1,2}\.?\s*)?([a-z]{0,6})\s?0*(\d+)([a-z]?)(?:\s*[-\u2010-\u2015\u2212]+\s*[a-z]{0,6}0*(\d+))?"
)
_VOLUME = re.compile(r"\s*(?:vol(?:ume)?\.?\s*)?(\d+)?\s*[a-z]?\s*(?:\(\s*(\d{1,3})\s*\))?", re.IGNORECASE)
_ARTICLE_NUMBER = re.compile(r"[a-z]{0,3}\.?\d{3,}|[a-z]{2,6}\.\d{4,}|[a-z]\d{2,}", re.IGNORECASE)
_MONTH_NAME = re.compile(
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter|fall", re.IGNORECASE
)


def page_parts(pages: str) -> tuple[frozenset[str], str, int | None]:
    """(possible first pages, letters before the first, number of pages if a range is given)."""
    text = pages.strip().lower()
    if not text:
        return frozenset(), "", None
    dated = _EXCEL.match(text)
    if dated:
        number, month = (dated[1], dated[2]) if dated[1] else (dated[4], dated[3])
        if month in _MONTHS:
            return frozenset({str(int(number)), str(_MONTHS[month])}), "", None
    roman = re.match(r"\(?([ivxl]+)\)?\s*(?:[-\u2010-\u2015]+|\Z)", text)
    if roman:
        return frozenset({roman[1]}), "", None
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", "", text)
    found = _PAGES.match(text)
    if not found:
        return frozenset(), "", None
    letters, start, after, end = found[1], found[2], found[3], found[4]
    if letters in ("p", "pp", "no", "page", "pages", "art", "id"):
        letters = ""
    length: int | None = 1
    if end:
        whole = start[: len(start) - len(end)] + end if len(end) < len(start) else end
        length = int(whole) - int(start) + 1 if len(whole) < 10 and int(whole) >= int(start) else None
    elif _DIGITS.search(text, found.end()) or text.endswith("+"):
        length = None
    return frozenset({start}), letters or after, length


@dataclass(frozen=True, slots=True)
class Place:
    """Volume, issue and pages after what databases put into the wrong one of the three is moved back."""

    volume: str
    issues: frozenset[str]
    pages: str


def place_of(record: Record) -> Place:
    """Read volume, issue and pages. Embase writes "10 (11) (no pagination)" as the volume and the article number as
    the issue; others write "36 Suppl 2" or "58(3)"."""
    volume_text, issue_text, pages = record.volume.strip(), record.issue.strip(), record.pages.strip()
    found = _VOLUME.match(volume_text)
    volume = (found[1] or "").lstrip("0") if found else ""
    inner = (found[2] or "").lstrip("0") if found else ""
    if re.match(r"\d{1,2}\)", volume_text) or (volume and record.date.year and volume == str(record.date.year)):
        volume = ""
    numbered = "pagination" in volume_text or bool(inner and _ARTICLE_NUMBER.fullmatch(issue_text))
    if not pages and _DIGITS.search(issue_text) and (numbered or re.fullmatch(r"e\d{3,}", issue_text.lower())):
        pages, issue_text = issue_text, inner
    if _MONTH_NAME.search(issue_text) or re.search(r"suppl", issue_text, re.IGNORECASE):
        issues = frozenset({inner} - {""})
    else:
        numbers = {number.lstrip("0") for number in _DIGITS.findall(issue_text)} or {inner}
        issues = frozenset(number for number in numbers if number and len(number) <= 2)
    return Place(volume, issues, pages)
