"""The sandbox's arXiv: feeds, errors as entries, one request in three seconds."""

from __future__ import annotations

import pytest
from lxml import etree

from litapp.core.plan import Filters, PlanQuery
from litapp.core.records import Identifier, Scheme
from litapp.providers.arxiv.provider import Arxiv
from litapp.providers.http import PoliteClient
from litapp.sandbox.arxiv_numbers import arxiv_number, place_of
from tests.sandbox.conftest import Get, Stepping
from tests.sandbox.test_product_reads_sandbox import client

__all__ = ["client"]
QUERY = "/arxiv/api/query"
ATOM = "{http://www.w3.org/2005/Atom}"
TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"


def found(get: Get, **params: object) -> tuple[int, list[str]]:
    """Total and addresses of a feed."""
    root = etree.fromstring(get(QUERY, {"max_results": 1000, **params}).body)
    addresses = [entry.findtext(f"{ATOM}id") or "" for entry in root.findall(f"{ATOM}entry")]
    return int(root.findtext(TOTAL) or -1), addresses


def test_a_search_gives_pages_that_join(get: Get) -> None:
    total, whole = found(get, search_query="all:of")
    assert total == len(whole) == len(set(whole)) > 5
    first = found(get, search_query="all:of", max_results=3)[1]
    second = found(get, search_query="all:of", start=3, max_results=4)[1]
    assert first + second == whole[:7]
    assert found(get, search_query="all:of", start=total) == (total, [])


def test_operators_fields_and_dates(get: Get) -> None:
    def ids(query: str) -> set[str]:
        return set(found(get, search_query=query)[1])

    asthma, children = ids("ti:asthma"), ids("ti:children")
    assert asthma
    assert ids("ti:asthma ANDNOT ti:children") == asthma - children
    assert ids("(ti:asthma OR abs:asthma)") >= asthma
    everything = ids("all:of OR all:in OR all:the OR all:a")
    old = ids("(all:of OR all:in) AND submittedDate:[199101010000 TO 200512312359]")
    new = ids("(all:of OR all:in) AND submittedDate:[200601010000 TO 220012312359]")
    assert not old & new
    assert new <= everything
    assert found(get, search_query="ti:zzqqzz") == (0, [])


def test_ids_are_listed_in_an_order_of_their_own_and_unknown_ones_are_absent(get: Get) -> None:
    _, whole = found(get, search_query="all:of")
    ids = [address.removeprefix("http://arxiv.org/abs/") for address in whole[:3]]
    total, listed = found(get, id_list=",".join([*ids, "2101.00001"]))
    assert (total, set(listed)) == (3, set(whole[:3]))
    assert found(get, id_list=ids[0].partition("v")[0]) == (1, [whole[0]])
    assert len(found(get, id_list=",".join(ids), max_results=2)[1]) == 2


def test_a_malformed_id_is_status_400_with_an_entry(get: Get) -> None:
    answer = get(QUERY, {"id_list": "abc"})
    assert answer.status == 400
    root = etree.fromstring(answer.body)
    assert root.findtext(f"{ATOM}entry/{ATOM}title") == "Error"
    assert root.findtext(f"{ATOM}entry/{ATOM}summary") == "incorrect id format for abc"
    assert get(QUERY, {"search_query": "(ti:asthma"}).status == 400
    assert get(QUERY, {"search_query": "ti:a", "max_results": 2001}).status == 400


def test_one_request_in_three_seconds(get: Get, stepping: Stepping) -> None:
    assert get(QUERY, {"search_query": "ti:asthma"}).status == 200
    stepping.seconds += 2.9
    refused = get(QUERY, {"search_query": "ti:asthma"})
    assert (refused.status, refused.body) == (429, b"Rate exceeded.")
    assert "retry-after" not in refused.headers
    stepping.seconds += 0.2
    assert get(QUERY, {"search_query": "ti:asthma"}).status == 200


@pytest.mark.parametrize("place", [1, 59, 99_999, 100_000, 1_199_999])
def test_numbers_name_no_real_paper_and_lead_back(place: int) -> None:
    number = arxiv_number(place)
    assert number.startswith("99")
    assert place_of(number) == place


def test_the_product_looks_papers_up(client: PoliteClient) -> None:
    source = Arxiv()
    page = source.fetch_page(client, source.compile(PlanQuery(boolean="of[ti] OR in[ti]"), Filters()), {}, 50)
    assert len(page.hits) > 5
    unknown = Identifier(Scheme.ARXIV, "2101.00001")
    asked = [hit.record.identifiers[0] for hit in page.hits]
    result = source.lookup(client, [*asked, unknown])
    assert (set(result.found), set(result.absent), result.failures) == (set(asked), {unknown}, {})
    by_id = {hit.record.source_id: hit.record for hit in page.hits}
    assert all(record == by_id[one.value] for one, (record, _) in result.found.items())


def test_a_title_is_matched(client: PoliteClient) -> None:
    source = Arxiv()
    page = source.fetch_page(client, source.compile(PlanQuery(boolean="of[ti]"), Filters()), {}, 1)
    record = page.hits[0].record
    records, _ = source.match(client, record.title)
    assert record.source_id in [one.source_id for one in records]
