"""Published filters in a query: joined so that they keep their meaning, found again, taken out again."""

from __future__ import annotations

import pytest

from litapp.core.filters import ALL_FILTERS, WrongDatabase, filter_of, filters_for
from litapp.core.filters.applied import filter_library, filters_in, with_filter, without_filter
from litapp.core.filters.guideline_bodies import GUIDELINE_BODIES
from litapp.core.querylang import And, Not, parse
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.normal import same_meaning

TYPED = '("heart failure"[tiab] OR hf[ti])\nAND sacubitril[tiab]'
QUERIES = (TYPED, "gout[ti]", "gout[ti] OR arthritis[ti]", "gout[ti] NOT mice[ti]")


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("search_filter", filters_for(Dialect.PUBMED), ids=lambda found: found.key)
def test_a_filter_is_joined_whole_found_and_taken_out(search_filter, text: str) -> None:  # type: ignore[no-untyped-def]
    joined = with_filter(text, search_filter)
    tree = search_filter.tree(Dialect.PUBMED)
    kind = Not if search_filter.key == "exclude-animals-pubmed" else And
    wanted = Not(parse(text), tree) if kind is Not else And((parse(text), tree))
    assert same_meaning(parse(joined), wanted)
    assert search_filter in filters_in(joined, ALL_FILTERS)
    assert same_meaning(parse(without_filter(joined, search_filter)), parse(text))
    with pytest.raises(ValueError, match="has the filter"):
        with_filter(joined, search_filter)


def test_what_was_typed_keeps_its_form() -> None:
    joined = with_filter(TYPED, filter_of("guideline-types-pubmed"))
    assert joined == TYPED + ' AND ("Guideline"[pt] OR "Practice Guideline"[pt])'
    assert without_filter(joined, filter_of("guideline-types-pubmed")) == TYPED


def test_two_filters_are_told_apart() -> None:
    both = with_filter(with_filter(TYPED, filter_of("hsss-pubmed-2008")), filter_of("age-aged-pubmed"))
    assert {found.key for found in filters_in(both, ALL_FILTERS)} == {"hsss-pubmed-2008", "age-aged-pubmed"}
    left = without_filter(both, filter_of("hsss-pubmed-2008"))
    assert [found.key for found in filters_in(left, ALL_FILTERS)] == ["age-aged-pubmed"]


def test_the_filter_of_another_database_is_refused() -> None:
    with pytest.raises(WrongDatabase):
        with_filter(TYPED, filter_of("hsss-ovid-2023"))
    with pytest.raises(ValueError, match="Write the query first"):
        with_filter(" ", filter_of("hsss-pubmed-2008"))


def test_a_query_without_filters_has_none() -> None:
    assert filters_in(TYPED, ALL_FILTERS) == filters_in("(a[ti]", ALL_FILTERS) == ()
    with pytest.raises(ValueError, match="does not have the filter"):
        without_filter(TYPED, filter_of("hsss-pubmed-2008"))


def test_the_library_is_sorted_by_purpose_and_by_database() -> None:
    library = filter_library(ALL_FILTERS)
    assert {"randomized trials", "guidelines", "age groups", "systematic reviews", "diagnosis"} <= {
        purpose for purpose, _, _ in library
    }
    mine = [found for _, some, _ in library for found in some]
    others = [found for _, _, some in library for found in some]
    assert {found.dialect for found in mine} == {Dialect.PUBMED}
    assert Dialect.PUBMED not in {found.dialect for found in others}
    assert len(mine) + len(others) == len(ALL_FILTERS)


def test_guideline_bodies_have_names_and_addresses_of_their_own() -> None:
    assert len({body.name for body in GUIDELINE_BODIES}) == len(GUIDELINE_BODIES) >= 20
    assert all(body.address.startswith("https://") for body in GUIDELINE_BODIES)
