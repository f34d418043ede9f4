"""Finds work that nobody was rung for: lost bells, waits that are over, leases of dead processes."""

from __future__ import annotations

from itertools import islice

from django.conf import settings

from litapp.jobs.services import release_dead
from litapp.jobs.work import work_of_kind

MOST_BELLS = 200
"""Bells of one kind that may wait in the queue; more would only repeat what the tables know."""


def reap() -> int:
    """One pass: free the leases of the dead, then ring for everything that is due and has no bell waiting.

    Returns the number of bells rung. Ringing twice for a piece is harmless: only one claim succeeds.
    """
    from huey.contrib.djhuey import HUEY

    from litapp.jobs.tasks import ring

    release_dead()
    waiting = {tuple(task.args) for task in HUEY.pending(limit=MOST_BELLS)}
    rung = 0
    for kind in settings.STEP_KINDS:
        for key in islice(work_of_kind(kind).due(), MOST_BELLS):
            if (kind, key) not in waiting:
                ring(kind, key)
                rung += 1
    return rung
