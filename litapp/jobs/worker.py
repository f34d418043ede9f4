"""The worker process: threads that work, a sign of life, and the reaper."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, connections
from huey.consumer import Consumer

from litapp.jobs.models import WorkerBeat
from litapp.jobs.reaper import reap
from litapp.jobs.services import beat, release_of, worker_name

log = logging.getLogger(__name__)
BEAT_EVERY = 2.0
REAP_EVERY = 2.0
TIDY_EVERY = 300.0
LONGEST_POLL = 0.5
"""Seconds after which an idle thread looks into the queue again."""
STOP_WITHIN = 10.0
"""Seconds that running requests get to end after a stop signal; what is cut off is repeated at the next start."""


class Repeated:
    """A thread that does `work` every `seconds` until stopped. A busy database is logged and tried again."""

    def __init__(self, work: Callable[[], Any], seconds: float, name: str) -> None:
        self._work, self._seconds = work, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)

    def start(self) -> None:
        """Begin; the first time at once."""
        self._thread.start()

    def stop(self) -> None:
        """End after the turn that is running."""
        self._over.set()
        self._thread.join(timeout=5)

    @property
    def is_alive(self) -> bool:
        """False when the work raised an error that is not the database's: a fault of the program."""
        return self._thread.is_alive()

    def _loop(self) -> None:
        while not self._over.is_set():
            try:
                self._work()
            except DatabaseError:
                log.warning("%s: the database was busy; trying again.", self._thread.name, exc_info=True)
            finally:
                connections.close_all()
            self._over.wait(self._seconds)


class SignOfLife:
    """Context manager: while it lasts, this process says that it lives; at its end its leases are free at once."""

    def __enter__(self) -> SignOfLife:
        name = worker_name()
        beat(name)
        self._repeated = Repeated(lambda: beat(name), BEAT_EVERY, "sign-of-life")
        self._repeated.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._repeated.stop()
        release_of(worker_name())
        WorkerBeat.objects.filter(name=worker_name()).delete()


def refresh_statistics() -> None:
    """Let SQLite look at its tables where they grew, so that it goes on choosing the right indexes. PostgreSQL does it
    by itself."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA analysis_limit=1000")
            cursor.execute("PRAGMA optimize=0x10002")


def run_worker(*, threads: int | None = None) -> None:
    """Work until SIGINT or SIGTERM. Raises RuntimeError when one of its own threads broke.

    At the start it frees what a predecessor of the same name held: `serve` starts one only when the other is dead.
    """
    from huey.contrib.djhuey import HUEY

    import litapp.jobs.tasks  # noqa: F401 - registers the task

    stop = threading.Event()
    release_of(worker_name())
    consumer = Consumer(
        HUEY,
        workers=threads or settings.WORKER_THREADS,
        periodic=False,
        max_delay=LONGEST_POLL,
        shutdown_timeout=STOP_WITHIN,
    )
    with SignOfLife():
        reaper = Repeated(reap, REAP_EVERY, "reaper")
        tidy = Repeated(refresh_statistics, TIDY_EVERY, "tidy")
        consumer.start()
        _stop_on_signals(stop)
        reaper.start()
        tidy.start()
        log.info("Worker %s is ready (%d threads).", worker_name(), consumer.workers)
        while not stop.wait(1.0) and reaper.is_alive:
            consumer.check_worker_health()
        broken = not reaper.is_alive
        reaper.stop()
        tidy.stop()
        consumer.stop_flag.set()
        release_of(worker_name())  # threads at work find their lease gone at the next write, and end
        consumer.stop(graceful=True)
    if broken:
        raise RuntimeError("The reaper thread broke; see the log above.")


def _stop_on_signals(stop: threading.Event) -> None:
    def handle(signum: int, frame: FrameType | None) -> None:
        log.info("Stopping ...")
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
