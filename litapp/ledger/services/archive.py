"""The archive of answers (port `core.ports.ResponseArchive`): a row per answer, its bytes beside the database."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone

from litapp.core.ports import Answer, Outcome, Request
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.bodies import DamagedBody, read_body, write_body

log = logging.getLogger(__name__)
REUSABLE = (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND)


def body_of(answer: SourceAnswer) -> bytes:
    """The bytes of an archived answer, checked against its sha256; b"" where nothing came back. Raises DamagedBody."""
    return read_body(answer.sha256) if answer.sha256 else b""


def request_key(method: str, url: str, body: str) -> str:
    """sha256 (hex) of what makes two requests the same: method, full address, body. No key, no contact address."""
    text = json.dumps([method.upper(), url, body], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class DatabaseArchive:
    """Stores and finds answers in `SourceAnswer`. `base_urls` are the addresses the sources are asked at."""

    def __init__(self, base_urls: Mapping[str, str]) -> None:
        self._base_urls = dict(base_urls)

    def find(self, request: Request, max_age_seconds: float | None) -> Answer | None:
        """A stored OK, EMPTY or NOT_FOUND answer to the same request, not older than `max_age_seconds`
        (None = reuse nothing). One whose bytes are damaged is passed over: the source is asked again."""
        if max_age_seconds is None:
            return None
        oldest = timezone.now() - timedelta(seconds=max_age_seconds)
        key = request_key(request.method, self._url(request), _body_sent(request))
        rows = SourceAnswer.objects.filter(request_key=key, outcome__in=REUSABLE, received_at__gte=oldest)
        row = rows.order_by("-received_at", "-pk").first()
        if row is None:
            return None
        try:
            body = body_of(row)
        except DamagedBody as error:
            log.warning("Answer %s is asked for again: %s", row.pk, error)
            return None
        return _answer(row, request, body, from_archive=True)

    def store(
        self,
        request: Request,
        *,
        status: int,
        headers: dict[str, str],
        body: bytes,
        outcome: Outcome,
        elapsed_seconds: float,
        attempt: int,
        error: str,
    ) -> Answer:
        """Keep the answer (or the failure, with status 0 and empty body). The bytes are on the disk before the row is
        in the database: a row never names bytes that are not there."""
        sha256 = write_body(body) if body else ""
        url, sent = self._url(request), _body_sent(request)
        row = SourceAnswer.objects.create(
            source=request.source,
            operation=request.operation[:40],
            method=request.method.upper(),
            url=url,
            body_sent=sent,
            request_key=request_key(request.method, url, sent),
            status=status,
            headers=headers,
            outcome=outcome.value,
            error=error,
            sha256=sha256,
            size=len(body),
            elapsed_ms=max(0, round(elapsed_seconds * 1000)),
            attempt=attempt,
            sandbox=bool(settings.SANDBOX_URL),
            received_at=timezone.now(),
        )
        return _answer(row, request, body, from_archive=False)

    def _url(self, request: Request) -> str:
        base = self._base_urls[request.source].rstrip("/")
        path = f"/{request.path.lstrip('/')}" if request.path else ""
        query = f"?{urlencode(request.params)}" if request.params else ""
        return f"{base}{path}{query}"


def _body_sent(request: Request) -> str:
    return request.json_body or (urlencode(request.form) if request.form else "")


def _answer(row: SourceAnswer, request: Request, body: bytes, *, from_archive: bool) -> Answer:
    return Answer(
        request=request,
        status=row.status,
        body=body,
        headers=dict(row.headers),
        outcome=Outcome(row.outcome),
        answer_id=row.pk,
        from_archive=from_archive,
        received_at=row.received_at,
    )
