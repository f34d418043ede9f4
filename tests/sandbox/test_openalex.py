"""The sandbox's OpenAlex: works, searches, filters, credits and its kinds of 429."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.conftest import Get, Stepping

RETRACTED = "10.4103/aer.aer_194_18"
WORKS = "/openalex/works"


@pytest.fixture
def a_work(get: Get) -> dict[str, str]:
    """The ids of a work with DOI and PMID."""
    result = get(WORKS, {"filter": "title.search:asthma,has_doi:true", "per_page": 1}).json["results"][0]
    return {key: str(value) for key, value in result["ids"].items()}


def test_every_name_of_a_work_leads_to_it(get: Get, a_work: dict[str, str]) -> None:
    number, doi, pmid = (
        a_work[k].rsplit("/", 1)[-1] if k != "doi" else a_work[k][16:] for k in ("openalex", "doi", "pmid")
    )
    for name in (number, number.lower(), a_work["openalex"], f"doi:{doi}", f"https://doi.org/{doi}", f"pmid:{pmid}"):
        answer = get(f"{WORKS}/{name}", {"select": "id"})
        assert (answer.status, answer.json) == (200, {"id": a_work["openalex"]}), name


def test_a_bare_or_unknown_doi_is_an_html_404(get: Get, a_work: dict[str, str]) -> None:
    for name in (a_work["doi"].removeprefix("https://doi.org/"), "doi:10.9999/nothing"):
        answer = get(f"{WORKS}/{name}")
        assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert answer.body.startswith(b"<!doctype html>")


def test_a_search_wants_every_word_and_reads_operators(get: Get) -> None:
    def found(search: str) -> set[str]:
        return {r["id"] for r in get(WORKS, {"search": search, "per_page": 100}).json["results"]}

    asthma, covid, both = found("asthma"), found("covid"), found("asthma OR covid")
    assert both == asthma | covid
    assert found("asthma AND covid") == found("asthma covid") == asthma & covid
    assert found("asthma AND NOT children") == found("asthma NOT children") == asthma - found("children")
    assert found('"covid 19 vaccination"') < covid


def test_a_count_is_the_number_of_all_pages(get: Get) -> None:
    first = get(WORKS, {"search": "asthma OR covid", "per_page": 7, "cursor": "*"}).json
    seen, cursor = [], first["meta"]["next_cursor"]
    seen += first["results"]
    while cursor:
        page = get(WORKS, {"search": "asthma OR covid", "per_page": 7, "cursor": cursor}).json
        seen += page["results"]
        cursor = page["meta"]["next_cursor"]
    assert len({r["id"] for r in seen}) == len(seen) == first["meta"]["count"]
    second = get(WORKS, {"search": "asthma OR covid", "per_page": 7, "page": 2}).json["results"]
    assert second == seen[7:14]


def test_a_batch_without_per_page_returns_25_of_its_count(get: Get) -> None:
    ids = [r["id"] for r in get(WORKS, {"per_page": 40}).json["results"]]
    answer = get(WORKS, {"filter": "ids.openalex:" + "|".join(ids)}).json
    assert (answer["meta"]["count"], len(answer["results"])) == (40, 25)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("publication_year:1979", lambda r: r["publication_year"] == 1979),
        ("publication_year:2020-2021", lambda r: 2020 <= r["publication_year"] <= 2021),
        ("publication_year:>2020", lambda r: r["publication_year"] > 2020),
        ("from_publication_date:2021-06-01", lambda r: r["publication_date"] >= "2021-06-01"),
        ("is_retracted:true", lambda r: r["is_retracted"]),
        ("is_retracted:false,publication_year:<1980", lambda r: not r["is_retracted"] and r["publication_year"] < 1980),
        ("language:!en", lambda r: r["language"] != "en"),
        ("type:review", lambda r: r["type"] == "review"),
        ("has_doi:false", lambda r: r["doi"] is None),
    ],
)
def test_filters_agree_with_the_records(get: Get, text: str, holds: Callable[[Any], bool]) -> None:
    every = get(WORKS, {"per_page": 100}).json["results"]
    filtered = get(WORKS, {"per_page": 100, "filter": text}).json["results"]
    assert {r["id"] for r in filtered} == {r["id"] for r in every if holds(r)}
    assert filtered, "the filter matched nothing: this case proves nothing"


def test_a_retracted_paper_is_flagged(get: Get) -> None:
    assert get(f"{WORKS}/doi:{RETRACTED}").json["is_retracted"] is True


@pytest.mark.parametrize(
    ("params", "status", "text"),
    [
        ({"search": "a AND OR b"}, 400, "cannot be read"),
        ({"search": "asthma*"}, 400, "Wildcards"),
        ({"search": "what?"}, 400, "Wildcards"),
        ({"search": "a" * 1_501}, 400, "the limit is 1500"),
        ({"per_page": "101"}, 400, "between 1 and 100"),
        ({"page": "1000", "per_page": "100"}, 400, "Cursor pagination is required"),
        ({"limit": "5"}, 400, "'limit' parameter is not valid"),
        ({"filter": "nothing:1"}, 400, "nothing is not a valid field"),
        ({"filter": "doi:" + "|".join(f"10.1/{n}" for n in range(101))}, 400, "Maximum number of values"),
        ({"cursor": "thing"}, 400, "Cursor value is invalid"),
    ],
)
def test_refusals(get: Get, params: dict[str, str], status: int, text: str) -> None:
    answer = get(WORKS, params)
    assert answer.status == status
    assert text in answer.json["message"]


def test_credits_are_spent_and_shown(get: Get, stepping: Stepping) -> None:
    left = []
    for path, params in (
        (f"{WORKS}/doi:{RETRACTED}", {}),
        (f"{WORKS}/https://doi.org/{RETRACTED}", {}),
        (WORKS, {"filter": f"doi:{RETRACTED}"}),
        (WORKS, {"search": "asthma"}),
        (WORKS, {"filter": "title.search:asthma"}),
    ):
        left.append(int(get(path, params).headers["x-ratelimit-remaining"]))
    assert left == [1_000, 999, 998, 988, 978]


def test_a_spent_day_refuses_searches_but_not_free_look_ups(get: Get, stepping: Stepping) -> None:
    for _ in range(100):
        stepping.seconds += 1
        assert get(WORKS, {"search": "asthma"}).status == 200
    answer = get(WORKS, {"search": "asthma"})
    assert (answer.status, answer.json["error"]) == (429, "Rate limit exceeded")
    assert answer.json["message"].startswith(
        "Insufficient budget. This request costs $0.001 but you only have $0 remaining."
    )
    assert int(answer.headers["retry-after"]) == answer.json["retryAfter"] > 3_600
    assert get(f"{WORKS}/doi:{RETRACTED}").status == 200
    assert get(WORKS, {"search": "asthma"}, headers={"api-key": "mine"}).status == 200, "a key has its own credits"
    stepping.seconds += 86_400
    assert get(WORKS, {"search": "asthma"}).status == 200


def test_ten_a_second_and_thirty_with_a_key(get: Get, stepping: Stepping) -> None:
    for headers, limit in (({}, 10), ({"api-key": "mine"}, 30)):
        answers = [get(f"{WORKS}/doi:{RETRACTED}", headers=headers) for _ in range(limit + 1)]
        assert [a.status for a in answers] == [200] * limit + [429]
        body = answers[-1].json
        assert body["message"] == f"Rate limit exceeded: {limit} requests per second. Please slow down."
        assert (body["creditsRemaining"], body["retryAfter"] < 1) == (0, True), (
            "it says 0 although the day is not spent"
        )


def test_broad_boolean_searches_have_their_own_pace(get: Get, stepping: Stepping) -> None:
    broad = {"search": " OR ".join(f"word{n}" for n in range(7))}
    assert [get(WORKS, broad).status for _ in range(2)] == [200, 429]
    answer = get(WORKS, broad)
    assert (answer.json["reason"], answer.json["booleanOperators"]) == ("broad_boolean_query", 6)
    assert get(WORKS, {"search": "asthma OR covid"}).status == 200
