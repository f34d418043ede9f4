"""Reads files of references: the format and the encoding are found from the content, entries come one at a time.

    reading = read_file(stream)
    for entry in reading.entries: ...

The law of every importer: as many entries come as the file has records. An entry whose record cannot be read carries a
`problem` and its lines; what a record does not carry stands in `dropped`. The only exception is `UnreadableFile`.
Formats, and which fields each carries: docs/formats.md.
"""

from __future__ import annotations

from litapp.core.formats.importers.opening import read_file
from litapp.core.formats.importers.reading import IMPORT_SOURCE, Entry, Limits, Problem, Reading, UnreadableFile

__all__ = ["IMPORT_SOURCE", "Entry", "Limits", "Problem", "Reading", "UnreadableFile", "read_file"]
