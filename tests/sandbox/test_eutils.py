"""The E-utilities of the sandbox: paging, the cap, errors inside HTTP 200, limits, history, matching."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lxml import etree

from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.sources import eutils_search
from tests.sandbox.conftest import Get, Got, Stepping, ask

SEARCH, FETCH = "/eutils/esearch.fcgi", "/eutils/efetch.fcgi"


def search(get: Get, term: str, **more: object) -> dict[str, object]:
    answer = get(SEARCH, {"db": "pubmed", "retmode": "json", "term": term, **more})
    assert answer.status == 200
    result = json.loads(answer.body, strict=False)["esearchresult"]
    assert isinstance(result, dict)
    return result


def fetched(answer: Got) -> list[int]:
    root = etree.fromstring(answer.body)
    return [int(e.text or 0) for e in root.findall("PubmedArticle/MedlineCitation/PMID")]


def test_a_search_finds_more_than_ten_papers_on_one_topic(get: Get) -> None:
    result = search(get, "asthma")
    assert int(str(result["count"])) > 10
    assert all(isinstance(result[key], str) for key in ("count", "retmax", "retstart"))


def test_pages_join_to_the_whole_list_newest_first(get: Get) -> None:
    whole = search(get, "asthma OR covid-19", retmax=1_000)["idlist"]
    pages = [search(get, "asthma OR covid-19", retmax=7, retstart=start)["idlist"] for start in range(0, 49, 7)]
    assert [pmid for page in pages for pmid in page] == whole  # type: ignore[attr-defined]
    assert isinstance(whole, list)
    assert sorted(whole, key=int, reverse=True)[:5] == whole[:5]


def test_a_count_needs_no_records(get: Get) -> None:
    result = search(get, "asthma", retmax=0)
    assert (result["retmax"], result["idlist"]) == ("0", [])


def test_xml_says_the_same_as_json(get: Get) -> None:
    root = etree.fromstring(get(SEARCH, {"db": "pubmed", "term": "asthma"}).body)
    result = search(get, "asthma")
    assert [e.text for e in root.findall("IdList/Id")] == result["idlist"]
    assert (root.findtext("Count"), root.findtext("QueryTranslation")) == (result["count"], result["querytranslation"])


def test_a_query_may_come_by_post(sandbox_server: RunningSandbox) -> None:
    form = b"db=pubmed&retmode=json&term=" + b"asthma%5Btiab%5D+OR+" * 500 + b"covid"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert int(ask(sandbox_server.url + SEARCH, data=form, headers=headers).json["esearchresult"]["count"]) > 10


def test_an_address_too_long_is_refused_with_ncbis_page(get: Get) -> None:
    answer = get(SEARCH, {"db": "pubmed", "term": "a" * 9_000})
    assert answer.status == 414
    assert b"Submitted URI too large!" in answer.body


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"db": "nonsense", "term": "a"}, "Invalid db name specified: nonsense"),
        ({"db": "pubmed", "term": ""}, "Empty term and query_key - nothing todo"),
        ({"db": "pubmed", "term": "(a"}, "Search Backend failed: This parenthesis is never closed."),
    ],
)
def test_a_failed_search_is_an_error_in_http_200_without_a_count(get: Get, params: dict[str, str], error: str) -> None:
    answer = get(SEARCH, {**params, "retmode": "json"})
    assert (answer.status, answer.json["esearchresult"]) == (200, {"ERROR": error})


def test_beyond_the_cap_ncbi_sends_an_error_with_raw_line_feeds(
    sandbox_server: RunningSandbox, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eutils_search, "CAP", 10)
    params = {"db": "pubmed", "term": "asthma OR covid", "retmode": "json", "retmax": 100}
    assert len(get(SEARCH, params).json["esearchresult"]["idlist"]) == 10
    answer = get(SEARCH, {**params, "retstart": 10})
    with pytest.raises(json.JSONDecodeError, match="Invalid control character"):
        json.loads(answer.body)
    message = json.loads(answer.body, strict=False)["esearchresult"]["ERROR"]
    assert message.startswith("Search Backend failed: Exception:\n'retstart' cannot be larger than 9998.")
    small = search(get, "34096812[pmid]", retstart=10)
    assert (small["count"], small["idlist"]) == ("1", []), "a small result has no such error"


def test_dates_limit_a_search(get: Get) -> None:
    both = search(get, "asthma", datetype="pdat", mindate="2021", maxdate="2021")["idlist"]
    assert both == search(get, "asthma AND 2021[dp]")["idlist"] != []
    assert search(get, "asthma", mindate="2021")["count"] == search(get, "asthma")["count"], "one date alone is ignored"


@pytest.mark.parametrize("sort", ["relevance", "pub_date", "Author", "JournalName"])
def test_sorting_changes_the_order_and_nothing_else(get: Get, sort: str) -> None:
    by_sort, newest = search(get, "asthma", sort=sort, retmax=100), search(get, "asthma", retmax=100)
    assert by_sort["count"] == newest["count"]
    assert sorted(by_sort["idlist"]) == sorted(newest["idlist"])  # type: ignore[call-overload]


def test_results_kept_on_the_server_can_be_fetched_in_parts(get: Get) -> None:
    result = search(get, "asthma", usehistory="y", retmax=0)
    params = {"db": "pubmed", "WebEnv": result["webenv"], "query_key": result["querykey"], "retmode": "xml"}
    first, second = (fetched(get(FETCH, {**params, "retstart": start, "retmax": 5})) for start in (0, 5))
    assert sorted(first + second, reverse=True) == sorted(
        map(int, search(get, "asthma", retmax=10)["idlist"]), reverse=True
    )  # type: ignore[call-overload]


def test_records_come_in_their_own_order_and_unknown_ones_are_missing(get: Get) -> None:
    answer = get(FETCH, {"db": "pubmed", "id": "34096812,1,400712", "retmode": "xml"})
    assert fetched(answer) == [400712, 34096812]
    assert fetched(get(FETCH, {"db": "pubmed", "id": "1,3", "retmode": "xml"})) == []


def test_without_retmode_there_is_no_xml(get: Get) -> None:
    assert get(FETCH, {"db": "pubmed", "id": "34096812"}).body.startswith(b"Pubmed-entry-set ::=")


def test_a_retracted_paper_says_so_in_record_and_summary(get: Get) -> None:
    record = get(FETCH, {"db": "pubmed", "id": "31031480", "retmode": "xml"}).body.decode()
    assert "Retracted Publication" in record
    assert 'RefType="RetractionIn"' in record
    summary = get("/eutils/esummary.fcgi", {"db": "pubmed", "id": "31031480,1", "retmode": "json"}).json["result"]
    assert "Retracted Publication" in summary["31031480"]["pubtype"]
    assert [r["reftype"] for r in summary["31031480"]["references"]] == ["Retraction in"]
    assert summary["1"] == {"uid": "1", "error": "cannot get document summary"}


def test_related_papers_begin_with_the_paper_itself(get: Get) -> None:
    answer = get("/eutils/elink.fcgi", {"dbfrom": "pubmed", "db": "pubmed", "id": "34096812", "retmode": "json"})
    (related,) = [s for s in answer.json["linksets"][0]["linksetdbs"] if s["linkname"] == "pubmed_pubmed"]
    assert related["links"][0] == "34096812"
    assert len(related["links"]) > 5
    unknown = get("/eutils/elink.fcgi", {"dbfrom": "pubmed", "db": "pubmed", "id": "1", "retmode": "json"})
    assert unknown.json["linksets"] == [{"dbfrom": "pubmed", "ids": ["1"]}]


def test_citations_are_matched_by_journal_volume_and_page_only(get: Get) -> None:
    summary = get("/eutils/esummary.fcgi", {"db": "pubmed", "id": "423962", "retmode": "json"}).json["result"]["423962"]
    lines = [
        f"{summary['source']}|1901|{summary['volume']}|{summary['pages'].split('-')[0]}|wrong author|key1|",
        "no such journal|2000|1|1||key2|",
        f"{summary['source']}|1979|1|1||key3|",
        "cannot be read",
    ]
    answer = get("/eutils/ecitmatch.cgi", {"db": "pubmed", "retmode": "xml", "bdata": "\r".join(lines)})
    assert [line.split("|", 5)[5] for line in answer.body.decode().splitlines()] == [
        "key1|423962",
        "key2|NOT_FOUND;INVALID_JOURNAL",
        "key3|NOT_FOUND",
    ]


@pytest.mark.parametrize(("term", "corrected"), [("astma", "asthma"), ("asthma", ""), ("zzqqzzqq", "")])
def test_spelling(get: Get, term: str, corrected: str) -> None:
    root = etree.fromstring(get("/eutils/espell.fcgi", {"db": "pubmed", "term": term}).body)
    assert (root.findtext("CorrectedQuery") or "") == corrected
    assert root.find("ERROR") is not None, "a good answer holds an empty ERROR element"


@pytest.mark.parametrize(("key", "limit"), [("", 3), ("secret", 10)])
def test_ncbi_allows_three_a_second_and_ten_with_a_key(get: Get, stepping: Stepping, key: str, limit: int) -> None:
    params = {"db": "pubmed", "term": "asthma", "retmode": "json"} | ({"api_key": key} if key else {})
    answers = [get(SEARCH, params) for _ in range(limit + 1)]
    assert [a.status for a in answers] == [200] * limit + [429]
    assert [a.headers["x-ratelimit-remaining"] for a in answers] == [str(n) for n in [*range(limit - 1, -1, -1), 0]]
    assert answers[-1].json == {
        "error": "API rate limit exceeded",
        "api-key": key or "127.0.0.1",
        "count": str(limit + 1),
        "limit": str(limit),
    }
    stepping.seconds += 1.0
    assert get(SEARCH, params).status == 200


def test_every_pmid_of_the_tiny_corpus_can_be_fetched(get: Get, tiny_corpus: Path) -> None:
    every = sorted(int(str(pmid)) for pmid in search(get, "1:99999999[pmid]", retmax=1_000)["idlist"])  # type: ignore[union-attr]
    answer = get(FETCH, {"db": "pubmed", "id": ",".join(map(str, every)), "retmode": "xml"})
    assert len(every) == 59
    assert fetched(answer) == every
    assert not re.search(rb"<AbstractText|<OtherAbstract", answer.body), "the tiny corpus holds facts, no abstracts"
