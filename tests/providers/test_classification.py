"""Every recorded answer of the endpoints in use is classified as a person who read the file would.

The expectations lie in expected_<source>.tsv (file, HTTP status, outcome, code of the case).
"""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.providers import registry

FOLDERS = {
    "pubmed": "pubmed",
    "crossref": "crossref",
    "openalex": "openalex",
    "semanticscholar": "semantic_scholar",
    "europepmc": "europepmc",
    "arxiv": "arxiv",
    "biorxiv": "biorxiv",
    "datacite": "datacite",
    "doiorg": "doi",
    "unpaywall": "unpaywall",
}


def rows() -> list[tuple[str, str, int, str, str]]:
    found = []
    for source in FOLDERS:
        path = Path(__file__).parent / f"expected_{source}.tsv"
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.append((source, row["file"], int(row["status"]), row["outcome"], row["code"]))
    return found


@pytest.mark.shared
@pytest.mark.parametrize(("source", "file", "status", "outcome", "code"), rows())
def test_a_recorded_answer(shared: Path, source: str, file: str, status: int, outcome: str, code: str) -> None:
    body = (shared / "wire" / FOLDERS[source] / file).read_bytes()
    verdict = registry.provider(source).classify(status, {}, body)
    assert (verdict.outcome.value, verdict.code) == (outcome, code)


def test_every_recorded_answer_is_listed_once() -> None:
    names = [(source, file) for source, file, *_ in rows()]
    assert len(names) == len(set(names))
    counts = {source: sum(1 for name, _ in names if name == source) for source in FOLDERS}
    assert counts == {
        "pubmed": 113,
        "crossref": 114,
        "openalex": 65,
        "semanticscholar": 53,
        "europepmc": 35,
        "arxiv": 19,
        "biorxiv": 6,
        "datacite": 43,
        "doiorg": 39,
        "unpaywall": 12,
    }


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "after", "whole_source"),
    [
        ("http429_account_throttled.json", 1.0, True),
        ("http429_anon_search_elevated_load.json", 3.0, False),
        ("http429_broad_boolean_keyless.json", 1.0, False),
        ("http429_daily_budget_partly_left.json", 16043.0, False),
        ("http429_daily_budget_search__2026-08-29.json", 28836.0, False),
        ("http429_per_second_free_key.json", 0.0213, True),
        ("http429_plan_upgrade_required.json", None, True),
    ],
)
def test_the_kinds_of_429_of_openalex(shared: Path, file: str, after: float | None, whole_source: bool) -> None:
    """Without headers the body says how long to wait; a spent budget holds back searches only."""
    body = (shared / "wire" / "openalex" / file).read_bytes()
    verdict = registry.provider("openalex").classify(429, {}, body)
    assert (verdict.retry_after, verdict.whole_source) == (after, whole_source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7.0),
        ("0.35", 0.35),
        ("-3", 0.0),
        ("Mon, 06 Oct 2025 19:20:42 GMT", datetime(2025, 10, 6, 19, 20, 42, tzinfo=UTC)),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("source", FOLDERS)
def test_retry_after_as_seconds_fraction_and_date(source: str, text: str, expected: object) -> None:
    verdict = registry.provider(source).classify(429, {"retry-after": text}, b"")
    assert (verdict.outcome, verdict.retry_after) == (Outcome.RATE_LIMITED, expected)


@pytest.mark.parametrize("source", FOLDERS)
@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, b"", Outcome.MALFORMED),
        (200, b"   \n", Outcome.MALFORMED),
        (200, b"<!DOCTYPE html><html><title>Sign in</title></html>", Outcome.MALFORMED),
        (200, b"\xef\xbb\xbf<html><body>maintenance</body></html>", Outcome.MALFORMED),
        (200, b"{}", Outcome.MALFORMED),
        (200, b"[1, 2", Outcome.MALFORMED),
        (200, b"null", Outcome.MALFORMED),
        (200, b'"text"', Outcome.MALFORMED),
        (200, '{"title": "Stück"}'.encode("latin-1"), Outcome.MALFORMED),
        (200, b'{"error": "something"}', None),
        (301, b"", Outcome.MALFORMED),
        (403, b"Forbidden", Outcome.PERMANENT),
        (404, b"<html>captive portal</html>", Outcome.MALFORMED),
        (408, b"", Outcome.TRANSIENT),
        (500, b"<html>oops</html>", Outcome.TRANSIENT),
        (500, b"{}", Outcome.TRANSIENT),
        (502, b"", Outcome.TRANSIENT),
        (503, b"busy", Outcome.TRANSIENT),
        (504, b"<html>gateway</html>", Outcome.TRANSIENT),
    ],
)
def test_what_every_source_has_in_common(source: str, status: int, body: bytes, outcome: Outcome | None) -> None:
    """`outcome` None = each source in its own way, but never as a success."""
    found = registry.provider(source).classify(status, {}, body).outcome
    if outcome is None:
        assert found not in (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND)
    else:
        assert found is outcome


@pytest.mark.parametrize("source", FOLDERS)
@given(
    status=st.sampled_from([200, 204, 301, 400, 401, 403, 404, 414, 429, 500, 503]),
    body=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(
                    st.sampled_from(
                        ["error", "message", "status", "esearchresult", "count", "idlist", "results", "meta", "data"]
                    ),
                    inner,
                    max_size=4,
                ),
            ),
            max_leaves=12,
        ).map(lambda value: json.dumps(value).encode()),
    ),
)
def test_no_bytes_make_classification_fail_or_say_not_found_by_accident(source: str, status: int, body: bytes) -> None:
    outcome = registry.provider(source).classify(status, {}, body).outcome
    if status in (429, 500, 503):
        assert outcome not in (Outcome.OK, Outcome.EMPTY, Outcome.NOT_FOUND)
    if status in (200, 204) and outcome is Outcome.NOT_FOUND:
        assert b"mpty" in body.lower()


def test_an_error_within_a_200_is_a_failed_search_and_never_zero_hits() -> None:
    classify = registry.provider("pubmed").classify
    body = b'{"esearchresult":{"ERROR":"Invalid db name specified: nonsense_db"}}'
    assert classify(200, {}, body).outcome is Outcome.PERMANENT
    assert classify(200, {}, b'{"esearchresult":{"ERROR":"TXCLIENT::readAll EOF"}}').outcome is Outcome.TRANSIENT
    assert classify(200, {}, b'{"esearchresult":{"idlist":[]}}').outcome is Outcome.MALFORMED
    assert classify(200, {}, b'{"error":"/lbsm/eutils_lb -> Neg","type":"ip"}').outcome is Outcome.TRANSIENT
    assert classify(200, {}, b'{"error":"API rate limit exceeded","count":"4"}').outcome is Outcome.RATE_LIMITED
    assert classify(200, {}, b'{"esearchresult":{"count":"0","ERROR":"","idlist":[]}}').outcome is Outcome.EMPTY
    assert classify(400, {}, b"ID+list+is+empty!+Possibly+it+has+no+correct+IDs.").outcome is Outcome.NOT_FOUND


def test_pubmeds_cap_comes_with_raw_line_feeds_in_its_json() -> None:
    body = (
        b'{"esearchresult":{"ERROR":"Search Backend failed: Exception:\n\'retstart\' cannot be larger than 9998. '
        b'For PubMed,\nESearch can only retrieve the first 9,999 records"}}'
    )
    verdict = registry.provider("pubmed").classify(200, {}, body)
    assert (verdict.outcome, verdict.code) == (Outcome.PERMANENT, "beyond_cap")


def test_a_bad_ncbi_key_is_asked_about_once_more() -> None:
    """The gateway says "invalid" for a moment, too, when a good key is over its limit."""
    verdict = registry.provider("pubmed").classify(400, {}, b'{"error":"API key invalid","api-key":"abc"}')
    assert (verdict.outcome, verdict.code, verdict.repeats) == (Outcome.PERMANENT, "bad_key", 1)


def test_a_batch_that_semantic_scholar_knows_nothing_of_is_no_error() -> None:
    verdict = registry.provider("semanticscholar").classify(400, {}, b'{"error":"No valid paper ids given"}')
    assert verdict.outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-rate-limit-limit": "10", "x-rate-limit-interval": "1s"}, 10.0),
        ({"x-ratelimit-limit": "50", "x-ratelimit-interval": "1s"}, 50.0),
        ({"x-rate-limit": "5"}, 5.0),
        ({"x-rate-limit-limit": "3", "x-rate-limit-interval": "2s"}, 1.5),
        ({"x-rate-limit-limit": "many"}, None),
        ({"x-rate-limit-limit": "0"}, None),
        ({}, None),
    ],
)
def test_crossrefs_three_spellings_of_its_limit(headers: dict[str, str], expected: float | None) -> None:
    assert registry.provider("crossref").published_limit(headers, b"") == expected


@pytest.mark.shared
def test_the_pace_in_a_refusal_of_openalex(shared: Path) -> None:
    limit = registry.provider("openalex").published_limit
    folder = shared / "wire" / "openalex"
    found = {
        name: limit({"x-ratelimit-limit": "1000"}, (folder / name).read_bytes())
        for name in (
            "http429_per_second_free_key.json",
            "http429_broad_boolean_keyless.json",
            "http429_work_doi_10.1038_hdy.2013.26__2025-10-06.html",
            "http429_daily_budget_partly_left.json",
            "work_W2741809807__2026-02.json",
        )
    }
    assert list(found.values()) == [30.0, 1.0, 2.0, None, None]


ATOM = "http://www.w3.org/2005/Atom"
STATUSES = [
    *range(200, 227),
    *range(300, 309),
    *(one for one in range(400, 452)),
    494,
    499,
    *range(500, 512),
    *range(520, 531),
    598,
]
STRAY = {
    "empty": b"",
    "web page": b"<!DOCTYPE html><html><body>Sign in</body></html>",
    "gateway's 404": b"<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1>"
    b"</center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>",
    "object": b"{}",
    "null": b"null",
    "words": b"Not Found",
    "storage": b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
    "no route": b'{"message":"no Route matched with those values"}',
    "detail": b'{"detail":"Not Found"}',
    "fault": b'{"fault":{"faultstring":"Unable to identify proxy"}}',
    "errors": b'{"errors":[{"title":"Unprocessable"}]}',
    "comments": b"<!-- x -->" * 2000 + b"<html></html>",
    "packed": b"\x1f\x8b\x08\x00abc",
    "challenge": b"Just a moment... Enable JavaScript and cookies to continue",
    "cut": b'{"total": 0, "data": [',
}


@pytest.mark.parametrize("source", list(FOLDERS))
def test_what_no_source_says_is_never_nothing_whatever_the_status(source: str) -> None:
    """A page or message from anywhere on the way never says that a paper does not exist, or that a search is empty."""
    judge = registry.provider(source).classify
    wrong = [
        (status, name)
        for status in STATUSES
        for name, body in STRAY.items()
        if judge(status, {}, body).outcome in (Outcome.EMPTY, Outcome.NOT_FOUND, Outcome.OK)
        and (source, name, status) != ("europepmc", "empty", 404)  # how it says that an article has no open full text
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "status", "body", "outcome"),
    [
        ("openalex", 404, '{"error":"404 Not Found","message":"x"}', "not_found"),
        ("openalex", 404, '{"error":"Gateway"}', "malformed"),
        ("semanticscholar", 200, '{"total":5,"offset":0,"data":null}', "malformed"),
        ("semanticscholar", 200, '{"offset":0,"data":null}', "empty"),
        ("biorxiv", 200, '{"messages":[{"status":"ok","total":"5"}],"collection":[]}', "malformed"),
        ("biorxiv", 200, '{"messages":[{"status":"ok","total":0}],"collection":[]}', "empty"),
        ("arxiv", 200, f'<feed xmlns="{ATOM}"><entry><title>Error</title></entry></feed>', "permanent"),
        ("doiorg", 404, '[{"DOI":"10.1/x","status":"DOI does not exist"}]', "not_found"),
        ("doiorg", 404, '[{"DOI":"10.1/x","RA":"Crossref"}]', "malformed"),
        ("datacite", 404, '{"errors":[{"title":"Bad gateway"}]}', "malformed"),
    ],
)  # fmt: skip
def test_answers_that_are_close_to_a_no(source: str, status: int, body: str, outcome: str) -> None:
    assert registry.provider(source).classify(status, {}, body.encode()).outcome.value == outcome
