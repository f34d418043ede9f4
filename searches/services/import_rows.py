"""Reads a list of identifiers as people paste it: one row after the other, each as typed and as what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import BinaryIO

from litapp.core.formats.importers import Entry, Limits, read_file
from litapp.core.formats.importers.ids import read_ids
from litapp.core.records import Identifier

LIST_FORMATS = frozenset({"ids", "text_ids"})
"""`Reading.format` of files that hold identifiers and nothing else of a record."""


@dataclass(frozen=True, slots=True)
class IdentifierRow:
    """A row: its line, its text as typed, and the identifiers it names, of one paper; or why it names none."""

    line: int
    text: str
    identifiers: tuple[Identifier, ...]
    problem: str = ""


def list_rows(text: str) -> list[IdentifierRow]:
    """The rows of a list that a person pasted: every line is told what it is; empty lines are none.

    A line of one row is shown whole, as it was typed.
    """
    lines = text.lstrip("\ufeff").splitlines()
    rows = _rows(read_ids(iter(enumerate(lines, start=1)), Limits()))
    of_line = Counter(row.line for row in rows)
    return [replace(row, text=lines[row.line - 1].strip()) if of_line[row.line] == 1 else row for row in rows]


def file_rows(stream: BinaryIO) -> list[IdentifierRow]:
    """The rows of a file of one of LIST_FORMATS. Raises UnreadableFile."""
    return _rows(read_file(stream).entries)


def _rows(entries: Iterable[Entry]) -> list[IdentifierRow]:
    return [
        IdentifierRow(
            entry.first_line,
            entry.text,
            entry.record.identifiers if entry.record else (),
            f"{entry.problem.message} {entry.problem.next_step}".strip() if entry.problem else "",
        )
        for entry in entries
    ]
