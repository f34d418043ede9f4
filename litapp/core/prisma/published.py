"""Reads a published flow, as JSON or as the CSV of the R package PRISMA2020, for the checker. Loses nothing readable.

A box that is missing, empty or "xxx" is not given; a cell that cannot be read is told with its text. Neither is ever 0.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from litapp.core.prisma.boxes import BOXES, BY_KEY, LISTS, TITLE_ROWS
from litapp.core.prisma.reading_numbers import NOT_GIVEN, Reading, read_number
from litapp.core.prisma.reading_parts import ALL_TOGETHER, Part, read_parts, sum_of

MOST_CELLS = 20_000
_TOTAL_OF = {"database_specific_results": "database_results", "register_specific_results": "register_results"}
_ENTRY_KEYS = frozenset({"id", "split", "title", "source", "flow", "complete", "note", "expected", "published_extra"})
_STANDARD_TEXT = re.compile(r"\W+")


class NotAFlow(ValueError):
    """The file holds no flow that can be read. The message says why and what is expected."""


@dataclass(frozen=True, slots=True)
class PublishedFlow:
    """What a figure or file states. A key stands in one of `numbers`, `unreadable`, or nowhere: then it is not given.

    `parts` = lists of databases and reasons. `told_empty` = boxes that are there without a number. `extra` = what the
    file holds besides the standard boxes, with numbers where it has any. `relabelled` = boxes whose printed text is not
    the standard one. `notes` = what the reader should know of the reading.
    """

    numbers: Mapping[str, int]
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    told_empty: frozenset[str] = frozenset()
    extra: Mapping[str, Any] = field(default_factory=dict)
    relabelled: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    complete: bool = True
    notes: tuple[str, ...] = ()


def read_published(data: bytes | str, name: str = "") -> PublishedFlow:
    """Read a file or pasted text. `name` helps to tell JSON from CSV; the content decides. Raises NotAFlow."""
    text = _decoded(data) if isinstance(data, bytes) else data
    text = text.lstrip("\ufeff \t\r\n")
    if not text.strip():
        raise NotAFlow("The file is empty. It should hold the numbers of one flow, as JSON or as CSV.")
    if text[0] in "{[":
        return _of_json(text)
    try:
        return _of_csv(text)
    except NotAFlow:
        if name.casefold().endswith(".json"):
            return _of_json(text)
        raise


def flow_of_values(values: Mapping[str, Any], **about: Any) -> PublishedFlow:
    """A flow of values by the names of the boxes, in whatever form each value has."""
    reader = _Reader()
    for key, value in values.items():
        reader.take(str(key), value)
    return reader.flow(**about)


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


class _Reader:
    """Collects boxes one by one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.parts: dict[str, tuple[Part, ...]] = {}
        self.unreadable: dict[str, str] = {}
        self.empty: set[str] = set()
        self.extra: dict[str, Any] = {}
        self.relabelled: dict[str, str] = {}
        self.notes: list[str] = []

    def take(self, name: str, value: Any) -> None:
        key = key_of(name)
        if key is None:
            if len(self.extra) < 500:
                self.extra[name[:200]] = value
        elif isinstance(value, _Twice):
            self._twice(key, value)
        elif key in LISTS:
            self._list(key, value)
        else:
            self._number(key, value)

    def _twice(self, key: str, value: _Twice) -> None:
        self.take(key, value.values[0])
        before = (self.numbers.get(key), self.parts.get(key))
        for other in value.values[1:]:
            self.take(key, other)
            if (self.numbers.get(key), self.parts.get(key)) != before:
                self.numbers.pop(key, None)
                self.parts.pop(key, None)
                self.unreadable[key] = "It is given more than once, with different numbers."
                return

    def _list(self, key: str, value: Any) -> None:
        parts, problem = read_parts(value)
        self.empty.discard(key)
        self.parts.pop(key, None)
        self.unreadable.pop(key, None)
        if parts:
            self.parts[key] = parts
        if problem:
            self.unreadable[key] = problem
        elif not parts:
            self.empty.add(key)

    def _number(self, key: str, value: Any) -> None:
        self.empty.discard(key)
        self.numbers.pop(key, None)
        self.unreadable.pop(key, None)
        if isinstance(value, Mapping) and (inner := _number_within(value)) is not None:
            value = inner
        if isinstance(value, list | tuple | Mapping):
            self._list_for_number(key, value)
            return
        reading = read_number(value)
        if reading.number is None and isinstance(value, str) and ";" in value:
            self._list_for_number(key, value)
        elif reading.number is not None:
            self.numbers[key] = reading.number
        elif reading == NOT_GIVEN:
            self.empty.add(key)
        else:
            self.unreadable[key] = reading.problem

    def _list_for_number(self, key: str, value: Any) -> None:
        """Where one number belongs a list stands: its sum, if every part is known."""
        parts, problem = read_parts(value)
        total = _total_of(parts)
        if problem or total is None:
            self.unreadable[key] = problem or "A list stands here that does not give one number."
            return
        self.numbers[key] = total
        self.notes.append(f"{BY_KEY[key].words}: a list stands in the place of a number; it comes to {total:,}.")
        specific = next((name for name, whole in _TOTAL_OF.items() if whole == key), None)
        if specific and specific not in self.parts:
            self.parts[specific] = parts

    def flow(self, **about: Any) -> PublishedFlow:
        """What was collected. Raises NotAFlow when not one box was found."""
        if not (self.numbers or self.parts or self.unreadable or self.empty):
            raise NotAFlow(
                "No box of a PRISMA flow was found. Boxes have the names of the R package PRISMA2020, "
                "for example database_results, duplicates, records_screened."
            )
        for specific, whole in _TOTAL_OF.items():
            self._total_from_list(specific, whole)
        return PublishedFlow(
            self.numbers, self.parts, self.unreadable, frozenset(self.empty), self.extra, self.relabelled,
            notes=tuple(self.notes), **about,
        )  # fmt: skip

    def _total_from_list(self, specific: str, whole: str) -> None:
        parts = self.parts.get(specific, ())
        if whole in self.numbers or whole in self.unreadable or not parts:
            return
        total = _total_of(parts)
        if total is not None:
            self.numbers[whole] = total
            self.empty.discard(whole)
            self.notes.append(f"{BY_KEY[whole].words}: no total is given; the list comes to {total:,}.")


def _total_of(parts: tuple[Part, ...]) -> int | None:
    """What the list says of its total; else the sum of its parts, where all are known."""
    stated = [part.number for part in parts if part.is_total and part.number is not None]
    return stated[0] if len(stated) == 1 else sum_of(parts)


def _number_within(value: Mapping[Any, Any]) -> Any:
    by_key = {str(key).casefold(): inner for key, inner in value.items()}
    return next((by_key[key] for key in ("n", "value", "count", "number") if key in by_key), None)


def key_of(name: str) -> str | None:
    """The box that a file calls `name`; None if it is none."""
    key = re.sub(r"[\s\-.]+", "_", name.strip().strip("\"'").casefold())
    key = key.replace("organization", "organisation").replace("databases_results", "database_results")
    return key if key in BY_KEY else None


# JSON


@dataclass(frozen=True, slots=True)
class _Twice:
    values: tuple[Any, ...]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            before = found[key]
            earlier = before.values if isinstance(before, _Twice) else (before,)
            found[key] = _Twice((*earlier, value))
        else:
            found[key] = value
    return found


def _of_json(text: str) -> PublishedFlow:
    try:
        content = json.loads(text, object_pairs_hook=_pairs)
    except json.JSONDecodeError as error:
        raise NotAFlow(f"This is no valid JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except (ValueError, RecursionError):
        raise NotAFlow("This JSON is nested too deeply, or holds a number that is too long.") from None
    if isinstance(content, list):
        return _of_json_list(content)
    if not isinstance(content, Mapping):
        raise NotAFlow("The JSON holds no object. It should be {“values”: {“database_results”: 162, …}}.")
    return _of_object(content)


def _of_json_list(content: list[Any]) -> PublishedFlow:
    rows = [row for row in content if isinstance(row, Mapping)]
    named = [row for row in rows if _cell(row, "data") is not None]
    if named:
        return _of_rows(named)
    if len(rows) == 1:
        return _of_object(rows[0])
    raise NotAFlow("The JSON holds a list. Check one flow at a time: one object, or rows with “data” and “n”.")


def _of_object(content: Mapping[str, Any]) -> PublishedFlow:
    values = content.get("values")
    inner = values if isinstance(values, Mapping) else None
    if isinstance(values, list) and any(isinstance(row, Mapping) and "data" in row for row in values):
        return _of_rows([row for row in values if isinstance(row, Mapping)])
    reader = _Reader()
    for key, value in (inner if inner is not None else content).items():
        if inner is not None or key not in _ENTRY_KEYS:
            reader.take(str(key), value)
    extra = content.get("published_extra")
    if isinstance(extra, Mapping):
        for key, value in list(extra.items())[:500]:
            reader.extra[str(key)[:200]] = value
    title = content.get("title")
    return reader.flow(
        title=title[:300] if isinstance(title, str) else "", complete=content.get("complete") is not False
    )


# CSV


def _of_csv(text: str) -> PublishedFlow:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    for delimiter in _delimiters(lines):
        rows = _csv_rows(lines, delimiter)
        head = next((place for place, row in enumerate(rows[:30]) if _is_header(row)), None)
        if head is not None:
            names = [_normal(cell) for cell in rows[head]]
            return _of_rows(dict(zip(names, row, strict=False)) for row in rows[head + 1 :])
        named = [row for row in rows if row and key_of(row[0]) is not None]
        if len(named) >= 2:
            return _of_rows({"data": row[0], "n": _last_told(row[1:])} for row in named)
    raise NotAFlow(
        "This is neither JSON nor the CSV of the R package PRISMA2020: "
        "no header with the columns “data” and “n” was found."
    )


def _delimiters(text: str) -> list[str]:
    """Best first: what the header line has most of."""
    first = text.split("\n", 1)[0]
    return sorted([",", ";", "\t"], key=lambda mark: -first.count(mark))


def _csv_rows(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            rows.append(row)
            if len(rows) > MOST_CELLS:
                raise NotAFlow("The file has too many lines for one flow.")
    except csv.Error as error:
        raise NotAFlow(f"The CSV cannot be read: {error}.") from None
    return rows


def _is_header(row: list[str]) -> bool:
    names = {_normal(cell) for cell in row}
    return "data" in names and "n" in names


def _normal(cell: str) -> str:
    return cell.strip().strip("\"'\ufeff").casefold()


def _last_told(cells: list[str]) -> str:
    return next((cell for cell in reversed(cells) if cell.strip()), "")


def _cell(row: Mapping[Any, Any], name: str) -> Any:
    return next((value for key, value in row.items() if isinstance(key, str) and _normal(key) == name), None)


def _of_rows(rows: Iterable[Mapping[Any, Any]]) -> PublishedFlow:
    """Rows with "data" and "n", matched by the header's names."""
    reader = _Reader()
    seen: dict[str, list[Any]] = {}
    for row in rows:
        name, value = _cell(row, "data"), _cell(row, "n")
        if not isinstance(name, str) or not name.strip() or _normal(name) in TITLE_ROWS:
            continue
        key = key_of(name) or name.strip()
        seen.setdefault(key, []).append(value)
        box = BY_KEY.get(key)
        printed = _cell(row, "boxtext")
        if box and isinstance(printed, str) and printed.strip():
            reader.relabelled[key] = printed.strip()[:300]
    for key, values in seen.items():
        different = [value for place, value in enumerate(values) if value not in values[:place]]
        reader.take(key, different[0] if len(different) == 1 else _Twice(tuple(different)))
    return reader.flow()


def given_boxes(flow: PublishedFlow) -> Iterator[tuple[str, str, str]]:
    """(key, words, text) of every box of the figure in its order: what was understood, for a table."""
    for box in BOXES:
        if box.key in flow.unreadable:
            yield box.key, box.words, flow.unreadable[box.key]
        elif box.key in flow.numbers:
            yield box.key, box.words, f"{flow.numbers[box.key]:,}"
        elif box.key in flow.parts:
            yield box.key, box.words, "; ".join(_part_text(part) for part in flow.parts[box.key])


def _part_text(part: Part) -> str:
    number = "—" if part.number is None else f"{part.number:,}"
    return number if part.name in ("", ALL_TOGETHER) else f"{part.name}: {number}"


__all__ = ["NotAFlow", "PublishedFlow", "Reading", "flow_of_values", "given_boxes", "read_published"]
