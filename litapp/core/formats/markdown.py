"""Writes Markdown tables: copies of candidate lists.

Every text of a user or a source is escaped (`core.markup`): no sign in it can become a heading, a link, raw HTML or a
citation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litapp.core.formats.csvsafe import Cell, write_csv
from litapp.core.identifiers import Identifier, Scheme, identifier_url
from litapp.core.markup import escape_markdown, plain_text
from litapp.core.records import Record

__all__ = [
    "CandidateRow",
    "candidates_csv",
    "candidates_markdown",
    "markdown_table",
]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate as its list shows it. `marks` are texts such as `[RETRACTED …]`; `found_in` are source names."""

    record: Record
    verdict: str = ""
    marks: tuple[str, ...] = ()
    decision: str = ""
    fit: str = ""
    found_in: tuple[str, ...] = ()


_COLUMNS = (
    "Title",
    "First author",
    "Last author",
    "Year",
    "Journal",
    "PMID",
    "DOI",
    "arXiv",
    "Verdict",
    "Marks",
    "Fit",
    "Decision",
    "Found in",
)


def _cells(row: CandidateRow) -> list[Cell]:
    record = row.record
    names = [name for person in record.authors if (name := plain_text(person.name))]
    return [
        plain_text(record.title or record.original_title),
        names[0] if names else "",
        names[-1] if len(names) > 1 and record.authors_complete else "",
        record.year,
        plain_text(record.journal or record.journal_abbreviation),
        record.pmid,
        record.doi,
        record.identifier(Scheme.ARXIV),
        row.verdict,
        " ".join(row.marks),
        row.fit,
        row.decision,
        ", ".join(row.found_in),
    ]


def candidates_csv(rows: Iterable[CandidateRow]) -> str:
    """Candidates as a CSV table (see `formats.csvsafe`). A last author is named only where the list is whole."""
    return write_csv(_COLUMNS, (_cells(row) for row in rows))


def candidates_markdown(rows: Iterable[CandidateRow]) -> str:
    """Candidates as a Markdown table, PMID, DOI and arXiv id as links."""
    body = []
    for row in rows:
        cells = [escape_markdown("" if cell is None else str(cell)) for cell in _cells(row)]
        cells[5] = _link(Scheme.PMID, row.record.pmid)
        cells[6] = _link(Scheme.DOI, row.record.doi)
        cells[7] = _link(Scheme.ARXIV, row.record.identifier(Scheme.ARXIV))
        body.append(cells)
    return _table(_COLUMNS, body)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table of plain texts, escaped."""
    return _table([escape_markdown(name) for name in header], ([escape_markdown(cell) for cell in row] for row in rows))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _link(scheme: Scheme, value: str) -> str:
    return f"[{escape_markdown(value)}](<{identifier_url(Identifier(scheme, value))}>)" if value else ""
