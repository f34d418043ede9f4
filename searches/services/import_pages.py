"""Reads a file of references into pages of entries, with all that can be worked out of them without a database.

A large file is read in a process of its own, so that reading it and writing it down use two processors.
"""

from __future__ import annotations

import gzip
import multiprocessing
import pickle
import signal
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from litapp.core.brought import brought_record
from litapp.core.dedupe import entry_key_of
from litapp.core.formats.importers import Entry, UnreadableFile, read_file
from litapp.core.records import record_to_dict
from searches.services.grouping import NOT_STORED, Member

PAGE = 500
"""Entries that are written in one transaction."""
LARGE = 2_000_000
"""Bytes from which on a second process is worth its start (about half a second)."""


@dataclass(frozen=True, slots=True)
class NumberedEntry:
    """An entry and its place in the file from 1. For one that gave a record also the member as which it is compared,
    and its JSON form (`record_to_dict`)."""

    number: int
    entry: Entry
    member: Member | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries that follow each other, and how far the file was read for them (bytes)."""

    entries: list[NumberedEntry]
    position: int


class ReadingStopped(RuntimeError):
    """The reading process ended without a word: it was killed, or ran out of memory."""


def entry_pages(*, path: Path, name: str, sha256: str, size: int, done: int) -> Generator[EntryPage, None, None]:
    """The entries of the gzip file at `path` behind the first `done`, in pages.

    `sha256` and `size` are those of what is in it. Raises UnreadableFile where the file, or its rest, cannot be read;
    the entries before it come first. Raises ReadingStopped when the second process dies.
    """
    if size < LARGE:
        yield from _read(path, name, sha256, done)
        return
    reader, writer = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_read_into, args=(writer, path, name, sha256, done), name="reading", daemon=True
    )
    process.start()
    writer.close()
    try:
        while True:
            # The bytes come from our own process of this very code.
            message = pickle.loads(reader.recv_bytes())  # noqa: S301
            if message is None:
                return
            if isinstance(message, tuple):
                raise UnreadableFile(*message)
            yield cast("EntryPage", message)
    except EOFError as error:
        raise ReadingStopped(f"The process that read {name or 'the file'} ended before the file did.") from error
    finally:
        reader.close()
        process.join(timeout=5)
        if process.is_alive():
            process.kill()


def _read_into(writer: Connection, path: Path, name: str, sha256: str, done: int) -> None:
    """The second process: sends pages, then None; or the parts of an UnreadableFile. Ends when nobody reads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when to stop
    try:
        try:
            for page in _read(path, name, sha256, done):
                writer.send_bytes(pickle.dumps(page, pickle.HIGHEST_PROTOCOL))
            writer.send_bytes(pickle.dumps(None))
        except UnreadableFile as error:
            writer.send_bytes(pickle.dumps((error.kind, error.message, error.next_step, error.line)))
    except BrokenPipeError:
        pass


def _read(path: Path, name: str, sha256: str, done: int) -> Iterator[EntryPage]:
    with gzip.open(path) as stream:
        entries = enumerate(read_file(cast("Any", stream), name=name).entries, start=1)
        numbered = islice(entries, done, None)
        while True:
            page: list[NumberedEntry] = []
            broken: UnreadableFile | None = None
            try:
                for number, entry in islice(numbered, PAGE):
                    page.append(_numbered(number, entry, sha256))
            except UnreadableFile as error:
                broken = error
            if page:
                yield EntryPage(page, stream.tell())
            if broken is not None:
                raise broken
            if not page:
                return


def _numbered(number: int, entry: Entry, sha256: str) -> NumberedEntry:
    if entry.record is None:
        return NumberedEntry(number, entry)
    record = brought_record(entry.record, sha256=sha256, number=number)
    data = record_to_dict(record)
    member = Member(NOT_STORED + number, record, entry_key_of(data))
    member.work_out()
    return NumberedEntry(number, replace(entry, record=record), member, data)
