"""One entry of a tagged format while its lines are collected: its tags, where it began, its own text up to the
limit."""

from __future__ import annotations

from litapp.core.formats.importers.reading import Limits, UnreadableFile


class Block:
    """Collects the lines of one entry. Raises UnreadableFile when an entry grows beyond `limits.record`."""

    __slots__ = ("_limits", "_lines", "_size", "cut", "first", "last")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lines: list[str] = []
        self._size = 0
        self.cut = False
        self.first = 0
        self.last = 0

    def add(self, number: int, line: str) -> None:
        if not self.first:
            self.first = number
        self.last = number
        self._size += len(line) + 1
        if self._size <= self._limits.text:
            self._lines.append(line)
        else:
            if not self.cut:
                self._lines.append(line[: max(0, self._limits.text - (self._size - len(line) - 1))])
            self.cut = True
            if self._size > self._limits.record:
                raise UnreadableFile(
                    "record_too_long",
                    f"The record that begins in line {self.first} has more than {self._limits.record:,} characters.",
                    "Look at the file from this line: the end of the record is missing. Export it again.",
                    self.first,
                )

    @property
    def text(self) -> str:
        return "\n".join(self._lines).strip("\n")


class Tags:
    """Tags with their values. Wrapped values are kept in parts, so that many lines cost no more than their length."""

    __slots__ = ("_names", "_parts")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._parts: list[list[str]] = []

    def __bool__(self) -> bool:
        return bool(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str, value: str) -> None:
        self._names.append(name)
        self._parts.append([value] if value else [])

    def more(self, text: str, joint: str = " ") -> None:
        """The rest of the last value."""
        if text:
            parts = self._parts[-1]
            if parts:
                parts.append(joint)
            parts.append(text)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._names)

    @property
    def first(self) -> str:
        """The name of the first tag."""
        return self._names[0]

    @property
    def last(self) -> str:
        """The name of the last tag."""
        return self._names[-1]

    @property
    def begun(self) -> str:
        """The first line of the last value."""
        return self._parts[-1][0] if self._parts[-1] else ""

    def pairs(self) -> list[tuple[str, str]]:
        return [(name, "".join(parts).strip()) for name, parts in zip(self._names, self._parts, strict=True)]
