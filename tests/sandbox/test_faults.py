"""Faults: what goes wrong on the wire, how often, and for which record; the control addresses and the log."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error

import pytest

from litapp.sandbox.faults import Fault, FaultError, Faults, read_fault
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.wire import Request
from tests.sandbox.conftest import Get, ask

DOI = "10.4103/aer.aer_194_18"
WORK = f"/crossref/works/{DOI}"


def set_faults(running: RunningSandbox, *rules: dict[str, object]) -> None:
    body = json.dumps({"faults": rules}).encode()
    assert ask(f"{running.url}/_control/faults", data=body).status == 200


@pytest.mark.parametrize(
    ("rule", "status", "headers"),
    [
        ({"kind": "http", "status": 403}, 403, {}),
        ({"kind": "http", "status": 429, "retry_after": 7}, 429, {"retry-after": "7"}),
        (
            {"kind": "http", "status": 429, "retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"},
            429,
            {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"},
        ),
        (
            {"kind": "http", "status": 503, "body": "busy", "content_type": "text/plain"},
            503,
            {"content-type": "text/plain"},
        ),
        ({"kind": "html_200"}, 200, {"content-type": "text/html; charset=UTF-8"}),
    ],
)
def test_an_answer_of_another_kind(
    sandbox_server: RunningSandbox, get: Get, rule: dict[str, object], status: int, headers: dict[str, str]
) -> None:
    set_faults(sandbox_server, {**rule, "count": 1})
    answer = get(WORK)
    assert answer.status == status
    assert headers.items() <= answer.headers.items()
    assert ("retry-after" in answer.headers) == ("retry_after" in rule)
    assert get(WORK).status == 200, "the rule was for one request"


def test_a_cut_body_promises_more_than_it_sends(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "cut"})
    with pytest.raises(http.client.IncompleteRead):
        get(WORK)


@pytest.mark.parametrize("kind", ["reset", "hang"])
def test_a_dropped_connection(sandbox_server: RunningSandbox, get: Get, kind: str) -> None:
    set_faults(sandbox_server, {"kind": kind, "seconds": 0.01})
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected, urllib.error.URLError)):
        get(WORK)


def test_a_slow_answer_is_complete(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "slow", "seconds": 0.05})
    started = time.monotonic()
    assert get(WORK).status == 200
    assert time.monotonic() - started >= 0.05


def test_null_entries_stand_in_the_list(sandbox_server: RunningSandbox, get: Get) -> None:
    params = {"query": "asthma", "limit": 4}
    whole = get("/s2/graph/v1/paper/search", params).json["data"]
    set_faults(sandbox_server, {"kind": "null_entries"})
    assert get("/s2/graph/v1/paper/search", params).json["data"] == [None, whole[1], None, whole[3]]


def test_a_wrong_charset_is_not_utf_8(sandbox_server: RunningSandbox, get: Get) -> None:
    params = {"query.author": "Dumont Paré Gómez-Aguilar", "rows": 20}
    assert "é" in get("/crossref/works", params).body.decode()
    set_faults(sandbox_server, {"kind": "wrong_charset"})
    with pytest.raises(UnicodeDecodeError):
        get("/crossref/works", params).body.decode()


def test_an_empty_body_comes_with_200(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "empty_body"})
    answer = get(WORK)
    assert (answer.status, answer.body) == (200, b"")


def test_faults_choose_source_operation_and_text(sandbox_server: RunningSandbox, get: Get) -> None:
    rule = {"kind": "http", "status": 500, "source": "crossref", "operation": "search", "contains": "asthma"}
    set_faults(sandbox_server, rule)
    statuses = {
        "crossref search": get("/crossref/works", {"query": "asthma"}).status,
        "crossref other words": get("/crossref/works", {"query": "covid"}).status,
        "crossref look-up": get(WORK).status,
        "openalex": get("/openalex/works", {"search": "asthma"}).status,
    }
    assert statuses == {"crossref search": 500, "crossref other words": 200, "crossref look-up": 200, "openalex": 200}


def test_skip_lets_the_first_requests_pass(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "http", "status": 500, "skip": 2, "count": 1})
    assert [get(WORK).status for _ in range(4)] == [200, 200, 500, 200]


def outcomes(seed: int) -> list[bool]:
    faults = Faults(seed)
    faults.replace([Fault("http", probability=0.5)])
    request = Request("GET", "/x", (), {})
    return [faults.for_request("crossref", "search", request) is not None for _ in range(200)]


def test_chance_is_decided_by_the_seed() -> None:
    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 60 < sum(outcomes(1)) < 140


def test_a_missing_record_is_unknown_at_that_source_only(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "missing_record", "source": "crossref", "records": [DOI]})
    assert get(WORK).status == 404
    assert get("/crossref/works", {"filter": f"doi:{DOI}"}).json["message"] | {"query": 0, "facets": 0} == {
        "total-results": 0,
        "items": [],
        "items-per-page": 20,
        "query": 0,
        "facets": 0,
    }
    assert get(f"/openalex/works/doi:{DOI}").status == 200
    set_faults(sandbox_server, {"kind": "missing_record", "source": "pubmed", "records": ["31031480"]})
    params = {"db": "pubmed", "id": "31031480", "retmode": "xml"}
    assert b"<PubmedArticle>" not in get("/eutils/efetch.fcgi", params).body


def test_a_changed_doi_is_another_doi_in_the_record(sandbox_server: RunningSandbox, get: Get) -> None:
    set_faults(sandbox_server, {"kind": "changed_doi", "records": ["31031480"]})
    changed = "10.5555/changed.31031480"
    assert get("/openalex/works/pmid:31031480").json["doi"] == f"https://doi.org/{changed}"
    xml = get("/eutils/efetch.fcgi", {"db": "pubmed", "id": "31031480", "retmode": "xml"}).body.decode()
    assert changed in xml
    assert DOI not in xml


def test_a_hidden_retraction_appears_when_the_fault_is_lifted(sandbox_server: RunningSandbox, get: Get) -> None:
    def retracted() -> dict[str, bool]:
        xml = get("/eutils/efetch.fcgi", {"db": "pubmed", "id": "31031480", "retmode": "xml"}).body
        return {
            "pubmed": b"RetractionIn" in xml and b"Retracted Publication" in xml,
            "crossref": "updated-by" in get(WORK).json["message"],
            "openalex": bool(get("/openalex/works/pmid:31031480").json["is_retracted"]),
        }

    set_faults(sandbox_server, {"kind": "retraction_hidden", "records": ["31031480"]})
    assert retracted() == {"pubmed": False, "crossref": False, "openalex": False}
    ask(f"{sandbox_server.url}/_control/faults", method="DELETE")
    assert retracted() == {"pubmed": True, "crossref": True, "openalex": True}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"kind": "earthquake"}, "Unknown kind of fault: 'earthquake'"),
        ({"kind": "http", "colour": 1}, "has no field colour"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    sandbox_server: RunningSandbox, rule: dict[str, object], message: str
) -> None:
    with pytest.raises(FaultError, match=message):
        read_fault(rule)
    answer = ask(f"{sandbox_server.url}/_control/faults", data=json.dumps({"faults": [rule]}).encode())
    assert answer.status == 400
    assert message in answer.json["error"]


def test_the_log_counts_requests_per_source(sandbox_server: RunningSandbox, get: Get) -> None:
    get(WORK)
    get("/openalex/works", {"search": "asthma"})
    set_faults(sandbox_server, {"kind": "http", "status": 503})
    get(WORK)
    log = get("/_control/log").json
    assert log["counts"] == sandbox_server.counts() == {"crossref": 2, "openalex": 1}
    assert [(r["source"], r["operation"], r["status"], r["fault"]) for r in log["requests"]] == [
        ("crossref", "lookup", 200, ""),
        ("openalex", "search", 200, ""),
        ("crossref", "lookup", 503, "http"),
    ]
    assert ask(f"{sandbox_server.url}/_control/log", method="DELETE").json["counts"] == {}


def test_the_state_names_sources_and_size(sandbox_server: RunningSandbox, get: Get) -> None:
    state = get("/_control/state").json
    assert (state["articles"], state["mesh_tree"]) == (59, True)
    assert {
        name: sandbox_server.url + prefix.rstrip("/") for name, prefix in state["sources"].items()
    } == sandbox_server.addresses()
    assert set(state["sources"]) == {
        "pubmed",
        "crossref",
        "openalex",
        "semanticscholar",
        "europepmc",
        "arxiv",
        "biorxiv",
        "datacite",
        "doiorg",
        "unpaywall",
        "pmc",
    }


def test_an_address_without_a_source_says_which_there_are(get: Get) -> None:
    answer = get("/scopus/search")
    assert answer.status == 404
    assert b"/eutils/, /crossref/, /openalex/, /s2/" in answer.body
