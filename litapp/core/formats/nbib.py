"""Writes PubMed's tagged format (.nbib), which reference managers and screening tools read.

Tags: NLM, MEDLINE/PubMed Data Element (Field) Descriptions. Lines are wrapped as PubMed wraps them, at 88 signs.
"""

from __future__ import annotations

from collections.abc import Sequence

from litapp.core.cited_names import cited_authors
from litapp.core.formats.entry import ExportEntry
from litapp.core.identifiers import Scheme
from litapp.core.markup import plain_text
from litapp.core.records import PartialDate, Person

_WIDTH = 82
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write_nbib(entries: Sequence[ExportEntry]) -> str:
    """All entries in the order given, a blank line between two. Marks and verdict stand in GN (general note)."""
    return "\n".join("".join(_line(tag, value) for tag, value in _tags(entry)) for entry in entries)


def _tags(entry: ExportEntry) -> list[tuple[str, str]]:
    record = entry.record
    arxiv = record.identifier(Scheme.ARXIV)
    tags = [
        ("PMID", record.pmid),
        ("OWN", "NLM" if record.pmid else "LitLedger"),
        *(("IS", issn) for issn in record.issns),
        ("VI", record.volume),
        ("IP", record.issue),
        ("DP", _date(record.date)),
        ("TI", entry.title),
        ("TT", record.original_title if record.original_title != record.title else ""),
        ("PG", record.pages),
        ("LID", f"{record.doi} [doi]" if record.doi else ""),
        *(("AB", part) for part in ([record.abstract_text] if record.abstract else [])),
        *(pair for person in cited_authors(record) for pair in _author(person)),
        *(("LA", language) for language in record.languages),
        *(("PT", kind) for kind in record.publication_types),
        ("PB", record.publisher),
        ("TA", record.journal_abbreviation),
        ("JT", record.journal),
        *(("MH", _heading(heading.descriptor, heading.qualifiers, heading.major)) for heading in record.mesh),
        *(("OT", keyword) for keyword in record.keywords),
        ("PMC", record.identifier(Scheme.PMCID)),
        ("GN", f"arXiv:{arxiv}" if arxiv else ""),
        ("GN", entry.note),
        ("GN", entry.verification_text),
    ]
    return [(tag, shown) for tag, value in tags if (shown := plain_text(value))]


def _line(tag: str, value: str) -> str:
    lines: list[str] = []
    line = ""
    for word in value.split(" "):
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return f"{tag:<4}- " + "\n      ".join(lines) + "\n"


def _author(person: Person) -> list[tuple[str, str]]:
    """FAU with the whole name and AU with initials; a group is CN."""
    if not person.family:
        return [("CN", person.literal or person.given)]
    full = ", ".join(part for part in (person.family, person.given, person.suffix) if part)
    initials = "".join(word[0] for word in person.given.replace("-", " ").split() if word[0].isalpha())
    return [("FAU", full), ("AU", " ".join(part for part in (person.family, initials, person.suffix) if part))]


def _date(date: PartialDate) -> str:
    if date.year is None:
        return ""
    month = _MONTHS[date.month - 1] if date.month and 1 <= date.month <= 12 else ""
    return " ".join(part for part in (str(date.year), month, str(date.day) if month and date.day else "") if part)


def _heading(descriptor: str, qualifiers: tuple[str, ...], major: bool) -> str:
    star = "*" if major else ""
    return "/".join([descriptor, *qualifiers[:-1], star + qualifiers[-1]]) if qualifiers else star + descriptor
