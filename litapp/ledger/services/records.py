"""Writes the records read from an answer into the ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from litapp.core.records import Record, record_to_dict
from litapp.ledger.models import SourceRecord


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
    rows = [record_row(answer_id, position, record) for answer_id, position, record in places]
    SourceRecord.objects.bulk_create(rows, ignore_conflicts=True)
    answers = sorted({row.answer_id for row in rows})
    stored = {(row.answer_id, row.position): row for row in SourceRecord.objects.filter(answer_id__in=answers)}
    return [stored[row.answer_id, row.position] for row in rows]


def record_row(answer_id: int, position: int, record: Record) -> SourceRecord:
    """The row for a record, not stored yet."""
    data = record_to_dict(record)
    return SourceRecord(
        answer_id=answer_id,
        position=position,
        source=record.source,
        source_id=record.source_id[:200],
        data=data,
        sha256=data_hash(data),
    )
