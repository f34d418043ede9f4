"""Known names of journals: the CC0 abbreviation lists of JabRef, as compact data beside this file."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from litapp.core.matching import JournalNames
from litapp.core.normalise import journal_key

DATA = Path(__file__).with_name("data") / "journal_names.tsv.gz"
"""One journal a line: its names as keys (`core.normalise.journal_key`), parted by tabs. See docs/decisions/0016."""


@lru_cache(maxsize=1)
def journal_names() -> JournalNames:
    """The list as carried with this version; read once a process."""
    ids: dict[str, set[int]] = {}
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            for key in line.rstrip("\n").split("\t"):
                ids.setdefault(key, set()).add(number)
    return JournalNames(MappingProxyType({key: frozenset(numbers) for key, numbers in ids.items()}))


def names_in(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """(full name, abbreviation) of each row of JabRef's lists. Rows without a name are left out."""
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if row and row[0].strip():
                    yield row[0], row[1] if len(row) > 1 else ""


def write_names(names: Iterable[tuple[str, str]], path: Path = DATA) -> int:
    """Write the compact list; returns the number of journals. The same input gives the same bytes."""
    journals: dict[str, set[str]] = {}
    for full, short in names:
        if key := journal_key(full):
            journals.setdefault(key, set()).update({journal_key(short)} - {"", key})
    lines = ["\t".join([key, *sorted(others)]) + "\n" for key, others in sorted(journals.items())]
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as file:
        file.write("".join(lines).encode())
    return len(lines)
