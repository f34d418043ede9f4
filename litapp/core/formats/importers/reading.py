"""What reading a file gives: entries with their lines, problems in a clinician's words, and the one error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from litapp.core.records import Record

IMPORT_SOURCE = "import"
"""`Record.source` of every record that was read from a file, whatever database the file came from."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What no honest export exceeds. Beyond these a file is refused, so that time and memory stay bounded.

    `line` and `record` count characters, `text` is how much of an entry's own text is kept for showing, `value` how
    much of a field that is not carried. `records` is the most entries one file may hold.
    """

    line: int = 4_000_000
    record: int = 4_000_000
    text: int = 20_000
    value: int = 500
    records: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an entry gave no record: `kind` for programs; what is wrong and what to do, in sentences."""

    kind: str
    message: str
    next_step: str


class UnreadableFile(ValueError):
    """The file, or the rest of it, cannot be read: the only exception that reading raises.

    `kind` names the cause for programs ("empty", "archive", "pdf", "unknown_format", "line_too_long", "damaged" ...),
    `next_step` says what a person can do, `line` is the line where reading stopped (None where there is none).
    Entries yielded before it are good.
    """

    def __init__(self, kind: str, message: str, next_step: str, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.next_step = next_step
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of the file, readable or not.

    `number` counts from 1; lines count from 1 (0 where the format has no lines of its own). `text` is the entry as it
    stands in the file, at most `Limits.text` characters; `text_cut` says that it is longer. Exactly one of `record`
    and `problem` is given. `dropped` are the fields that a `Record` does not carry, each as "NAME: value" (long values
    shortened and ended with "…"). `claimed` holds `verified`, `verified_by`, `verified_on` as the file states them:
    to be shown as a claim, never trusted. `database` is the database that the entry names ("" where it names none).
    `warnings` are sentences about what was repaired or could not be read.
    """

    number: int
    first_line: int
    last_line: int
    text: str
    record: Record | None
    problem: Problem | None = None
    dropped: tuple[str, ...] = ()
    claimed: Mapping[str, str] = field(default_factory=dict)
    database: str = ""
    warnings: tuple[str, ...] = ()
    text_cut: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is being read. `entries` reads on as it is iterated, and may raise UnreadableFile midway.

    `format` is a key such as "ris", `format_label` and `encoding` are for showing. `query` is the search that the file
    itself states (Embase and others write it first). `warnings` are sentences about the file as a whole.
    """

    format: str
    format_label: str
    encoding: str
    entries: Iterator[Entry]
    query: str = ""
    warnings: tuple[str, ...] = ()
