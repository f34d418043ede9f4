"""Stand-ins for the client's ports, and a client that talks to a scripted source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx

from litapp.core.ports import Answer, Budget, Outcome, Places, Request
from litapp.providers.http import PoliteClient
from litapp.providers.settings import SourceSettings

START = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
BASE_URLS = {
    "pubmed": "https://eutils.test/entrez/eutils",
    "crossref": "https://crossref.test",
    "openalex": "https://openalex.test",
    "semanticscholar": "https://s2.test",
    "europepmc": "https://europepmc.test/rest",
    "arxiv": "https://arxiv.test",
    "biorxiv": "https://biorxiv.test",
    "datacite": "https://datacite.test",
    "doiorg": "https://doi.test",
    "unpaywall": "https://unpaywall.test",
    "pmc": "https://pmc.test",
}
KEY, EMAIL = "k3y-0f-Secrets+/", "librarian@clinic.test"


class FakeClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.time = START
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)


@dataclass
class FakeGate:
    """Gives out `waits` in turn (then 0) and notes what it is told."""

    waits: list[float] = field(default_factory=list)
    reserved: list[tuple[str, str]] = field(default_factory=list)
    pushed: list[tuple[str, datetime]] = field(default_factory=list)
    observed: list[tuple[str, str, float]] = field(default_factory=list)
    budgets: dict[str, Budget] = field(default_factory=dict)

    def reserve(self, source: str, operation: str) -> float:
        self.reserved.append((source, operation))
        return self.waits.pop(0) if self.waits else 0.0

    def push_back(self, source: str, until: datetime) -> None:
        self.pushed.append((source, until))

    def observe_limit(self, source: str, operation: str, per_second: float) -> None:
        self.observed.append((source, operation, per_second))

    def observe_budget(self, source: str, budget: Budget) -> None:
        self.budgets[source] = budget

    def budget(self, source: str) -> Budget | None:
        return self.budgets.get(source)


@dataclass
class FakeBreaker:
    """Closed unless `closed_until` is set; notes what it is told."""

    closed_until: datetime | None = None
    records: list[tuple[str, Outcome, datetime | None]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def check(self, source: str) -> datetime | None:
        return self.closed_until

    refusals: list[tuple[str, datetime | None]] = field(default_factory=list)
    refused: datetime | None = None

    def refused_until(self, source: str) -> datetime | None:
        return self.refused

    def record_refusal(self, source: str, message: str, retry_at: datetime | None) -> None:
        self.refusals.append((source, retry_at))
        self.messages.append(message)

    def record(self, source: str, outcome: Outcome, message: str, retry_at: datetime | None) -> None:
        self.records.append((source, outcome, retry_at))
        self.messages.append(message)


@dataclass
class FakeArchive:
    """Keeps everything in memory; an answer's id is its place, counted from 1."""

    answers: list[Answer] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    found: Answer | None = None

    def find(self, request: Request, max_age_seconds: float | None) -> Answer | None:
        return self.found

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
        answer = Answer(request, status, body, headers, outcome, answer_id=len(self.answers) + 1)
        self.answers.append(answer)
        self.errors.append(error)
        self.attempts.append(attempt)
        return answer

    @property
    def outcomes(self) -> list[Outcome]:
        return [answer.outcome for answer in self.answers]


Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


class ScriptedSource:
    """An httpx transport that gives `replies` in turn, the last one for ever after; notes the requests."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply

    @property
    def forms(self) -> list[dict[str, str]]:
        return [dict(httpx.QueryParams(request.content.decode())) for request in self.requests]


@dataclass
class Bench:
    """A client and everything around it."""

    client: PoliteClient
    source: ScriptedSource
    clock: FakeClock
    gate: FakeGate
    breaker: FakeBreaker
    archive: FakeArchive


def settings_of(source: str, *, key: str = "", email: str = "", base_url: str = "", **more: bool) -> SourceSettings:
    return SourceSettings(base_url=base_url or BASE_URLS[source], key=key, email=email, tool="litledger-test", **more)


def bench(
    replies: Sequence[Reply],
    *,
    key: str = "",
    email: str = "",
    waits: Sequence[float] = (),
    settings: dict[str, SourceSettings] | None = None,
    largest_body: int = 1_000_000,
    places: Places | None = None,
) -> Bench:
    """A client for all sources in front of a scripted one. Chance is switched off."""
    clock, gate, breaker, archive = FakeClock(), FakeGate(list(waits)), FakeBreaker(), FakeArchive()
    source = ScriptedSource(replies)
    client = PoliteClient(
        settings or {name: settings_of(name, key=key, email=email) for name in BASE_URLS},
        clock=clock,
        gate=gate,
        breaker=breaker,
        archive=archive,
        transport=httpx.MockTransport(source),
        chance=lambda: 0.0,
        largest_body=largest_body,
        places=places,
    )
    return Bench(client, source, clock, gate, breaker, archive)


def json_reply(data: object, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=data, headers={name.replace("_", "-"): value for name, value in headers.items()})


def text_reply(text: str | bytes, status: int = 200, **headers: str) -> httpx.Response:
    body = text.encode() if isinstance(text, str) else text
    return httpx.Response(
        status, content=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
