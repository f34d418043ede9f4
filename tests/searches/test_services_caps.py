"""Limits are shared out so that none is exceeded, none is wasted, and every run of a plan does the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litapp.core.plan import Caps
from searches.services.caps import Share, cut_sentence, query_share, source_shares

cap = st.none() | st.integers(1, 500)
caps = st.builds(Caps, per_query=cap, per_source=cap, per_run=cap)
names = st.integers(1, 4).map(lambda n: ["pubmed", "crossref", "openalex", "semanticscholar"][:n])


def fetched(limits: Caps, available: dict[str, list[int]]) -> dict[str, list[int]]:
    """What each query of each source gives, one after the other."""
    shares = source_shares(limits, list(available))
    result: dict[str, list[int]] = {}
    for source, counts in available.items():
        taken: list[int] = []
        for place, count in enumerate(counts):
            share = query_share(limits, shares[source], fetched_before=sum(taken), queries_left=len(counts) - place)
            taken.append(count if share.records is None else min(count, share.records))
        result[source] = taken
    return result


@given(limits=caps, sources=names, data=st.data())
def test_no_limit_is_ever_exceeded(limits: Caps, sources: list[str], data: st.DataObject) -> None:
    counts = st.lists(st.integers(0, 600), min_size=1, max_size=4)
    got = fetched(limits, {source: data.draw(counts) for source in sources})
    if limits.per_query is not None:
        assert all(number <= limits.per_query for taken in got.values() for number in taken)
    if limits.per_source is not None:
        assert all(sum(taken) <= limits.per_source for taken in got.values())
    if limits.per_run is not None:
        assert sum(sum(taken) for taken in got.values()) <= limits.per_run


@given(per_source=st.integers(1, 300), counts=st.lists(st.integers(300, 600), min_size=1, max_size=5))
def test_queries_that_have_enough_use_the_whole_limit(per_source: int, counts: list[int]) -> None:
    assert sum(fetched(Caps(per_source=per_source), {"pubmed": counts})["pubmed"]) == per_source


def test_what_an_early_query_leaves_goes_to_the_later_ones() -> None:
    assert fetched(Caps(per_source=100), {"pubmed": [10, 500, 500]}) == {"pubmed": [10, 45, 45]}


def test_the_limit_of_a_run_is_parted_evenly_the_rest_to_the_first() -> None:
    assert source_shares(Caps(per_run=11), ["pubmed", "crossref", "openalex"]) == {
        "pubmed": Share(4, "for the whole run"),
        "crossref": Share(4, "for the whole run"),
        "openalex": Share(3, "for the whole run"),
    }


def test_the_smaller_limit_counts_and_is_the_one_named() -> None:
    assert source_shares(Caps(per_source=3, per_run=100), ["pubmed", "crossref"])["pubmed"] == Share(3, "per source")
    share = query_share(Caps(per_query=2), Share(10, "per source"), fetched_before=0, queries_left=1)
    assert share == Share(2, "per query")


def test_without_limits_there_is_none() -> None:
    share = source_shares(Caps(), ["pubmed"])["pubmed"]
    assert query_share(Caps(), share, fetched_before=1_000, queries_left=1) == Share(None, "")


def test_the_sentence_names_number_and_limit() -> None:
    told = [
        cut_sentence("PubMed", Share(50, "per source"), 1_234, exact=True),
        cut_sentence("Crossref", Share(50, "per query"), 900_000, exact=False),
        cut_sentence("PubMed", Share(0, "for the whole run"), 1_234, exact=True),
        cut_sentence("PubMed", Share(0, "for the whole run"), None, exact=True),
    ]
    assert told == [
        "Cut at 50 records of the 1,234 that PubMed reports by the limit per source.",
        "Cut at 50 records by the limit per query.",
        "Nothing was fetched of the 1,234 that PubMed reports: the limit for the whole run leaves no records for this "
        "query.",
        "Nothing was fetched: the limit for the whole run leaves no records for this query.",
    ]
