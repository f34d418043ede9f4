"""Rows of delimited text, as spreadsheets and databases write them: quoted cells over many lines, stray quotes, junk.

Written without the csv module, whose limit of a cell is one setting for the whole process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from litapp.core.formats.importers.reading import Limits, UnreadableFile

_MOST_LINES = 3000
"""Lines of one quoted cell beyond which its opening quote is taken for a sign of the text."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells, its lines, its text as it stands, and whether a quote in it was never closed."""

    cells: list[str]
    first_line: int
    last_line: int
    text: str
    open_quote: bool = False


def read_rows(lines: Iterator[tuple[int, str]], delimiter: str, limits: Limits) -> Iterator[Row]:
    """The rows, blank ones as a row without cells. A quote that is never closed costs its own line only."""
    waiting: deque[tuple[int, str]] = deque()
    while True:
        if waiting:
            number, line = waiting.popleft()
        else:
            got = next(lines, None)
            if got is None:
                return
            number, line = got
        if not line.strip():
            yield Row([], number, number, "")
            continue
        if '"' not in line:
            yield Row(line.split(delimiter), number, number, line)
            continue
        cells, rest = _cells(line, delimiter)
        taken: list[tuple[int, str]] = []
        size = len(line)
        parts = [line]
        while rest is not None:
            got = waiting.popleft() if waiting else next(lines, None)
            if got is not None:
                taken.append(got)
                size += len(got[1]) + 1
            if got is None or len(taken) > _MOST_LINES or size > limits.record:
                break
            parts.append(got[1])
            end = _closing(got[1], 0)
            if end < 0:
                rest.append(got[1])
                continue
            rest.append(got[1][:end])
            cells.append("\n".join(rest).replace('""', '"'))
            more, rest = _after_quote(got[1], end + 1, delimiter, cells)
            cells += more
        if rest is not None:
            waiting.extendleft(reversed(taken))
            if len(line) > limits.record:
                raise UnreadableFile(
                    "record_too_long", f"Line {number} is longer than any record.", "Export the file again.", number
                )
            yield Row([cell.strip('"') for cell in line.split(delimiter)], number, number, line, open_quote=True)
            continue
        text = parts[0] if len(parts) == 1 else "\n".join(parts)
        yield Row(cells, number, taken[-1][0] if taken else number, text)


def _closing(line: str, start: int) -> int:
    """Where the quote is that closes a cell; two quotes are one sign of the text. -1 for none."""
    place = line.find('"', start)
    while place >= 0 and line.startswith('""', place):
        place = line.find('"', place + 2)
    return place


def _cells(line: str, delimiter: str, start: int = 0) -> tuple[list[str], list[str] | None]:
    """The whole cells of a line, and the beginning of a quoted one that goes on in the next line."""
    cells: list[str] = []
    place = start
    while True:
        first = place
        while first < len(line) and line[first] == " ":
            first += 1
        if line.startswith('"', first):
            end = _closing(line, first + 1)
            if end < 0:
                return cells, [line[first + 1 :]]
            cells.append(line[first + 1 : end].replace('""', '"'))
            more, rest = _after_quote(line, end + 1, delimiter, cells)
            return cells + more, rest
        end = line.find(delimiter, place)
        if end < 0:
            cells.append(line[place:])
            return cells, None
        cells.append(line[place:end])
        place = end + len(delimiter)


def _after_quote(line: str, place: int, delimiter: str, cells: list[str]) -> tuple[list[str], list[str] | None]:
    """Go on behind a closing quote; text between it and the delimiter belongs to the cell."""
    end = line.find(delimiter, place)
    extra = line[place:] if end < 0 else line[place:end]
    if extra.strip():
        cells[-1] += extra
    if end < 0:
        return [], None
    return _cells(line, delimiter, end + len(delimiter))
