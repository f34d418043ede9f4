"""Semantic Scholar: its cap, its alignment, its missing keys and nulls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Notice, NoticeKind, Person, Record, Scheme
from litapp.providers import registry
from litapp.providers.base import CompiledQuery, Page, SourceError
from litapp.providers.semanticscholar import request
from litapp.providers.semanticscholar.papers import record_of
from tests.providers.fakes import bench, json_reply, text_reply
from tests.providers.imitations import Imitation

S2 = registry.provider("semanticscholar")
QUERY = CompiledQuery("semanticscholar", "x", (("query", "x"),))
CAP_NOTE = "Semantic Scholar reports more papers but gives at most 1,000 of a query."


def paper(number: int, **more: Any) -> dict[str, Any]:
    return {"paperId": f"{number:040x}", "title": f"T{number}", **more}


def test_after_a_thousand_records_the_source_is_capped() -> None:
    made = bench([Imitation("semanticscholar", 75_717)])
    cursor: dict[str, object] | None = {}
    found: list[Page] = []
    while cursor is not None:
        found.append(S2.fetch_page(made.client, QUERY, cursor, 5_000))
        cursor = found[-1].cursor
    assert [len(page.hits) for page in found] == [100] * 10
    assert [page.capped for page in found] == [False] * 9 + [True]
    assert found[-1].notes == (CAP_NOTE,)
    assert {page.total for page in found} == {75_717}


def test_a_list_that_ends_before_its_total_is_capped_and_not_complete() -> None:
    """Recorded by users: total 1,735, but no more than 992 to be had."""
    made = bench([json_reply({"total": 1735, "offset": 900, "data": [paper(1)]})])
    page = S2.fetch_page(made.client, QUERY, {"offset": 900}, 500)
    assert (page.capped, page.cursor) == (True, None)


def test_a_refusal_beyond_the_cap_ends_the_search_but_is_an_error_at_its_start() -> None:
    refusal = json_reply({"error": "Requested data for this limit and/or offset is not available"}, 400)
    assert S2.fetch_page(bench([refusal]).client, QUERY, {"offset": 992}, 500) == Page(
        (), None, capped=True, notes=(CAP_NOTE,)
    )
    with pytest.raises(SourceError):
        S2.fetch_page(bench([refusal]).client, QUERY, {}, 500)


def test_an_offset_the_source_jumps_to_is_followed() -> None:
    made = bench([json_reply({"total": 500, "offset": 0, "next": 100, "data": [paper(1), paper(2)]})])
    assert S2.fetch_page(made.client, QUERY, {}, 500).cursor == {"offset": 100}


def test_a_total_without_data_is_no_empty_search() -> None:
    for body in ({"total": 5, "offset": 0}, {"offset": 0, "data": None}):
        with pytest.raises(SourceError) as caught:
            S2.fetch_page(bench([json_reply(body)]).client, QUERY, {}, 10)
        assert caught.value.outcome is Outcome.MALFORMED


@pytest.mark.shared
def test_the_recorded_empty_search_has_no_data_key(shared: Path) -> None:
    name = "paper_search_n0_r3sult_s3arch_t3rm_allfields_offset=0__2023-12-27.json"
    body = (shared / "wire" / "semantic_scholar" / name).read_bytes()
    assert b"data" not in body
    made = bench([httpx.Response(200, content=body)])
    assert S2.fetch_page(made.client, QUERY, {}, 10) == Page((), None, total=0)


def test_identifiers_are_sent_in_the_sources_own_spelling() -> None:
    written = {
        Identifier(Scheme.DOI, "10.1000/x"): "DOI:10.1000/x",
        Identifier(Scheme.PMID, "12"): "PMID:12",
        Identifier(Scheme.PMCID, "PMC12"): "PMCID:12",
        Identifier(Scheme.ARXIV, "2101.00001"): "ARXIV:2101.00001",
        Identifier(Scheme.S2, "a" * 40): "a" * 40,
        Identifier(Scheme.S2, "CorpusId:9"): "CorpusId:9",
    }
    assert {one: request.paper_key(one) for one in written} == written


def test_a_batch_of_another_length_than_asked_decides_nothing() -> None:
    asked = [Identifier(Scheme.DOI, f"10.1000/{number}") for number in range(3)]
    result = S2.lookup(bench([json_reply([paper(1), None])]).client, asked)
    assert (result.found, result.absent, set(result.failures)) == ({}, {}, set(asked))


def test_a_title_without_match_is_no_error() -> None:
    made = bench([json_reply({"error": "Title match not found"}, 404)])
    assert S2.match(made.client, "Frederick Bates (politician)") == ([], [1])
    assert made.source.requests[0].url.params["query"] == "Frederick Bates (politician)"


def test_recommendations_come_in_their_order_and_number() -> None:
    made = bench([json_reply({"recommendedPapers": [paper(3), paper(1), paper(2)]})])
    records, answer_ids = S2.related(made.client, Identifier(Scheme.DOI, "10.1000/x"), 2)
    assert ([record.title for record in records], answer_ids) == (["T3", "T1"], [1])
    sent = made.source.requests[0]
    assert (sent.method, sent.url.path) == ("POST", "/recommendations/v1/papers/")
    assert sent.content == b'{"positivePaperIds": ["DOI:10.1000/x"], "negativePaperIds": []}'


def test_recommendations_for_an_unknown_paper_are_none_and_for_a_wrong_scheme_an_error() -> None:
    made = bench([text_reply('{"error":"Paper with id DOI:10.1000/x not found"}', 404)])
    assert S2.related(made.client, Identifier(Scheme.DOI, "10.1000/x"), 2) == ([], [1])
    with pytest.raises(SourceError) as caught:
        S2.related(made.client, Identifier(Scheme.ISBN, "9780306406157"), 2)
    assert caught.value.code == "unsupported_scheme"


def test_a_paper_with_everything() -> None:
    record = record_of(
        {
            "paperId": "b" * 40,
            "corpusId": 99,
            "externalIds": {"DOI": "10.1000/X", "PubMed": "12", "PubMedCentral": "34", "ArXiv": "2101.00001"},
            "title": "RETRACTED: a  <b>b</b>.",
            "abstract": "One. P<0.05",
            "authors": [{"authorId": None, "name": "G. Wellawatte"}, {"name": None}, None],
            "venue": "arXiv.org",
            "publicationVenue": None,
            "journal": {"name": "ArXiv", "volume": "abs/1", "pages": "\n          1-9\n   "},
            "year": 2021,
            "publicationDate": "2022-01-31",
            "publicationTypes": ["Review", "JournalArticle"],
        }
    )
    assert record == Record(
        source="semanticscholar",
        source_id="b" * 40,
        title="RETRACTED: a <b>b</b>",
        authors=(Person(literal="G. Wellawatte"),),
        journal="ArXiv",
        volume="abs/1",
        pages="1-9",
        date=record.date,
        years=(2021, 2022),
        publication_types=("Review", "JournalArticle"),
        abstract=record.abstract,
        identifiers=(
            Identifier(Scheme.S2, "b" * 40),
            Identifier(Scheme.S2, "CorpusId:99"),
            Identifier(Scheme.DOI, "10.1000/x"),
            Identifier(Scheme.PMID, "12"),
            Identifier(Scheme.PMCID, "PMC34"),
            Identifier(Scheme.ARXIV, "2101.00001"),
        ),
        url=f"https://www.semanticscholar.org/paper/{'b' * 40}",
        notices=(Notice(NoticeKind.RETRACTION, text="The title carries the mark."),),
        is_preprint=True,
    )
    assert (record.date.year, record.date.month, record.date.day) == (2022, 1, 31)
    assert record.abstract_text == "One. P<0.05"


def test_a_paper_of_nulls_is_an_empty_record() -> None:
    names = (
        "paperId corpusId externalIds title abstract authors venue publicationVenue journal year publicationDate "
        "publicationTypes openAccessPdf"
    )
    assert record_of(dict.fromkeys(names.split())) == Record("semanticscholar", "")
    assert record_of({"externalIds": {"DOI": None}, "venue": "", "journal": {"pages": None}}) == Record(
        "semanticscholar", ""
    )
