"""Extends a .bib that a person brings: their bytes stay as they are, new entries are appended, the rest is named."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.importers import Entry, Limits, UnreadableFile
from litapp.core.formats.importers.bibtex import read_bibtex
from litapp.core.formats.importers.encoding import find_encoding
from litapp.core.normalise import title_key
from litapp.core.records import Record, Scheme

_SCHEMES = (Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)


@dataclass(frozen=True, slots=True)
class Added:
    """An entry that was appended; `key` differs from `wanted` where the file used that key for another work."""

    key: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that the file has already, the key it has there, and what they share."""

    key: str
    there: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExtendedBib:
    """The new file (it begins with the old bytes), what was added, what was skipped."""

    content: bytes
    added: tuple[Added, ...]
    skipped: tuple[Skipped, ...]


def extend_bib(existing: bytes, entries: Sequence[ExportEntry], limits: Limits = Limits()) -> ExtendedBib:  # noqa: B008 - frozen
    """`existing` with the entries that it has not yet. The same works are found by DOI, PMID, PMCID, arXiv id, or by
    title and year where one of both has no identifier.

    A key that the file uses for another work gets "_a", "_b" … Raises UnreadableFile for a file in an encoding that
    new entries in UTF-8 cannot join (UTF-16 and the like).
    """
    encoding = find_encoding(io.BytesIO(existing))
    if encoding.codec.startswith(("utf-16", "utf-32")) or (encoding.codec != "utf-8" and not existing.isascii()):
        raise UnreadableFile(
            "other_encoding",
            f"The .bib file is in {encoding.label}; entries in UTF-8 cannot be appended to it.",
            "Save it as UTF-8 in your editor or reference manager, and choose it again.",
        )
    known = list(read_bibtex(io.BytesIO(existing), encoding, limits))
    found: dict[tuple[str, str], str] = {}
    titles: dict[tuple[str, int | None], tuple[str, bool]] = {}
    keys: set[str] = set()
    for one in known:
        _note(one, found, titles, keys)
    added: list[Added] = []
    skipped: list[Skipped] = []
    new: list[ExportEntry] = []
    for entry in entries:
        there = _same(entry.record, found, titles)
        if there is not None:
            skipped.append(Skipped(entry.key, *there))
            continue
        key = _free(entry.key, keys)
        keys.add(key.lower())
        added.append(Added(key, entry.key))
        new.append(replace(entry, key=key))
    if not new:
        return ExtendedBib(existing, (), tuple(skipped))
    gap = b"" if not existing or existing.endswith(b"\n") else b"\n"
    return ExtendedBib(existing + gap + write_bibtex(new).encode(), tuple(added), tuple(skipped))


def _note(
    one: Entry,
    found: dict[tuple[str, str], str],
    titles: dict[tuple[str, int | None], tuple[str, bool]],
    keys: set[str],
) -> None:
    record = one.record
    if record is None:
        return
    keys.add(record.source_id.lower())
    identified = False
    for identifier in record.identifiers:
        if identifier.scheme in _SCHEMES:
            identified = True
            found.setdefault((identifier.scheme, identifier.value), record.source_id)
    if record.title:
        titles.setdefault((title_key(record.title), record.year), (record.source_id, identified))


def _same(
    record: Record, found: dict[tuple[str, str], str], titles: dict[tuple[str, int | None], tuple[str, bool]]
) -> tuple[str, str] | None:
    for identifier in record.identifiers:
        there = found.get((identifier.scheme, identifier.value)) if identifier.scheme in _SCHEMES else None
        if there is not None:
            return there, f"same {identifier.scheme.value.upper()} {identifier.value}"
    by_title = titles.get((title_key(record.title), record.year)) if record.title else None
    identified = any(identifier.scheme in _SCHEMES for identifier in record.identifiers)
    if by_title is not None and not (identified and by_title[1]):
        return by_title[0], "same title and year"
    return None


def _free(key: str, keys: set[str]) -> str:
    if key.lower() not in keys:
        return key
    number = 0
    while True:
        letters, rest = "", number + 1
        while rest:
            rest, place = divmod(rest - 1, 26)
            letters = chr(ord("a") + place) + letters
        if f"{key}_{letters}".lower() not in keys:
            return f"{key}_{letters}"
        number += 1
