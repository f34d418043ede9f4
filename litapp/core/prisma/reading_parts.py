"""Reads lists of names with numbers (databases, reasons) as files have them: pairs, objects, "Name, n; Name, n".

Sub-totals ("of which Ovid, 300", a row "Total") are kept apart: they are told, never added a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litapp.core.prisma.reading_numbers import NOT_GIVEN, Reading, read_number

DEEPEST = 4
MOST_PARTS = 2000
ALL_TOGETHER = "all together"
_NAME_KEYS = ("label", "name", "reason", "database", "register", "source", "text")
_NUMBER_KEYS = ("n", "value", "count", "number", "records", "results")
_PART_KEYS = ("parts", "of", "subtotals", "sub_totals", "details")
_TOTAL = re.compile(r"(?:sub-?\s?|grand )?totals?|sum|all (?:databases|registers|sources)", re.I)
_WITHIN = re.compile(r"(?:of (?:which|these|whom)|thereof|including|incl\.|via|through)\b", re.I)


@dataclass(frozen=True, slots=True)
class Part:
    """One name with its number. `within` = it is part of the one before it, or the total: not added.
    `parts` = numbers that this one is made of, as the file says."""

    name: str
    reading: Reading
    within: bool = False
    parts: tuple[Part, ...] = ()

    @property
    def number(self) -> int | None:
        """Its own number; where none is told, the sum of its parts, if all of them are known."""
        if self.reading.number is not None or not self.parts:
            return self.reading.number
        return sum_of(self.parts)

    @property
    def is_total(self) -> bool:
        """It says what the others come to."""
        return bool(_TOTAL.fullmatch(self.name.strip(" :")))


def sum_of(parts: Sequence[Part]) -> int | None:
    """Sum of the parts that count; None if one of them is not known."""
    numbers = [part.number for part in parts if not part.within]
    return None if not numbers or any(number is None for number in numbers) else sum(n or 0 for n in numbers)


def known_sum(parts: Sequence[Part]) -> int:
    """Sum of the parts that count and are known."""
    return sum(part.number or 0 for part in parts if not part.within)


def read_parts(value: Any) -> tuple[tuple[Part, ...], str]:
    """The parts that `value` lists, and what is wrong with it ("" = nothing). Never raises; () = nothing is told."""
    try:
        parts = tuple(_parts(value, DEEPEST))
    except _TooDeep:
        return (), "The list is nested too deeply, or too long, to be read."
    wrong = [f"{part.name or 'No name'}: {part.reading.problem}" for part in _all(parts) if part.reading.problem]
    return parts, " ".join(wrong)


class _TooDeep(Exception):
    pass


def _all(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        yield part
        yield from _all(part.parts)


def _parts(value: Any, depth: int) -> Iterator[Part]:
    if depth < 0 or (isinstance(value, list | Mapping) and len(value) > MOST_PARTS):
        raise _TooDeep
    if value is None:
        return
    if isinstance(value, str):
        yield from _of_text(value)
    elif isinstance(value, Mapping):
        if _named(value):
            yield _of_object(value, depth)
        else:
            for name, inner in value.items():
                yield _one(str(name), inner, depth)
    elif isinstance(value, list | tuple):
        yield from _of_list(value, depth)
    else:
        reading = read_number(value)
        if reading != NOT_GIVEN:
            yield Part(ALL_TOGETHER, reading)


def _of_list(value: Sequence[Any], depth: int) -> Iterator[Part]:
    if len(value) == 2 and isinstance(value[0], str) and not isinstance(value[1], Mapping | str | type(None)):
        yield _one(value[0], value[1], depth)  # one pair without its list
        return
    for item in value:
        if isinstance(item, Mapping):
            yield from (
                [_of_object(item, depth)] if _named(item) else [_one(str(n), inner, depth) for n, inner in item.items()]
            )
        elif isinstance(item, list | tuple):
            yield _of_row(item, depth)
        else:
            yield from _parts(item, depth - 1)


def _of_row(item: Sequence[Any], depth: int) -> Part:
    """[name, n], [n, name], [name, n, more]: the first text is the name, the first thing behind it the number."""
    if not item:
        return Part("", NOT_GIVEN)
    if len(item) == 1:
        inner = tuple(_parts(item[0], depth - 1))
        return inner[0] if len(inner) == 1 else Part("", NOT_GIVEN, parts=inner)
    name, rest = item[0], list(item[1:])
    if not isinstance(name, str) and isinstance(rest[0], str):
        name, rest = rest[0], [item[0], *rest[1:]]
    part = _one("" if name is None else str(name)[:300], rest[0], depth)
    nested = [one for one in rest[1:] if isinstance(one, list | Mapping)]
    return Part(part.name, part.reading, part.within, tuple(_parts(nested[0], depth - 1))) if nested else part


def _named(value: Mapping[Any, Any]) -> bool:
    keys = {str(key).casefold() for key in value}
    return bool(keys & set(_NAME_KEYS)) and bool(keys & {*_NUMBER_KEYS, *_PART_KEYS})


def _of_object(value: Mapping[Any, Any], depth: int) -> Part:
    by_key = {str(key).casefold(): inner for key, inner in value.items()}
    name = next((by_key[key] for key in _NAME_KEYS if key in by_key), "")
    number = next((by_key[key] for key in _NUMBER_KEYS if key in by_key), None)
    parts = next((by_key[key] for key in _PART_KEYS if key in by_key), None)
    one = _one(str(name)[:300], number, depth)
    return Part(one.name, one.reading, one.within, tuple(_parts(parts, depth - 1)) or one.parts)


def _one(name: str, value: Any, depth: int) -> Part:
    clean = " ".join(name.split())[:300]
    within = bool(_WITHIN.match(clean.lstrip("-–—• ")) or _TOTAL.fullmatch(clean.strip(" :")))
    if isinstance(value, Mapping | list | tuple):
        return Part(clean, NOT_GIVEN, within, tuple(_parts(value, depth - 1)))
    return Part(clean, read_number(value), within)


def _of_text(text: str) -> Iterator[Part]:
    """ "Name, n; Name, n". A comma or digits inside a name are read as part of it: the number stands last."""
    if read_number(text) == NOT_GIVEN:
        return
    whole = read_number(text)
    if whole.number is not None:
        yield Part(ALL_TOGETHER, whole)
        return
    pieces = [piece.strip() for piece in re.split(r"[;\n|]|<br\s*/?>", text[:200_000], flags=re.I)]
    if sum(1 for piece in pieces if piece) > MOST_PARTS:
        raise _TooDeep
    for piece in pieces:
        if piece:
            yield _of_piece(piece[:2000])


def _of_piece(piece: str) -> Part:
    for mark in re.finditer(r"(?:(?<=\s)[-–—]|[,:=(\[ ])(?=\s*[(\[]?\s*(?:n\s*[=:]\s*)?\d)", piece):
        name, tail = piece[: mark.start()], piece[mark.start() :].lstrip(",:=–—- ")
        reading = read_number(tail)
        if name.strip() and reading.number is not None:
            return _one(name.rstrip(" ,:=–—-("), reading.number, DEEPEST)
    name, _, tail = piece.rpartition(",")
    reading = read_number(tail if name else piece)
    if name and not reading.number and reading == NOT_GIVEN:
        return _one(name, None, DEEPEST)
    if not name and reading.number is not None:
        return Part("", reading)
    return Part(" ".join(piece.split())[:300], Reading(problem=f"“{piece[:60]}” has no number that can be read."))
