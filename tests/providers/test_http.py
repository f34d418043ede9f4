"""The polite client: order of its steps, waits, redirections, sizes, and what is told to whom."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from litapp.core.ports import Answer, Outcome, Request
from litapp.providers.base import Deferred, SourceError
from tests.providers.fakes import START, Bench, Reply, ScriptedSource, bench, json_reply, settings_of, text_reply

WORK = {"status": "ok", "message-type": "work", "message": {"DOI": "10.1/x", "title": ["T"]}}
REQUEST = Request("crossref", "GET", "works/10.1/x", operation="lookup")
POST = Request("pubmed", "POST", "esearch.fcgi", form=(("term", "a b"),), operation="search")
FOUND = {"esearchresult": {"count": "1", "idlist": ["5"]}}


def failed(made: Bench, request: Request = REQUEST) -> SourceError:
    with pytest.raises(SourceError) as caught:
        made.client.send(request)
    return caught.value


def test_a_good_answer_goes_through_gate_archive_and_breaker() -> None:
    made = bench([json_reply(WORK, x_rate_limit_limit="10", x_rate_limit_interval="1s", set_cookie="a=b")])
    answer = made.client.send(REQUEST)
    assert (answer.outcome, answer.answer_id, answer.status) == (Outcome.OK, 1, 200)
    assert str(made.source.requests[0].url) == "https://crossref.test/works/10.1/x"
    assert made.gate.reserved == [("crossref", "lookup")]
    assert made.gate.observed == [("crossref", "lookup", 10.0)]
    assert made.breaker.records == [("crossref", Outcome.OK, None)]
    assert made.archive.attempts == [1]
    assert sorted(answer.headers) == ["content-type", "x-rate-limit-interval", "x-rate-limit-limit"]


def test_an_archived_answer_is_used_before_gate_and_breaker_are_asked() -> None:
    made = bench([RuntimeError("must not be sent")])
    kept = Answer(REQUEST, 200, b"{}", outcome=Outcome.OK, answer_id=9, from_archive=True)
    made.archive.found = kept
    made.breaker.closed_until = START + timedelta(minutes=5)
    assert made.client.send(REQUEST, max_age_seconds=60) is kept
    assert (made.gate.reserved, made.source.requests) == ([], [])


def test_without_a_maximum_age_nothing_is_reused() -> None:
    made = bench([json_reply(WORK)])
    made.archive.found = Answer(REQUEST, 200, b"{}", answer_id=9, from_archive=True)
    assert made.client.send(REQUEST).answer_id == 1


def test_a_source_that_is_left_alone_is_not_asked() -> None:
    made = bench([json_reply(WORK)])
    made.breaker.closed_until = START + timedelta(seconds=30)
    error = failed(made)
    assert isinstance(error, Deferred)
    assert (error.retry_at, error.code, made.source.requests) == (START + timedelta(seconds=30), "left_alone", [])


def test_a_short_wait_is_slept_and_a_long_one_is_given_back() -> None:
    made = bench([json_reply(WORK)], waits=[7.5])
    made.client.send(REQUEST)
    assert made.clock.slept == [7.5]
    late = bench([json_reply(WORK)], waits=[10.5])
    error = failed(late)
    assert isinstance(error, Deferred)
    assert (error.retry_at, late.clock.slept, late.source.requests) == (START + timedelta(seconds=10.5), [], [])


def test_a_source_switched_off_or_unknown_here_is_said_before_anything_is_sent() -> None:
    settings = {"crossref": settings_of("crossref", enabled=False)}
    made = bench([json_reply(WORK)], settings=settings)
    assert (failed(made).code, failed(made).outcome) == ("switched_off", Outcome.PERMANENT)
    assert failed(made, POST).code == "switched_off"
    assert made.source.requests == []


def test_not_found_is_an_answer_and_no_error() -> None:
    made = bench([text_reply("Resource not found.", 404)])
    assert made.client.send(REQUEST).outcome is Outcome.NOT_FOUND
    assert made.breaker.records == [("crossref", Outcome.NOT_FOUND, None)]


def test_a_passing_failure_is_repeated_with_growing_waits() -> None:
    made = bench([text_reply("busy", 503), httpx.ConnectError("x"), json_reply(WORK)])
    assert made.client.send(REQUEST).answer_id == 3
    assert made.clock.slept == [1.0, 2.0]
    assert made.archive.outcomes == [Outcome.TRANSIENT, Outcome.TRANSIENT, Outcome.OK]
    assert made.archive.attempts == [1, 2, 3]
    assert made.archive.errors == ["", "no connection", ""]
    assert made.breaker.records == [("crossref", Outcome.OK, None)]
    assert len(made.gate.reserved) == 3


def test_after_three_failures_the_error_names_the_last_archived_answer() -> None:
    made = bench([text_reply("busy", 503)])
    error = failed(made)
    assert not isinstance(error, Deferred)
    assert (error.outcome, error.answer_id, len(made.source.requests)) == (Outcome.TRANSIENT, 3, 3)
    assert made.breaker.records == [("crossref", Outcome.TRANSIENT, None)]


def test_a_refused_request_is_not_repeated() -> None:
    refusal = {"status": "failed", "message": [{"type": "x", "message": "This route does not support sort"}]}
    made = bench([json_reply(refusal, 400)])
    error = failed(made)
    assert (error.outcome, error.permanent, len(made.source.requests)) == (Outcome.PERMANENT, True, 1)
    assert error.message == "Crossref does not accept this request: This route does not support sort"


def test_a_403_is_told_as_a_refusal_of_the_installation() -> None:
    made = bench([text_reply("Forbidden", 403)])
    error = failed(made)
    assert (error.code, error.permanent) == ("refused", True)
    assert (made.breaker.refusals, made.breaker.records) == ([("crossref", None)], [])


def test_a_source_that_refused_us_is_not_asked_and_nothing_waits_for_it() -> None:
    made = bench([json_reply(WORK)])
    made.breaker.refused = START + timedelta(minutes=10)
    error = failed(made)
    assert not isinstance(error, Deferred)
    assert (error.code, error.permanent, made.source.requests) == ("refused", True, [])
    assert "12:10 UTC" in error.message


def test_a_short_retry_after_is_kept_to_and_told_to_the_gate() -> None:
    made = bench([text_reply("", 429, retry_after="3"), json_reply(WORK)])
    assert made.client.send(REQUEST).outcome is Outcome.OK
    assert made.clock.slept == [3.0]
    assert made.gate.pushed == [("crossref", START + timedelta(seconds=3))]


def test_a_long_retry_after_is_given_back_at_once() -> None:
    made = bench([text_reply("", 429, retry_after="Mon, 02 Nov 2026 12:10:00 GMT")])
    error = failed(made)
    assert isinstance(error, Deferred)
    assert (error.retry_at, made.clock.slept) == (START + timedelta(minutes=10), [])
    assert made.gate.pushed == [("crossref", START + timedelta(minutes=10))]
    assert made.breaker.records == [("crossref", Outcome.RATE_LIMITED, START + timedelta(minutes=10))]


def test_a_429_without_a_word_is_repeated_patiently_and_then_parked() -> None:
    made = bench([text_reply("", 429)])
    error = failed(made)
    assert isinstance(error, Deferred)
    assert made.clock.slept == [1.0, 2.0, 4.0]
    assert error.retry_at == made.clock.now() + timedelta(seconds=60)
    assert made.gate.pushed == []


def test_a_spent_openalex_budget_does_not_hold_back_the_free_calls() -> None:
    body = {"error": "Rate limit exceeded", "message": "Insufficient budget. …", "retryAfter": 28836}
    made = bench([json_reply(body, 429)])
    error = failed(made, Request("openalex", "GET", "works", params=(("search", "x"),), operation="search"))
    assert isinstance(error, Deferred)
    assert (error.code, error.retry_at) == ("budget_spent", START + timedelta(seconds=28836))
    assert made.gate.pushed == []


def test_a_source_that_hangs_is_asked_twice_and_then_given_up() -> None:
    made = bench([httpx.ReadTimeout("slow")])
    error = failed(made)
    assert (error.code, error.outcome, len(made.source.requests)) == ("timeout", Outcome.TRANSIENT, 2)
    assert made.archive.errors == ["timeout", "timeout"]
    assert [answer.status for answer in made.archive.answers] == [0, 0]


def test_a_source_that_only_drips_is_cut_off_at_the_deadline() -> None:
    made = bench([json_reply(WORK)])

    class Dripping(httpx.SyncByteStream):
        def __iter__(self):  # type: ignore[no-untyped-def]
            for _ in range(100):
                made.clock.time += timedelta(seconds=19)
                yield b" "

    made.source.replies = [lambda request: httpx.Response(200, stream=Dripping())]
    assert failed(made).code == "timeout"


def test_more_data_than_accepted_is_refused_also_when_compressed() -> None:
    bomb = gzip.compress(b" " * 3_000_000)
    made = bench([lambda request: httpx.Response(200, content=bomb, headers={"content-encoding": "gzip"})])
    error = failed(made)
    assert (error.code, error.outcome, len(made.source.requests)) == ("too_large", Outcome.PERMANENT, 1)


@pytest.mark.parametrize(
    ("reply", "outcome", "error"),
    [
        (httpx.ConnectError("dns"), Outcome.TRANSIENT, "no connection"),
        (httpx.ReadError("reset"), Outcome.TRANSIENT, "connection broke off"),
        (httpx.RemoteProtocolError("incomplete body"), Outcome.TRANSIENT, "connection broke off"),
        (httpx.ConnectTimeout("slow"), Outcome.TRANSIENT, "timeout"),
    ],
)
def test_broken_connections_are_failures_of_the_moment(reply: Exception, outcome: Outcome, error: str) -> None:
    made = bench([reply])
    assert failed(made).outcome is outcome
    assert made.archive.errors[-1] == error


def test_a_body_that_cannot_be_unpacked_is_malformed() -> None:
    made = bench([lambda request: httpx.Response(200, content=b"not gzip", headers={"content-encoding": "gzip"})])
    assert failed(made).outcome is Outcome.MALFORMED


def redirected(status: int, location: str, base_url: str = "") -> Bench:
    settings = {name: settings_of(name, base_url=base_url) for name in ("crossref", "pubmed")}
    return bench([text_reply("", status, location=location), json_reply(WORK)], settings=settings)


def test_a_relative_redirection_is_followed() -> None:
    """An aliased DOI at Crossref: 301, empty body, relative Location."""
    made = redirected(301, "/works/10.2/y")
    assert made.client.send(REQUEST).outcome is Outcome.OK
    assert [str(request.url) for request in made.source.requests] == [
        "https://crossref.test/works/10.1/x",
        "https://crossref.test/works/10.2/y",
    ]
    assert len(made.archive.answers) == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://crossref.test/works/x",
        "https://127.0.0.1/works/x",
        "https://localhost:8000/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://10.0.0.7/",
        "https://router.local/",
        "ftp://crossref.test/",
        "file:///etc/passwd",
    ],
)
def test_a_redirection_to_where_the_app_must_not_go_is_unavailable_and_not_not_found(location: str) -> None:
    made = redirected(302, location)
    error = failed(made)
    assert (error.outcome, error.code, len(made.source.requests)) == (Outcome.TRANSIENT, "refused_address", 1)


def test_the_configured_private_address_itself_is_allowed_in_a_redirection() -> None:
    made = redirected(301, "http://127.0.0.1:8123/crossref/works/10.2/y", base_url="http://127.0.0.1:8123/crossref")
    assert made.client.send(REQUEST).outcome is Outcome.OK


def test_another_port_of_the_configured_host_is_not() -> None:
    made = redirected(301, "http://127.0.0.1:22/", base_url="http://127.0.0.1:8123/crossref")
    assert failed(made).code == "refused_address"


def test_at_most_three_redirections_are_followed() -> None:
    settings = {"crossref": settings_of("crossref")}
    made = bench([lambda request: httpx.Response(302, headers={"location": str(request.url) + "x"})], settings=settings)
    assert failed(made).code == "refused_address"
    assert len(made.source.requests) == 4


def test_a_query_is_not_carried_to_another_host() -> None:
    made = redirected(307, "https://elsewhere.example/esearch.fcgi")
    assert failed(made, POST).code == "refused_address"
    assert len(made.source.requests) == 1


def test_a_query_follows_its_own_host() -> None:
    settings = {"pubmed": settings_of("pubmed")}
    made = bench([text_reply("", 308, location="/entrez/eutils/v2/esearch.fcgi"), json_reply(FOUND)], settings=settings)
    assert made.client.send(POST).outcome is Outcome.OK
    assert made.source.forms == [{"term": "a b", "tool": "litledger-test"}] * 2


def test_a_form_keeps_its_order_and_repeated_names() -> None:
    made = bench([json_reply(FOUND)])
    made.client.send(Request("pubmed", "POST", "esearch.fcgi", form=(("id", "1"), ("id", "2")), operation="search"))
    assert made.source.requests[0].content == b"id=1&id=2&tool=litledger-test"


def test_a_json_body_is_sent_as_it_is() -> None:
    made = bench([json_reply([None])])
    made.client.send(Request("semanticscholar", "POST", "graph/v1/paper/batch", json_body='{"ids":["DOI:10.1/ü"]}'))
    sent = made.source.requests[0]
    assert (sent.content, sent.headers["content-type"]) == ('{"ids":["DOI:10.1/ü"]}'.encode(), "application/json")


def test_cookies_of_a_source_are_not_sent_back() -> None:
    made = bench([json_reply(WORK, set_cookie="sid=1; Path=/")])
    made.client.send(REQUEST)
    made.client.send(REQUEST)
    assert "cookie" not in made.source.requests[1].headers


def test_a_busy_source_is_not_asked_more_often_at_once_than_it_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crossref without contact address: one request at a time. A second one inside the first must not go out."""
    monkeypatch.setattr("litapp.providers.open_requests.LONGEST_SLEEP", 0.01)
    made = bench([json_reply(WORK)])
    errors: list[SourceError] = []

    def nested(request: httpx.Request) -> httpx.Response:
        errors.append(failed(made))
        return json_reply(WORK)

    made.source.replies = [nested]
    assert made.client.send(REQUEST).outcome is Outcome.OK
    assert [error.code for error in errors] == ["busy"]
    assert len(made.source.requests) == 1


def test_closing_closes_the_connections() -> None:
    made = bench([json_reply(WORK)])
    made.client.close()
    with pytest.raises(RuntimeError):
        made.client.send(REQUEST)
    assert isinstance(made.source, ScriptedSource)


class FakePlaces:
    """Places that are taken until `free_after` looks; notes who took and gave back."""

    def __init__(self, free_after: int = 0) -> None:
        self.free_after, self.looks = free_after, 0
        self.lent: list[tuple[str, int]] = []
        self.given: list[tuple[str, str]] = []
        self.observed: list[tuple[str, int]] = []

    def take(self, source: str, most: int) -> str | None:
        self.looks += 1
        if self.looks <= self.free_after:
            return None
        self.lent.append((source, most))
        return f"token{len(self.lent)}"

    def give_back(self, source: str, token: str) -> None:
        self.given.append((source, token))

    def observe(self, source: str, most: int) -> None:
        self.observed.append((source, most))


def test_a_source_that_allows_few_requests_at_once_is_asked_only_with_a_place() -> None:
    places = FakePlaces(free_after=3)
    made = bench([json_reply(WORK, x_concurrency_limit="1")], places=places)
    assert made.client.send(REQUEST).outcome is Outcome.OK
    assert (places.lent, places.given, places.observed) == (
        [("crossref", 1)],
        [("crossref", "token1")],
        [("crossref", 1)],
    )
    assert made.clock.slept == pytest.approx([0.1, 0.15, 0.225])


def test_without_a_free_place_the_work_is_put_off_and_nothing_is_sent() -> None:
    made = bench([json_reply(WORK)], places=FakePlaces(free_after=1_000))
    error = failed(made)
    assert isinstance(error, Deferred)
    assert (error.code, made.source.requests) == ("busy", [])
    assert 10 <= sum(made.clock.slept) < 12


@pytest.mark.parametrize("reply", [httpx.ReadTimeout("slow"), text_reply("busy", 503), text_reply("", 403)])
def test_a_place_is_given_back_however_the_request_ends(reply: Reply) -> None:
    places = FakePlaces()
    made = bench([reply], places=places)
    failed(made)
    assert len(places.given) == len(places.lent) == len(made.source.requests)


def test_a_source_that_allows_many_is_not_counted_over_the_processes() -> None:
    places = FakePlaces()
    made = bench([json_reply(WORK)], places=places, key="plus-token")
    made.client.send(REQUEST)
    assert places.looks == 0


def test_the_own_key_of_a_user_is_called_so_when_it_is_refused() -> None:
    settings = {"openalex": replace(settings_of("openalex", key="0123456789"), key_owner="Anna Weber")}
    made = bench([json_reply({"error": "x"}, 401)], settings=settings)
    error = failed(made, Request("openalex", "GET", "works/W1", operation="lookup"))
    assert error.message == "OpenAlex does not accept the own key of Anna Weber."
    assert "My keys" in error.hint
    assert "0123456789" not in repr(vars(error))
