"""One short transaction of its own, tried again when the database is busy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction

ATTEMPTS = 5
FIRST_WAIT = 0.02
"""Seconds before the second attempt; doubles from there."""

T = TypeVar("T")


def in_short_transaction(work: Callable[[], T]) -> T:
    """Run `work` in a transaction of its own and return its result.

    It is durable: calling it within another transaction raises RuntimeError, because whoever asks a source must hold no
    lock. A busy database (SQLite lock, PostgreSQL deadlock) is tried again up to ATTEMPTS times; then OperationalError.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic(durable=True):
                return work()
        except OperationalError:
            if attempt == ATTEMPTS:
                raise
            time.sleep(FIRST_WAIT * 2 ** (attempt - 1) * (1 + random.random()))  # noqa: S311 - spreads retries, no secret
    raise AssertionError("unreachable")
