"""One record to show for a cluster, with the source of every field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from litapp.core.records import Record


@dataclass(frozen=True, slots=True)
class MergedRecord:
    """`record` holds each field as one of the sources stated it; `provenance` = (field, source) for every filled
    field."""

    record: Record
    provenance: tuple[tuple[str, str], ...]


def merge_records(records: Iterable[Record]) -> MergedRecord:
    """Choose every field by source precedence; deterministic whatever the order. Raises ValueError on no records."""
    raise NotImplementedError
