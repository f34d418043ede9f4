"""JSON and JSON lines in one canonical form: sorted keys, no blanks, UTF-8. Equal values give equal bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes. A record with three thousand authors has less than one."""


class UnreadableJson(ValueError):
    """Not JSON as a bundle holds it. The message says where and why."""


def canonical(value: Any) -> bytes:
    """The value in canonical form, without a line end. Raises ValueError for NaN and infinities."""
    text = _dump(value, ascii_only=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, as some sources send: written as an escape
        return _dump(value, ascii_only=True).encode()


def _dump(value: Any, *, ascii_only: bool) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False)


def line(value: Any) -> bytes:
    """One line of a JSON lines file."""
    return canonical(value) + b"\n"


def canonical_hash(value: Any) -> str:
    """sha256 (hex) of the canonical form."""
    return hashlib.sha256(canonical(value)).hexdigest()


def read_json(content: bytes, name: str) -> Any:
    """The value of a JSON file. Raises UnreadableJson."""
    return _load(content, name)


def read_lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number (from 1) and object of each line. Raises UnreadableJson at the first line that is none."""
    number = 0
    while text := stream.readline(LONGEST_LINE + 1):
        number += 1
        where = f"{name}, line {number}"
        if len(text) > LONGEST_LINE:
            raise UnreadableJson(f"{where}: longer than {LONGEST_LINE:,} bytes.")
        if not text.endswith(b"\n"):
            raise UnreadableJson(f"{where}: the file breaks off here (no line end).")
        value = _load(text, where)
        if not isinstance(value, dict):
            raise UnreadableJson(f"{where}: not an object.")
        yield number, value


def _load(content: bytes, where: str) -> Any:
    try:
        return json.loads(content.decode(), object_pairs_hook=_each_once, parse_constant=_no_constant)
    except UnreadableJson as error:
        raise UnreadableJson(f"{where}: {error}") from error
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        raise UnreadableJson(f"{where}: not JSON ({error}).") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise UnreadableJson("a name stands twice in one object.")
    return data


def _no_constant(name: str) -> Any:
    raise UnreadableJson(f"{name} is no JSON value.")
