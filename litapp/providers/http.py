"""The polite client: gate, breaker, archive, retries. The only module that speaks HTTP."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpcore
import httpx

from litapp.core.ports import Answer, Breaker, Clock, Outcome, RateGate, Request, ResponseArchive
from litapp.providers import registry
from litapp.providers.addresses import AddressGuard, AddressRefused, Resolver, origin, resolve
from litapp.providers.base import Classification, Credentials, Deferred, SourceError
from litapp.providers.policies import policy_for
from litapp.providers.retry import LONGEST_SLEEP, RetryPolicy, repeat, seconds_until
from litapp.providers.secrets import Redactor, without_echoed_key
from litapp.providers.settings import SourceSettings

logger = logging.getLogger(__name__)

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of one answer after decompression."""
MOST_REDIRECTS = 3
_KEPT_HEADERS = (
    "content-type", "date", "retry-after", "location", "server", "x-api-pool", "x-concurrency-limit", "x-openalex-",
    "ratelimit-", "x-ratelimit-", "x-rate-limit", "x-amzn-errortype",
)  # fmt: skip


class _Failure(Exception):
    """No answer came, or none that may be kept. Carries what it means; its text holds no secret."""

    def __init__(self, verdict: Classification, kind: str) -> None:
        super().__init__(kind)
        self.verdict, self.kind = verdict, kind


@dataclass(frozen=True, slots=True)
class _Received:
    status: int
    headers: dict[str, str]
    body: bytes


class _GuardedBackend(httpcore.SyncBackend):
    """Opens TCP connections to allowed addresses only (httpx has no hook for this)."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            target = self._guard.target(host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        return super().connect_tcp(target, port, timeout, local_address, socket_options)

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise AddressRefused("local sockets are not used")


def guarded_transport(guard: AddressGuard) -> httpx.HTTPTransport:
    """A transport whose connections all pass `guard`. Replaces the backend of httpx's private connection pool."""
    transport = httpx.HTTPTransport(limits=httpx.Limits(max_connections=20, keepalive_expiry=30))
    transport._pool._network_backend = _GuardedBackend(guard)
    return transport


class PoliteClient:
    """Implements `base.Client` for one or several sources. May be shared between threads; close it at the end.

    `settings` maps source keys to this installation's settings. `transport`, `resolver` and `chance` are for tests.
    Between processes the pace is shared through `gate`; the number of requests open at once is held per client.
    """

    def __init__(
        self,
        settings: Mapping[str, SourceSettings],
        *,
        clock: Clock,
        gate: RateGate,
        breaker: Breaker,
        archive: ResponseArchive,
        transport: httpx.BaseTransport | None = None,
        resolver: Resolver = resolve,
        chance: Callable[[], float] = random.random,
        policy: RetryPolicy | None = None,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        self._settings = dict(settings)
        self._clock, self._gate, self._breaker, self._archive = clock, gate, breaker, archive
        self._chance, self._policy, self._largest_body = chance, policy or RetryPolicy(), largest_body
        self._guard = AddressGuard((s.base_url for s in self._settings.values() if s.base_url), resolver)
        self._http = httpx.Client(transport=transport or guarded_transport(self._guard), trust_env=False)
        self._open = {
            source: threading.BoundedSemaphore(
                policy_for(source, has_key=bool(s.key), has_email=bool(s.email)).concurrency
            )
            for source, s in self._settings.items()
        }

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        """Send (or reuse) one request; see `base.Client.send`.

        An archived answer young enough is used first: it costs the source nothing, so it is good even while the source
        is left alone. Every attempt is archived; the breaker hears how the request ended, once.
        Raises Deferred when the source must be left alone for longer than ten seconds, SourceError otherwise.
        """
        source = request.source
        settings = self._usable_settings(source)
        if max_age_seconds is not None:
            kept = self._archive.find(request, max_age_seconds)
            if kept is not None:
                return kept
        closed_until = self._breaker.check(source)
        if closed_until is not None:
            raise Deferred(
                source,
                Outcome.TRANSIENT,
                f"{registry.source(source).label} failed several times in a row and is left alone for a while.",
                hint="LitLedger tries again by itself.",
                retry_at=closed_until,
                code="left_alone",
            )
        credentials = _checked(source, registry.provider(source).credentials(settings))
        answer, verdict, retry_at = repeat(
            lambda attempt: self._attempt(request, settings, credentials, attempt),
            clock=self._clock,
            chance=self._chance,
            policy=self._policy,
        )
        self._breaker.record(source, verdict.outcome, verdict.message, retry_at)
        if verdict.outcome in (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND):
            return answer
        late = retry_at is not None and (retry_at - self._clock.now()).total_seconds() > LONGEST_SLEEP
        raise (Deferred if late else SourceError)(
            source,
            verdict.outcome,
            verdict.message,
            hint=verdict.hint,
            retry_at=retry_at,
            answer_id=answer.answer_id,
            code=verdict.code,
        )

    def _usable_settings(self, source: str) -> SourceSettings:
        settings = self._settings.get(source)
        reason = registry.unusable_reason(source, settings)
        if reason or settings is None:
            raise SourceError(
                source,
                Outcome.PERMANENT,
                reason,
                hint="Ask whoever runs this installation, or leave the source out of the plan.",
                code="switched_off",
            )
        return settings

    def _attempt(
        self, request: Request, settings: SourceSettings, credentials: Credentials, attempt: int
    ) -> tuple[Answer, Classification]:
        """Wait for the slot, send once, judge, archive."""
        self._wait_for_slot(request)
        redactor = Redactor(settings.key)
        started = self._clock.now()
        status, headers, body, error = 0, dict[str, str](), b"", ""
        try:
            received = self._exchange(request, settings, credentials)
        except _Failure as failure:
            verdict, error = failure.verdict, failure.kind
        else:
            provider = registry.provider(request.source)
            status, body = received.status, redactor.body(received.body)
            headers = {name: redactor.text(value) for name, value in received.headers.items()}
            verdict = provider.classify(status, headers, body)
            if verdict.outcome not in (Outcome.OK, Outcome.EMPTY):
                body = without_echoed_key(body)
                if settings.email:
                    body = Redactor(settings.email).body(body)
            limit = provider.published_limit(headers, body)
            if limit is not None:
                self._gate.observe_limit(request.source, request.operation, limit)
        now = self._clock.now()
        elapsed = (now - started).total_seconds()
        if verdict.outcome is Outcome.RATE_LIMITED and verdict.whole_source:
            pause = seconds_until(verdict.retry_after, now)
            if pause:
                self._gate.push_back(request.source, now + timedelta(seconds=pause))
        answer = self._archive.store(
            request,
            status=status,
            headers={k: v for k, v in headers.items() if k.startswith(_KEPT_HEADERS)},
            body=body,
            outcome=verdict.outcome,
            elapsed_seconds=elapsed,
            attempt=attempt,
            error=error,
        )
        logger.info(
            "%s %s: status %s, %s, %.1f s, attempt %s",
            request.source, request.operation, status, verdict.outcome.value, elapsed, attempt,
        )  # fmt: skip
        return answer, verdict

    def _wait_for_slot(self, request: Request) -> None:
        wait = self._gate.reserve(request.source, request.operation)
        if wait > LONGEST_SLEEP:
            raise Deferred(
                request.source,
                Outcome.RATE_LIMITED,
                f"{registry.source(request.source).label} must be left alone for a while.",
                hint="LitLedger waits and goes on by itself.",
                retry_at=self._clock.now() + timedelta(seconds=wait),
                code="paced",
            )
        if wait > 0:
            self._clock.sleep(wait)

    def _exchange(self, request: Request, settings: SourceSettings, credentials: Credentials) -> _Received:
        """One request with its redirections, within the number of connections the source allows."""
        slots = self._open[request.source]
        if not slots.acquire(timeout=LONGEST_SLEEP):
            raise Deferred(
                request.source,
                Outcome.RATE_LIMITED,
                f"{registry.source(request.source).label} is still busy with earlier requests of this installation.",
                hint="LitLedger waits and goes on by itself.",
                retry_at=self._clock.now() + timedelta(seconds=LONGEST_SLEEP + 5),
                code="busy",
            )
        try:
            return self._follow(request, settings, credentials)
        finally:
            slots.release()

    def _follow(self, request: Request, settings: SourceSettings, credentials: Credentials) -> _Received:
        label = registry.source(request.source).label
        home = origin(settings.base_url)
        url = httpx.URL(f"{settings.base_url.rstrip('/')}/{request.path.lstrip('/')}")
        if request.params:
            url = url.copy_merge_params(list(request.params))
        stop_at = self._clock.now() + timedelta(seconds=settings.deadline)
        for _ in range(MOST_REDIRECTS + 1):
            trusted = _trusted(home, origin(str(url)))
            message = _message(request, url, credentials if trusted else Credentials(), settings)
            received = self._receive(label, message, stop_at)
            location = received.headers.get("location", "")
            if received.status not in (301, 302, 303, 307, 308) or not location:
                return received
            try:
                target = url.join(location)
                there = origin(str(target))
                self._guard.refuse_obvious(there[1], there[2])
            except (ValueError, httpx.InvalidURL, AddressRefused):
                raise _unavailable(label, "sent us to an address that must not be used", "refused address") from None
            if origin(str(url))[0] == "https" and there[0] == "http":
                raise _unavailable(label, "sent us from a protected to an unprotected address", "downgrade")
            if request.method == "POST" and (received.status == 303 or not _trusted(home, there)):
                raise _unavailable(label, "sent a query elsewhere", "redirected POST")
            url = target
        raise _unavailable(label, "sent us round in circles", "too many redirections")

    def _receive(self, label: str, message: httpx.Request, stop_at: datetime) -> _Received:
        """Send one message and read its answer, at most `largest_body` bytes and not beyond `stop_at`."""
        try:
            response = self._http.send(message, stream=True, follow_redirects=False)
            try:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._largest_body:
                        raise _Failure(
                            Classification(
                                Outcome.PERMANENT,
                                f"{label} sent more data than LitLedger accepts in one answer.",
                                hint="Ask for less at once.",
                                code="too_large",
                            ),
                            "body too large",
                        )
                    if self._clock.now() > stop_at:
                        raise _silent(label)
            finally:
                response.close()
        except httpx.TimeoutException:
            raise _silent(label) from None
        except httpx.DecodingError:
            raise _Failure(
                Classification(Outcome.MALFORMED, f"{label} sent data that cannot be unpacked."), "bad compression"
            ) from None
        except AddressRefused:
            raise _unavailable(label, "leads to an address that must not be used", "refused address") from None
        except (httpx.ConnectError, httpx.ProxyError):
            raise _Failure(
                Classification(
                    Outcome.TRANSIENT,
                    f"{label} could not be reached.",
                    hint="Check this computer's internet connection, or try again later.",
                    code="unreachable",
                ),
                "no connection",
            ) from None
        except (httpx.TransportError, httpx.StreamError):
            # The cause is left out on purpose, here and above: it carries the request with its headers.
            raise _Failure(
                Classification(
                    Outcome.TRANSIENT, f"The connection to {label} broke off.", hint="Try again later.", code="cut"
                ),
                "connection broke off",
            ) from None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return _Received(response.status_code, headers, bytes(body))


def _silent(label: str) -> _Failure:
    return _Failure(
        Classification(
            Outcome.TRANSIENT, f"{label} did not answer in time.", hint="Try again later.", code="timeout", repeats=1
        ),
        "timeout",
    )


def _unavailable(label: str, what: str, kind: str) -> _Failure:
    """The source cannot be used just now; this says nothing about any record."""
    return _Failure(
        Classification(
            Outcome.TRANSIENT,
            f"{label} is not available: it {what}.",
            hint="A login page of the network may be in the way. Open any web page once, then try again.",
            code="refused_address",
            repeats=0,
        ),
        kind,
    )


def _trusted(home: tuple[str, str, int], there: tuple[str, str, int]) -> bool:
    """True when `there` is the configured origin, or the same host by https in place of http."""
    return there == home or (home[0] == "http" and there[0] == "https" and there[1] == home[1] and there[2] == 443)


def _checked(source: str, credentials: Credentials) -> Credentials:
    """The credentials, if they can be sent at all. Raises SourceError without quoting them."""
    for name, value in credentials.headers:
        if not value.isascii() or not value.isprintable():
            what = "contact address" if name.lower() == "user-agent" else "key"
            raise SourceError(
                source,
                Outcome.PERMANENT,
                f"The {what} for {registry.source(source).label} holds characters that cannot be sent.",
                hint="Correct it in the settings: often a blank or a line break was copied along.",
                code="bad_key",
            )
    return credentials


def _message(request: Request, url: httpx.URL, credentials: Credentials, settings: SourceSettings) -> httpx.Request:
    """The HTTP message, with what is secret or personal added to it."""
    headers = {
        "accept": request.accept,
        "accept-encoding": "gzip, deflate",
        "user-agent": settings.tool,
        **{name.lower(): value for name, value in credentials.headers},
    }
    timeout = {"timeout": httpx.Timeout(settings.timeout).as_dict()}
    if request.method == "GET":
        if credentials.params:
            url = url.copy_merge_params(list(credentials.params))
        return httpx.Request("GET", url, headers=headers, extensions=timeout)
    if request.json_body:
        headers["content-type"] = "application/json"
        return httpx.Request(
            request.method, url, headers=headers, content=request.json_body.encode(), extensions=timeout
        )
    form: dict[str, list[str]] = {}
    for name, value in (*request.form, *credentials.params):
        form.setdefault(name, []).append(value)
    return httpx.Request(request.method, url, headers=headers, data=form, extensions=timeout)
