"""OpenAlex's eight kinds of 429, the credits left, and what a search will cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from litapp.core.ports import Budget, Outcome, Request
from litapp.core.records import Identifier, Scheme
from litapp.providers.base import Deferred, Metered, SourceError
from litapp.providers.openalex import refusals
from litapp.providers.openalex.provider import OpenAlex
from tests.providers.fakes import START, Bench, bench, json_reply, text_reply

OPENALEX = OpenAlex()
SEARCH = Request("openalex", "GET", "works", params=(("search", "x"),), operation="search", cost=10)
MIDNIGHT = datetime(2026, 11, 3, tzinfo=UTC)


def refusal(message: str, **more: object) -> dict[str, object]:
    return {"error": "Rate limit exceeded", "message": message, **more}


SPENT = refusal(
    "Insufficient budget. This request costs $0.001 but you only have $0 remaining. Resets at midnight UTC.",
    creditsRequired=10,
    creditsRemaining=0,
)
PARTLY = refusal(
    "Insufficient budget. This request costs $0.001 but you only have $0.0002 remaining. Resets at midnight UTC.",
    retryAfter=16043,
    creditsRequired=10,
    creditsRemaining=2,
)
PACE = refusal("Rate limit exceeded: 30 requests per second. Please slow down.", retryAfter=0.0213, creditsRemaining=0)

KINDS = {
    "day spent": (SPENT, Outcome.RATE_LIMITED, "budget_spent", False, None),
    "too little left": (PARTLY, Outcome.RATE_LIMITED, "budget_spent", False, 16043.0),
    "per second": (PACE, Outcome.RATE_LIMITED, "", True, 0.0213),
    "broad Boolean": (
        refusal("Your query uses 14 boolean operators.", reason="broad_boolean_query", retryAfter=1),
        Outcome.RATE_LIMITED,
        "broad_boolean",
        False,
        1.0,
    ),
    "semantic": (
        refusal("Semantic search is limited to 1 request per second.", retryAfter=1),
        Outcome.RATE_LIMITED,
        "semantic_pace",
        False,
        1.0,
    ),
    "rationed": (
        refusal("Anonymous search is temporarily rate-limited while …", retryAfter=3),
        Outcome.RATE_LIMITED,
        "anonymous_search_rationed",
        False,
        3.0,
    ),
    "throttled": (
        refusal(
            "Your access is temporarily throttled while we investigate unsustainable usage patterns.", retryAfter=1
        ),
        Outcome.RATE_LIMITED,
        "throttled",
        True,
        1.0,
    ),
    "plan": (
        {"error": "Plan upgrade required", "message": "The filter requires a Premium plan."},
        Outcome.PERMANENT,
        "plan_needed",
        True,
        None,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_sentence_wait_and_reach(kind: str) -> None:
    body, outcome, code, whole_source, wait = KINDS[kind]
    verdict = OPENALEX.classify(429, {}, json_reply(body).content)
    assert (verdict.outcome, verdict.code, verdict.whole_source, verdict.retry_after) == (
        outcome,
        code,
        whole_source,
        wait,
    )
    assert verdict.message.startswith(("OpenAlex", "2 credits"))
    assert verdict.hint


def test_no_two_kinds_say_the_same() -> None:
    said = [OPENALEX.classify(429, {}, json_reply(body).content).message for body, *_ in KINDS.values()]
    assert len(set(said)) == len(KINDS)


def failed(made: Bench, request: Request = SEARCH) -> SourceError:
    with pytest.raises(SourceError) as caught:
        made.client.send(request)
    return caught.value


def test_a_spent_day_is_left_alone_until_midnight_although_the_answer_does_not_say_when() -> None:
    made = bench([json_reply(SPENT, 429)])
    error = failed(made)
    assert isinstance(error, Deferred)
    assert (error.retry_at, error.code, len(made.source.requests)) == (MIDNIGHT, "budget_spent", 1)
    assert made.gate.budgets == {"openalex": Budget(0.0, MIDNIGHT)}
    assert made.gate.pushed == []
    # Nothing more is asked that costs; free look-ups go on.
    again = failed(made)
    assert (again.retry_at, len(made.source.requests)) == (MIDNIGHT, 1)
    assert "this call costs 10, and 0 are left" in again.message
    made.source.replies = [json_reply({"id": "https://openalex.org/W1001", "doi": "https://doi.org/10.1000/n1"})]
    doi = Identifier(Scheme.DOI, "10.1000/n1")
    assert doi in OPENALEX.lookup(made.client, [doi]).found
    made.clock.time = MIDNIGHT + timedelta(seconds=1)
    made.source.replies = [json_reply({"meta": {"count": 0}, "results": []})]
    assert made.client.send(SEARCH).outcome is Outcome.EMPTY


def test_what_is_left_still_pays_for_cheaper_calls() -> None:
    made = bench([json_reply(PARTLY, 429)])
    assert failed(made).retry_at == START + timedelta(seconds=16043)
    made.source.replies = [json_reply({"meta": {"count": 0}, "results": []})]
    cheap = Request("openalex", "GET", "works", params=(("filter", "doi:10.1/x"),), operation="batch", cost=1)
    assert made.client.send(cheap).outcome is Outcome.EMPTY


def test_a_pace_refusal_says_remaining_0_and_is_not_believed() -> None:
    made = bench([json_reply(PACE, 429), json_reply({"meta": {"count": 0}, "results": []})])
    assert made.client.send(SEARCH).outcome is Outcome.EMPTY
    assert made.gate.budgets == {}
    assert len(made.gate.pushed) == 1


def test_a_plan_that_must_be_paid_for_is_not_asked_again() -> None:
    made = bench([json_reply(KINDS["plan"][0], 429)])
    error = failed(made)
    assert (error.permanent, len(made.source.requests), made.gate.pushed) == (True, 1, [])


HEADERS = {
    "x-ratelimit-limit": "1000",
    "x-ratelimit-remaining": "640",
    "x-ratelimit-credits-used": "10",
    "x-ratelimit-reset": "3600",
}


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, HEADERS, Budget(640, START + timedelta(hours=1), 1000)),
        (200, {**HEADERS, "x-ratelimit-reset": "Mon, 06 Oct 2025 19:20:42 GMT"}, Budget(640, MIDNIGHT, 1000)),
        (200, {**HEADERS, "x-ratelimit-prepaid-remaining-usd": "0.5"}, Budget(5640, START + timedelta(hours=1), 1000)),
        (404, HEADERS, Budget(640, START + timedelta(hours=1), 1000)),
        (429, HEADERS, None),
        (200, {"x-ratelimit-limit": "2", "x-ratelimit-remaining": "0"}, None),
        (200, {**HEADERS, "x-ratelimit-remaining": "many"}, None),
        (200, {**HEADERS, "x-ratelimit-remaining": "-5"}, None),
        (200, {}, None),
    ],
)
def test_the_credits_left_are_read_from_the_headers(
    status: int, headers: dict[str, str], expected: Budget | None
) -> None:
    """A header of 2025 counted requests a second; a refusal's headers say 0 also where the pace was the reason."""
    assert OPENALEX.published_budget(status, headers, b"{}", START) == expected


def test_every_answer_tells_the_gate_what_is_left() -> None:
    made = bench(
        [text_reply(b'{"meta":{"count":0},"results":[]}', **{k.replace("-", "_"): v for k, v in HEADERS.items()})]
    )
    made.client.send(SEARCH)
    assert made.gate.budgets == {"openalex": Budget(640, START + timedelta(hours=1), 1000)}


@pytest.mark.parametrize(
    ("records", "credits"), [(0, 10), (1, 10), (100, 10), (101, 20), (5_000, 500), (1_000_000, 100_000)]
)
def test_what_a_search_costs_is_a_function_of_its_pages(records: int, credits: int) -> None:
    assert isinstance(OPENALEX, Metered)
    assert OPENALEX.search_cost(records) == credits


@pytest.mark.shared
def test_the_recorded_refusals_say_what_is_left(shared: Path) -> None:
    folder = shared / "wire" / "openalex"
    found = {
        name: refusals.published_budget(429, {}, (folder / name).read_bytes(), START)
        for name in (
            "http429_daily_budget_partly_left.json",
            "http429_daily_budget_search__2026-08-29.json",
            "http429_per_second_free_key.json",
            "http429_account_throttled.json",
        )
    }
    assert list(found.values()) == [
        Budget(2, START + timedelta(seconds=16043)),
        Budget(0, START + timedelta(seconds=28836)),
        None,
        None,
    ]


def test_midnight_is_that_of_utc() -> None:
    assert refusals.midnight_after(START) == MIDNIGHT
    assert refusals.midnight_after(MIDNIGHT) == MIDNIGHT + timedelta(days=1)
