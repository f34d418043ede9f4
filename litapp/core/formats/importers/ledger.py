"""Reads our own reference ledger (`*_References.yaml`) back. Verdicts in it are claims; the source is the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import yaml

from litapp.core.formats.importers.draft import Draft
from litapp.core.formats.importers.reading import IMPORT_SOURCE, Entry, Limits, Problem
from litapp.core.formats.importers.tagged import Block
from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.records import PartialDate, Record, record_from_dict

LEDGER_START = re.compile(r"\A# LitLedger reference ledger")
_ITEM = re.compile(r"-\s+ref:\s*\d")
_STRINGS = frozenset(one.name for one in fields(Record) if one.type == "str")
_LISTS = frozenset(one.name for one in fields(Record) if one.type == "tuple[str, ...]")
_BROKEN = Problem(
    "broken_ledger_entry",
    "This entry is no longer in the form that the ledger was written in.",
    "Export the ledger again, or import the reference from its source.",
)

_DEEPEST = 30


def read_ledger(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The references of a ledger file, one at a time."""
    number = 0
    parts: list[str] = []
    block = Block(limits)
    for at, line in lines:
        if _ITEM.match(line):
            if parts:
                number += 1
                yield _entry(number, "\n".join(parts), block, limits)
            parts, block = [], Block(limits)
        elif not parts:
            continue
        block.add(at, line)
        parts.append(line)
    if parts:
        yield _entry(number + 1, "\n".join(parts), block, limits)


def _entry(number: int, text: str, block: Block, limits: Limits) -> Entry:
    form = _form(text)
    record = _record(form.get("record")) if form else None
    if form is None or record is None:
        return Entry(number, block.first, block.last, block.text, None, _BROKEN, text_cut=block.cut)
    draft = Draft(whole=replace(record, source=IMPORT_SOURCE))
    for name in ("verified", "verified_on"):
        draft.claimed[name] = str(form.get(name, ""))
    by = form.get("verified_by")
    draft.claimed["verified_by"] = " + ".join(str(one) for one in by) if isinstance(by, list) else ""
    draft.dropped = [("source", record.source)]
    for name in ("key", "search_topic", "key_finding", "verdict", "status", "note", "found_in", "checks"):
        if form.get(name):
            draft.dropped.append((name, str(form[name])))
    return draft.entry(number, block.first, block.last, block.text, limits, block.cut)


def _form(text: str) -> dict[str, Any] | None:
    """The mapping of one item. Aliases and deep nests are refused: the ledger has none, and they grow without bound."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
                return None
        items = yaml.load(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return None
    return items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else None


def _record(form: Any) -> Record | None:
    """The record, if every value has the type it was written with and every identifier is one."""
    if not isinstance(form, dict):
        return None
    try:
        record = record_from_dict(form)
        for name in _STRINGS:
            _require(isinstance(getattr(record, name), str))
        for name in _LISTS:
            _require(all(isinstance(one, str) for one in getattr(record, name)))
        _require(all(isinstance(year, int) for year in record.years))
        _require(
            isinstance(record.date, PartialDate)
            and all(v is None or isinstance(v, int) for v in (record.date.year, record.date.month, record.date.day))
            and isinstance(record.date.text, str)
        )
        for person in record.authors:
            _require(all(isinstance(v, str) for v in (person.family, person.given, person.suffix, person.literal)))
        for section in record.abstract:
            _require(all(isinstance(v, str) for v in (section.text, section.label, section.category)))
        for one in (*record.identifiers, *record.published_as, *record.comments):
            _require(normalise(one.scheme, one.value) == one.value)
        for notice in record.notices:
            _require(all(isinstance(v, str) for v in (notice.doi, notice.pmid, notice.date, notice.text)))
        for heading in record.mesh:
            _require(
                isinstance(heading.descriptor, str)
                and isinstance(heading.ui, str)
                and all(isinstance(q, str) for q in heading.qualifiers)
            )
    except (KeyError, TypeError, ValueError, AttributeError, BadIdentifier):
        return None
    return record


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError("not the form of a record")
