"""Semantic Scholar beyond the search by likeness: bulk search, citations and references, passages."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.providers.base import CompiledQuery, LinkedRecords, Page, SourceError
from litapp.providers.semanticscholar import parse, snippets
from litapp.providers.semanticscholar.provider import SemanticScholar
from tests.providers.fakes import Bench, bench, json_reply

S2 = SemanticScholar()
BULK = CompiledQuery("semanticscholar", "x", (("query", "a + b"), ("sort", "paperId:asc")))
DOI = Identifier(Scheme.DOI, "10.1000/n1")


def paper(number: int, **more: object) -> dict[str, object]:
    return {"paperId": f"{number:040x}", "title": f"Title {number}", **more}


def bulk(size: int, a_page: int) -> httpx.MockTransport:
    """A bulk search over papers 1..size."""

    def reply(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/graph/v1/paper/search/bulk"
        assert dict(request.url.params).get("sort") == "paperId:asc"
        start = int(request.url.params.get("token", "t0")[1:])
        stop = min(start + a_page, size)
        token = f"t{stop}" if stop < size else None
        data = [paper(number) for number in range(start + 1, stop + 1)]
        return json_reply({"total": size, "token": token, "data": data})

    return reply  # type: ignore[return-value]


def read_all(made: Bench, limit: int = 10**9) -> list[Page]:
    cursor: dict[str, object] | None = {}
    found: list[Page] = []
    while cursor is not None and limit > 0:
        found.append(S2.fetch_page(made.client, BULK, cursor, limit))
        limit -= len(found[-1].hits)
        cursor = json.loads(json.dumps(found[-1].cursor))
    return found


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 60), st.integers(1, 25), st.integers(1, 70))
def test_the_bulk_search_gives_every_paper_once_in_order(size: int, a_page: int, limit: int) -> None:
    found = read_all(bench([bulk(size, a_page)]), limit)
    got = [(hit.rank, hit.record.title) for page in found for hit in page.hits]
    assert got == [(number, f"Title {number}") for number in range(1, min(size, limit) + 1)]
    assert not any(page.capped for page in found)


def test_a_total_that_was_an_estimate_is_said() -> None:
    made = bench([json_reply({"total": 9, "token": None, "data": [paper(1), None, paper(3, title=None)]})])
    [page] = read_all(made)
    assert page.notes == ("Semantic Scholar estimated 9 papers and gave 3.",)
    assert (len(page.hits), page.empty_records, page.invalid_records, page.total) == (1, 1, 1, 9)


def test_a_bulk_search_without_hits_is_empty_and_one_without_papers_is_no_result() -> None:
    assert read_all(bench([json_reply({"total": 0, "token": None, "data": []})]))[0].hits == ()
    with pytest.raises(SourceError) as caught:
        read_all(bench([json_reply({"total": 5, "token": None, "data": []})]))
    assert caught.value.outcome is Outcome.MALFORMED


def test_a_token_that_expired_makes_the_run_read_the_list_again() -> None:
    verdict = S2.classify(400, {}, b'{"error":"Invalid or expired continuation token"}')
    assert (verdict.outcome, verdict.code) == (Outcome.PERMANENT, "cursor_expired")


def test_the_same_token_again_ends_the_list() -> None:
    made = bench([json_reply({"total": 4, "token": "t", "data": [paper(1)]})])
    assert len(read_all(made)) == 2


@pytest.mark.shared
def test_the_recorded_bulk_pages(shared: Path) -> None:
    folder = shared / "wire" / "semantic_scholar"
    first = parse.paper_list((folder / "paper_search_bulk_kubernetes_offset=0__2024-07-08.json").read_bytes())
    assert (first.total, first.entries, len(first.records), first.empty, first.invalid) == (2674, 1000, 1000, 0, 0)
    assert first.token.startswith("PCOKWVSKJJGM4TWNJNI3EUSQJIWVNUSRKBFEYK2J")
    assert first.records[0][1].title == "Kubernetes Cluster for Automating Software Production Environment"


def links(kind: str, size: int, nulls: frozenset[int] = frozenset()) -> object:
    key = {"citations": "citingPaper", "references": "citedPaper"}[kind]

    def reply(request: httpx.Request) -> httpx.Response:
        assert request.url.path == f"/graph/v1/paper/DOI:10.1000/n1/{kind}"
        offset, limit = int(request.url.params["offset"]), int(request.url.params["limit"])
        if offset + limit > 9_999:
            return json_reply({"error": "offset + limit must be < 10000"}, 400)
        stop = min(offset + limit, size)
        data = [{key: paper(n, paperId=None) if n in nulls else paper(n)} for n in range(offset + 1, stop + 1)]
        return json_reply({"offset": offset, "data": data} | ({"next": stop} if stop < size else {}))

    return reply


def test_citations_are_read_page_by_page_to_the_last() -> None:
    made = bench([links("citations", 2_300)])  # type: ignore[list-item]
    found = S2.citations(made.client, DOI, 5_000)
    assert [record.title for record in found.records] == [f"Title {n}" for n in range(1, 2_301)]
    assert (found.answer_ids, found.total, found.unreadable) == ((1, 2, 3), 2_300, 0)


def test_a_limit_ends_the_reading_without_a_total() -> None:
    made = bench([links("references", 2_300)])  # type: ignore[list-item]
    found = S2.references(made.client, DOI, 30)
    assert (len(found.records), found.total, len(made.source.requests)) == (30, None, 1)


def test_no_more_is_asked_for_than_semantic_scholar_gives() -> None:
    made = bench([links("citations", 20_000)])  # type: ignore[list-item]
    assert len(S2.citations(made.client, DOI, 50_000).records) == 9_999


def test_references_known_by_their_text_only_are_counted_and_not_used() -> None:
    made = bench([links("references", 6, nulls=frozenset({2, 5}))])  # type: ignore[list-item]
    found = S2.references(made.client, DOI, 100)
    assert [record.title for record in found.records] == ["Title 1", "Title 3", "Title 4", "Title 6"]
    assert (found.unreadable, found.total) == (2, 6)


@pytest.mark.shared
def test_the_recorded_references_with_null_ids(shared: Path) -> None:
    name = "paper_10.2139_ssrn.2250500_references_offset=50__2024-12-10.json"
    page = parse.links((shared / "wire" / "semantic_scholar" / name).read_bytes())
    assert (page.entries, len(page.records), page.unreadable, page.next_offset) == (17, 4, 13, None)
    assert page.records[0].title == "On the Macroeconomics of Microfinance"


def test_an_unknown_paper_and_a_withheld_list_are_told_apart_from_none() -> None:
    unknown = bench([json_reply({"error": "Paper with id DOI:10.1000/n1 not found"}, 404)])
    assert S2.references(unknown.client, DOI, 5) == LinkedRecords((), (1,), known=False)
    none = bench([json_reply({"offset": 0, "data": []})])
    assert S2.references(none.client, DOI, 5) == LinkedRecords((), (1,), total=0)
    withheld = bench([json_reply({"offset": 0, "data": None, "citingPaperInfo": {}})])
    with pytest.raises(SourceError) as caught:
        S2.references(withheld.client, DOI, 5)
    assert (caught.value.outcome, caught.value.code) == (Outcome.PERMANENT, "withheld")


def test_links_of_an_identifier_it_does_not_take_are_not_asked_for() -> None:
    made = bench([RuntimeError("must not be sent")])
    with pytest.raises(SourceError) as caught:
        S2.citations(made.client, Identifier(Scheme.ISBN, "9783161484100"), 5)
    assert caught.value.code == "unsupported_scheme"


@pytest.mark.shared
def test_the_recorded_passages(shared: Path) -> None:
    """Kind, section and sentences as a person reads them in the file; the text is not repeated here."""
    body = (shared / "wire" / "semantic_scholar" / "snippet_search_3__reindented.json").read_bytes()
    title, whole, abstract = snippets.passages(body, 7)
    assert [(one.kind, one.section, len(one.sentences)) for one in (title, whole, abstract)] == [
        ("title", "", 0),
        ("body", "Discussion", 11),
        ("abstract", "", 0),
    ]
    assert title.text == title.paper_title
    assert whole.identifiers == (Identifier(Scheme.S2, "CorpusId:231872740"),)
    assert (whole.answer_id, whole.position, whole.score) == (7, 1, 0.738148931949152)
    assert whole.sentences[0].startswith("Using a genome-wide approach")
    assert whole.sentences[0].endswith(".")
    assert all(sentence in whole.text for sentence in whole.sentences)
    assert whole.authors[:2] == ("T. Gebresilase", "Chris Finan")
    assert whole.licence == "CCBY"
    assert whole.disclaimer.startswith("Notice: This snippet is extracted")


def snippet(text: object, **more: object) -> dict[str, object]:
    return {"score": 0.5, "paper": {"corpusId": "7"}, "snippet": {"text": text, "snippetKind": "body", **more}}


def test_passages_within_papers_name_them_and_damage_is_left_out() -> None:
    marks = {
        "sentences": [{"start": 0, "end": 4}, {"start": 5, "end": 99}, None, {"start": "x"}, {"start": 6, "end": 6}]
    }
    made = bench([json_reply({"data": [snippet("One. Two.", annotations=marks), snippet(None), None, snippet(3)]})])
    found, answer_ids = S2.passages(made.client, " masks  ", limit=5, within=[DOI])
    assert [(one.text, one.sentences) for one in found] == [("One. Two.", ("One.",))]
    assert answer_ids == [1]
    assert dict(made.source.requests[0].url.params) == {"query": "masks", "limit": "5", "paperIds": "DOI:10.1000/n1"}


def test_passages_about_nothing_ask_nothing_and_failures_are_no_silence() -> None:
    made = bench([RuntimeError("must not be sent")])
    assert S2.passages(made.client, "  ") == ([], [])
    with pytest.raises(SourceError):
        S2.passages(bench([json_reply({"data": {}})]).client, "masks")
    assert S2.passages(bench([json_reply({"data": []})]).client, "masks") == ([], [1])


def test_passages_within_many_papers_are_asked_for_in_parts_and_ranked_together() -> None:
    papers = [Identifier(Scheme.PMID, str(n)) for n in range(1, 151)]
    made = bench(
        [
            json_reply({"data": [{**snippet("A"), "score": 0.2}]}),
            json_reply({"data": [{**snippet("B"), "score": 0.9}, {**snippet("C"), "score": 0.1}]}),
        ]
    )
    found, answer_ids = S2.passages(made.client, "masks", limit=2, within=papers)
    assert ([one.text for one in found], answer_ids) == (["B", "A"], [1, 2])
    assert len(made.source.requests) == 2
