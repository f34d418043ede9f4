"""Opens a file of references: looks at its head, finds encoding and format, and starts the importer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from litapp.core.formats.importers.detection import find_format, refuse_binary
from litapp.core.formats.importers.encoding import find_encoding, read_lines
from litapp.core.formats.importers.reading import Entry, Limits, Reading, UnreadableFile
from litapp.core.formats.importers.ris import read_ris

_HEAD = 64_000
_Lines = Iterator[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format that is read line by line."""

    label: str
    read: Callable[[_Lines, Limits], Iterator[Entry]]


LINE_FORMATS = {"ris": LineFormat("RIS", read_ris)}


def read_file(stream: BinaryIO, *, name: str = "", limits: Limits = Limits()) -> Reading:  # noqa: B008 - frozen
    """Start to read `stream`, a seekable binary file, from its start. `name` is for messages only.

    The file is gone through once to find its encoding; then entries are read as `Reading.entries` is iterated, in
    memory that does not grow with the file. Raises UnreadableFile at once for a file that is no list of references,
    and from `entries` where the rest of a file cannot be read.
    """
    stream.seek(0)
    head = stream.read(4096)
    if not head.strip():
        raise UnreadableFile("empty", "The file is empty.", "Choose another file, or export the records again.")
    refuse_binary(head)
    encoding = find_encoding(stream)
    key = find_format(_head(stream, encoding.codec, encoding.skip))
    form = LINE_FORMATS[key]
    return Reading(
        format=key,
        format_label=form.label,
        encoding=encoding.label,
        entries=form.read(read_lines(stream, encoding, limits), limits),
    )


def _head(stream: BinaryIO, codec: str, skip: int) -> str:
    stream.seek(skip)
    return stream.read(_HEAD).decode(codec, "replace")
