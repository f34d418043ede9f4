"""Values of untrusted JSON: a null or a wrong type never raises and never becomes data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.records import Identifier, PartialDate, Scheme
from litapp.providers import reading
from litapp.providers.answers import UnreadableAnswer, looks_like_html, plain_detail, read_json
from litapp.providers.crossref.works import record_of as crossref_record
from litapp.providers.openalex.works import record_of as openalex_record
from litapp.providers.semanticscholar.papers import record_of as s2_record

ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    """DOI title subtitle author container-title short-container-title ISSN ISBN publisher volume issue page issued
    published created type subtype abstract update-to updated-by institution language aliases id doi display_name
    publication_year publication_date ids primary_location authorships biblio is_retracted mesh abstract_inverted_index
    paperId corpusId externalIds authors venue publicationVenue journal year publicationDate publicationTypes""".split()  # noqa: SIM905 - reads better than 45 quotes
)


@pytest.mark.parametrize("record_of", [crossref_record, openalex_record, s2_record])
@given(item=st.dictionaries(FIELDS, ANYTHING, max_size=8))
def test_no_value_of_any_type_makes_reading_fail(record_of: Any, item: dict[str, Any]) -> None:
    record = record_of(item)
    assert isinstance(record.title, str)
    assert all(isinstance(year, int) for year in record.years)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(" a\n b ", "a b"), (5, "5"), (1.5, "1.5"), (True, ""), (None, ""), ([], ""), ({}, ""), ("a\x00b", "ab")],
)
def test_text(value: Any, expected: str) -> None:
    assert reading.text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5),
        ("05", 5),
        (5.0, 5),
        (5.5, None),
        ("5.5", None),
        (True, None),
        ("²", None),
        ("9" * 40, None),
        (None, None),
    ],
)
def test_whole(value: Any, expected: int | None) -> None:
    assert reading.whole(value) == expected


def test_texts_are_unique_and_in_order() -> None:
    assert reading.texts(["a", None, " ", "b", "a", {}, 3]) == ("a", "b", "3")
    assert reading.texts("alone") == ("alone",)
    assert reading.texts(None) == ()


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([2020, 2, 30], PartialDate(2020, 2, 30)),
        ([2020, 13, 1], PartialDate(2020)),
        ([2020, None, 5], PartialDate(2020)),
        ([2020, 5, 32], PartialDate(2020, 5)),
        (["2020", "05"], PartialDate(2020, 5)),
        ([None], PartialDate()),
        ([99999], PartialDate()),
        (None, PartialDate()),
    ],
)
def test_dates_keep_only_what_can_be_read(parts: Any, expected: PartialDate) -> None:
    assert reading.date_of_parts(parts) == expected


def test_a_date_goes_to_text_and_back() -> None:
    for date in (PartialDate(2020, 2, 3), PartialDate(2020, 2), PartialDate(2020), PartialDate()):
        assert reading.date_of_iso(reading.iso_of_date(date)) == date


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Retraction: A", True),
        ("Retraction—A", True),
        ("Retraction Note to: A", True),
        ("Retraction notice", True),
        ("Statement of Retraction", True),
        ("Expression of Concern: A", True),
        ("Editorial Expression of Concern for: A", True),
        ("Erratum to “A”", True),
        ("Correction for Smith et al., A", True),
        ("Correction of: A", True),
        ("RETRACTED: A", False),
        ("Retraction of the foreskin in boys", False),
        ("Correction for multiple testing", False),
        ("Corrections in jails", False),
        ("", False),
    ],
)
def test_titles_of_notices(title: str, expected: bool) -> None:
    assert reading.is_notice_title(title) is expected


def test_identifiers_are_normalised_once_and_what_is_none_is_named() -> None:
    found, warnings = reading.identifiers_of(
        [
            (Scheme.DOI, "https://doi.org/10.1000/X"),
            (Scheme.DOI, "10.1000/x"),
            (Scheme.PMID, "none"),
            (Scheme.PMID, None),
        ]
    )
    assert found == (Identifier(Scheme.DOI, "10.1000/x"),)
    assert warnings == ("The source gives “none” as PMID, which is none.",)


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"<html></html>", b"plain", b'{"a": 1', b"\xff\xfe{}", "{\"a\": \"ü\"}".encode("latin-1"),
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_json_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        read_json(body)


def test_json_may_hold_raw_line_feeds_and_a_byte_order_mark() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": "x\ny"}') == {"a": "x\ny"}


@pytest.mark.parametrize(
    "text", ["\\u0000", "\\b", "\\u001B", "\\ud83d", "\\uDE00", "\\u202e", "\\u2069", "\u202e", "\x7f", "\x00"]
)
def test_signs_that_are_no_text_are_left_out(text: str) -> None:
    assert read_json(f'{{"a{text}": ["b{text}c", 1, null]}}'.encode()) == {"a": ["bc", 1, None]}


def test_all_other_signs_stay() -> None:
    text = "é 😀 \\ud83d\\ude00 H₂O \\n \\t \x92 \u200b \\u00e9 שלום"
    assert read_json(f'"{text}"'.encode()) == "é 😀 😀 H₂O \n \t \x92 \u200b é שלום"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<!DOCTYPE HTML PUBLIC>", True),
        (b"  \n<html lang=en>", True),
        (b"<?xml version='1.0'?><!DOCTYPE html PUBLIC><html>", True),
        (b"<!-- x --><html>", True),
        (b"<h1>429 Too Many Requests</h1>", True),
        (b"<?xml version='1.0'?><PubmedArticleSet>", False),
        (b"{}", False),
        (b"", False),
    ],
)
def test_html_is_known_by_its_first_bytes(body: bytes, expected: bool) -> None:
    assert looks_like_html(body) is expected


def test_a_sources_message_is_shown_on_one_short_line_without_markup() -> None:
    assert plain_detail("a <b>c</b>\n d") == "a c d"
    assert len(plain_detail("x" * 500)) == 200
