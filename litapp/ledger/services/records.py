"""Writes the records read from an answer into the ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Max

from litapp.core.records import Record, record_to_dict
from litapp.jobs.bulk_rows import insert_rows
from litapp.ledger.models import SourceAnswer, SourceRecord


def data_hash(data: dict[str, Any]) -> str:
    """sha256 (hex) of the canonical JSON form: equal statements have equal hashes."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def store_records(*, answer_id: int, records: Sequence[tuple[int, Record]]) -> list[SourceRecord]:
    """Append the records at their positions in the answer and return their rows, in the order given.

    Doing it twice changes nothing: a place already written keeps its row.
    """
    return store_hits([(answer_id, position, record) for position, record in records])


def store_hits(places: Iterable[tuple[int, int, Record]]) -> list[SourceRecord]:
    """The same for (answer, position, record) of several answers at once. Rows come in the order given."""
    return store_rows([record_row(answer_id, position, record) for answer_id, position, record in places])


def store_rows(rows: Sequence[SourceRecord]) -> list[SourceRecord]:
    """Append rows made by `record_row`. A place already written keeps its row, and that one is returned."""
    insert_rows(rows, ignore_conflicts=True)
    stored = _stored(rows)
    result = []
    for row in rows:
        row.pk, sha256 = stored[row.answer_id, row.position]
        result.append(row if row.sha256 == sha256 else SourceRecord.objects.get(pk=row.pk))
    return result


def _stored(rows: Sequence[SourceRecord]) -> dict[tuple[int, int], tuple[int, str]]:
    """(answer, position) -> (id, sha256) of what is written at the rows' places, and between them."""
    positions = [row.position for row in rows]
    if not positions:
        return {}
    places = SourceRecord.objects.filter(
        answer_id__in=sorted({row.answer_id for row in rows}), position__range=(min(positions), max(positions))
    )
    return {
        (answer_id, position): (pk, sha256)
        for answer_id, position, pk, sha256 in places.values_list("answer_id", "position", "pk", "sha256")
    }


def record_row(answer_id: int, position: int, record: Record, data: dict[str, Any] | None = None) -> SourceRecord:
    """The row for a record, not stored yet. `data` is its JSON form where that was worked out already."""
    data = record_to_dict(record) if data is None else data
    return SourceRecord(
        answer_id=answer_id,
        position=position,
        source=record.source,
        source_id=record.source_id[:200],
        data=data,
        sha256=data_hash(data),
    )


def store_lookup(*, answer_id: int, record: Record) -> SourceRecord:
    """Append a record that a look-up found in an answer, where its place in the answer is not known.

    The same statement is stored once an answer; a new one is put behind all others. Within the caller's transaction:
    the answer's row is the lock.
    """
    SourceAnswer.objects.select_for_update().values_list("pk").get(pk=answer_id)
    row = record_row(answer_id, 0, record)
    known = SourceRecord.objects.filter(answer_id=answer_id, source_id=row.source_id, sha256=row.sha256).first()
    if known is not None:
        return known
    last = SourceRecord.objects.filter(answer_id=answer_id).aggregate(last=Max("position"))["last"]
    row.position = 0 if last is None else last + 1
    row.save(force_insert=True)
    return row
