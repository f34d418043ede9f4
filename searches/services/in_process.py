"""Works a run through in this process, without a worker: the same Work objects, all sources side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from django.db import connections
from django.utils import timezone

from litapp.jobs.models import LeasedStepQuerySet, StepState
from litapp.jobs.worker import SignOfLife
from litapp.verification.models import Verification
from litapp.verification.services.work import VerificationWork
from searches.models import RetrievalRun, RetrievalStep
from searches.services.outcome import step_name
from searches.services.retrieval import RetrievalWork

LOOK_EVERY = 0.2
Say = Callable[[str], None]


def work_here(run: RetrievalRun, *, say: Say, patience: float) -> RetrievalRun:
    """Fetch and check until the run is closed and every check is settled, or nothing moved for `patience` seconds.

    `say` hears what happens, one line each. Steps and checks that are left over stay where they are: a worker, or the
    next call, goes on with them. Returns the run as it is then.
    """
    threads = max(1, run.steps.values("source").distinct().count())
    with SignOfLife(), ThreadPoolExecutor(max_workers=threads + 1, thread_name_prefix="review") as pool:
        _Progress(run, say, patience).watch(pool)
    run.refresh_from_db()
    return run


class _Progress:
    """Starts what is due, tells what changed, stops when all is done or nothing moves."""

    def __init__(self, run: RetrievalRun, say: Say, patience: float) -> None:
        self._run, self._say, self._patience = run, say, patience
        self._told: dict[int, tuple[str, int, str]] = {}
        self._last: object = None
        self._moved = time.monotonic()

    def watch(self, pool: ThreadPoolExecutor) -> None:
        """Until there is nothing left, or patience is at its end."""
        running: dict[str, Future[None]] = {}
        while True:
            for key, future in list(running.items()):
                if future.done():
                    del running[key]
                    future.result()  # an unforeseen error ends the command
            for key, work in self._due():
                if key not in running:
                    running[key] = pool.submit(_closing, work)
            self._tell()
            if not running and (self._finished() or time.monotonic() - self._moved > self._patience):
                return
            time.sleep(LOOK_EVERY)

    def _due(self) -> list[tuple[str, Callable[[], None]]]:
        steps = RetrievalStep.objects.due().filter(run=self._run).values_list("pk", flat=True)
        due: list[tuple[str, Callable[[], None]]] = [
            (f"step {pk}", partial(RetrievalWork().run, str(pk))) for pk in steps
        ]
        if self._checks().claimable().exists():
            due.append(("checks", lambda: VerificationWork().run("")))
        return due

    def _checks(self) -> LeasedStepQuerySet[Verification]:
        return Verification.objects.all().filter(project=self._run.project)

    def _finished(self) -> bool:
        return not self._run.steps.open().exists() and not self._checks().open().exists()

    def _tell(self) -> None:
        """One line for every step that moved, and for the checks."""
        steps = list(self._run.steps.all())
        several = len({step.query_index for step in steps}) > 1
        for step in steps:
            now = (step.state, step.fetched, step.message)
            if self._told.get(step.pk) != now and step.state != StepState.QUEUED:
                self._say(f"{step_name(step, several=several)}: {_words(step)}")
            self._told[step.pk] = now
        left = self._checks().open().count()
        picture = (sorted(self._told.items()), left)
        if picture != self._last:
            if self._last is not None and left and not self._run.steps.open().exists():
                self._say(f"Checks: {left:,} to go")
            self._last, self._moved = picture, time.monotonic()


def _closing(work: Callable[[], None]) -> None:
    """Do it, and close this thread's database connection."""
    try:
        work()
    finally:
        connections.close_all()


def _words(step: RetrievalStep) -> str:
    """Where a step stands."""
    of = f" of {step.total:,}" if step.total is not None else ""
    words = f"{step.get_state_display().lower()}, {step.fetched:,}{of} records"
    if step.state == StepState.WAITING and step.not_before:
        words += f" (until {timezone.localtime(step.not_before):%H:%M:%S})"
    return f"{words}. {step.message}".strip() if step.message else words
