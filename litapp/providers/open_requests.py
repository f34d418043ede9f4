"""The requests open at one source at once: counted here, and over all processes where a source allows few."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from litapp.core.ports import Clock, Outcome, Places
from litapp.providers import registry
from litapp.providers.base import Deferred
from litapp.providers.retry import LONGEST_SLEEP

FEW = 3
"""Sources that allow no more requests at once than this have them counted over all processes."""
FIRST_LOOK, LONGEST_LOOK = 0.1, 1.0
"""Seconds between two looks for a free place; they grow."""


class OpenRequests:
    """`most` maps a source to the number of requests that may be open there at once."""

    def __init__(
        self, most: Mapping[str, int], *, places: Places | None, clock: Clock, chance: Callable[[], float]
    ) -> None:
        self._most, self._places, self._clock, self._chance = dict(most), places, clock, chance
        self._here = {source: threading.BoundedSemaphore(number) for source, number in self._most.items()}

    @contextmanager
    def one(self, source: str) -> Iterator[None]:
        """Holds a place at `source` while the block runs. Raises Deferred when none comes free within ten seconds."""
        here = self._here[source]
        if not here.acquire(timeout=LONGEST_SLEEP):
            raise self._busy(source)
        try:
            token = self._place(source)
            try:
                yield
            finally:
                if token and self._places is not None:
                    self._places.give_back(source, token)
        finally:
            here.release()

    def _place(self, source: str) -> str:
        """A place among all processes; "" where they are not counted."""
        most = self._most[source]
        if self._places is None or most > FEW:
            return ""
        waited, look = 0.0, FIRST_LOOK
        while (token := self._places.take(source, most)) is None:
            if waited >= LONGEST_SLEEP:
                raise self._busy(source)
            pause = look * (1 + self._chance() / 4)
            self._clock.sleep(pause)
            waited, look = waited + pause, min(look * 1.5, LONGEST_LOOK)
        return token

    def _busy(self, source: str) -> Deferred:
        return Deferred(
            source,
            Outcome.RATE_LIMITED,
            f"{registry.source(source).label} is still busy with earlier requests of this installation.",
            hint="LitLedger waits and goes on by itself.",
            retry_at=self._clock.now() + timedelta(seconds=LONGEST_SLEEP + 5),
            code="busy",
        )
