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
    """The rows, blank ones as a row without cells.

    A quote that is never closed costs its own line only, unless the file ends within its cell. A quote within a cell is
    written twice, or behind a backslash.
    """
    waiting: deque[tuple[int, str]] = deque()
    width = 0
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
            cells = line.split(delimiter)
            width = max(width, len(cells))
            yield Row(cells, number, number, line)
            continue
        cells, cell = _cells(line, delimiter, 0, [])
        taken: list[tuple[int, str]] = []
        size = len(line)
        ended = False
        while cell is not None:
            got = waiting.popleft() if waiting else next(lines, None)
            if got is None:
                ended = True
                break
            taken.append(got)
            size += len(got[1]) + 1
            if len(taken) > _MOST_LINES or size > limits.record:
                break
            cell = _go_on(cell, got[1], delimiter, cells)
        whole = [got[1] for got in taken]
        if cell is not None and ended and (width < 2 or not _rows_of(whole, delimiter, width)):
            cells.append(cell.text)
            yield Row(cells, number, taken[-1][0] if taken else number, "\n".join([line, *whole]), open_quote=True)
            return
        if cell is not None or (whole and width > 2 and _rows_of(whole, delimiter, width) == len(whole)):
            waiting.extendleft(reversed(taken))
            if len(line) > limits.record:
                raise UnreadableFile(
                    "record_too_long", f"Line {number} is longer than any record.", "Export the file again.", number
                )
            yield Row([one.strip('"') for one in line.split(delimiter)], number, number, line, open_quote=True)
            continue
        width = max(width, len(cells))
        yield Row(cells, number, taken[-1][0] if taken else number, "\n".join([line, *whole]) if whole else line)


def _rows_of(lines: list[str], delimiter: str, width: int) -> int:
    """How many of these lines are whole rows of a table of `width` columns."""
    count = 0
    for line in lines:
        cells, cell = _cells(line, delimiter, 0, [])
        count += len(cells if cell is None else line.split(delimiter)) == width
    return count


@dataclass(slots=True)
class _Quoted:
    """A quoted cell that is not closed yet, and how many quotes behind a backslash it has."""

    parts: list[str]
    escaped: int = 0

    @property
    def text(self) -> str:
        text = "\n".join(self.parts).replace('""', '"')
        return text.replace('\\"', '"') if self.escaped else text

    def closing(self, line: str, start: int, delimiter: str) -> int:
        """Where the quote is that closes the cell; -1 for none. Two quotes are one sign of the text, and so is a quote
        behind a backslash, unless it is the last sign of the cell while no such quote is open."""
        place = line.find('"', start)
        while place >= 0:
            if place > start and line[place - 1] == "\\" and (
                self.escaped % 2 or not (place + 1 == len(line) or line.startswith(delimiter, place + 1))
            ) and not line.startswith('""', place):  # fmt: skip
                self.escaped += 1
                place = line.find('"', place + 1)
            elif line.startswith('""', place):
                place = line.find('"', place + 2)
            else:
                break
        return place


def _cells(line: str, delimiter: str, start: int, cells: list[str]) -> tuple[list[str], _Quoted | None]:
    """`cells` with the whole cells of a line from `start`, and the beginning of a quoted one that goes on in the next
    line."""
    place = start
    while True:
        first = place
        while first < len(line) and line[first] == " ":
            first += 1
        if line.startswith('"', first):
            cell = _Quoted([])
            end = cell.closing(line, first + 1, delimiter)
            if end < 0:
                cell.parts.append(line[first + 1 :])
                return cells, cell
            cell.parts.append(line[first + 1 : end])
            cells.append(cell.text)
            end = _behind(line, end + 1, delimiter, cells)
        else:
            end = line.find(delimiter, place)
            cells.append(line[place:] if end < 0 else line[place:end])
        if end < 0:
            return cells, None
        place = end + len(delimiter)


def _go_on(cell: _Quoted, line: str, delimiter: str, cells: list[str]) -> _Quoted | None:
    """The quoted cell after one more line, or the next one; None where the line ends the row."""
    end = cell.closing(line, 0, delimiter)
    if end < 0:
        cell.parts.append(line)
        return cell
    cell.parts.append(line[:end])
    cells.append(cell.text)
    end = _behind(line, end + 1, delimiter, cells)
    return _cells(line, delimiter, end + len(delimiter), cells)[1] if end >= 0 else None


def _behind(line: str, place: int, delimiter: str, cells: list[str]) -> int:
    """Where the next delimiter behind a closing quote is; text before it belongs to the cell."""
    end = line.find(delimiter, place)
    extra = line[place:] if end < 0 else line[place:end]
    if extra.strip():
        cells[-1] += extra
    return end
