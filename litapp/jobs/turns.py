"""Lets the threads of one process make their long writes one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock


@lru_cache(maxsize=1)
def _turn() -> Lock:
    """The one lock of this process."""
    return Lock()


@contextmanager
def writers_turn() -> Iterator[None]:
    """Wait for this thread's turn to make a long write. Enter it before the transaction, never within one.

    The database has one writer at a time anyway; SQLite's waiting is neither fair nor endless, so a dozen threads that
    wait there for seconds would starve each other and the pages.
    """
    with _turn():
        yield
