"""OpenAlex: free look-ups, batches that must be whole, abstracts put together, null traps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.core.records import AbstractSection, Identifier, MeshHeading, Notice, NoticeKind, Person, Record, Scheme
from litapp.providers import registry
from litapp.providers.base import CompiledQuery, SourceError
from litapp.providers.openalex import request
from litapp.providers.openalex.query import title_text
from litapp.providers.openalex.works import record_of
from tests.providers.fakes import bench, json_reply, text_reply

OPENALEX = registry.provider("openalex")
QUERY = CompiledQuery("openalex", "x", (("search", "x"),))

MISSING = "<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server.</p>"


def doi(value: str) -> Identifier:
    return Identifier(Scheme.DOI, value)


def work(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W10{number}",
        "doi": f"https://doi.org/10.1000/w{number}",
        "title": "T",
        **more,
    }


def listing(*items: Any, count: int | None = None, **meta: Any) -> httpx.Response:
    return json_reply({"meta": {"count": len(items) if count is None else count, **meta}, "results": items})


def test_few_identifiers_are_asked_for_one_by_one_because_that_is_free() -> None:
    made = bench([json_reply(work(1)), json_reply(work(2)), text_reply(MISSING, 404)])
    result = OPENALEX.lookup(made.client, [doi("10.1000/w1"), doi("10.1000/w2"), doi("10.1000/w3")])
    assert (set(result.found), result.absent) == ({doi("10.1000/w1"), doi("10.1000/w2")}, {doi("10.1000/w3"): 3})
    assert [request.url.path for request in made.source.requests] == [
        "/works/doi:10.1000/w1",
        "/works/doi:10.1000/w2",
        "/works/doi:10.1000/w3",
    ]
    assert [answer.request.cost for answer in made.archive.answers] == [0, 0, 0]


def test_more_identifiers_go_into_one_batch_with_its_size_set() -> None:
    made = bench([listing(work(3), work(1))])
    result = OPENALEX.lookup(made.client, [doi(f"10.1000/w{number}") for number in range(1, 5)])
    assert (set(result.found), set(result.absent)) == (
        {doi("10.1000/w1"), doi("10.1000/w3")},
        {doi("10.1000/w2"), doi("10.1000/w4")},
    )
    params = made.source.requests[0].url.params
    assert (params["filter"], params["per_page"]) == ("doi:10.1000/w1|10.1000/w2|10.1000/w3|10.1000/w4", "100")
    assert made.archive.answers[0].request.cost == 1


@pytest.mark.parametrize("reply", [listing(work(1), count=3), listing(work(1), None), listing(work(1), {"id": "x"})])
def test_from_a_batch_that_is_not_whole_nothing_is_called_absent(reply: httpx.Response) -> None:
    """A 49-id batch once gave 25 (recorded): what is missing is asked for alone."""
    gone = text_reply(MISSING, 404)
    made = bench([reply, json_reply(work(2)), gone])
    result = OPENALEX.lookup(made.client, [doi(f"10.1000/w{number}") for number in range(1, 5)])
    assert {one.value: answer for one, (_, answer) in result.found.items()} == {"10.1000/w1": 1, "10.1000/w2": 2}
    assert {one.value: answer for one, answer in result.absent.items()} == {"10.1000/w3": 3, "10.1000/w4": 4}


def test_identifiers_of_several_schemes_are_asked_for_apart() -> None:
    pmid, openalex = Identifier(Scheme.PMID, "123"), Identifier(Scheme.OPENALEX, "W107")
    found = work(7, ids={"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"})
    made = bench([json_reply(found)])
    result = OPENALEX.lookup(made.client, [openalex, pmid])
    assert set(result.found) == {pmid, openalex}
    assert [request.url.path for request in made.source.requests] == ["/works/pmid:123", "/works/W107"]


def test_another_work_than_asked_for_decides_nothing_but_a_merged_one_is_said() -> None:
    made = bench([json_reply(work(9))])
    result = OPENALEX.lookup(made.client, [doi("10.1000/w8"), Identifier(Scheme.OPENALEX, "W108")])
    assert result.failures[doi("10.1000/w8")].outcome is Outcome.MALFORMED
    merged, _ = result.found[Identifier(Scheme.OPENALEX, "W108")]
    assert merged.warnings == ("OpenAlex has merged W108 into W109.",)


def test_a_doi_that_a_filter_would_read_as_several_is_asked_for_alone() -> None:
    values = ["10.1000/a|b", "10.1000/a,b", "10.1000/c!d", "10.1000/e+f"]
    made = bench([text_reply(MISSING, 404)])
    assert len(OPENALEX.lookup(made.client, [doi(value) for value in values]).absent) == 4
    assert not any("filter" in request.url.params for request in made.source.requests)
    assert made.source.requests[0].url.raw_path == b"/works/doi:10.1000/a%7Cb"


def test_batches_keep_the_address_short_enough() -> None:
    long = [doi("10.1000/" + "(" * 60 + str(number)) for number in range(100)]
    batches = request.batches(long)
    assert [one for batch in batches for one in batch] == long
    made = bench([listing()])
    made.client.send(request.works(batches[0]))
    assert len(made.source.requests[0].url.raw_path) < 8_190


def test_a_search_costs_ten_credits_and_a_broad_one_has_its_own_pace() -> None:
    sent = request.search((("search", "a OR b"),), cursor="*", per_page=5)
    broad = request.search((("search", " OR ".join("abcdefg")),), cursor="*", per_page=5)
    assert [(one.operation, one.cost) for one in (sent, broad)] == [("search", 10), ("boolean_search", 10)]
    assert request.count((("search", " OR ".join("abcdefg")),)).operation == "boolean_search"


def test_a_total_without_any_work_is_no_result() -> None:
    made = bench([listing(count=50)])
    with pytest.raises(SourceError) as caught:
        OPENALEX.fetch_page(made.client, QUERY, {}, 10)
    assert caught.value.outcome is Outcome.MALFORMED


def test_an_unfinished_list_without_a_mark_ends() -> None:
    made = bench([listing(work(1), count=50, next_cursor=None)])
    assert OPENALEX.fetch_page(made.client, QUERY, {}, 10).cursor is None


@pytest.mark.parametrize(
    ("title", "sent"),
    [
        ("Does it work? (A <i>trial</i>) AND more", "Does it work A trial and more"),
        ('"Quoted" NOT | a\\b * ~', "Quoted not a b"),
        ("Android or not", "Android or not"),
    ],
)
def test_a_title_gives_no_commands(title: str, sent: str) -> None:
    assert title_text(title) == sent


# ---------------------------------------------------------------- single fields


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=30), st.integers(1, 5))
def test_an_abstract_is_put_together_from_any_index_also_with_gaps(words: list[str], step: int) -> None:
    index: dict[str, list[int]] = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position * step)
    expected = (AbstractSection(" ".join(words)),) if words else ()
    assert record_of({"abstract_inverted_index": index}).abstract == expected


@pytest.mark.parametrize("index", [None, [], "x", {"a": None}, {"a": [None, "x", -1, 10**9, True]}])
def test_a_damaged_abstract_index_is_no_abstract(index: Any) -> None:
    assert record_of({"abstract_inverted_index": index}).abstract == ()


@pytest.mark.parametrize(
    ("item", "is_notice", "notices"),
    [
        ({"title": "A", "is_retracted": False}, False, ()),
        ({"title": "A", "is_retracted": True}, False, ("OpenAlex marks this work as retracted.",)),
        ({"title": "RETRACTED: A", "is_retracted": False}, False, ("The title carries the mark.",)),
        ({"title": "A", "type": "retraction", "is_retracted": True}, True, ()),
        ({"title": "Retraction: A", "is_retracted": True}, True, ()),
        ({"title": "Retraction Note to: A"}, True, ()),
        ({"title": "Retraction of the foreskin in boys"}, False, ()),
        ({"title": "Corrections in jails"}, False, ()),
    ],
)
def test_retractions(item: dict[str, Any], is_notice: bool, notices: tuple[str, ...]) -> None:
    record = record_of(item)
    assert record.is_notice is is_notice
    assert record.notices == tuple(Notice(NoticeKind.RETRACTION, text=text) for text in notices)


def test_names_are_as_printed_and_parted_only_where_a_comma_parts_them() -> None:
    authors = [
        {"raw_author_name": "Adeodato, João Maurício", "author": {"display_name": "João Maurício Adeodato"}},
        {"raw_author_name": None, "author": {"id": None, "display_name": "Heather Piwowar"}},
        {"raw_author_name": "A, B, C", "author": None},
        {"author": {"display_name": None}},
        None,
    ]
    assert record_of({"authorships": authors}).authors == (
        Person("Adeodato", "João Maurício"),
        Person(literal="Heather Piwowar"),
        Person(literal="A, B, C"),
    )


def test_mesh_rows_become_headings() -> None:
    rows = [
        {"descriptor_ui": "D1", "descriptor_name": "Stroke", "qualifier_name": "therapy", "is_major_topic": True},
        {"descriptor_ui": "D1", "descriptor_name": "Stroke", "qualifier_name": "mortality", "is_major_topic": False},
        {"descriptor_ui": "D2", "descriptor_name": "Humans", "qualifier_name": None, "is_major_topic": False},
        {"descriptor_name": None},
    ]
    assert record_of({"mesh": rows}).mesh == (
        MeshHeading("Stroke", "D1", ("therapy", "mortality"), True),
        MeshHeading("Humans", "D2"),
    )


def test_a_work_of_nulls_is_an_empty_record() -> None:
    names = (
        "id doi title display_name publication_year publication_date ids language type primary_location authorships "
        "biblio is_retracted mesh abstract_inverted_index is_authors_truncated"
    )
    assert record_of(dict.fromkeys(names.split())) == Record("openalex", "")
    assert record_of({"primary_location": {"source": None}, "ids": [], "biblio": {"volume": None}}) == Record(
        "openalex", ""
    )


@pytest.mark.shared
def test_a_recorded_list_without_dois_sources_and_abstracts_is_read_whole(shared: Path) -> None:
    body = (shared / "wire" / "openalex" / "works_sample=5__2026-07-23.json").read_bytes()
    made = bench([httpx.Response(200, content=body)])
    page = OPENALEX.fetch_page(made.client, QUERY, {}, 10)
    assert len(page.hits) == 5
    assert sum(1 for hit in page.hits if not hit.record.doi) == 3
    assert sum(1 for hit in page.hits if not hit.record.abstract) == 3
    assert sum(1 for hit in page.hits if not hit.record.journal) == 1
    assert [hit.record.source_id for hit in page.hits] == [
        one["id"].rsplit("/")[-1] for one in json.loads(body)["results"]
    ]
