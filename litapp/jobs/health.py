"""The shared health of each source (port `core.ports.Breaker`): one in trouble is left alone, then probed by one."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F

from litapp.core.ports import Clock, Outcome
from litapp.jobs.models import HealthState, SourceHealth
from litapp.jobs.short_transaction import in_short_transaction

FAILURES_BEFORE_OPEN = 5
"""Failed requests in a row after which the source is left alone. The client has repeated each of them already."""
FIRST_PAUSE = timedelta(seconds=15)
LONGEST_PAUSE = timedelta(minutes=5)
PROBE_TIME = timedelta(minutes=2)
"""A probe that did not report within this time is lost (its worker was killed); another may try."""
REFUSAL_PAUSE = timedelta(minutes=10)
"""How long a source that refused this installation (403) is left alone. Its searches fail at once meanwhile, so that a
run does not wait for what repeating does not mend; then one request probes."""
ASK_AGAIN = timedelta(seconds=5)
"""Others come back this soon while somebody probes."""
SUCCESS_NOTED_EVERY = timedelta(seconds=30)
ANSWERED = frozenset({Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND})
COUNTED = frozenset({Outcome.TRANSIENT, Outcome.MALFORMED})
"""Failures that say something about the source. PERMANENT speaks about our request, RATE_LIMITED about our pace."""


class DatabaseBreaker:
    """Circuit breaker in `SourceHealth`. CLOSED: ask. OPEN: leave alone until `open_until`. HALF_OPEN: one probes.
    REFUSED: like OPEN, after a refusal of this installation."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock

    def check(self, source: str) -> datetime | None:
        """None when the source may be asked (or this caller won the probe); else when it may be asked again."""
        row = SourceHealth.objects.filter(pk=source).first()
        if row is None or row.state == HealthState.CLOSED:
            return None
        now = self._clock.now()
        if row.open_until and row.open_until > now:
            return min(row.open_until, now + ASK_AGAIN) if row.state == HealthState.HALF_OPEN else row.open_until
        if in_short_transaction(lambda: self._win_probe(row, now)):
            return None
        return now + ASK_AGAIN

    @staticmethod
    def _win_probe(seen: SourceHealth, now: datetime) -> bool:
        """Take the probe by a conditional update: of many callers one finds the row as it was seen."""
        return bool(
            SourceHealth.objects.filter(pk=seen.pk, state=seen.state, open_until=seen.open_until).update(
                state=HealthState.HALF_OPEN, open_until=now + PROBE_TIME, changed_at=now
            )
        )

    def refused_until(self, source: str) -> datetime | None:
        """The end of the pause after a refusal; None when there was none, or it is over."""
        row = SourceHealth.objects.filter(pk=source, state=HealthState.REFUSED).first()
        if row is None or row.open_until is None or row.open_until <= self._clock.now():
            return None
        return row.open_until

    def record_refusal(self, source: str, message: str, retry_at: datetime | None) -> None:
        """Leave the source alone for REFUSAL_PAUSE, or as long as it says."""
        now = self._clock.now()
        until = max(now + REFUSAL_PAUSE, retry_at or now)
        told = {"state": HealthState.REFUSED, "open_until": until, "last_error": message}
        in_short_transaction(lambda: SourceHealth.objects.update_or_create(pk=source, defaults=told))

    def record(self, source: str, outcome: Outcome, message: str, retry_at: datetime | None) -> None:
        """Tell how a request ended. `retry_at` is when the source itself wants to be asked again, if it said so."""
        now = self._clock.now()
        if outcome in ANSWERED:
            self._answered(source, now)
        elif outcome in COUNTED:
            in_short_transaction(lambda: self._failed(source, message, retry_at, now))
        else:
            self._reachable(source, message, now)

    def _answered(self, source: str, now: datetime) -> None:
        """A good answer closes the breaker; in the usual case nothing is written."""
        row = SourceHealth.objects.filter(pk=source).first()
        if row and row.state == HealthState.CLOSED and not row.failures and row.last_success_at:
            if now - row.last_success_at < SUCCESS_NOTED_EVERY:
                return
            in_short_transaction(lambda: SourceHealth.objects.filter(pk=source).update(last_success_at=now))
            return

        def close() -> None:
            closed = {"state": HealthState.CLOSED, "failures": 0, "open_until": None, "last_error": ""}
            SourceHealth.objects.update_or_create(pk=source, defaults={**closed, "last_success_at": now})

        in_short_transaction(close)

    @staticmethod
    def _failed(source: str, message: str, retry_at: datetime | None, now: datetime) -> None:
        SourceHealth.objects.bulk_create([SourceHealth(source=source)], ignore_conflicts=True)
        SourceHealth.objects.filter(pk=source).update(failures=F("failures") + 1, last_error=message, changed_at=now)
        row = SourceHealth.objects.select_for_update().get(pk=source)
        if row.failures < FAILURES_BEFORE_OPEN and row.state == HealthState.CLOSED:
            return
        times = max(0, row.failures - FAILURES_BEFORE_OPEN)
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(times, 10))
        row.state, row.open_until = HealthState.OPEN, max(now + pause, retry_at or now)
        row.save(update_fields=["state", "open_until", "changed_at"])

    def _reachable(self, source: str, message: str, now: datetime) -> None:
        """It answered, only not with what we wanted: a running probe is thereby won."""
        row = SourceHealth.objects.filter(pk=source).first()
        if row is None or row.state == HealthState.CLOSED:
            return

        def close() -> None:
            SourceHealth.objects.filter(pk=source).update(
                state=HealthState.CLOSED, failures=0, open_until=None, last_error=message, changed_at=now
            )

        in_short_transaction(close)
