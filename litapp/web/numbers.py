"""Numbers of rows as they stand in addresses and forms."""

from __future__ import annotations

LARGEST = 2**63 - 1
"""Largest number of a row that a database holds (BigAutoField); a larger one is an error in SQLite and PostgreSQL."""


def row_number(text: str) -> int | None:
    """The number of a row that `text` names; None when it is no whole number or one that no row can have."""
    if not text.isdecimal() or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
