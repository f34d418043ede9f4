"""A query without one of its blocks, and with a broader one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.querylang import And, Not, Or, Term, parse, query_blocks
from litapp.core.querylang.blocks import BlockVariants, block_variants


@pytest.mark.parametrize(
    ("query", "variants"),
    [
        (
            "(a[ti] OR b[tiab]) AND c[majr] AND d",
            [
                (1, "a[ti] OR b[tiab]", "c[majr] AND d", "(a[tiab] OR b[tiab]) AND c[majr] AND d"),
                (2, "c[majr]", "(a[ti] OR b[tiab]) AND d", "(a[ti] OR b[tiab]) AND c[mh] AND d"),
                (3, "d", "(a[ti] OR b[tiab]) AND c[majr]", ""),
            ],
        ),
        ("a[mh:noexp]", [(1, "a[mh:noexp]", "", "a[mh]")]),
        ("a AND b NOT c", [(1, "a", "b NOT c", ""), (2, "b", "a NOT c", "")]),
        ("a NOT b", [(1, "a", "", "")]),
        (
            "(a[ti] OR a[tiab]) AND b",
            [(1, "a[ti] OR a[tiab]", "b", "a[tiab] AND b"), (2, "b", "a[ti] OR a[tiab]", "")],
        ),
    ],
)
def test_variants(query: str, variants: list[tuple[int, str, str, str]]) -> None:
    assert block_variants(parse(query)) == tuple(BlockVariants(*variant) for variant in variants)


words = st.sampled_from("abcdefgh").map(Term)
blocks = st.one_of(words, st.lists(words, min_size=2, max_size=3).map(lambda c: Or(tuple(c))))
trees = st.lists(blocks, min_size=2, max_size=5).map(lambda c: And(tuple(c)))


@given(trees, words)
def test_every_block_is_left_out_once_and_the_others_stay(tree: And, unwanted: Term) -> None:
    for whole in (tree, Not(tree, unwanted)):
        everything = query_blocks(whole)
        for variant in block_variants(whole):
            left = query_blocks(parse(variant.without))
            assert left == everything[: variant.number - 1] + everything[variant.number :]
