"""Rate limits of the real sources on a clock that can run faster: counted per client, refused as the source refuses.

The numbers stand with each source, with where they come from.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable


class FastClock:
    """Seconds that pass `factor` times faster than real ones: limits per second become limits per 1/factor second."""

    def __init__(self, factor: float = 1.0, now: Callable[[], float] = time.monotonic) -> None:
        if factor <= 0:
            raise ValueError("The clock's factor must be above zero.")
        self.factor, self._now = factor, now

    def now(self) -> float:
        """Sandbox seconds since some start."""
        return self._now() * self.factor

    def real(self, seconds: float) -> float:
        """How many real seconds a span of sandbox seconds takes."""
        return seconds / self.factor


class SlidingWindow:
    """At most `limit` requests in any `period` sandbox seconds, per key (api key or address)."""

    def __init__(self, clock: FastClock) -> None:
        self._clock = clock
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, limit: int, period: float = 1.0) -> int:
        """Count one request. Returns how many more are free now, or -1 when this one is one too many."""
        with self._lock:
            times = self._times.setdefault(key, deque())
            now = self._clock.now()
            while times and times[0] <= now - period:
                times.popleft()
            if len(times) >= limit:
                return -1
            times.append(now)
            return limit - len(times)

    def clear(self) -> None:
        """Forget all requests."""
        with self._lock:
            self._times.clear()


class Budget:
    """Units to spend in a period (a sandbox day), per key; spent units come back all at once."""

    def __init__(self, clock: FastClock, period: float = 86_400.0) -> None:
        self._clock, self._period = clock, period
        self._start = clock.now()
        self._spent: dict[str, int] = {}
        self._lock = threading.Lock()

    def spend(self, key: str, units: int, limit: int) -> tuple[bool, int]:
        """Try to spend; returns (done, units left afterwards)."""
        with self._lock:
            if self._clock.now() - self._start >= self._period:
                self._start = self._clock.now()
                self._spent.clear()
            left = limit - self._spent.get(key, 0)
            if units > left:
                return False, left
            self._spent[key] = self._spent.get(key, 0) + units
            return True, left - units

    def clear(self) -> None:
        """Nothing is spent, and the period begins now."""
        with self._lock:
            self._start = self._clock.now()
            self._spent.clear()

    def seconds_to_reset(self) -> int:
        """Whole sandbox seconds until everything is free again."""
        return max(1, int(self._period - (self._clock.now() - self._start)))


class Concurrency:
    """At most `limit` requests at the same time per key: a further one waits, as it does at the real source."""

    def __init__(self) -> None:
        self._running: dict[str, int] = {}
        self._changed = threading.Condition()

    def enter(self, key: str, limit: int, patience: float = 20.0) -> bool:
        """Wait for a place for at most `patience` real seconds; False when there was none."""
        with self._changed:
            free = self._changed.wait_for(lambda: self._running.get(key, 0) < limit, timeout=patience)
            if free:
                self._running[key] = self._running.get(key, 0) + 1
            return free

    def leave(self, key: str) -> None:
        """Give the place back."""
        with self._changed:
            self._running[key] -= 1
            self._changed.notify_all()
