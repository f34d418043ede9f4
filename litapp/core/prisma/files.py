"""Writes a flow as the CSV of the R package PRISMA2020, and as JSON by the same names. Both pass the checker."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from litapp.core.formats.csvsafe import safe_cell
from litapp.core.prisma.boxes import BOXES, TITLE_ROWS, Box
from litapp.core.prisma.figure_text import notes, told, words_of
from litapp.core.prisma.flow import OTHER_DUPLICATES, PrismaFlow

HEADER = ("data", "node", "box", "description", "boxtext", "tooltips", "url", "n")
UNUSED = "xxx"
"""What the package wants in a box that is not used; an empty cell breaks it."""
_OPEN_KEYS = ("excluded_other", "dbr_excluded", "other_excluded")


def r_csv(flow: PrismaFlow) -> str:
    """The CSV that PRISMA2020's `read.csv` and its Shiny app read. Names lose commas and semicolons, at which the
    package would split them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for key, (node, words) in TITLE_ROWS.items():
        writer.writerow((key, node, key, words, words, words, "", UNUSED))
    for box in BOXES:
        if not box.ours:
            words = told(flow, box.key) if box.key in _OPEN_KEYS else words_of(box.key)
            writer.writerow((box.key, box.node, box.box, box.words, words, words, "", _cell(flow, box)))
    return out.getvalue()


def _cell(flow: PrismaFlow, box: Box) -> str:
    number = flow[box.key]
    if number.value is None:
        return UNUSED
    if not box.parts:
        return str(number.value)
    if not number.parts:
        return "0"
    return safe_cell("; ".join(f"{_name(part.name)}, {part.value}" for part in number.parts))


def _name(name: str) -> str:
    """A name without the signs at which the package splits lists."""
    return " ".join(name.replace(",", " –").replace(";", " –").split())


def as_json(flow: PrismaFlow, *, title: str = "", details: bool = True) -> str:
    """The flow as JSON: `values` by the package's names; with `details` the ids behind each number, and its parts."""
    values: dict[str, Any] = {}
    for box in BOXES:
        number = flow.numbers.get(box.key)
        if number is not None:
            values[box.key] = [[part.name, part.value] for part in number.parts] if box.parts else number.value
    whole: dict[str, Any] = {
        "title": title,
        "flow": "PRISMA 2020",
        "until": flow.until.isoformat() if flow.until else None,
        "interim": flow.is_interim,
        "values": values,
        "other_duplicates": flow.value(OTHER_DUPLICATES),
        "notes": notes(flow),
    }
    if details:
        whole["behind"] = {
            key: {
                "unit": "record" if number.of_records else "candidate",
                "ids": list(number.ids),
                "parts": [{"name": part.name, "ids": list(part.ids), "open": part.is_open} for part in number.parts],
            }
            for key, number in flow.numbers.items()
        }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
