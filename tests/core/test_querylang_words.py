"""Blocks and words of a query: what fit and highlighting work with."""

from __future__ import annotations

import pytest

from litapp.core.querylang import Field, Or, Term, parse, print_pubmed, query_blocks, query_terms, term_pattern


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("(a OR b) AND c", ["a OR b", "c"]),
        ("(a OR b) AND (c AND d) NOT e", ["a OR b", "c", "d"]),
        ("a OR b", ["a OR b"]),
        ("a", ["a"]),
        ("a AND (b NOT c)", ["a", "b"]),
        ("a OR b AND c", ["a OR b", "c"]),
    ],
)
def test_blocks_are_what_must_all_be_met(text: str, blocks: list[str]) -> None:
    assert [print_pubmed(block) for block in query_blocks(parse(text))] == blocks


def test_terms_are_the_subject_words_once_and_not_those_behind_not() -> None:
    tree = parse(
        '("Masks/adverse effects"[majr] OR Mask*[tiab] OR mask*[tiab] OR "face cover"[tiab:~2]) AND smith j[au] '
        "AND 2015:2020[dp] AND english[la] AND randomized controlled trial[pt] NOT (animals[mh] OR mouse[tiab])"
    )
    assert query_terms(tree) == (
        Term("Masks", Field.MESH_MAJOR, phrase=True),
        Term("Mask*", Field.TITLE_ABSTRACT),
        Term("face", Field.TITLE_ABSTRACT),
        Term("cover", Field.TITLE_ABSTRACT),
    )


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("asthma", "Asthma and ASTHMATIC asthma", ["Asthma", "asthma"]),
        ("asthma*", "Asthma and asthmatic", ["Asthma", "asthmatic"]),
        ("non-hodgkin*", "non Hodgkin's, Non-Hodgkin", ["non Hodgkin", "Non-Hodgkin"]),
        ("covid-19", "COVID-19 covid 19 covid19", ["COVID-19", "covid 19"]),
        ("p*diatric", "paediatric pediatric", ["paediatric", "pediatric"]),
        ("a.b", "axb a.b", ["a.b"]),
        ("***", "anything", []),
    ],
)
def test_a_pattern_finds_whole_words(term: str, text: str, found: list[str]) -> None:
    assert [match.group() for match in term_pattern(term).finditer(text)] == found


def test_blocks_of_one_or_are_kept_whole() -> None:
    (block,) = query_blocks(parse("a OR b OR c"))
    assert block == Or((Term("a"), Term("b"), Term("c")))
