"""Reading values of untrusted JSON: null, a wrong type or a missing key never raises and never becomes data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.records import Identifier, PartialDate, Scheme

T = TypeVar("T")

EARLIEST_YEAR, LATEST_YEAR = 1000, 2200

_NOTICE_WORD = r"(?:retraction|correction|erratum|corrigendum|addendum|(?:editorial\s+)?expression\s+of\s+concern)"
_NOTICE_TITLE = re.compile(
    rf"\s*(?:(?:notice|statement)\s+of\s+retraction\b|retraction\s+not(?:e|ice)\b|{_NOTICE_WORD}\s*[:—–]|"
    rf"{_NOTICE_WORD}\s+(?:to|of|for)\s*:|(?:erratum|corrigendum|addendum)\s+(?:to|for)\b|"
    r"(?:correction|retraction)\s+for\s.{1,60}?\bet\s+al\b)",
    re.IGNORECASE,
)


def text(value: Any) -> str:
    """A string or number as one line of text; "" for anything else."""
    if isinstance(value, str):
        return " ".join(value.replace("\x00", "").split())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return ""


def whole(value: Any) -> int | None:
    """A whole number, also one written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 19:
        return int(value)
    return None


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A JSON array, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON array; other entries are left out."""
    return [entry for entry in sequence(value) if isinstance(entry, dict)]


def texts(value: Any) -> tuple[str, ...]:
    """The non-empty texts of a JSON array, in order, each once; a single string counts as an array of one."""
    entries = [value] if isinstance(value, str) else sequence(value)
    return tuple(dict.fromkeys(filter(None, map(text, entries))))


def year(value: Any) -> int | None:
    """A plausible year, else None."""
    number = whole(value)
    return number if number is not None and EARLIEST_YEAR <= number <= LATEST_YEAR else None


def date_of_parts(parts: Any) -> PartialDate:
    """A date of [year, month, day]; parts that are missing or impossible are left out."""
    values = [whole(part) for part in sequence(parts)[:3]] + [None, None, None]
    found = year(values[0])
    if found is None:
        return PartialDate()
    month = values[1] if values[1] is not None and 1 <= values[1] <= 12 else None
    day = values[2] if month is not None and values[2] is not None and 1 <= values[2] <= 31 else None
    return PartialDate(found, month, day)


def date_of_iso(value: Any) -> PartialDate:
    """A date written YYYY, YYYY-MM or YYYY-MM-DD."""
    return date_of_parts(text(value)[:10].split("-"))


def iso_of_date(date: PartialDate) -> str:
    """A date as YYYY, YYYY-MM or YYYY-MM-DD; "" without a year."""
    if date.year is None:
        return ""
    parts = [f"{date.year:04d}"]
    if date.month is not None:
        parts.append(f"{date.month:02d}")
        if date.day is not None:
            parts.append(f"{date.day:02d}")
    return "-".join(parts)


def is_notice_title(title: str) -> bool:
    """True for the title of a retraction notice, erratum or expression of concern ("Retraction: …", "Erratum to …").

    Those that merely begin with such a word ("Retraction of the foreskin") and marked papers ("RETRACTED: …") are not.
    """
    return _NOTICE_TITLE.match(title) is not None


def identifiers_of(values: Iterable[tuple[Scheme, Any]]) -> tuple[tuple[Identifier, ...], tuple[str, ...]]:
    """Identifiers in normal form, each once, in order; and a warning for each value that is none of its scheme."""
    found: dict[Identifier, None] = {}
    warnings: list[str] = []
    for scheme, value in values:
        raw = text(value)
        if not raw:
            continue
        try:
            found[Identifier(scheme, normalise(scheme, raw))] = None
        except BadIdentifier:
            warnings.append(f"The source gives “{raw[:80]}” as {scheme.value.upper()}, which is none.")
    return tuple(found), tuple(warnings)


def in_batches(values: list[T], size: int) -> Iterator[list[T]]:
    """`values` cut into lists of at most `size`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
