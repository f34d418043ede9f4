"""Writes references as a CSV table for spreadsheets and screening tools; formulas in cells are switched off."""

from __future__ import annotations

from collections.abc import Sequence

from litapp.core.cited_names import cited_authors
from litapp.core.formats.csvsafe import Cell, write_csv
from litapp.core.formats.entry import ExportEntry
from litapp.core.identifiers import Scheme
from litapp.core.markup import plain_text
from litapp.core.records import PartialDate, Person

COLUMNS = (
    "REF", "Key", "Title", "Authors", "Journal", "Journal Abbreviation", "Year", "Date", "Volume", "Issue", "Pages",
    "Publisher", "ISSN", "DOI", "PMID", "PMCID", "arXiv", "URL", "Language", "Item Type", "Keywords", "Abstract",
    "Verified", "Verified By", "Verified On", "Found In", "Note",
)  # fmt: skip


def write_reference_csv(entries: Sequence[ExportEntry]) -> str:
    """One row for each entry in the order given. Authors are parted by "; ", a name is "Family, Given, Suffix"."""
    return write_csv(COLUMNS, (_row(number, entry) for number, entry in enumerate(entries, start=1)))


def _row(number: int, entry: ExportEntry) -> list[Cell]:
    record = entry.record
    verified = entry.verified_value == "true"
    texts = [
        entry.key,
        entry.title,
        "; ".join(name for person in cited_authors(record) if (name := _name(person)))
        + ("" if record.authors_complete else "; et al."),
        record.journal,
        record.journal_abbreviation,
        str(record.year) if record.year is not None else "",
        _date(record.date),
        record.volume,
        record.issue,
        record.pages,
        record.publisher,
        "; ".join(record.issns),
        record.doi,
        record.pmid,
        record.identifier(Scheme.PMCID),
        record.identifier(Scheme.ARXIV),
        record.url,
        "; ".join(record.languages),
        record.csl_type,
        "; ".join(keyword.replace(";", ",") for keyword in record.keywords),
        record.abstract_text,
        entry.verified_value,
        " + ".join(entry.verified_by) if verified else "",
        entry.verified_on.isoformat() if verified and entry.verified_on else "",
        " + ".join(entry.found_in),
        entry.note,
    ]
    verbatim = {12, 16}
    return [number, *("".join(text.split()) if at in verbatim else plain_text(text) for at, text in enumerate(texts))]


def _name(person: Person) -> str:
    """A group ends with a comma, so that it is not taken apart when it is read again."""
    if not person.family:
        whole = (person.literal or person.given).replace(";", ",").strip()
        return f"{whole}," if whole else ""
    return ", ".join(part.replace(";", ",") for part in (person.family, person.given, person.suffix) if part)


def _date(date: PartialDate) -> str:
    if date.year is None:
        return date.text
    parts = [f"{date.year:04d}"]
    if date.month is not None:
        parts.append(f"{date.month:02d}")
        if date.day is not None:
            parts.append(f"{date.day:02d}")
    return "-".join(parts)
