"""A client that does not ask again what was answered since the step began."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from litapp.core.ports import Answer, Request
from litapp.providers.base import Client


class ReusingClient:
    """Wraps a client: answers archived since `since` are used in place of a new request.

    So a step whose worker was killed after an answer came, but before its records were saved, does not ask twice.
    """

    def __init__(self, client: Client, *, since: datetime) -> None:
        self._client, self._since = client, since

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        """See `base.Client.send`."""
        age = (timezone.now() - self._since).total_seconds()
        if age >= 0 and (max_age_seconds is None or max_age_seconds < age):
            max_age_seconds = age
        return self._client.send(request, max_age_seconds=max_age_seconds)
