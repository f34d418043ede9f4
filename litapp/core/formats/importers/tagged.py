"""Lines of one entry while they are collected: where it began, its own text up to the limit, its size."""

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
