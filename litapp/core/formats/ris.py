"""Writes RIS: UTF-8 plain text without markup or entities, one filled tag a line, CRLF as the format asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litapp.core.cited_names import cited_authors
from litapp.core.formats.entry import ExportEntry
from litapp.core.identifiers import Scheme, identifier_url
from litapp.core.markup import plain_text
from litapp.core.records import Identifier, PartialDate, Person, Record

_TYPES = {
    "article-journal": "JOUR", "review": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS",
    "book": "BOOK", "chapter": "CHAP", "entry-encyclopedia": "ENCYC", "paper-conference": "CPAPER", "report": "RPRT",
    "thesis": "THES", "dataset": "DATA", "webpage": "ELEC", "software": "COMP",
}  # fmt: skip
_PAGE_RANGE = re.compile(r"([A-Za-z]{0,2}\d+[A-Za-z]?)\s*[-\u2010-\u2015\u2212]\s*([A-Za-z]{0,2}\d+[A-Za-z]?)")


def write_ris(entries: Sequence[ExportEntry]) -> str:
    """All entries in the order given, a blank line between two. Marks stand in the first note (N1)."""
    return "\r\n".join("".join(f"{tag}  - {value}\r\n" for tag, value in _tags(entry)) for entry in entries)


def _tags(entry: ExportEntry) -> list[tuple[str, str]]:
    record = entry.record
    first, last = _pages(record.pages)
    tags = [
        ("ID", entry.key),
        ("TI", entry.title),
        *(("AU", _author(person)) for person in cited_authors(record)),
        ("T2", record.journal),
        ("J2", record.journal_abbreviation),
        ("PY", str(record.year) if record.year is not None else ""),
        ("DA", _date(record.date)),
        ("VL", record.volume),
        ("IS", record.issue),
        ("SP", first),
        ("EP", last),
        ("PB", record.publisher),
        *(("SN", issn) for issn in record.issns),
        ("DO", record.doi),
        ("AN", record.pmid),
        ("U1", f"{record.pmid}[pmid]" if record.pmid else ""),
        ("C2", record.identifier(Scheme.PMCID)),
        *(("LA", language) for language in record.languages),
        *(("UR", address) for address in _addresses(record)),
        ("N1", entry.note),
        ("N1", entry.verification_text),
        ("DB", " + ".join(entry.found_in)),
    ]
    kind = "UNPB" if record.is_preprint else _TYPES.get(record.csl_type, "GEN")
    shown = [(tag, "".join(value.split()) if tag in _VERBATIM else plain_text(value)) for tag, value in tags]
    return [("TY", kind), *((tag, value) for tag, value in shown if value), ("ER", "")]


def _addresses(record: Record) -> list[str]:
    """The address that the source gave, and arXiv's page, which stands for the arXiv id: RIS has no tag for it."""
    arxiv = record.identifier(Scheme.ARXIV)
    page = identifier_url(Identifier(Scheme.ARXIV, arxiv)) if arxiv and arxiv not in record.url else ""
    return [address for address in (record.url, page) if address]


_VERBATIM = frozenset(["ID", "DO", "AN", "UR"])


def _author(person: Person) -> str:
    """Family, given names, suffix, parted by commas; a group ends with a comma, so that it is not taken apart."""
    if not person.family:
        whole = (person.literal or person.given).strip()
        return f"{whole.replace(',', ' ')}," if whole else ""
    parts = [person.family, person.given, person.suffix]
    while parts and not parts[-1]:
        parts.pop()
    return ", ".join(parts)


def _date(date: PartialDate) -> str:
    """RIS form YYYY/MM/DD/, as far as known."""
    if date.year is None or date.month is None:
        return ""
    return f"{date.year:04d}/{date.month:02d}/" + (f"{date.day:02d}/" if date.day is not None else "/")


def _pages(pages: str) -> tuple[str, str]:
    found = _PAGE_RANGE.fullmatch(pages.strip())
    return (found[1], found[2]) if found else (pages, "")
