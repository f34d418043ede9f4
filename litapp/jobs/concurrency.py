"""The requests open at one source at once, over all processes (port `core.ports.Places`): numbered rows, lent for a
while. Source of the rule: design, "Concurrency-1 sources add a lease"."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db.models import QuerySet

from litapp.core.ports import Clock
from litapp.jobs.models import SourceConcurrency, SourcePlace
from litapp.jobs.services import worker_name
from litapp.jobs.short_transaction import in_short_transaction

LENT_FOR = timedelta(seconds=150)
"""Longer than any request lasts (its deadline and its waits for data). A place of a killed process is free after it."""
OBSERVED_FOR = timedelta(days=1)
OBSERVED_AGAIN = timedelta(hours=1)
"""An unchanged header is noted again only after this time: it is in every answer."""
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class DatabasePlaces:
    """Places in `SourcePlace`, taken by a conditional update: of many processes one gets a place."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock

    def take(self, source: str, most: int) -> str | None:
        """Take one of `most` places (fewer if the source said so); a token, or None when all are taken."""
        now, allowed = self._clock.now(), self._allowed(source, most)
        ours = SourcePlace.objects.filter(source=source, number__lt=allowed)
        if ours.count() < allowed:
            rows = [SourcePlace(source=source, number=number, until=_LONG_AGO) for number in range(allowed)]
            in_short_transaction(lambda: SourcePlace.objects.bulk_create(rows, ignore_conflicts=True))
        token = secrets.token_hex(16)
        lent = {"token": token, "held_by": worker_name(), "until": now + LENT_FOR}
        for place in ours.filter(until__lt=now).order_by("number"):
            if in_short_transaction(partial(_unchanged(place).update, **lent)):
                return token
        return None

    def give_back(self, source: str, token: str) -> None:
        """Give a place back; nothing happens when it was lent to somebody else meanwhile."""
        ours = SourcePlace.objects.filter(source=source, token=token)
        in_short_transaction(lambda: ours.update(token="", held_by="", until=_LONG_AGO))

    def observe(self, source: str, most: int) -> None:
        """The number of places read from an answer's headers."""
        now = self._clock.now()
        known = SourceConcurrency.objects.filter(pk=source).first()
        if most < 1 or (known and known.most == most and now - known.observed_at < OBSERVED_AGAIN):
            return
        values = {"most": most, "observed_at": now}
        in_short_transaction(lambda: SourceConcurrency.objects.update_or_create(pk=source, defaults=values))

    def _allowed(self, source: str, most: int) -> int:
        known = SourceConcurrency.objects.filter(pk=source).first()
        if known is None or self._clock.now() - known.observed_at > OBSERVED_FOR:
            return most
        return min(most, known.most)


def _unchanged(place: SourcePlace) -> QuerySet[SourcePlace]:
    """The row as it was seen."""
    return SourcePlace.objects.filter(pk=place.pk, until=place.until, token=place.token)
