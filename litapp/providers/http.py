"""The polite client: the only module that speaks HTTP. (Stub: signatures only, being filled.)"""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from litapp.core.ports import Answer, Breaker, Clock, RateGate, Request, ResponseArchive
from litapp.providers.settings import SourceSettings


class PoliteClient:
    """One client for one or several sources; safe to share between threads. Close it at the end of the process."""

    def __init__(
        self,
        settings: Mapping[str, SourceSettings],
        *,
        clock: Clock,
        gate: RateGate,
        breaker: Breaker,
        archive: ResponseArchive,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._settings = dict(settings)

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
