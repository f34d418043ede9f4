"""The polite client: gate, breaker, archive, retries. The only module that speaks HTTP."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import httpcore
import httpx

from litapp.core.ports import Answer, Breaker, Budget, Clock, Outcome, Places, RateGate, Request, ResponseArchive
from litapp.providers import failures, registry
from litapp.providers.addresses import (
    AddressGuard,
    AddressRefused,
    Resolver,
    is_home,
    is_obviously_local,
    origin,
    resolve,
)
from litapp.providers.answers import REFUSED
from litapp.providers.base import Classification, Credentials, Deferred, LimitsConcurrency, Metered, SourceError
from litapp.providers.failures import Failure
from litapp.providers.open_requests import OpenRequests
from litapp.providers.policies import policy_for
from litapp.providers.retry import LONGEST_SLEEP, RetryPolicy, repeat, seconds_until
from litapp.providers.secrets import Redactor, sendable, without_echoed_key
from litapp.providers.settings import SourceSettings

logger = logging.getLogger(__name__)

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of one answer after decompression."""
MOST_REDIRECTS = 3
_KEPT_HEADERS = (
    "content-type", "date", "retry-after", "location", "server", "x-api-pool", "x-concurrency-limit", "x-openalex-",
    "ratelimit-", "x-ratelimit-", "x-rate-limit", "x-amzn-errortype",
)  # fmt: skip


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


def guarded_transport(guard: AddressGuard, proxy: str = "") -> httpx.HTTPTransport:
    """A transport whose connections all pass `guard`. Replaces the backend of httpx's private connection pool.

    With `proxy` it connects to nothing but the proxy, which looks the names up; they are checked as texts before.
    """
    limits = httpx.Limits(max_connections=20, keepalive_expiry=30)
    transport = httpx.HTTPTransport(limits=limits, proxy=httpx.Proxy(proxy) if proxy else None)
    transport._pool._network_backend = _GuardedBackend(AddressGuard([proxy], lambda *_: []) if proxy else guard)
    return transport


class PoliteClient:
    """Implements `base.Client` for one or several sources. May be shared between threads; close it at the end.

    `settings` maps source keys to this installation's settings. `transport`, `resolver` and `chance` are for tests.
    Between processes the pace is shared through `gate`, and so are the requests open at once through `places`, for
    sources that allow few; beyond that they are counted per client. `proxy` is the address of the hospital's web proxy
    ("" = none); addresses of this machine and its network are never asked through it.
    """

    def __init__(
        self,
        settings: Mapping[str, SourceSettings],
        *,
        clock: Clock,
        gate: RateGate,
        breaker: Breaker,
        archive: ResponseArchive,
        places: Places | None = None,
        proxy: str = "",
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
        through_proxy = transport or (guarded_transport(self._guard, proxy) if proxy else None)
        self._proxied = httpx.Client(transport=through_proxy, trust_env=False) if proxy else None
        self._places = places
        most_open = {
            source: policy_for(source, has_key=bool(s.key), has_email=bool(s.email)).concurrency
            for source, s in self._settings.items()
        }
        self._open = OpenRequests(most_open, places=places, clock=clock, chance=chance)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()
        if self._proxied is not None:
            self._proxied.close()

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
        label = registry.source(source).label
        self._require_budget(request, label)
        self._require_no_refusal(source, label)
        closed_until = self._breaker.check(source)
        if closed_until is not None:
            raise Deferred(
                source,
                Outcome.TRANSIENT,
                f"{label} failed several times in a row and is left alone for a while.",
                hint="LitLedger tries again by itself.",
                retry_at=closed_until,
                code="left_alone",
            )
        credentials = sendable(source, label, registry.provider(source).credentials(settings))
        answer, verdict, retry_at = repeat(
            lambda attempt: self._attempt(request, settings, credentials, attempt),
            clock=self._clock,
            chance=self._chance,
            policy=self._policy,
        )
        if verdict.code == REFUSED:
            self._breaker.record_refusal(source, verdict.message, retry_at)
        else:
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

    def budget(self, source: str) -> Budget | None:
        """What is left of the source's units with the key of this client; None = it has not said."""
        return self._gate.budget(source)

    def _require_no_refusal(self, source: str, label: str) -> None:
        """Raises SourceError, without asking, for a source that refused this installation a short while ago."""
        until = self._breaker.refused_until(source)
        if until is not None:
            raise SourceError(
                source,
                Outcome.PERMANENT,
                f"{label} refuses requests from this installation and is left alone until {until:%H:%M} UTC.",
                hint="The address may be blocked, or a key may be wrong. Ask the source; resume the run later.",
                code=REFUSED,
            )

    def _require_budget(self, request: Request, label: str) -> None:
        """Raises Deferred for a call that costs more than is left of the source's budget; free calls go on."""
        budget = self._gate.budget(request.source) if request.cost else None
        if budget is None or budget.left >= request.cost or budget.until <= self._clock.now():
            return
        raise Deferred(
            request.source,
            Outcome.RATE_LIMITED,
            f"{label}'s budget is spent: this call costs {request.cost}, and {budget.left:g} are left.",
            hint=f"It starts anew at {budget.until:%H:%M} UTC; LitLedger goes on then by itself.",
            retry_at=budget.until,
            code="budget_spent",
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
        except Failure as failure:
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
            verdict = self._told(request, settings, verdict, status, headers, body)
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

    def _told(
        self,
        request: Request,
        settings: SourceSettings,
        verdict: Classification,
        status: int,
        headers: dict[str, str],
        body: bytes,
    ) -> Classification:
        """Pass on what the answer says of limits and budgets; the verdict in the words of whose key it is."""
        provider, source = registry.provider(request.source), request.source
        limit = provider.published_limit(headers, body)
        if limit is not None:
            self._gate.observe_limit(source, request.operation, limit)
        if isinstance(provider, LimitsConcurrency) and self._places is not None:
            most = provider.published_concurrency(headers)
            if most is not None:
                self._places.observe(source, most)
        if isinstance(provider, Metered):
            budget = provider.published_budget(status, headers, body, self._clock.now())
            if budget is not None:
                self._gate.observe_budget(source, budget)
                if verdict.code == "budget_spent" and verdict.retry_after is None:
                    verdict = replace(verdict, retry_after=budget.until)
        if verdict.code == "bad_key" and settings.key_owner:
            return replace(
                verdict,
                message=f"{registry.source(source).label} does not accept the own key of {settings.key_owner}.",
                hint="Whoever owns the key corrects or removes it under “My keys”.",
            )
        return verdict

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
        with self._open.one(request.source):
            return self._follow(request, settings, credentials)

    def _follow(self, request: Request, settings: SourceSettings, credentials: Credentials) -> _Received:
        label = registry.source(request.source).label
        home = origin(settings.base_url)
        url = httpx.URL(f"{settings.base_url.rstrip('/')}/{request.path.lstrip('/')}")
        if request.params:
            url = url.copy_merge_params(list(request.params))
        stop_at = self._clock.now() + timedelta(seconds=settings.deadline)
        for _ in range(MOST_REDIRECTS + 1):
            trusted = is_home(home, origin(str(url)))
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
                raise failures.unavailable(
                    label, "sent us to an address that must not be used", "refused address"
                ) from None
            if origin(str(url))[0] == "https" and there[0] == "http":
                raise failures.unavailable(label, "sent us from a protected to an unprotected address", "downgrade")
            if request.method == "POST" and (received.status == 303 or not is_home(home, there)):
                raise failures.unavailable(label, "sent a query elsewhere", "redirected POST")
            url = target
        raise failures.unavailable(label, "sent us round in circles", "too many redirections")

    def _receive(self, label: str, message: httpx.Request, stop_at: datetime) -> _Received:
        """Send one message and read its answer, at most `largest_body` bytes and not beyond `stop_at`."""
        try:
            proxied = None if is_obviously_local(message.url.host) else self._proxied
            response = (proxied or self._http).send(message, stream=True, follow_redirects=False)
            try:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._largest_body:
                        raise failures.too_large(label)
                    if self._clock.now() > stop_at:
                        raise failures.silent(label)
            finally:
                response.close()
        # The causes are left out on purpose: they carry the request with its headers.
        except httpx.TimeoutException:
            raise failures.silent(label) from None
        except httpx.DecodingError:
            raise failures.not_unpacked(label) from None
        except AddressRefused:
            raise failures.unavailable(label, "leads to an address that must not be used", "refused address") from None
        except (httpx.ConnectError, httpx.ProxyError):
            raise failures.unreachable(label) from None
        except (httpx.TransportError, httpx.StreamError):
            raise failures.broken_off(label) from None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return _Received(response.status_code, headers, bytes(body))


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
