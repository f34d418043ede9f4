"""The literature matrix as a table: CSV, and Markdown for pandoc, each cell with its quote, place and checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litapp.core.formats.csvsafe import Cell, write_csv
from litapp.core.formats.entry import ExportEntry
from litapp.core.identifiers import Scheme
from litapp.core.markup import escape_markdown, pandoc_markdown, plain_text

NOT_REPORTED = "not reported"
NOT_LOOKED_AT = "not looked at"
_WIDTHS = {"N": 9, "Design": 15, "Population": 20, "Key finding": 30, "Methods": 24, "Limitation": 22}
"""Share of a column of the table, in dashes; all others 16."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell. `state` is "filled", "not_reported" or "" (not looked at). `where`, `filled_by` and `checked` are told
    in words; `checked` is "" where nobody has compared it with the source."""

    state: str = ""
    value: str = ""
    quote: str = ""
    where: str = ""
    filled_by: str = ""
    checked: str = ""

    @property
    def shown(self) -> str:
        """The value, or which kind of nothing it is."""
        if self.state == "filled":
            return self.value
        return NOT_REPORTED if self.state == "not_reported" else NOT_LOOKED_AT


@dataclass(frozen=True, slots=True)
class TableLine:
    """One reference with its cells in the order of the columns."""

    entry: ExportEntry
    basis: str
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """A matrix to print. `basis_counts` says how many references rest on what."""

    columns: tuple[str, ...] = ()
    lines: tuple[TableLine, ...] = ()
    basis_counts: tuple[tuple[str, int], ...] = ()

    def used(self) -> MatrixTable:
        """The same without the columns in which nobody has filled or looked at anything."""
        kept = [at for at in range(len(self.columns)) if any(line.cells[at].state for line in self.lines)]
        lines = tuple(TableLine(line.entry, line.basis, tuple(line.cells[at] for at in kept)) for line in self.lines)
        return MatrixTable(tuple(self.columns[at] for at in kept), lines, self.basis_counts)

    @property
    def basis_text(self) -> str:
        """ "41 abstract only, 3 no abstract"."""
        return ", ".join(f"{number:,} {name}" for name, number in self.basis_counts if number)


def matrix_csv(table: MatrixTable, numbers: Mapping[str, int]) -> str:
    """One row for each reference; of every column its value, quote, place, who filled it and who checked it."""
    header = ["REF", "Key", "Title", "First Author", "Year", "Journal", "DOI", "PMID", "Marks", "Basis"]
    for column in table.columns:
        header += [column, f"{column}: quote", f"{column}: where", f"{column}: filled by", f"{column}: checked by"]
    return write_csv(header, (_csv_row(line, numbers) for line in table.lines))


def _csv_row(line: TableLine, numbers: Mapping[str, int]) -> list[Cell]:
    record = line.entry.record
    row: list[Cell] = [
        numbers[line.entry.key],
        line.entry.key,
        plain_text(line.entry.title),
        plain_text(record.authors[0].name) if record.authors else "",
        record.year,
        plain_text(record.journal or record.journal_abbreviation),
        record.doi,
        record.identifier(Scheme.PMID),
        " ".join(line.entry.marks),
        line.basis,
    ]
    for cell in line.cells:
        row += [plain_text(cell.shown), plain_text(cell.quote), cell.where, cell.filled_by, cell.checked]
    return row


def matrix_markdown(table: MatrixTable, numbers: Mapping[str, int]) -> list[str]:
    """The table as blocks of pandoc Markdown: who the study is with its number as a link, then the used columns."""
    if not table.lines:
        return ["No reference is in this table."]
    shown = table.used()
    head = ["Study", *shown.columns, "Basis"]
    widths = [22, *(_WIDTHS.get(column, 16) for column in shown.columns), 11]
    rows = [
        "| " + " | ".join(head_cell for head_cell in map(escape_markdown, head)) + " |",
        "|" + "|".join("-" * width for width in widths) + "|",
    ]
    for line in sorted(shown.lines, key=lambda one: numbers[one.entry.key]):
        cells = [_study(line, numbers), *map(_cell, line.cells), escape_markdown(line.basis)]
        rows.append("| " + " | ".join(cells) + " |")
    return ["\n".join(rows)]


def _study(line: TableLine, numbers: Mapping[str, int]) -> str:
    record, marks = line.entry.record, "".join(f" **{escape_markdown(mark)}**" for mark in line.entry.marks)
    first = plain_text(record.authors[0].family or record.authors[0].name) if record.authors else "No author"
    told = f"{first} et al." if len(record.authors) > 1 or not record.authors_complete else first
    year = f" {record.year}" if record.year is not None else ""
    return f"{citation_link([line.entry.key], numbers)} {escape_markdown(told + year)}{marks}"


def _cell(cell: TableCell) -> str:
    if cell.state != "filled":
        return f"*{cell.shown}*" if cell.state else "\u2014"
    unchecked = "" if cell.checked else " *(not checked)*"
    return " ".join(pandoc_markdown(cell.value).split()) + unchecked


def quotes_markdown(table: MatrixTable, numbers: Mapping[str, int]) -> list[str]:
    """Every filled cell with its words, where they stand, who filled it and who checked it; one bullet a cell."""
    lines = []
    for line in sorted(table.lines, key=lambda one: numbers[one.entry.key]):
        for column, cell in zip(table.columns, line.cells, strict=True):
            if cell.state == "filled":
                lines.append(f"- {citation_link([line.entry.key], numbers)} {_told(column, cell)}")
    return ["\n".join(lines)] if lines else ["No cell is filled."]


def _told(column: str, cell: TableCell) -> str:
    value = " ".join(pandoc_markdown(cell.value).split())
    told = f"{escape_markdown(column)}: {value}"
    if cell.quote and " ".join(cell.quote.split()) != " ".join(cell.value.split()):
        told += f" \u2014 \u201c{' '.join(pandoc_markdown(cell.quote).split())}\u201d"
    facts = [cell.where, cell.filled_by, f"checked by {cell.checked}" if cell.checked else "not checked by anybody"]
    return f"{told} ({escape_markdown('; '.join(fact for fact in facts if fact))})"


def citation_link(keys: Sequence[str], numbers: Mapping[str, int]) -> str:
    """ "[1, 3]" in pandoc Markdown, each number a link to its reference. Raises KeyError for an unknown key."""
    return "\\[" + ", ".join(f"[{numbers[key]}](<#{anchor(key)}>)" for key in keys) + "\\]"


def anchor(key: str) -> str:
    """The name of the place of a reference in the document."""
    return f"ref-{key}"
