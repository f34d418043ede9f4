"""Unpaywall: open copies as recorded, its two forms of 404, the contact address it wants."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.providers import registry
from litapp.providers.base import OpenLocation, SourceError
from litapp.providers.unpaywall import parse
from litapp.providers.unpaywall.provider import Unpaywall
from tests.providers.fakes import EMAIL, bench, json_reply, text_reply
from tests.providers.test_recorded_values import named

SOURCE = Unpaywall()


@pytest.fixture
def read(shared: Path) -> Callable[[str], bytes]:
    return lambda file: (shared / "wire" / "unpaywall" / file).read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize("row", **named("unpaywall"))
def test_recorded_open_copies(read: Callable[[str], bytes], row: dict[str, str]) -> None:
    found = parse.open_access(read(row["file"]))
    best = found.locations[0] if found.locations else OpenLocation("")
    assert {
        "file": row["file"],
        "doi": found.doi,
        "open": "yes" if found.is_open else "no",
        "status": found.status,
        "locations": str(len(found.locations)),
        "best": best.url,
        "pdf": best.pdf_url,
        "version": best.version,
        "host": best.host,
        "licence": best.licence,
        "title": found.title,
        "year": str(found.year or ""),
        "kind": found.kind,
    } == row
    assert [location.is_best for location in found.locations] == [True] * bool(found.locations) + [False] * max(
        len(found.locations) - 1, 0
    )


RECORD = {
    "doi": "10.1000/x",
    "is_oa": True,
    "oa_status": "green",
    "best_oa_location": {"url": "https://a.test/pdf", "is_best": True, "host_type": "repository"},
    "oa_locations": [
        {"url": "https://b.test", "url_for_pdf": None, "host_type": "publisher"},
        {"url": "https://a.test/pdf", "is_best": True, "host_type": "repository"},
        {"url": None},
        None,
    ],
}


def test_the_best_place_comes_first_and_each_place_once() -> None:
    made = bench([json_reply(RECORD)], email=EMAIL)
    found, answer_id = registry.open_access_provider().open_access(made.client, "10.1000/X")
    assert found is not None
    assert [(one.url, one.host, one.is_best) for one in found.locations] == [
        ("https://a.test/pdf", "repository", True),
        ("https://b.test", "publisher", False),
    ]
    assert answer_id == 1


def test_the_address_is_sent_and_kept_nowhere() -> None:
    made = bench([json_reply(RECORD)], email=EMAIL)
    SOURCE.open_access(made.client, "10.1000/x")
    sent = made.source.requests[0]
    assert (sent.url.path, dict(sent.url.params)) == ("/v2/10.1000/x", {"email": EMAIL})
    assert EMAIL not in repr(made.archive.answers)


def test_without_an_address_nothing_is_sent() -> None:
    made = bench([json_reply(RECORD)])
    with pytest.raises(SourceError) as caught:
        SOURCE.open_access(made.client, "10.1000/x")
    assert (caught.value.code, made.source.requests) == ("switched_off", [])
    assert "LITAPP_CONTACT_EMAIL" in caught.value.message


@pytest.mark.parametrize(
    "page",
    [
        '{"HTTP_status_code":404,"error":true,"message":"\'10.1000/x\' isn\'t in Unpaywall."}',
        "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
        "<p>The requested URL was not found on the server.</p>",
    ],
)
def test_both_forms_of_its_404_are_a_no(page: str) -> None:
    made = bench([text_reply(page, 404)], email=EMAIL)
    assert SOURCE.open_access(made.client, "10.1000/x") == (None, 1)


@pytest.mark.parametrize(
    ("status", "body", "outcome", "code"),
    [
        (422, b'{"HTTP_status_code":422,"error":true,"message":"x"}', Outcome.PERMANENT, "bad_email"),
        (422, b"", Outcome.PERMANENT, "bad_email"),
        (200, b'{"HTTP_status_code":422,"error":true,"message":"x"}', Outcome.PERMANENT, "bad_email"),
        (200, b'{"doi":"10.1000/x"}', Outcome.MALFORMED, ""),
        (200, b'{"doi":"10.1000/x","is_oa":null}', Outcome.MALFORMED, ""),
        (404, b"<html>portal</html>", Outcome.MALFORMED, ""),
        (404, b'{"message":"x"}', Outcome.MALFORMED, ""),
        (400, b'{"HTTP_status_code":400,"error":true,"message":"x"}', Outcome.PERMANENT, "bad_request"),
        (403, b"", Outcome.PERMANENT, "refused"),
    ],
)
def test_answers(status: int, body: bytes, outcome: Outcome, code: str) -> None:
    verdict = SOURCE.classify(status, {}, body)
    assert (verdict.outcome, verdict.code) == (outcome, code)


@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"HTTP_status_code": 422, "error": True, "message": f"{EMAIL} is refused"}, 422),
        json_reply({"HTTP_status_code": 404, "error": True, "message": f"not for {EMAIL}"}, 404),
        text_reply(f"<html>{EMAIL}</html>", 500),
        text_reply("", 302, location=f"http://127.0.0.1/v2/x?email={EMAIL}"),
        httpx.ReadTimeout(f"https://api.test/v2/x?email={EMAIL}"),
    ],
)
def test_the_address_is_in_no_log_error_or_archive(
    reply: httpx.Response | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="litapp")
    made = bench([reply], email=EMAIL)
    said = ""
    try:
        SOURCE.open_access(made.client, "10.1000/x")
    except SourceError as error:
        said = "".join(traceback.format_exception(error))
    ours = [entry.getMessage() for entry in caplog.records if entry.name.startswith("litapp")]
    assert made.archive.answers
    for text in (said, repr(made.archive.answers), repr(made.archive.errors), repr(made.breaker.messages), *ours):
        assert EMAIL not in text


def test_an_answer_about_another_doi_is_a_failure() -> None:
    made = bench([json_reply(RECORD)], email=EMAIL)
    with pytest.raises(SourceError) as caught:
        SOURCE.open_access(made.client, "10.1000/other")
    assert caught.value.outcome is Outcome.MALFORMED


def test_signs_of_old_dois_are_encoded() -> None:
    doi = "10.1641/0006-3568(2005)055[0851:potapf]2.0.co;2"
    made = bench([json_reply({**RECORD, "doi": doi})], email=EMAIL)
    found, _ = SOURCE.open_access(made.client, doi)
    assert found is not None
    assert found.doi == doi
    assert b"%5B0851%3Apotapf%5D2.0.co%3B2" in made.source.requests[0].url.raw_path
