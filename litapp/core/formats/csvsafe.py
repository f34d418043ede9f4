"""Writes CSV that a spreadsheet opens as data: UTF-8, quoted, no cell is run as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

BOM = "\ufeff"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Cell = str | int | float | None


def safe_cell(value: Cell) -> str:
    """The cell's text; an apostrophe goes before text that a spreadsheet would take for a formula.

    Source of the rule: OWASP, CSV injection (= + - @, tab, carriage return; also after blanks and in full width).
    Numbers given as numbers stay numbers. None is an empty cell.
    """
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    text = value.replace("\x00", "")
    return (
        f"'{text}" if text.startswith(_FORMULA_STARTS) or text.lstrip(" \u00a0\n").startswith(_FORMULA_STARTS) else text
    )


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A CSV table (RFC 4180) with a byte-order mark, without which Excel reads UTF-8 as a local character set.

    Raises ValueError for a row that has not as many cells as the header.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([safe_cell(name) for name in header])
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"A row has {len(row)} cells, the header {len(header)}.")
        writer.writerow([safe_cell(cell) for cell in row])
    return BOM + out.getvalue()
