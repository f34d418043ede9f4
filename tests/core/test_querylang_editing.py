"""Terms and filters are put into a query where they belong, and what was typed keeps its form."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.core.querylang import And, QuerySyntaxError, leaves, parse, print_pubmed, query_blocks
from litapp.core.querylang.editing import (
    block_labels,
    grid_of,
    with_heading,
    with_part,
    with_term,
    without,
    without_part,
)
from litapp.core.querylang.normal import same_meaning

TYPED = '( "heart failure"[tiab] OR hf[ti] )\nAND asthma[mh] NOT (animals[mh] NOT humans[mh])'


@pytest.mark.parametrize(
    ("text", "block", "result"),
    [
        ("", 0, '"Yoga"[mh]'),
        ("a[ti]", 0, 'a[ti] AND "Yoga"[mh]'),
        ("a[ti] OR b[ti]", 0, '(a[ti] OR b[ti]) AND "Yoga"[mh]'),
        ("a[ti] AND b[ti]", 0, 'a[ti] AND b[ti] AND "Yoga"[mh]'),
        ("a[ti] OR b[ti]", 1, '(a[ti] OR b[ti] OR "Yoga"[mh])'),
        ("a[ti] AND b[ti]", 2, 'a[ti] AND (b[ti] OR "Yoga"[mh])'),
        (
            TYPED,
            1,
            '( "heart failure"[tiab] OR hf[ti] OR "Yoga"[mh])\nAND asthma[mh] NOT (animals[mh] NOT humans[mh])',
        ),
        (TYPED, 2, TYPED.replace("asthma[mh]", '(asthma[mh] OR "Yoga"[mh])')),
    ],
)
def test_a_heading_goes_into_its_block(text: str, block: int, result: str) -> None:
    assert with_heading(text, "Yoga", block) == result


def test_a_heading_without_narrower_ones() -> None:
    assert with_heading("a[ti]", "Yoga", 1, explode=False) == '(a[ti] OR "Yoga"[mh:noexp])'


def test_a_query_that_cannot_be_read_is_not_edited() -> None:
    with pytest.raises(QuerySyntaxError):
        with_heading("(a[ti]", "Yoga", 1)
    with pytest.raises(ValueError, match="no block 3"):
        with_heading("a[ti] AND b[ti]", "Yoga", 3)


def test_blocks_have_names() -> None:
    assert block_labels(TYPED) == ("heart failure and 1 more", "asthma")
    assert block_labels("(a") == block_labels("  ") == ()


words = st.sampled_from(["a[ti]", "b[tiab]", '"c d"[tiab]', "E[mh]"])
queries = st.recursive(
    words,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + " OR ".join(parts) + ")"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + " AND ".join(parts) + ")"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} NOT {pair[1]})"),
    ),
    max_leaves=5,
)
bare = st.one_of(queries, queries.map(lambda text: text[1:-1] if text.startswith("(") else text))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(bare, queries)
def test_a_part_is_joined_to_the_whole_and_taken_off_again(text: str, part: str) -> None:
    try:
        before = parse(text)
    except QuerySyntaxError:
        return
    joined = with_part(text, part)
    assert same_meaning(parse(joined), And((before, parse(part))))
    taken = without_part(joined, part)
    assert taken is not None
    assert same_meaning(parse(taken), before)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(bare, st.integers(1, 4))
def test_a_term_is_added_to_one_block_and_changes_no_other(text: str, block: int) -> None:
    try:
        before = query_blocks(parse(text))
    except QuerySyntaxError:
        return
    if block > len(before):
        return
    after = query_blocks(parse(with_term(text, "new[ti]", block)))
    assert len(after) == len(before)
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        added = [print_pubmed(leaf) for leaf in leaves(new)]
        kept = [print_pubmed(leaf) for leaf in leaves(old)]
        assert added == ([*kept, "new[ti]"] if number == block else kept)


def test_the_grid_has_the_blocks_and_their_terms() -> None:
    assert [(block.number, block.label, block.terms) for block in grid_of(TYPED)] == [
        (1, "heart failure and 1 more", ('"heart failure"[tiab]', "hf[ti]")),
        (2, "asthma", ("asthma[mh]",)),
    ]


@pytest.mark.parametrize(
    ("block", "term", "left"),
    [
        (1, None, "asthma[mh] NOT (animals[mh] NOT humans[mh])"),
        (1, 1, "( hf[ti] )\nAND asthma[mh] NOT (animals[mh] NOT humans[mh])"),
        (1, 2, '( "heart failure"[tiab] )\nAND asthma[mh] NOT (animals[mh] NOT humans[mh])'),
        (2, 1, '( "heart failure"[tiab] OR hf[ti] ) NOT (animals[mh] NOT humans[mh])'),
    ],
)
def test_a_part_is_taken_out_and_the_rest_keeps_its_form(block: int, term: int | None, left: str) -> None:
    assert without(TYPED, block, term) == left


def test_taking_out_the_last_part_leaves_nothing() -> None:
    assert without("a[ti]", 1) == without("(a[ti])", 1, 1) == ""
    with pytest.raises(ValueError, match="no term 3"):
        without(TYPED, 1, 3)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(bare, st.integers(1, 4), st.integers(1, 4))
def test_taking_out_changes_no_other_block(text: str, block: int, term: int) -> None:
    before = grid_of(text)
    if " NOT " in text or block > len(before) or term > len(before[block - 1].terms):
        return
    left = without(text, block, term)
    gone = before[block - 1].terms[term - 1]
    after = list(leaves(parse(left))) if left else []
    assert len(after) == len(list(leaves(parse(text)))) - len(list(leaves(parse(gone))))
