"""The identifier converter in its old and new shape: what it converts, and that "not in PMC" is no "does not exist"."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.providers import answering
from litapp.providers.pmc import parse
from litapp.providers.pmc.provider import PubMedCentral
from litapp.providers.questions import Conversion
from tests.providers.fakes import EMAIL, Reply, bench, json_reply, text_reply

PMC = PubMedCentral()


def pmid(value: str) -> Identifier:
    return Identifier(Scheme.PMID, value)


def doi(value: str) -> Identifier:
    return Identifier(Scheme.DOI, value)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "asked", "found", "unknown"),
    [
        (
            "idconv_old_pmid_ok_2016.json",
            pmid("19749171"),
            (pmid("19749171"), Identifier(Scheme.PMCID, "PMC2763780"), doi("10.1124/pr.109.001263")),
            False,
        ),
        (
            "idconv_old_doi_two_versions_2022.json",
            doi("10.1038/ng.590"),
            (pmid("20495566"), Identifier(Scheme.PMCID, "PMC2883744"), doi("10.1038/ng.590")),
            False,
        ),
        ("idconv_old_pmid_not_in_pmc_2016.json", pmid("19308318"), None, True),
        ("idconv_new_shape_doi_not_in_pmc_2026.json", doi("10.1016/s0140-6736(97)11096-0"), None, True),
    ],
)
def test_the_recorded_conversions(
    shared: Path, file: str, asked: Identifier, found: tuple[Identifier, ...] | None, unknown: bool
) -> None:
    body = (shared / "wire" / "pmc" / file).read_bytes()
    assert parse.conversions(body, [asked]) == ({asked: found} if found else {}, {asked} if unknown else set())


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "status", "outcome"),
    [
        ("idconv_old_pmid_ok_2016.json", 200, Outcome.OK),
        ("idconv_old_doi_two_versions_2022.json", 200, Outcome.OK),
        ("idconv_old_pmid_not_in_pmc_2016.json", 200, Outcome.EMPTY),
        ("idconv_new_shape_doi_not_in_pmc_2026.json", 200, Outcome.EMPTY),
        ("idconv_old_404_idtype_mismatch_2022.json", 404, Outcome.PERMANENT),
    ],
)
def test_the_recorded_answers_are_classified(shared: Path, file: str, status: int, outcome: Outcome) -> None:
    verdict = PMC.classify(status, {}, (shared / "wire" / "pmc" / file).read_bytes())
    assert verdict.outcome is outcome
    if outcome is Outcome.PERMANENT:
        assert verdict.message.endswith("ID type 'doi' mismatch for '28371833'")


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, b"<html>checking your browser</html>", Outcome.MALFORMED),
        (200, b"", Outcome.MALFORMED),
        (200, b'{"status":"ok"}', Outcome.MALFORMED),
        (200, b'{"records":[]}', Outcome.MALFORMED),
        (404, b"<html>not found</html>", Outcome.MALFORMED),
        (429, b'{"error":"API rate limit exceeded"}', Outcome.RATE_LIMITED),
        (200, b'{"error":"API rate limit exceeded"}', Outcome.RATE_LIMITED),
        (400, b'{"status":"error","message":"mixed"}', Outcome.PERMANENT),
        (403, b"Forbidden", Outcome.PERMANENT),
        (500, b"{}", Outcome.TRANSIENT),
        (301, b"", Outcome.MALFORMED),
    ],
)
def test_what_is_no_conversion_is_never_absence(status: int, body: bytes, outcome: Outcome) -> None:
    assert PMC.classify(status, {}, body).outcome is outcome
    made = bench([text_reply(body, status)])
    result = PMC.convert(made.client, [pmid("1")])
    assert (result.converted, result.unknown) == ({}, {})
    assert result.failures[pmid("1")].outcome is outcome


def new_shape(request: httpx.Request) -> httpx.Response:
    """PMC that holds the papers with even numbers, and leaves out number 99; numbers as numbers, DOIs in lower case."""
    kind = request.url.params["idtype"]
    records: list[dict[str, object]] = []
    for text in request.url.params["ids"].split(","):
        number = int(text.rpartition("/n")[2].removeprefix("PMC"))
        if number == 99:
            continue
        entry: dict[str, object] = {"requested-id": text}
        if number % 2:
            entry |= {kind: text, "status": "error", "errmsg": "Identifier not found in PMC"}
        else:
            entry |= {"pmid": number, "pmcid": f"PMC{number}", "doi": f"10.1000/n{number}"}
        records.insert(0, entry)
    return json_reply({"status": "ok", "response-date": "2026-07-03", "request": {"warnings": []}, "records": records})


def test_every_identifier_ends_in_one_place_one_kind_a_call_200_at_once() -> None:
    made = bench([new_shape])
    pmids = [pmid(str(n)) for n in range(1, 301) if n != 99]
    dois = [doi("10.1000/n2"), doi("10.1000/n3")]
    others = [Identifier(Scheme.ARXIV, "2101.00001"), pmid("99")]
    result = PMC.convert(made.client, [*pmids, *dois, *others])
    assert set(result.converted) == {pmid(str(n)) for n in range(2, 301, 2)} | {doi("10.1000/n2")}
    assert set(result.unknown) == {pmid(str(n)) for n in range(1, 301, 2) if n != 99} | {doi("10.1000/n3")}
    assert {one: error.code for one, error in result.failures.items()} == {
        others[0]: "unsupported_scheme",
        others[1]: "",
    }
    assert result.converted[doi("10.1000/n2")] == Conversion(
        (pmid("2"), Identifier(Scheme.PMCID, "PMC2"), doi("10.1000/n2")), 3
    )
    sent = [
        (request.url.params["idtype"], len(request.url.params["ids"].split(","))) for request in made.source.requests
    ]
    assert sent == [("pmid", 200), ("pmid", 100), ("doi", 2)]


def test_a_doi_with_a_comma_is_asked_for_alone() -> None:
    made = bench([json_reply({"status": "ok", "records": []})])
    result = PMC.convert(made.client, [doi("10.1000/a,b"), doi("10.1000/c")])
    assert [request.url.params["ids"] for request in made.source.requests] == ["10.1000/c", "10.1000/a,b"]
    assert set(result.failures) == {doi("10.1000/a,b"), doi("10.1000/c")}


@pytest.mark.parametrize("reply", [httpx.ReadTimeout("slow"), text_reply("", 503)])
def test_a_silent_converter_decides_nothing(reply: Reply) -> None:
    result = PMC.convert(bench([reply]).client, [pmid("1"), doi("10.1000/x")])
    assert (result.converted, result.unknown, len(result.failures)) == ({}, {}, 2)


def test_tool_and_contact_are_sent_and_kept_nowhere() -> None:
    made = bench([new_shape], email=EMAIL)
    PMC.convert(made.client, [pmid("2")])
    params = dict(made.source.requests[0].url.params)
    assert (params["tool"], params["email"]) == ("litledger-test", EMAIL)
    assert EMAIL not in repr(made.archive.answers)


def test_each_further_question_has_its_source_and_others_are_refused() -> None:
    assert answering.conversion_provider().source == "pmc"  # type: ignore[attr-defined]
    ways = {
        "pubmed": (answering.headings_provider, answering.spelling_provider, answering.places_provider),
        "semanticscholar": (answering.passages_provider,),
        "pmc": (answering.conversion_provider,),
    }
    for key, able in ways.items():
        for way in able:
            assert way(key) is way()
    for way in (*ways["pubmed"], *ways["semanticscholar"], *ways["pmc"]):
        with pytest.raises(KeyError):
            way("crossref")
