"""Papers from any host: pace, public addresses only (redirections too), capped size, named problems, all archived."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from litapp.core.fulltext import Outcome
from litapp.providers.addresses import AddressGuard
from litapp.providers.fulltext.policy import pace_key, policy_of
from litapp.providers.fulltext.web import MOST_REDIRECTS, WebReader
from litapp.providers.http import guarded_transport
from tests.providers.fakes import FakeClock, FakeGate

PDF = b"%PDF-1.4 " + b"x" * 100


@dataclass
class Archive:
    kept: list[dict[str, Any]] = field(default_factory=list)

    def store_web(self, **fields: Any) -> int:
        self.kept.append(fields)
        return len(self.kept)


@dataclass
class Rig:
    reader: WebReader
    clock: FakeClock
    gate: FakeGate
    archive: Archive
    asked: list[str]


def rig(answers: dict[str, Any], *, waits: list[float] | None = None, largest: int = 10_000, through: str = "") -> Rig:
    clock, gate, archive, asked = FakeClock(), FakeGate(waits=waits or []), Archive(), []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        found = answers[str(request.url)]
        if isinstance(found, Exception):
            raise found
        return found

    reader = WebReader(
        clock=clock, gate=gate, archive=archive, transport=httpx.MockTransport(answer), largest=largest, through=through
    )  # fmt: skip
    return Rig(reader, clock, gate, archive, asked)


def pdf(**headers: str) -> httpx.Response:
    return httpx.Response(200, content=PDF, headers={"content-type": "application/pdf", **headers})


def moved(to: str) -> httpx.Response:
    return httpx.Response(302, headers={"location": to})


def test_a_file_comes_with_its_facts_and_is_archived() -> None:
    made = rig({"https://host.test/a.pdf": pdf(etag="1", set_cookie="x=1")})
    got = made.reader.get("https://host.test/a.pdf")
    assert (got.status, got.content_type, got.body, got.problem, got.answer_id) == (
        200,
        "application/pdf",
        PDF,
        None,
        1,
    )
    [kept] = made.archive.kept
    assert (kept["url"], kept["operation"], kept["found"], kept["body"]) == (
        "https://host.test/a.pdf",
        "pdf",
        True,
        PDF,
    )
    assert set(kept["headers"]) == {"content-type", "etag"}


def test_every_request_takes_its_hosts_slot_two_seconds_apart() -> None:
    made = rig(
        {"https://a.test/1": moved("https://B.test/2"), "https://b.test/2": pdf()}, waits=[0.0, 1.5]
    )  # fmt: skip
    assert made.reader.get("https://a.test/1").problem is None
    assert made.gate.reserved == [("web:a.test", ""), ("web:b.test", "")]
    assert made.clock.slept == [1.5]
    assert policy_of("web:a.test").interval("") >= 2
    assert policy_of("web:arxiv.org").interval("") >= 3


def test_keys_of_long_hosts_fit_and_differ() -> None:
    one, two = pace_key("a" * 80 + ".test"), pace_key("a" * 80 + ".tess")
    assert len(one) <= 60
    assert one != two


def test_a_host_that_must_be_left_alone_longer_is_not_asked() -> None:
    made = rig({}, waits=[40.0])
    got = made.reader.get("https://a.test/1")
    assert (got.problem, made.asked, made.archive.kept) == (Outcome.BUSY, [], [])
    assert got.retry_at == made.clock.now() + timedelta(seconds=40)


def test_redirections_are_followed_with_cookies_and_kept() -> None:
    answers = {
        "https://a.test/1": httpx.Response(302, headers={"location": "/2", "set-cookie": "seen=1"}),
        "https://a.test/2": pdf(),
    }
    seen: list[str] = []
    made = rig(answers)
    made.reader._http = httpx.Client(
        transport=httpx.MockTransport(lambda r: (seen.append(r.headers.get("cookie", "")), answers[str(r.url)])[1])
    )
    got = made.reader.get("https://a.test/1")
    assert (got.final_url, got.problem, seen) == ("https://a.test/2", None, ["", "seen=1"])
    assert made.archive.kept[0]["headers"]["litledger-redirections"] == "https://a.test/2"


@pytest.mark.parametrize(
    "to",
    ["http://127.0.0.1/x", "http://169.254.169.254/latest", "http://10.1.2.3/", "http://[::1]/", "http://localhost:8000/",
     "http://intranet/", "file:///etc/passwd", "ftp://a.test/", "http://user:secret@a.test/", "http://[bad"],
)  # fmt: skip
def test_redirections_to_addresses_that_must_not_be_asked(to: str) -> None:
    made = rig({"https://a.test/1": moved(to)})
    got = made.reader.get("https://a.test/1")
    assert got.problem is Outcome.REFUSED_ADDRESS
    assert made.asked == ["https://a.test/1"]
    assert made.archive.kept[0]["found"] is False


def test_such_an_address_itself_is_not_asked_and_names_no_slot() -> None:
    made = rig({})
    assert made.reader.get("http://192.168.0.1/a.pdf").problem is Outcome.REFUSED_ADDRESS
    assert (made.asked, made.gate.reserved) == ([], [])


def test_a_name_that_resolves_to_a_private_address_is_refused_at_the_connection() -> None:
    clock, gate, archive = FakeClock(), FakeGate(), Archive()
    guard = AddressGuard([], lambda host, port: ["10.0.0.7"])
    reader = WebReader(clock=clock, gate=gate, archive=archive, transport=guarded_transport(guard))
    assert reader.get("https://innocent.test/a.pdf").problem is Outcome.REFUSED_ADDRESS
    reader.close()


def test_a_circle_of_redirections_ends() -> None:
    made = rig({"https://a.test/1": moved("https://a.test/1")})
    assert made.reader.get("https://a.test/1").problem is Outcome.NO_ANSWER
    assert len(made.asked) == MOST_REDIRECTS + 1


def test_a_file_beyond_the_cap_is_not_kept() -> None:
    made = rig({"https://a.test/1": httpx.Response(200, content=b"x" * 10_001)})
    got = made.reader.get("https://a.test/1")
    assert (got.problem, got.body) == (Outcome.TOO_LARGE, b"")
    made = rig({"https://a.test/1": httpx.Response(200, content=b"x" * 10_000)})
    assert made.reader.get("https://a.test/1").problem is None


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(404, Outcome.ABSENT), (410, Outcome.ABSENT), (401, Outcome.LOGIN), (402, Outcome.LOGIN), (403, Outcome.REFUSED),
     (451, Outcome.REFUSED), (429, Outcome.BUSY), (500, Outcome.BUSY), (503, Outcome.BUSY), (400, Outcome.ABSENT)],
)  # fmt: skip
def test_statuses(status: int, outcome: Outcome) -> None:
    got = rig({"https://a.test/1": httpx.Response(status, content=b"no")}).reader.get("https://a.test/1")
    assert (got.problem, got.status) == (outcome, status)


def test_a_busy_host_is_left_alone_by_everybody() -> None:
    made = rig({"https://a.test/1": httpx.Response(429, headers={"retry-after": "120"})})
    got = made.reader.get("https://a.test/1")
    until = made.clock.now() + timedelta(seconds=120)
    assert (got.retry_at, made.gate.pushed) == (until, [("web:a.test", until)])


@pytest.mark.parametrize(
    "error", [httpx.ConnectTimeout("x"), httpx.ConnectError("x"), httpx.ReadError("x"), httpx.RemoteProtocolError("x")]
)
def test_connections_that_fail_are_no_answer(error: Exception) -> None:
    made = rig({"https://a.test/1": error})
    got = made.reader.get("https://a.test/1")
    assert (got.problem, got.status, made.archive.kept[0]["status"]) == (Outcome.NO_ANSWER, 0, 0)


def test_an_empty_answer_is_no_answer() -> None:
    assert rig({"https://a.test/1": httpx.Response(200)}).reader.get("https://a.test/1").problem is Outcome.NO_ANSWER


def test_with_a_sandbox_nothing_else_is_connected_to() -> None:
    through = "http://127.0.0.1:8100/web"
    made = rig(
        {f"{through}/a.test/1?x=2": moved("https://b.test/2"), f"{through}/b.test/2": pdf()}, through=through
    )  # fmt: skip
    got = made.reader.get("https://a.test/1?x=2")
    assert (got.problem, got.final_url) == (None, "https://b.test/2")
    assert all(url.startswith(through) for url in made.asked)
    assert made.archive.kept[0]["url"] == "https://a.test/1?x=2"
