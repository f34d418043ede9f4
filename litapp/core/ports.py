"""What the pure floors ask of the outside: protocols filled by Django apps (or by tests)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Outcome(StrEnum):
    """How an answer of a source is classified. Only OK and EMPTY are success; only NOT_FOUND is a "no"."""

    OK = "ok"
    EMPTY = "empty"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    TRANSIENT = "transient"
    PERMANENT = "permanent"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a source, without secrets and contact data (those are added when it is sent).

    `path` is relative to the source's base address. `params` keep their order. `form` (POST) and `json_body` exclude
    each other. `cost` is the number of the source's units (OpenAlex credits) this call is expected to use.
    """

    source: str
    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] = ()
    json_body: str = ""
    accept: str = "application/json"
    operation: str = ""
    """What is asked, for people and for per-operation limits: "search", "lookup", "batch" ..."""
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """One archived answer. `answer_id` is its id in the ledger; `from_archive` = nothing was sent."""

    request: Request
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    outcome: Outcome = Outcome.OK
    answer_id: int | None = None
    from_archive: bool = False
    received_at: datetime | None = None


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> datetime:
        """The current time, timezone-aware UTC."""

    def sleep(self, seconds: float) -> None:
        """Wait `seconds`."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a source's units (OpenAlex: credits) until `until`, when they start anew. `of` None = unknown."""

    left: float
    until: datetime
    of: float | None = None


class RateGate(Protocol):
    """Shared pace of one source over all processes (GCRA). Source: design, decision 8."""

    def reserve(self, source: str, operation: str) -> float:
        """Reserve the next slot; returns seconds to wait before sending (0 = now)."""

    def push_back(self, source: str, until: datetime) -> None:
        """The source asked to be left alone until `until` (Retry-After)."""

    def observe_limit(self, source: str, operation: str, per_second: float) -> None:
        """A limit read from an answer's headers replaces the configured one from now on."""

    def observe_budget(self, source: str, budget: Budget) -> None:
        """What an answer said of the units left; the latest word counts."""

    def budget(self, source: str) -> Budget | None:
        """The latest word on the units left, while it holds; None = nothing is known."""


class Places(Protocol):
    """The requests that may be open at one source at once, counted over all processes.

    A place is lent for a while only: one whose holder was killed comes back by itself.
    """

    def take(self, source: str, most: int) -> str | None:
        """Take one of `most` places (fewer if the source said so); a token, or None when all are taken."""

    def give_back(self, source: str, token: str) -> None:
        """Give a place back."""

    def observe(self, source: str, most: int) -> None:
        """The number of places read from an answer's headers."""


class Breaker(Protocol):
    """Shared health of one source."""

    def check(self, source: str) -> datetime | None:
        """None when the source may be asked (or this caller won the probe); else when it may be asked again."""

    def refused_until(self, source: str) -> datetime | None:
        """Until when a source that refused this installation is not asked again; None for every other source."""

    def record(self, source: str, outcome: Outcome, message: str, retry_at: datetime | None) -> None:
        """Tell how a request ended."""

    def record_refusal(self, source: str, message: str, retry_at: datetime | None) -> None:
        """Tell that the source refused the installation itself, not this one request."""


class ResponseArchive(Protocol):
    """The ledger's side of the client."""

    def find(self, request: Request, max_age_seconds: float | None) -> Answer | None:
        """A stored OK, EMPTY or NOT_FOUND answer to the same request, not older than `max_age_seconds`
        (None = reuse nothing)."""

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
        """Keep the answer (or the failure, with status 0 and empty body). Secrets never reach this call."""
