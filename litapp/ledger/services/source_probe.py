"""Background work that finds out whether a source answers at all, so that the start page can say so."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from litapp.core.plan import Filters, PlanQuery
from litapp.jobs.models import SourceHealth
from litapp.ledger.services.clients import client_for, source_settings
from litapp.providers.base import SourceError
from litapp.providers.registry import answering, search_keys, search_provider, unusable_reason

log = logging.getLogger(__name__)
ASK_AGAIN = timedelta(minutes=10)
"""A source that failed, or gave no clear answer, is asked again after this time. One that answered is left alone."""
QUESTION = PlanQuery(boolean="medicine[ti]", plain="medicine")
"""The smallest thing that can be asked of every source that is searched: one count. The others are not probed."""


class SourceProbe:
    """The kind "probe" of `settings.STEP_KINDS`; a key is a source. Other work that asks the source makes it needless.

    One process asks at a time: it takes the source's row by a conditional update. The sandbox is not probed.
    """

    def due(self) -> Iterable[str]:
        """Sources that were never asked with a clear answer, or failed when they were asked last, some time ago."""
        if not settings.PROBE_SOURCES or settings.SANDBOX_URL:
            return []
        known = {row.source: row for row in SourceHealth.objects.all()}
        return [
            key
            for key, entry in source_settings().items()
            if key in search_keys()
            and answering(key) == key
            and not unusable_reason(key, entry)
            and _worth_asking(known.get(key))
        ]

    def run(self, key: str) -> None:
        """Ask for one count. How it ended is in `SourceHealth`, written by the client's breaker."""
        if not _take(key):
            return
        search = search_provider(key)
        try:
            search.count(client_for(key), search.compile(QUESTION, Filters()))
        except SourceError as error:
            log.info("%s does not answer: %s", key, error.message)


def _worth_asking(row: SourceHealth | None) -> bool:
    if row is None:
        return True
    unclear = row.failures > 0 or row.last_success_at is None
    return unclear and row.changed_at < timezone.now() - ASK_AGAIN


def _take(key: str) -> bool:
    """True for the one caller that may ask now: it moved the row's time, or made the row."""
    row, made = SourceHealth.objects.get_or_create(source=key)
    if made:
        return True
    if not _worth_asking(row):
        return False
    seen = SourceHealth.objects.filter(source=key, changed_at=row.changed_at)
    return seen.update(changed_at=timezone.now()) == 1
