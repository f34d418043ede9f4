"""The one task of the queue."""

from __future__ import annotations

from functools import lru_cache
from threading import BoundedSemaphore

from huey.contrib.djhuey import db_task

from litapp.jobs.work import work_of_kind

MOST_AT_ONCE = {"verification": 1, "export": 2, "import": 2, "full_text": 4, "full_text_upload": 1, "ranking": 1}
"""Threads of one worker that one kind may use, so that no kind takes all of them. Others: no limit. A verification
asks all sources side by side in threads of its own and is bound by their pace; a second one would only take the
processor from the retrieval of new records."""


@lru_cache
def _places(kind: str) -> BoundedSemaphore:
    """The places of this process for work of `kind`."""
    return BoundedSemaphore(MOST_AT_ONCE.get(kind, 1000))


@db_task()
def ring(kind: str, key: str) -> None:
    """There may be work of this kind under this key: let its Work object look.

    With all places taken the bell is dropped: those who work look for more, and the reaper rings again.
    """
    places = _places(kind)
    if not places.acquire(blocking=False):
        return
    try:
        work_of_kind(kind).run(key)
    finally:
        places.release()
