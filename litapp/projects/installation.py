"""What this installation can do now, read from the database: does a worker run, which sources answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from litapp.jobs.models import HealthState, SourceHealth, WorkerBeat
from litapp.jobs.services import DEAD_AFTER
from litapp.providers.registry import search_sources


@dataclass(frozen=True, slots=True)
class SourceNow:
    """One source as it is known to be: `state` is "available", "failing", "unknown" (not asked yet) or "off".

    `left_alone_until` is set while nobody asks it after repeated failures, or a refusal.
    """

    key: str
    label: str
    state: str
    error: str = ""
    last_success_at: datetime | None = None
    left_alone_until: datetime | None = None

    @property
    def word(self) -> str:
        """The state as people read it."""
        return {
            "available": "Available",
            "failing": "Does not answer",
            "unknown": "Not asked yet",
            "off": "Switched off",
        }[self.state]


def sources_now() -> list[SourceNow]:
    """The sources that are searched, in order; nothing is asked of them here. One query."""
    known = search_sources()
    rows = {row.source: row for row in SourceHealth.objects.filter(source__in=[source.key for source in known])}
    return [_source_now(source.key, source.label, rows.get(source.key)) for source in known]


def no_source_answers(sources: list[SourceNow]) -> bool:
    """True when every source that is switched on was asked and failed last time."""
    asked = [source for source in sources if source.state != "off"]
    return bool(asked) and all(source.state == "failing" for source in asked)


def worker_runs() -> bool:
    """Whether a worker gave a sign of life in the last seconds. One query."""
    return WorkerBeat.objects.filter(beat_at__gt=timezone.now() - 2 * DEAD_AFTER).exists()


def _source_now(key: str, label: str, row: SourceHealth | None) -> SourceNow:
    if not settings.SOURCES.get(key, {}).get("enabled"):
        return SourceNow(key, label, "off")
    if row is None or (row.state == HealthState.CLOSED and not row.failures and row.last_success_at is None):
        return SourceNow(key, label, "unknown")
    failing = row.failures > 0 or row.state != HealthState.CLOSED
    return SourceNow(
        key=key,
        label=label,
        state="failing" if failing else "available",
        error=row.last_error,
        last_success_at=row.last_success_at,
        left_alone_until=row.open_until if row.state in (HealthState.OPEN, HealthState.REFUSED) else None,
    )
