"""The shared pace of each source (port `core.ports.RateGate`): one row per limit, GCRA, the same for all processes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from litapp.core.ports import Budget, Clock
from litapp.jobs.models import SourceBudget, SourcePace
from litapp.jobs.short_transaction import in_short_transaction
from litapp.providers.policies import MARGIN, SourcePolicy
from litapp.providers.retry import LONGEST_SLEEP

OBSERVED_FOR = timedelta(days=1)
"""How long a limit read from a header counts; then the published one holds again until the next header."""
OBSERVED_AGAIN = timedelta(hours=1)
"""An unchanged header is noted again only after this time: it is in every answer."""

NEARLY = timedelta(minutes=2)
"""Two times of a budget's end that differ by less are the same: sources count the seconds anew in every answer."""


class DatabaseRateGate:
    """Theoretical arrival times in `SourcePace`. Source of the rule: design, decision 8.

    `policy_of` gives the published paces of a source; `speed` is how much faster than real time the source counts
    (the sandbox's clock; 1 for a real source). `account_of` names whose key is used there: limits and budgets belong to
    a key, so a user's own key has rows of its own ("" = the installation's). `has_key` parts the installation's budget
    with a key from that without: a key that is added helps at once.
    """

    def __init__(
        self,
        policy_of: Callable[[str], SourcePolicy],
        *,
        clock: Clock,
        speed: float = 1.0,
        account_of: Callable[[str], str] = lambda source: "",
        has_key: Callable[[str], bool] = lambda source: False,
    ) -> None:
        self._policy_of, self._clock, self._speed = policy_of, clock, speed
        self._account_of, self._has_key = account_of, has_key

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

    def observe_budget(self, source: str, budget: Budget) -> None:
        """What an answer said of the units left; the latest word counts."""
        name, now = self._purse(source), self._clock.now()
        values = {"left": budget.left, "of": budget.of, "until": budget.until}
        known = SourceBudget.objects.filter(pk=name).first()
        if known and known.left == budget.left and known.of == budget.of and abs(known.until - budget.until) < NEARLY:
            return
        in_short_transaction(
            lambda: SourceBudget.objects.update_or_create(pk=name, defaults={**values, "observed_at": now})
        )

    def budget(self, source: str) -> Budget | None:
        """The latest word on the units left, while it holds; None = nothing is known."""
        known = SourceBudget.objects.filter(pk=self._purse(source)).first()
        if known is None or known.until <= self._clock.now():
            return None
        return Budget(known.left, known.until, known.of)

    def _owner(self, source: str) -> str:
        account = self._account_of(source)
        return f"{source}@{account}" if account else source

    def _purse(self, source: str) -> str:
        return f"{self._owner(source)}+key" if self._has_key(source) else self._owner(source)

    def _interval(self, row: SourcePace, policy: SourcePolicy, operation: str) -> float:
        """Seconds between two requests, the margin included."""
        if row.observed_per_second and row.observed_at and self._clock.now() - row.observed_at < OBSERVED_FOR:
            return MARGIN / row.observed_per_second / self._speed
        return policy.interval(operation) / self._speed

    def _bucket(self, source: str, operation: str) -> str:
        owner = self._owner(source)
        return f"{owner}:{operation}" if operation and self._policy_of(source).has_own_pace(operation) else owner

    def _buckets(self, source: str) -> list[str]:
        """All limits of a source, in the one order in which they are locked."""
        owner = self._owner(source)
        own = (f"{owner}:{pace.operation}" for pace in self._policy_of(source).paces if pace.operation)
        return sorted({owner, *own})

    @staticmethod
    def _locked(bucket: str) -> SourcePace:
        """The row, locked until the transaction ends (SQLite: the transaction itself is the lock)."""
        row = SourcePace.objects.select_for_update().filter(pk=bucket).first()
        if row is None:
            SourcePace.objects.bulk_create([SourcePace(source=bucket)], ignore_conflicts=True)
            row = SourcePace.objects.select_for_update().get(pk=bucket)
        return row
