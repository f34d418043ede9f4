"""Keeps a lease alive while its holder waits for a slow source."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connections, models
from django.utils import timezone

from litapp.jobs.models import LEASE, StepState

log = logging.getLogger(__name__)
RENEW_EVERY = LEASE.total_seconds() / 3


@contextmanager
def kept(rows: models.QuerySet, token: str) -> Iterator[None]:
    """Extend the leases under `token` every third of their length until the block ends, however it ends.

    The process being killed ends it too: the lease then runs out, or the reaper frees it.
    """
    over = threading.Event()

    def renew() -> None:
        while not over.wait(RENEW_EVERY):
            try:
                rows.filter(lease_token=token, state=StepState.RUNNING).update(lease_until=timezone.now() + LEASE)
            except DatabaseError:
                log.warning("A lease could not be extended; trying again.", exc_info=True)
            finally:
                connections.close_all()

    thread = threading.Thread(target=renew, name="keep-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
