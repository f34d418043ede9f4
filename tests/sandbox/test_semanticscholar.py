"""The sandbox's Semantic Scholar: searches, batches, title match, one request a second."""

from __future__ import annotations

import json
import re

import pytest

from litapp.sandbox.sources import semanticscholar
from litapp.sandbox.sources.semanticscholar_papers import paper_id
from tests.sandbox.conftest import Get, Stepping

GRAPH = "/s2/graph/v1/paper"


def test_a_search_gives_pages_that_join_and_no_more_than_a_thousand(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    first = get(f"{GRAPH}/search", {"query": "asthma", "limit": 5}).json
    second = get(f"{GRAPH}/search", {"query": "asthma", "limit": 5, "offset": first["next"]}).json
    both = get(f"{GRAPH}/search", {"query": "asthma", "limit": 10}).json
    assert [p["paperId"] for p in first["data"] + second["data"]] == [p["paperId"] for p in both["data"]]
    assert set(first["data"][0]) == {"paperId", "title"}
    refused = get(f"{GRAPH}/search", {"query": "asthma", "limit": 100, "offset": 901})
    assert refused.status == 400
    assert get(f"{GRAPH}/search", {"query": "asthma", "limit": 101}).status == 400


def test_a_search_without_hits_has_no_data_key(get: Get) -> None:
    assert get(f"{GRAPH}/search", {"query": "zzqqzz"}).json == {"total": 0, "offset": 0}


def test_most_words_must_be_there(get: Get) -> None:
    few = get(f"{GRAPH}/search", {"query": "asthma", "limit": 100}).json["total"]
    more = get(f"{GRAPH}/search", {"query": "asthma children zzqq", "limit": 100}).json["total"]
    assert 0 < more < few


def test_years_limit_a_search_and_agree_with_the_records(get: Get) -> None:
    params = {"query": "asthma", "limit": 100, "fields": "year"}
    every = get(f"{GRAPH}/search", params).json["data"]
    old = get(f"{GRAPH}/search", {**params, "year": "-1990"}).json["data"]
    assert {p["paperId"] for p in old} == {p["paperId"] for p in every if p["year"] <= 1990}
    assert 0 < len(old) < len(every)


def test_bulk_search_reads_signs_and_pages_by_token(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(query: str) -> set[str]:
        return {p["paperId"] for p in get(f"{GRAPH}/search/bulk", {"query": query}).json["data"]}

    asthma, covid = found("asthma"), found("covid")
    assert found("asthma | covid") == asthma | covid
    assert found("asthma -children") == asthma - found("children")
    assert found("asthma + covid") == asthma & covid
    monkeypatch.setattr(semanticscholar, "BULK_PAGE", 4)
    seen, params = [], {"query": "asthma"}
    while True:
        page = get(f"{GRAPH}/search/bulk", params).json
        seen += [p["paperId"] for p in page["data"]]
        if "token" not in page:
            break
        params = {"query": "asthma", "token": page["token"]}
    assert seen == sorted(asthma)


def test_a_batch_answers_in_the_order_asked_with_null_for_unknown(get: Get) -> None:
    body = json.dumps({"ids": ["PMID:1", "PMID:34096812", "DOI:10.9999/x", f"{paper_id(34096896)}"]}).encode()
    answer = get(f"{GRAPH}/batch", {"fields": "externalIds"}, data=body, headers={"Content-Type": "application/json"})
    assert [p and p["externalIds"]["PubMed"] for p in answer.json] == [None, "34096812", None, "34096896"]


def test_an_arxiv_number_names_the_paper_that_arxiv_has_under_it(get: Get) -> None:
    feed = get("/arxiv/api/query", {"search_query": "all:asthma"}).body.decode()
    number = re.findall(r"arxiv.org/abs/(99\d\d\.\d{5})", feed)[0]
    title = re.findall(r"<title>(.*?)</title>", feed)[1]
    body = json.dumps({"ids": [f"ARXIV:{number}", "ARXIV:2101.00001"]}).encode()
    answer = get(f"{GRAPH}/batch", {"fields": "title"}, data=body, headers={"Content-Type": "application/json"})
    assert [p and p["title"].casefold().rstrip(".") for p in answer.json] == [title.casefold().rstrip("."), None]


def test_a_batch_takes_no_more_than_500(get: Get) -> None:
    body = json.dumps({"ids": ["PMID:1"] * 501}).encode()
    assert get(f"{GRAPH}/batch", data=body, headers={"Content-Type": "application/json"}).status == 400


def test_a_title_match_is_always_some_paper_or_404(get: Get) -> None:
    right = get(f"{GRAPH}/search/match", {"query": "Flunisolide in chronic bronchial asthma"}).json["data"]
    assert [p["title"].casefold() for p in right] == ["flunisolide in chronic bronchial asthma"]
    near = get(f"{GRAPH}/search/match", {"query": "Theophylline in chronic bronchial asthma of the horse"})
    assert (near.status, len(near.json["data"])) == (200, 1), "a wrong paper comes with a score, too"
    assert near.json["data"][0]["matchScore"] > 0
    nothing = get(f"{GRAPH}/search/match", {"query": "zzqq yyxx"})
    assert (nothing.status, nothing.json) == (404, {"error": "Title match not found"})


def test_errors_have_three_different_keys(get: Get) -> None:
    assert get(f"{GRAPH}/PMID:1").json == {"error": "Paper with id PMID:1 not found"}
    fields = get(f"{GRAPH}/PMID:34096812", {"fields": "title,unknown"})
    assert (fields.status, fields.json) == (400, {"error": "Unrecognized or unsupported fields: [unknown]"})
    assert get("/s2/recommendations/v1/papers/", data=b"{}").json == {"error": "No positive paper examples given"}


def test_recommendations_are_other_papers(get: Get) -> None:
    answer = get("/s2/recommendations/v1/papers/forpaper/PMID:34096812", {"limit": 3})
    found = [p["paperId"] for p in answer.json["recommendedPapers"]]
    assert 0 < len(found) <= 3
    assert paper_id(34096812) not in found


def test_one_a_second_over_all_endpoints(get: Get, stepping: Stepping) -> None:
    for headers in ({}, {"x-api-key": "mine"}):
        assert get(f"{GRAPH}/PMID:34096812", headers=headers).status == 200
        refused = get(f"{GRAPH}/search", {"query": "asthma"}, headers=headers)
        assert (refused.status, refused.json["code"], "retry-after" in refused.headers) == (429, "429", False)
        assert refused.headers["x-amzn-errortype"] == "TooManyRequestsException"
    stepping.seconds += 1
    assert get(f"{GRAPH}/PMID:34096812").status == 200
