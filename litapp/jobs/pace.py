"""The shared pace of each source (port `core.ports.RateGate`): one row per limit, GCRA, the same for all processes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from litapp.core.ports import Clock
from litapp.jobs.models import SourcePace
from litapp.jobs.short_transaction import in_short_transaction
from litapp.providers.policies import MARGIN, SourcePolicy
from litapp.providers.retry import LONGEST_SLEEP

OBSERVED_FOR = timedelta(days=1)
"""How long a limit read from a header counts; then the published one holds again until the next header."""
OBSERVED_AGAIN = timedelta(hours=1)
"""An unchanged header is noted again only after this time: it is in every answer."""


class DatabaseRateGate:
    """Theoretical arrival times in `SourcePace`. Source of the rule: design, decision 8.

    `policy_of` gives the published paces of a source; `speed` is how much faster than real time the source counts
    (the sandbox's clock; 1 for a real source).
    """

    def __init__(self, policy_of: Callable[[str], SourcePolicy], *, clock: Clock, speed: float = 1.0) -> None:
        self._policy_of, self._clock, self._speed = policy_of, clock, speed

    def reserve(self, source: str, operation: str) -> float:
        """Reserve the next slot; returns seconds to wait before sending (0 = now).

        A wait of more than LONGEST_SLEEP is told but not reserved: the caller comes back later and must not push the
        others further away.
        """
        policy, bucket = self._policy_of(source), self._bucket(source, operation)

        def reserve() -> float:
            now = self._clock.now().timestamp()
            row = self._locked(bucket)
            slot = max(row.next_slot, now)
            wait = slot - now
            if wait <= LONGEST_SLEEP:
                row.next_slot = slot + self._interval(row, policy, operation)
                row.save(update_fields=["next_slot"])
            return wait

        return in_short_transaction(reserve)

    def push_back(self, source: str, until: datetime) -> None:
        """The source asked to be left alone until `until`: every limit of it waits, never shorter than before."""

        def push_back() -> None:
            for bucket in self._buckets(source):
                row = self._locked(bucket)
                if row.next_slot < until.timestamp():
                    row.next_slot = until.timestamp()
                    row.save(update_fields=["next_slot"])

        in_short_transaction(push_back)

    def observe_limit(self, source: str, operation: str, per_second: float) -> None:
        """A limit read from an answer's headers replaces the published one from now on."""
        if per_second <= 0:
            return
        bucket, now = self._bucket(source, operation), self._clock.now()
        known = SourcePace.objects.filter(pk=bucket).first()
        if (
            known
            and known.observed_per_second == per_second
            and known.observed_at
            and now - known.observed_at < OBSERVED_AGAIN
        ):
            return

        def observe() -> None:
            row = self._locked(bucket)
            row.observed_per_second, row.observed_at = per_second, now
            row.save(update_fields=["observed_per_second", "observed_at"])

        in_short_transaction(observe)

    def _interval(self, row: SourcePace, policy: SourcePolicy, operation: str) -> float:
        """Seconds between two requests, the margin included."""
        if row.observed_per_second and row.observed_at and self._clock.now() - row.observed_at < OBSERVED_FOR:
            return MARGIN / row.observed_per_second / self._speed
        return policy.interval(operation) / self._speed

    def _bucket(self, source: str, operation: str) -> str:
        return f"{source}:{operation}" if operation and self._policy_of(source).has_own_pace(operation) else source

    def _buckets(self, source: str) -> list[str]:
        """All limits of a source, in the one order in which they are locked."""
        own = (f"{source}:{pace.operation}" for pace in self._policy_of(source).paces if pace.operation)
        return sorted({source, *own})

    @staticmethod
    def _locked(bucket: str) -> SourcePace:
        """The row, locked until the transaction ends (SQLite: the transaction itself is the lock)."""
        row = SourcePace.objects.select_for_update().filter(pk=bucket).first()
        if row is None:
            SourcePace.objects.bulk_create([SourcePace(source=bucket)], ignore_conflicts=True)
            row = SourcePace.objects.select_for_update().get(pk=bucket)
        return row
