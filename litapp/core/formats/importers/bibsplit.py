"""Splits BibTeX into entries and fields, entry by entry, and repairs what can be repaired.

A library that splits whole files holds them in memory; and a broken entry must cost itself only. An entry ends with its
brace, or, where that is missing, at the next line that begins an entry. Every repair is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from litapp.core.formats.importers.reading import Limits
from litapp.core.formats.importers.tagged import Block

START = re.compile(r"@[ \t]*([A-Za-z][\w-]*)[ \t]*([{(])")
_START_LINE = re.compile(
    r"[ \t]*@[ \t]*([A-Za-z][\w-]*)[ \t]*[{(][ \t]*(?:[^\s,{}=\"]*[ \t]*,|[^\s,{}=\"]*[ \t]*\Z|[\w-]+[ \t]*=)"
)
_OPEN_LINE = re.compile(r"[ \t]*@[ \t]*[A-Za-z][\w-]*[ \t]*\Z")
_NAME = re.compile(r"\s*([^\s=,{}\"#()]+)\s*=\s*")
_NEXT_FIELD = re.compile(r"(?:,|\n)[ \t]*[A-Za-z][\w+-]*\s*=\s*[{\"\d]")
_BARE = re.compile(r"[^\s,#{}\"]+")
MONTHS = {name: name for name in ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]}


@dataclass(slots=True)
class BibEntry:
    """One entry: type and key as written, fields by lower-case name, what was repaired, its lines and its text."""

    kind: str
    key: str = ""
    fields: list[tuple[str, str]] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    first_line: int = 0
    last_line: int = 0
    text: str = ""
    cut: bool = False
    unclosed: bool = False

    def get(self, name: str) -> str:
        return next((value for key, value in self.fields if key == name), "")


def split_entries(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[BibEntry]:
    """All entries, also @string, @preamble and @comment, with their text, their fields not yet read."""
    splitter = _Splitter(limits)
    for number, line in lines:
        yield from splitter.take(number, line)
    yield from splitter.end()


class _Splitter:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._entry: BibEntry | None = None
        self._parts: list[str] = []
        self._block = Block(limits)
        self._depth = 0
        self._round = False
        self._waiting = ""
        self._remark = False

    def take(self, number: int, line: str) -> Iterator[BibEntry]:
        if self._waiting:
            line, self._waiting = f"{self._waiting} {line.lstrip()}", ""
        if (
            self._entry is not None
            and _START_LINE.match(line.lstrip("% ") if self._remark else line)
            and self._entry.kind.lower() != "comment"
        ):
            self._entry.unclosed = True
            self._entry.repairs.append("The closing brace of the entry is missing; it was read up to the next entry.")
            yield self._finish()
        if self._entry is None and _OPEN_LINE.fullmatch(line):
            self._waiting = line.rstrip()
            return
        place = 0
        while place <= len(line):
            if self._entry is None:
                found = START.search(line, place)
                if not found:
                    return
                self._entry = BibEntry(found[1], first_line=number, last_line=number)
                self._round, self._depth, place = found[2] == "(", 1, found.end()
                self._parts, self._block = [], Block(self._limits)
                self._remark = line[: found.start()].lstrip().startswith("%")
                if self._remark:
                    self._entry.repairs.append("The entry is marked as a remark with %.")
                self._block.add(number, line)
            elif place == 0:
                if self._remark and line.lstrip().startswith("%"):
                    line = line.lstrip()[1:]
                self._block.add(number, line)
                self._entry.last_line = number
            end = self._close(line, place)
            if end < 0:
                self._parts.append(line[place:] + "\n")
                return
            rest = line[end + 1 :].strip()
            if (
                rest.startswith(",")
                and (not rest[1:].strip() or _NAME.match(rest[1:]))
                and not self._round
                and self._unfinished(line[place:end])
            ):
                self._parts.append(line[place:end])
                self._entry.repairs.append("A closing brace stands too early; the fields after it were read too.")
                self._depth, place = 1, end + 1
                continue
            self._parts.append(line[place:end])
            yield self._finish()
            place = end + 1

    def _unfinished(self, before: str) -> bool:
        """Whether the brace that would end the entry stands at the end of a field, where another one follows."""
        return before.rstrip().endswith("}") and "=" in before

    def _close(self, line: str, start: int) -> int:
        for found in re.finditer(r"[{}()]" if self._round else r"[{}]", line[start:]):
            sign = found[0]
            if sign == "{":
                self._depth += 1
            elif sign == "}":
                self._depth -= 1
                if not self._round and self._depth == 0:
                    return start + found.start()
                self._depth = max(self._depth, 1)
            elif sign == ")" and self._depth == 1:
                return start + found.start()
        return -1

    def _finish(self) -> BibEntry:
        entry, self._entry = self._entry, None
        if entry is None:
            raise AssertionError("no entry is open")
        entry.text = "".join(self._parts)
        entry.cut = self._block.cut
        return entry

    def shown(self) -> str:
        return self._block.text

    def end(self) -> Iterator[BibEntry]:
        if self._entry is not None:
            self._entry.unclosed = True
            self._entry.repairs.append(
                "The closing brace of the entry is missing; it was read up to the end of the file."
            )
            yield self._finish()


def read_fields(entry: BibEntry, strings: Mapping[str, str]) -> None:
    """Fill `key` and `fields` from `text`; macros are replaced where known."""
    text = entry.text
    found = re.match(r"\s*+([^,={}\"\n]*+)(?:\s*+,|\s*+\Z|\n(?=\s*+[A-Za-z][\w-]*\s*=))", text)
    place = 0
    if found:
        entry.key, place = found[1].strip(), found.end()
    elif not _NAME.match(text):
        entry.repairs.append("The entry has no citation key.")
        comma = text.find(",")
        place = comma + 1 if comma >= 0 else 0
    seen: set[str] = set()
    comma = True
    while place < len(text):
        gap = re.compile(r"[\s,]*").match(text, place)
        if gap:
            comma = comma or "," in gap[0]
            place = gap.end()
        if place >= len(text):
            break
        name = _NAME.match(text, place)
        if not name:
            following = _NEXT_FIELD.search(text, place)
            end = following.start() if following else len(text)
            junk = text[place:end].strip(" \n,}{")
            if junk:
                entry.repairs.append(f"“{' '.join(junk.split())[:80]}” is no field and was passed over.")
            place = max(end, place + 1)
            comma = True
            continue
        if not comma:
            entry.repairs.append(f"A comma is missing before the field “{name[1]}”.")
        value, place = _value(text, name.end(), strings, entry)
        key = name[1].lower()
        if key in seen:
            entry.repairs.append(f"The field “{key}” stands twice; the first one counts.")
            key = f"{key} (again)"
        seen.add(key)
        entry.fields.append((key, value))
        comma = False


def _value(text: str, place: int, strings: Mapping[str, str], entry: BibEntry) -> tuple[str, int]:
    parts: list[str] = []
    while place < len(text):
        sign = text[place]
        if sign == "{":
            end = _matching(text, place)
            if entry.unclosed and end >= 0 and not text[end + 1 :].strip() and _NEXT_FIELD.search(text, place, end):
                text, end = text[:end], -1  # the entry's own brace closed the field
            if end < 0:
                following = _NEXT_FIELD.search(text, place)
                end = following.start() if following else len(text)
                entry.repairs.append("A brace is never closed; the field was read up to the next one.")
                parts.append(
                    text[place + 1 : end].rstrip().rstrip(",").removesuffix("}")
                    if text[place + 1 : end].count("}") > text[place + 1 : end].count("{")
                    else text[place + 1 : end].rstrip(" ,\n")
                )
                return "".join(parts), end
            parts.append(text[place + 1 : end])
            place = end + 1
        elif sign == '"':
            end = _closing_quote(text, place)
            if end < 0:
                following = _NEXT_FIELD.search(text, place)
                end = following.start() if following else len(text)
                entry.repairs.append("A quotation mark is never closed; the field was read up to the next one.")
                parts.append(text[place + 1 : end].rstrip(" ,\n"))
                return "".join(parts), end
            parts.append(text[place + 1 : end])
            place = end + 1
        else:
            bare = _BARE.match(text, place)
            if not bare:
                break
            parts.append(strings.get(bare[0].lower(), bare[0]))
            place = bare.end()
        joint = re.compile(r"\s*#\s*").match(text, place)
        if not joint:
            break
        place = joint.end()
    return "".join(parts), place


def _matching(text: str, start: int) -> int:
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return -1


def _closing_quote(text: str, start: int) -> int:
    depth = 0
    for found in re.compile(r"[{}\"]").finditer(text, start + 1):
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
            if depth < 0:
                return -1
        elif depth <= 0 and re.compile(r"\s*(?:,|#|\}|\)|\Z|\n\s*[\w-]+\s*=)").match(text, found.end()):
            return found.start()
    return -1
