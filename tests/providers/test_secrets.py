"""A key or contact address is sent, and then found nowhere: not in the archive, an exception, a log or the breaker."""

from __future__ import annotations

import logging
import traceback
from urllib.parse import quote, quote_plus

import httpx
import pytest

from litapp.core.ports import Outcome, Request
from litapp.providers.base import SourceError
from litapp.providers.secrets import Redactor, without_echoed_key
from tests.providers.fakes import BASE_URLS, EMAIL, KEY, Bench, bench, json_reply, settings_of, text_reply

REQUESTS = {
    "pubmed": Request("pubmed", "POST", "esearch.fcgi", form=(("term", "x"),), operation="search"),
    "crossref": Request("crossref", "GET", "works", params=(("query", "x"),), operation="search"),
    "openalex": Request("openalex", "GET", "works", params=(("search", "x"),), operation="search"),
    "semanticscholar": Request("semanticscholar", "GET", "graph/v1/paper/search", params=(("query", "x"),)),
}
PLACES = {
    "pubmed": lambda request: httpx.QueryParams(request.content.decode())["api_key"],
    "crossref": lambda request: request.headers["crossref-plus-api-token"].removeprefix("Bearer "),
    "openalex": lambda request: request.headers["api-key"],
    "semanticscholar": lambda request: request.headers["x-api-key"],
}
FORMS = (KEY, quote(KEY), quote(KEY, safe=""), quote_plus(KEY))


def everything_kept(made: Bench) -> str:
    parts = [repr(answer) for answer in made.archive.answers] + made.archive.errors + made.breaker.messages
    return "\n".join(parts)


@pytest.mark.parametrize("source", REQUESTS)
def test_the_key_is_sent_where_the_source_wants_it_and_never_in_the_address(source: str) -> None:
    made = bench([text_reply("{}")], key=KEY, email=EMAIL)
    with pytest.raises(SourceError):
        made.client.send(REQUESTS[source])
    sent = made.source.requests[0]
    assert PLACES[source](sent) == KEY
    assert not any(form in str(sent.url) for form in (*FORMS, EMAIL, quote(EMAIL)))


def test_contact_goes_to_crossref_in_the_user_agent_and_to_ncbi_in_the_form() -> None:
    made = bench([text_reply("{}")], email=EMAIL)
    for source in ("crossref", "pubmed", "openalex", "semanticscholar"):
        with pytest.raises(SourceError):
            made.client.send(REQUESTS[source])
    agents = {request.url.host: request.headers["user-agent"] for request in made.source.requests}
    assert agents == {
        "crossref.test": f"litledger-test (mailto:{EMAIL})",
        "eutils.test": "litledger-test",
        "openalex.test": "litledger-test",
        "s2.test": "litledger-test",
    }
    assert any(form.get("email") == EMAIL for form in made.source.forms)


@pytest.mark.parametrize("source", REQUESTS)
@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"error": "API key invalid", "api-key": KEY, "echo": EMAIL}, 400),
        json_reply({"error": f"bad key {quote(KEY, safe='')}", "message": f"{KEY} {EMAIL}"}, 401),
        text_reply(f"<html>{KEY} {EMAIL}</html>", 500, retry_after="99", location=f"/?key={quote(KEY, safe='')}"),
        text_reply(f"{KEY}", 429, x_ratelimit_reset=KEY),
        httpx.ConnectError(f"cannot reach https://x/?api_key={KEY}"),
        httpx.ReadTimeout(f"{KEY}"),
        httpx.RemoteProtocolError(f"{KEY} {EMAIL}"),
    ],
)
def test_nothing_secret_is_kept_raised_or_logged(
    source: str, reply: httpx.Response | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = bench([reply], key=KEY, email=EMAIL)
    with pytest.raises(SourceError) as caught:
        made.client.send(REQUESTS[source])
    raised = "".join(traceback.format_exception(caught.value))
    texts = [everything_kept(made), raised, repr(vars(caught.value)), caplog.text, str(made.gate)]
    for secret in (*FORMS, EMAIL):
        assert not any(secret in text for text in texts), secret


def test_a_key_echoed_in_a_good_answer_is_removed_from_what_is_kept() -> None:
    body = {"esearchresult": {"count": "1", "idlist": ["5"], "querytranslation": KEY}}
    made = bench([json_reply(body)], key=KEY)
    assert KEY.encode() not in made.client.send(REQUESTS["pubmed"]).body


def test_the_callers_address_in_ncbis_refusal_is_removed() -> None:
    """Without a key the field "api-key" holds the caller's IP address."""
    assert without_echoed_key(b'{"error":"x","api-key" : "192.0.2.7","n":"4"}') == (
        b'{"error":"x","api-key" : "[removed]","n":"4"}'
    )


def test_the_archive_keeps_no_address_of_the_caller() -> None:
    made = bench([text_reply('{"error":"API rate limit exceeded","api-key":"192.0.2.7","count":"4","limit":"3"}', 429)])
    with pytest.raises(SourceError):
        made.client.send(REQUESTS["pubmed"])
    assert b"192.0.2.7" not in made.archive.answers[0].body


def test_secrets_do_not_follow_a_redirection_to_another_host() -> None:
    work = {"status": "ok", "message-type": "work", "message": {"DOI": "10.1/x", "title": ["T"]}}
    made = bench([text_reply("", 302, location="https://mirror.example/works"), json_reply(work)], key=KEY, email=EMAIL)
    assert made.client.send(REQUESTS["crossref"]).outcome is Outcome.OK
    away = made.source.requests[1]
    assert away.url.host == "mirror.example"
    assert not any(secret in str(away.headers) for secret in (KEY, EMAIL))


def test_secrets_follow_from_http_to_https_of_the_same_host() -> None:
    settings = {"openalex": settings_of("openalex", key=KEY, base_url="http://openalex.test")}
    empty = {"meta": {"count": 0}, "results": []}
    made = bench([text_reply("", 301, location="https://openalex.test/works"), json_reply(empty)], settings=settings)
    made.client.send(REQUESTS["openalex"])
    assert made.source.requests[1].headers["api-key"] == KEY


@pytest.mark.parametrize("key", ["geheim\nX-Evil: 1", "schlüssel-länger"])
def test_a_key_that_cannot_be_sent_is_named_but_not_shown(key: str) -> None:
    made = bench([text_reply("{}")], key=key)
    with pytest.raises(SourceError) as caught:
        made.client.send(REQUESTS["openalex"])
    assert (caught.value.code, made.source.requests) == ("bad_key", [])
    assert key not in "".join(traceback.format_exception(caught.value))


def test_settings_do_not_show_their_secrets() -> None:
    shown = repr(settings_of("pubmed", key=KEY, email=EMAIL))
    assert KEY not in shown
    assert EMAIL not in shown
    assert BASE_URLS["pubmed"] in shown


def test_a_very_short_key_does_not_damage_answers() -> None:
    assert Redactor("a", "").body(b"banana") == b"banana"
    assert Redactor("banana").text("a banana split") == "a [removed] split"
