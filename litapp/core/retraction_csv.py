"""Lists of retracted papers: the CSV of Retraction Watch, and shorter tables made from it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.doi import BadIdentifier, normalise_doi
from litapp.core.identifiers import normalise_pmid
from litapp.core.records import NoticeKind

_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "doi": ("originalpaperdoi", "doi", "paperdoi"),
        "pmid": ("originalpaperpubmedid", "pmid", "originalpaperpmid"),
        "kind": ("retractionnature", "nature", "kind", "type", "retractiontype"),
        "notice_doi": ("retractiondoi", "noticedoi"),
        "notice_pmid": ("retractionpubmedid", "noticepmid", "pmidretraction"),
        "date": ("retractiondate", "date", "noticedate"),
        "title": ("title", "originalpapertitle"),
    }
)
"""Our name -> the headings it goes by, letters and digits only, lower case."""
_KINDS: Mapping[str, NoticeKind] = MappingProxyType(
    {
        "retraction": NoticeKind.RETRACTION,
        "retracted": NoticeKind.RETRACTION,
        "retractionin": NoticeKind.RETRACTION,
        "partialretraction": NoticeKind.PARTIAL_RETRACTION,
        "partialretractionin": NoticeKind.PARTIAL_RETRACTION,
        "expressionofconcern": NoticeKind.CONCERN,
        "concern": NoticeKind.CONCERN,
        "correction": NoticeKind.CORRECTION,
        "erratum": NoticeKind.CORRECTION,
        "withdrawal": NoticeKind.WITHDRAWAL,
        "reinstatement": NoticeKind.REINSTATEMENT,
    }
)
_DATE = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})|(?P<iso>\d{4}(?:-\d\d(?:-\d\d)?)?)")


class BadRetractionFile(ValueError):
    """A file that is no list of retractions. The message names what is missing."""


@dataclass(frozen=True, slots=True)
class RetractionRow:
    """One row: what happened to the paper with this DOI or PMID. `date` is ISO, as exact as given; `line` 1-based."""

    line: int
    doi: str
    pmid: str
    kind: NoticeKind
    notice_doi: str = ""
    notice_pmid: str = ""
    date: str = ""
    title: str = ""


def retraction_rows(lines: Iterable[str]) -> Iterator[RetractionRow | None]:
    """The rows of a table with a line of headings; None for a row that names no paper, or a kind not known here.

    Commas or tabs, whichever the headings have. Raises BadRetractionFile where there is no column for DOI or PMID, or
    none for the kind.
    """
    source = iter(lines)
    first = next(source, "").lstrip("\ufeff")
    dialect = "excel-tab" if "\t" in first else "excel"
    headings = next(csv.reader([first], dialect), [])
    folded = [re.sub(r"[^a-z0-9]", "", heading.lower()) for heading in headings]
    at = {
        name: next((folded.index(heading) for heading in names if heading in folded), None)
        for name, names in _COLUMNS.items()
    }
    if at["doi"] is None and at["pmid"] is None:
        raise BadRetractionFile("The first line names no column for the paper's DOI or PubMed id (OriginalPaperDOI …).")
    if at["kind"] is None:
        raise BadRetractionFile("The first line names no column for what happened (RetractionNature).")
    reader = csv.reader(source, dialect)
    for cells in reader:
        yield _row(reader.line_num + 1, {n: _cell(cells, place) for n, place in at.items()})


def _cell(cells: list[str], place: int | None) -> str:
    return cells[place].strip() if place is not None and place < len(cells) else ""


def _row(line: int, cells: Mapping[str, str]) -> RetractionRow | None:
    kind = _KINDS.get(re.sub(r"[^a-z]", "", cells["kind"].lower()))
    doi, pmid = _doi(cells["doi"]), _pmid(cells["pmid"])
    if kind is None or not (doi or pmid):
        return None
    return RetractionRow(
        line,
        doi,
        pmid,
        kind,
        _doi(cells["notice_doi"]),
        _pmid(cells["notice_pmid"]),
        _date(cells["date"]),
        cells["title"],
    )


def _doi(text: str) -> str:
    try:
        return normalise_doi(text) if text else ""
    except BadIdentifier:
        return ""


def _pmid(text: str) -> str:
    try:
        return normalise_pmid(text) if text.strip("0 ") else ""
    except BadIdentifier:
        return ""


def _date(text: str) -> str:
    """ISO form of "2/3/2015 0:00" (month first, as Retraction Watch writes) or of a date that is ISO already."""
    found = _DATE.match(text)
    if found is None:
        return ""
    return found["iso"] or f"{found['year']}-{int(found['month']):02}-{int(found['day']):02}"
