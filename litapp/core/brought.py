"""Records that a person brought: a source of their own, which confirms nothing."""

from __future__ import annotations

from dataclasses import replace

from litapp.core.records import Record

BROUGHT = "brought"
"""Source key of records that no source returned. Their checks start from zero."""


def brought_record(record: Record, *, sha256: str, number: int) -> Record:
    """`record` as entry `number` of the bytes with this hash: of the source "brought", with an identity of its own.

    The number a database gave the record is no identity here: two databases may give two papers the same one.
    """
    return replace(record, source=BROUGHT, source_id=f"{sha256[:16]}:{number}")
