"""Query files: three forms, every entry that is not used named, too few or too many refused."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.queryfile import (
    LARGEST_FILE,
    QueryFile,
    QueryFileError,
    is_query_file,
    plain_words,
    read_query_file,
)
from litapp.core.plan import PlanQuery
from litapp.core.querylang import parse

FIVE = ["asthma children", "asthma adults", "copd oxygen", "sepsis fluids", "stroke aspirin"]


def read(value: Any, *, least: int = 1, most: int = 25, **options: Any) -> QueryFile:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return read_query_file(content, least=least, most=most, **options)


def told(value: Any) -> list[str]:
    """What is said of the entries that are not used."""
    return [str(entry) for entry in read(value, least=0).rejected]


def test_a_list_of_strings_goes_to_every_source_as_it_is() -> None:
    found = read(FIVE, least=5)
    assert found.queries == tuple(PlanQuery(text, text) for text in FIVE)
    assert (found.entries, found.rejected, found.notes, found.topic, found.domain) == ((1, 2, 3, 4, 5), (), (), "", "")


def test_a_list_of_objects_keeps_the_topic_of_each_query() -> None:
    entries = [{"query": text, "topic": f"t{number}"} for number, text in enumerate(FIVE)]
    assert [(q.plain, q.label) for q in read(entries).queries] == [(text, f"t{n}") for n, text in enumerate(FIVE)]


def test_an_object_has_topic_and_domain_beside_its_queries() -> None:
    found = read({"topic": " Does aspirin  help? ", "domain": "stroke", "queries": FIVE})
    assert (found.topic, found.domain, len(found.queries)) == ("Does aspirin help?", "stroke", 5)


def test_boolean_and_plain_are_kept_where_both_are_given() -> None:
    [query] = read([{"boolean": "asthma[mh] AND child", "plain": "asthma in children", "label": "A"}]).queries
    assert query == PlanQuery("asthma[mh] AND child", "asthma in children", "A")


def test_plain_words_of_a_boolean_query_are_derived_and_said_to_be() -> None:
    found = read(['("heart failure" OR hf[tiab]) AND sacubitril* NOT mice'])
    assert found.queries[0].plain == "heart failure hf sacubitril"
    assert len(found.notes) == 1
    assert "1 of the queries are Boolean" in found.notes[0]


def test_a_few_terms_of_every_block_are_taken() -> None:
    assert plain_words(parse("(a1 OR a2 OR a3 OR a4) AND (b1 OR b2) NOT c1")) == "a1 a2 a3 b1 b2"


def test_every_entry_that_is_not_used_is_named() -> None:
    entries = [
        "good query", "", {"query": " "}, {"label": "x"}, 7, None, ["a"], "(open AND x", "good  query", {"query": 3},
        {"query": "a", "boolean": "b"}, {"query": "x", "label": "y" * 201},
    ]  # fmt: skip
    assert told(entries) == [
        "Entry 2: it is empty and was taken out.",
        "Entry 3: it is empty and was taken out.",
        "Entry 4 (“x”): it has no “query”.",
        "Entry 5 (“7”): it is neither a text nor an object with a query.",
        "Entry 6 (“null”): it is neither a text nor an object with a query.",
        "Entry 7 (“['a']”): it is neither a text nor an object with a query.",
        "Entry 8 (“(open AND x”): This parenthesis is never closed. (at character 1: () "
        "Add a closing parenthesis or delete this one.",
        "Entry 9 (“good query”): it repeats entry 1.",
        "Entry 10 (“3”): its “query” is no text.",
        "Entry 11 (“a”): it has a “boolean” and another query text; only one can be the query.",
        "Entry 12 (“x”): its label has 201 characters; at most 200 are taken.",
    ]


def test_the_caller_may_refuse_more() -> None:
    found = read(["short", "a much longer one"], problem_of=lambda q: "it is too long." if len(q.plain) > 9 else "")
    assert [str(entry) for entry in found.rejected] == ["Entry 2 (“a much longer one”): it is too long."]


def test_fields_that_are_not_used_are_said() -> None:
    found = read({"queries": [{"query": "a", "why": 1}, {"query": "b", "why": 2}], "author": "X"})
    assert found.notes == ("The field “author” of the file is not used.", "The field “why” is not used (2 entries).")


@pytest.mark.parametrize("number", [0, 1, 4, 26, 40])
def test_too_few_and_too_many_valid_queries_are_refused(number: int) -> None:
    with pytest.raises(QueryFileError, match=r"a query file has 5 to 25\. Nothing was asked of any source"):
        read([f"query {n}" for n in range(number)], least=5)


@pytest.mark.parametrize("number", [5, 25])
def test_the_limits_themselves_pass(number: int) -> None:
    assert len(read([f"query {n}" for n in range(number)], least=5).queries) == number


def test_only_valid_queries_count_and_the_refusal_names_the_others() -> None:
    with pytest.raises(QueryFileError) as caught:
        read([*FIVE[:4], "(", ""], least=5)
    assert "This file has 4 valid queries; a query file has 5 to 25." in str(caught.value)
    assert "Entry 5" in str(caught.value)
    assert [entry.number for entry in caught.value.rejected] == [5, 6]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\xff\xfe[", "UTF-8"),
        (b"[1, 2", "Line 1, character 6"),
        (b"{}", "no query file"),
        (b'{"queries": "a"}', "no query file"),
        (b'"a"', "no query file"),
        (b'{"queries": [], "queries": ["a"]}', "“queries” stands twice"),
        (b'[{"query": "a", "query": "b"}]', "“query” stands twice"),
        (b'{"queries": [], "topic": 3}', "“topic” must be a text"),
        (b"[NaN]", "NaN is no JSON value"),
        (b"[" * 200_000, "nested far deeper"),
        (json.dumps(["a"] * 1001).encode(), "1,001 entries"),
        (b" " * (LARGEST_FILE + 1), "bytes; a query file may have"),
    ],
)
def test_what_is_no_query_file_says_why(content: bytes, sentence: str) -> None:
    with pytest.raises(QueryFileError, match=sentence):
        read(content)


def test_a_byte_order_mark_does_not_matter_and_the_hash_is_of_the_bytes() -> None:
    content = b"\xef\xbb\xbf" + json.dumps(FIVE).encode()
    assert read(content).sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["a"]', True), (' \n{"queries": []}', True), ('{"schema": "litledger.plan.v1"}', False),
        ('{"question": "q", "queries": []}', False), ("question: q", False), ("", False), ("{broken", True),
    ],
)  # fmt: skip
def test_query_files_are_told_from_plans(text: str, expected: bool) -> None:
    assert is_query_file(text) is expected


@given(st.lists(st.text(max_size=30) | st.none() | st.integers() | st.dictionaries(st.text(max_size=6), st.text())))
def test_every_entry_is_used_or_named(entries: list[Any]) -> None:
    found = read_query_file(json.dumps(entries).encode(), least=0, most=len(entries))
    assert sorted([*found.entries, *(entry.number for entry in found.rejected)]) == list(range(1, len(entries) + 1))
