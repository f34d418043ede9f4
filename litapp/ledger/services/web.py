"""Hosts of papers as this installation asks them: pace per host, public addresses only, every answer in the ledger."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.jobs.clock import SystemClock
from litapp.jobs.pace import DatabaseRateGate
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.archive import request_key
from litapp.ledger.services.bodies import write_body
from litapp.providers.fulltext.policy import SOURCE, policy_of
from litapp.providers.fulltext.web import WebReader


class DatabaseWebArchive:
    """Keeps answers of hosts as `SourceAnswer` of the source "web", under the address that was asked."""

    def store_web(
        self,
        *,
        url: str,
        operation: str,
        status: int,
        headers: dict[str, str],
        body: bytes,
        problem: str,
        elapsed_seconds: float,
        found: bool,
    ) -> int:
        """The bytes are on the disk before the row names them. `problem` says why nothing usable came."""
        sha256 = write_body(body) if body else ""
        row = SourceAnswer.objects.create(
            source=SOURCE,
            operation=operation[:40],
            method="GET",
            url=url,
            request_key=request_key("GET", url, ""),
            status=status,
            headers=headers,
            outcome=(Outcome.OK if found else Outcome.NOT_FOUND if status in (404, 410) else Outcome.PERMANENT).value,
            error=problem,
            sha256=sha256,
            size=len(body),
            elapsed_ms=max(0, round(elapsed_seconds * 1000)),
            sandbox=bool(settings.SANDBOX_URL),
            received_at=timezone.now(),
        )
        return row.pk


def web_reader() -> WebReader:
    """The reader of this installation, shared by all threads of the process. With a sandbox, all hosts are its."""
    through = f"{settings.SANDBOX_URL.rstrip('/')}/web" if settings.SANDBOX_URL else ""
    return _reader(
        through, settings.HTTPS_PROXY, settings.TOOL_NAME, float(settings.SANDBOX_CLOCK), settings.FULLTEXT_LARGEST
    )


@lru_cache(maxsize=4)
def _reader(through: str, proxy: str, tool: str, speed: float, largest: int) -> WebReader:
    clock = SystemClock()
    return WebReader(
        clock=clock,
        gate=DatabaseRateGate(policy_of, clock=clock, speed=max(speed, 1.0) if through else 1.0),
        archive=DatabaseWebArchive(),
        tool=tool,
        through=through,
        proxy=proxy,
        largest=largest,
    )
