"""The one place that decides whether, when and how often a request is repeated.

Not stamina: it sleeps by its own clock, so tests would wait, and it logs the text of the exception it retries on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from litapp.core.ports import Answer, Clock, Outcome
from litapp.providers.base import Classification

LONGEST_SLEEP = 10.0
"""Seconds a worker waits in place. Longer waits are given back to the caller as `Deferred`."""
LONGEST_PARK = 26 * 3600.0
"""Longest wait in seconds a source is believed to ask for (OpenAlex: until midnight UTC)."""
PARK_WITHOUT_WORD = 60.0
"""Seconds a source is left alone that goes on refusing without saying for how long."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often (attempts in all) and how patiently. Waits double from `first_wait`, plus up to a quarter of chance."""

    attempts: int = 3
    attempts_when_limited: int = 4
    first_wait: float = 1.0

    def wait_after(self, attempt: int, verdict: Classification, now: datetime, chance: float) -> float | None:
        """Seconds to wait before attempt number `attempt` + 1; None = do not repeat. `chance` lies in 0..1."""
        if verdict.outcome in (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND):
            return None
        repeats = verdict.repeats
        if repeats is None:
            if verdict.outcome is Outcome.PERMANENT:
                return None
            limited = verdict.outcome is Outcome.RATE_LIMITED
            repeats = (self.attempts_when_limited if limited else self.attempts) - 1
        if attempt > repeats:
            return None
        asked = seconds_until(verdict.retry_after, now)
        backoff = self.first_wait * 2 ** (attempt - 1) * (1 + chance / 4)
        return backoff if asked is None else max(asked, 0.1)


def seconds_until(when: float | datetime | None, now: datetime) -> float | None:
    """Seconds from `now`, never negative and at most LONGEST_PARK; None stays None."""
    if when is None:
        return None
    seconds = (when - now).total_seconds() if isinstance(when, datetime) else when
    return min(max(seconds, 0.0), LONGEST_PARK)


def repeat(
    send_once: Callable[[int], tuple[Answer, Classification]],
    *,
    clock: Clock,
    chance: Callable[[], float],
    policy: RetryPolicy,
) -> tuple[Answer, Classification, datetime | None]:
    """Send until the answer is usable or not worth repeating.

    Returns the last answer, what it means, and when the source may be asked again (None = it is not a matter of time,
    or unknown).
    """
    attempt = 0
    while True:
        attempt += 1
        answer, verdict = send_once(attempt)
        now = clock.now()
        wait = policy.wait_after(attempt, verdict, now, chance())
        if wait is not None and wait <= LONGEST_SLEEP:
            clock.sleep(wait)
            continue
        if wait is None:
            wait = seconds_until(verdict.retry_after, now)
        if wait is None and verdict.outcome is Outcome.RATE_LIMITED:
            wait = PARK_WITHOUT_WORD
        return answer, verdict, None if wait is None else now + timedelta(seconds=wait)
