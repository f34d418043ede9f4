"""Fetches a paper from any public host: pace per host, checked addresses, capped size, everything archived."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlsplit

from litapp.core.fulltext import Outcome
from litapp.core.ports import Clock, RateGate
from litapp.providers.addresses import AddressGuard, AddressRefused, Resolver, is_obviously_local, origin, resolve
from litapp.providers.answers import retry_after
from litapp.providers.fulltext.policy import pace_key
from litapp.providers.http import guarded_transport, httpcore, httpx
from litapp.providers.retry import LONGEST_SLEEP, seconds_until

logger = logging.getLogger(__name__)
LARGEST = 50 * 1024 * 1024
MOST_REDIRECTS = 8
TIMEOUT, DEADLINE = 20.0, 120.0
"""Seconds for connecting and for each wait for data; seconds for one whole file."""
_KEPT = ("content-type", "content-disposition", "date", "etag", "last-modified", "retry-after", "server", "via")
_UNWRAPPED: tuple[type[Exception], ...] = (httpx.InvalidURL, ValueError)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came from an address. `problem` says why nothing usable came (None = an answer with status 200 and a body);
    `final_url` is where the redirections ended; `retry_at` when a busy host may be asked again."""

    url: str
    final_url: str
    status: int = 0
    content_type: str = ""
    body: bytes = b""
    problem: Outcome | None = None
    message: str = ""
    retry_at: datetime | None = None
    answer_id: int | None = None


class WebArchive(Protocol):
    """Where answers of hosts are kept."""

    def store_web(
        self, *, url: str, operation: str, status: int, headers: dict[str, str], body: bytes, problem: str,
        elapsed_seconds: float, found: bool,
    ) -> int:  # fmt: skip
        """Keep an answer (or a failure, with status 0) and return its number."""


class _Refused(Exception):
    """A step of the way leads to an address that must not be asked."""


class WebReader:
    """Asks hosts for papers. May be shared between threads.

    `through` is the sandbox's address for the whole web ("" = the real web): then nothing else is ever connected to,
    and addresses keep their real form in the archive. `gate` counts the pace per host, shared by all processes.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        gate: RateGate,
        archive: WebArchive,
        tool: str = "litledger",
        through: str = "",
        proxy: str = "",
        largest: int = LARGEST,
        transport: httpx.BaseTransport | None = None,
        resolver: Resolver = resolve,
    ) -> None:
        self._clock, self._gate, self._archive = clock, gate, archive
        self._tool, self._through, self._largest = tool, through.rstrip("/"), largest
        self._guard = AddressGuard([self._through] if self._through else [], resolver)
        real_proxy = "" if self._through else proxy
        self._http = httpx.Client(transport=transport or guarded_transport(self._guard, real_proxy), trust_env=False)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def get(
        self, url: str, *, operation: str = "pdf", accept: str = "application/pdf, text/html;q=0.5, */*;q=0.1"
    ) -> Fetched:
        """Fetch an address, following its redirections. Never raises for what a host does; every answer is archived."""
        started, cookies, hops, here = self._clock.now(), httpx.Cookies(), [url], url
        try:
            for _ in range(MOST_REDIRECTS + 1):
                wait = self._wait(here)
                if wait is not None:
                    return wait if here == url else self._kept(url, here, hops, operation, started, wait)
                status, headers, body, problem = self._one(here, cookies, accept)
                location = headers.get("location", "")
                if status in (301, 302, 303, 307, 308) and location:
                    here = _joined(here, location)
                    hops.append(here)
                    continue
                found = self._judged(url, here, status, headers, body, problem)
                return self._kept(url, here, hops, operation, started, found, headers)
        except (_Refused, AddressRefused):
            found = Fetched(url, here, problem=Outcome.REFUSED_ADDRESS, message=_REFUSED_TEXT)
            return self._kept(url, here, hops, operation, started, found)
        found = Fetched(url, here, problem=Outcome.NO_ANSWER, message="It sends us round in circles.")
        return self._kept(url, here, hops, operation, started, found)

    def _wait(self, url: str) -> Fetched | None:
        """Wait for the host's slot; an answer where it must be left alone for longer than a worker waits."""
        self._checked(url)
        wait = self._gate.reserve(pace_key(urlsplit(url).hostname or ""), "")
        if wait > LONGEST_SLEEP:
            until = self._clock.now() + timedelta(seconds=wait)
            return Fetched(url, url, problem=Outcome.BUSY, message="It must be left alone for a while.", retry_at=until)
        if wait > 0:
            self._clock.sleep(wait)
        return None

    def _checked(self, url: str) -> None:
        """Refuse what is no web address, carries a name and password, or is plainly not public. Raises _Refused."""
        try:
            _, host, _ = origin(url)
        except ValueError:
            raise _Refused from None
        parts = urlsplit(url)
        if parts.username is not None or parts.password is not None or is_obviously_local(host):
            raise _Refused

    def _address(self, url: str) -> str:
        """The address that is really connected to."""
        if not self._through:
            return url
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return f"{self._through}/{parts.hostname}{parts.path or '/'}{query}"

    def _one(
        self, url: str, cookies: httpx.Cookies, accept: str
    ) -> tuple[int, dict[str, str], bytes, tuple[Outcome, str] | None]:
        """One request and its answer: status, headers, body, and what went wrong."""
        headers = {"accept": accept, "accept-encoding": "gzip, deflate", "user-agent": self._tool}
        stop_at = self._clock.now() + timedelta(seconds=DEADLINE)
        try:
            message = httpx.Request(
                "GET", self._address(url), headers=headers, extensions={"timeout": httpx.Timeout(TIMEOUT).as_dict()}
            )
            cookies.set_cookie_header(message)
            response = self._http.send(message, stream=True, follow_redirects=False)
            try:
                body = bytearray()
                told = {name.lower(): value for name, value in response.headers.items()}
                cookies.extract_cookies(response)
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self._largest:
                        size = f"It is larger than {self._largest // 1024**2} MB."
                        return response.status_code, told, b"", (Outcome.TOO_LARGE, size)
                    if self._clock.now() > stop_at:
                        return 0, told, b"", (Outcome.NO_ANSWER, "It sends so slowly that LitLedger gave up.")
            finally:
                response.close()
        except AddressRefused:
            raise
        except httpx.TimeoutException:
            return 0, {}, b"", (Outcome.NO_ANSWER, "It did not answer in time.")
        except (httpx.ConnectError, httpx.ProxyError, httpcore.ConnectError):
            return 0, {}, b"", (Outcome.NO_ANSWER, "It could not be reached.")
        except (httpx.TransportError, httpx.StreamError, httpx.DecodingError):
            return 0, {}, b"", (Outcome.NO_ANSWER, "The connection broke off.")
        except _UNWRAPPED:
            raise _Refused from None
        return response.status_code, told, bytes(body), None

    def _judged(
        self,
        url: str,
        here: str,
        status: int,
        headers: dict[str, str],
        body: bytes,
        problem: tuple[Outcome, str] | None,
    ) -> Fetched:
        kind = headers.get("content-type", "")
        if problem is not None:
            return Fetched(url, here, status, kind, problem=problem[0], message=problem[1])
        if status == 200 and body:
            return Fetched(url, here, status, kind, body)
        outcome, message = _by_status(status, bool(body))
        retry_at = None
        if outcome is Outcome.BUSY:
            pause = seconds_until(retry_after(headers), self._clock.now()) or 60.0
            retry_at = self._clock.now() + timedelta(seconds=pause)
            self._gate.push_back(pace_key(urlsplit(here).hostname or ""), retry_at)
        return Fetched(url, here, status, kind, body, outcome, message, retry_at)

    def _kept(
        self, url: str, here: str, hops: list[str], operation: str, started: datetime, found: Fetched,
        headers: dict[str, str] | None = None,
    ) -> Fetched:  # fmt: skip
        elapsed = (self._clock.now() - started).total_seconds()
        kept = {name: value for name, value in (headers or {}).items() if name in _KEPT}
        if len(hops) > 1:
            kept["litledger-redirections"] = " -> ".join(hops[1:])[:4000]
        answer_id = self._archive.store_web(
            url=url,
            operation=operation,
            status=found.status,
            headers=kept,
            body=found.body,
            problem=found.message or (found.problem.value if found.problem else ""),
            elapsed_seconds=elapsed,
            found=found.problem is None,
        )
        logger.info("web %s %s: status %s, %.1f s", operation, urlsplit(here).hostname, found.status, elapsed)
        return Fetched(
            url,
            here,
            found.status,
            found.content_type,
            found.body,
            found.problem,
            found.message,
            found.retry_at,
            answer_id,
        )


_REFUSED_TEXT = "The address is not public, or no web address, and is not asked."


def _joined(here: str, location: str) -> str:
    try:
        return str(httpx.URL(here).join(location))
    except _UNWRAPPED:
        raise _Refused from None


def _by_status(status: int, has_body: bool) -> tuple[Outcome, str]:
    if status in (404, 410):
        return Outcome.ABSENT, ""
    if status in (401, 402, 407):
        return Outcome.LOGIN, f"It wants a log-in or a payment (status {status})."
    if status in (403, 451, 406, 418):
        return Outcome.REFUSED, f"It refuses this request (status {status})."
    if status in (408, 425, 429) or status >= 500:
        return Outcome.BUSY, f"It has a problem, or wants a slower pace (status {status})."
    if status == 200 and not has_body:
        return Outcome.NO_ANSWER, "It sent an empty answer."
    return Outcome.ABSENT, f"It sent nothing usable (status {status})."
