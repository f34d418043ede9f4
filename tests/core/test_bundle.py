"""The pure part of bundles: canonical lines, papers of the published form, names, manifests, old records."""

from __future__ import annotations

import io
import json
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.bundle.files import CONTENT, MANIFEST, answer_name, name_problem, name_problems
from litapp.core.formats.bundle.jsonlines import UnreadableJson, canonical, line, read_json, read_lines
from litapp.core.formats.bundle.legacy import LegacyRecordError, adapt_legacy, is_legacy, legacy_record
from litapp.core.formats.bundle.manifest import mode_of, status_of, utc_text, utc_time
from litapp.core.formats.bundle.papers import (
    AbstractOrigin,
    AbstractStatus,
    QueryMatch,
    SourceEntry,
    paper_of,
    quality_warnings,
)
from litapp.core.formats.bundle.schemas import paper_error, paper_schema
from litapp.core.records import (
    AbstractSection,
    Identifier,
    MeshHeading,
    Notice,
    NoticeKind,
    PartialDate,
    Person,
    Record,
    Scheme,
)

TEXT = st.text(max_size=12)
FILLED = TEXT.map(lambda text: f"{text}x")
RECORDS = st.builds(
    Record,
    source=st.sampled_from(("pubmed", "crossref", "brought")),
    source_id=TEXT,
    title=FILLED,
    original_title=TEXT,
    authors=st.lists(st.builds(Person, TEXT, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    authors_complete=st.booleans(),
    journal=TEXT,
    journal_abbreviation=TEXT,
    journal_alternatives=st.lists(TEXT, max_size=2).map(tuple),
    issns=st.lists(TEXT, max_size=2).map(tuple),
    volume=TEXT,
    pages=TEXT,
    date=st.builds(PartialDate, st.none() | st.integers(0, 9999), st.none() | st.integers(1, 12), st.none(), TEXT),
    years=st.lists(st.integers(1000, 2100), max_size=2).map(tuple),
    publication_types=st.lists(TEXT, max_size=2).map(tuple),
    abstract=st.lists(st.builds(AbstractSection, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    mesh=st.lists(st.builds(MeshHeading, TEXT, TEXT, st.just(("q",)), st.booleans()), max_size=2).map(tuple),
    keywords=st.lists(TEXT, max_size=2).map(tuple),
    identifiers=st.lists(st.builds(Identifier, st.sampled_from(Scheme), FILLED), max_size=3).map(tuple),
    url=TEXT,
    published_as=st.lists(st.builds(Identifier, st.sampled_from(Scheme), FILLED), max_size=2).map(tuple),
    notices=st.lists(st.builds(Notice, st.sampled_from(NoticeKind), TEXT, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    is_notice=st.booleans(),
    is_preprint=st.booleans(),
    warnings=st.lists(TEXT, max_size=2).map(tuple),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def paper(record: Record, **changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "paper_id": "p1",
        "entries": [SourceEntry(record.source, record.source_id, "n1", "a1", "2026-03-01T12:00:00Z")],
        "matches": [QueryMatch(record.source, 1, "", 1)],
        "abstract": AbstractOrigin(record.source) if record.abstract_text.strip() else None,
        "field_sources": {"title": record.source},
    }
    return paper_of(record, **(options | changes))


# Papers


@given(RECORDS)
def test_every_record_with_a_title_becomes_a_paper_of_the_published_form(record: Record) -> None:
    assert paper_error(paper(record)) == ""


@given(RECORDS)
def test_what_is_missing_is_null_or_empty_and_nothing_is_put_in_its_place(record: Record) -> None:
    made = paper(record)
    flat = {name: made[name] for name in ("doi", "abstract", "venue", "year", "url")}
    assert flat == {
        "doi": record.doi or None,
        "abstract": record.abstract_text if record.abstract_text.strip() else None,
        "venue": next((text for text in (record.journal or record.journal_abbreviation,) if text.strip()), None),
        "year": record.date.year,
        "url": record.url if record.url.strip() else None,
    }
    assert len(made["authors"]) == len(record.authors)
    assert {i for i in made["identifiers"].values() if i} <= {i.value for i in record.identifiers}


def test_a_record_without_title_is_no_paper() -> None:
    with pytest.raises(ValueError, match="has no title"):
        paper(Record("pubmed", "1", " "))


def test_an_abstract_and_its_origin_go_together() -> None:
    with_abstract = Record("pubmed", "1", "T", abstract=(AbstractSection("Text."),))
    for record, origin in ((with_abstract, None), (Record("pubmed", "1", "T"), AbstractOrigin("pubmed"))):
        with pytest.raises(ValueError, match="do not fit"):
            paper(record, abstract=origin)
    filled = paper(with_abstract, abstract=AbstractOrigin("openalex", AbstractStatus.FILLED, "doi:10.1/x"))
    assert (filled["abstract_status"], filled["abstract_provenance"]) == (
        "filled", {"source": "openalex", "identifier": "doi:10.1/x"},
    )  # fmt: skip


def test_warnings_name_what_is_missing_and_what_happened() -> None:
    retracted = Record("pubmed", "1", "T", notices=(Notice(NoticeKind.RETRACTION),), warnings=("Odd.", "Odd."))
    assert quality_warnings(retracted) == [
        "abstract_missing", "authors_missing", "identifier_missing", "retracted", "venue_missing", "year_missing",
        "Odd.",
    ]  # fmt: skip
    notice = Record("pubmed", "2", "T", notices=(Notice(NoticeKind.RETRACTION),), is_notice=True)
    assert "retracted" not in quality_warnings(notice)
    assert "is_notice" in quality_warnings(notice)


def test_the_schema_asks_for_every_field_and_allows_no_other() -> None:
    schema, made = paper_schema(), paper(Record("pubmed", "1", "T"))
    assert set(schema["required"]) == set(schema["properties"]) == set(made)
    for name in made:
        assert paper_error({key: value for key, value in made.items() if key != name}), name
    assert paper_error({**made, "more": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""}, {"title": " "}, {"title": None}, {"authors": None}, {"authors": "A"}, {"identifiers": {}},
        {"url": ""}, {"venue": ""}, {"abstract": ""}, {"abstract": "x"}, {"year": "2020"}, {"schema": "v0"},
        {"abstract_status": "unknown"}, {"quality_warnings": None}, {"sources": None}, {"id": "1"},
    ],
)  # fmt: skip
def test_fillers_and_wrong_types_are_refused(change: dict[str, Any]) -> None:
    assert paper_error({**paper(Record("pubmed", "1", "T")), **change})


# Lines


@given(JSON)
def test_canonical_form_reads_back_and_does_not_depend_on_order(value: Any) -> None:
    written = canonical(value)
    assert read_json(written, "f") == value
    assert canonical(json.loads(json.dumps(value))) == written
    if isinstance(value, dict):
        assert canonical(dict(reversed(value.items()))) == written
    assert b"\n" not in written


@given(st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=4))
def test_lines_read_back_as_they_were_written(values: list[dict[str, Any]]) -> None:
    stream = io.BytesIO(b"".join(line(value) for value in values))
    assert list(read_lines(stream, "f")) == list(enumerate(values, start=1))


def test_half_a_surrogate_pair_and_odd_line_ends_survive() -> None:
    odd = {"a": "\ud83d", "b": "one\u2028two\x85three\rfour\nfive"}
    assert list(read_lines(io.BytesIO(line(odd)), "f")) == [(1, odd)]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"a":1}', "breaks off"),
        (b'{"a":1,"a":2}\n', "twice"),
        (b'{"a":NaN}\n', "NaN"),
        (b"[1]\n", "not an object"),
        (b"{\n", "not JSON"),
        (b"\xff\n", "not JSON"),
        (b'{"a":' + b"[" * 100_000 + b"\n", "not JSON"),
        (b'{"a":1}\n\n', "line 2"),
    ],
)
def test_lines_that_are_none_are_named(body: bytes, told: str) -> None:
    with pytest.raises(UnreadableJson, match=told):
        list(read_lines(io.BytesIO(body), "f"))


def test_infinities_are_not_written() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical({"a": float("inf")})


# Names


def test_only_names_of_a_bundle_pass() -> None:
    answer = answer_name("0" * 64)
    assert name_problems([MANIFEST, *CONTENT, answer]) == []
    assert name_problems([MANIFEST, *CONTENT, answer, answer]) == [f"{answer!r} is there twice."]
    assert name_problems([MANIFEST, *CONTENT[1:]]) == [f"{CONTENT[0]} is missing."]


@given(st.text(max_size=40))
def test_any_other_name_is_refused(name: str) -> None:
    allowed = name in (MANIFEST, *CONTENT)
    assert (name_problem(name) == "") is allowed


# Manifest words


def test_live_reused_and_replayed() -> None:
    assert mode_of(["live", "reused"], replay=False) == "live"
    assert mode_of(["reused", "reused"], replay=False) == "reused"
    assert mode_of([], replay=False) == "live"
    assert mode_of(["replayed"], replay=True) == "replayed"


def test_a_cancelled_run_with_records_is_partly_successful_and_failed_without() -> None:
    assert [status_of(state, hits) for state, hits in (("success", 0), ("partial_success", 1), ("failed", 0))] == [
        "success", "partial_success", "failed",
    ]  # fmt: skip
    assert (status_of("cancelled", 3), status_of("cancelled", 0)) == ("partial_success", "failed")


@given(st.datetimes(timezones=st.timezones()))
def test_times_read_back(moment: Any) -> None:
    assert utc_time(utc_text(moment)) == moment.astimezone(UTC)  # an hour told twice equals none in another zone


# Old records


def test_an_old_record_says_only_what_it_says() -> None:
    record = legacy_record({"title": " A  trial ", "year": "1999", "id": "17", "source": "pubmed", "score": 3})
    assert record == Record(
        "brought", "17", "A trial", date=PartialDate(1999),
        warnings=("legacy_adapted", "The old field “score” was not read."),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "identifiers"),
    [
        ("17", ()),
        ("12345678", ()),
        ("1234-5678", ()),
        ("doi:10.1000/x", (Identifier(Scheme.DOI, "10.1000/x"),)),
        ("https://doi.org/10.1000/X", (Identifier(Scheme.DOI, "10.1000/x"),)),
        ("PMID: 123", (Identifier(Scheme.PMID, "123"),)),
        ("PMC123456", (Identifier(Scheme.PMCID, "PMC123456"),)),
        ("paper-7", ()),
        ("2101.12345", ()),
    ],
)
def test_an_old_id_is_an_identifier_only_where_it_says_so(name: str, identifiers: tuple[Identifier, ...]) -> None:
    assert legacy_record({"title": "T", "id": name}).identifiers == identifiers


def test_an_adapted_record_is_a_paper_with_its_warning() -> None:
    made = adapt_legacy({"title": "T", "year": 2001, "id": "x", "abstract": "Text."}, paper_id="p7")
    assert paper_error(made) == ""
    assert (made["id"], made["year"], "legacy_adapted" in made["quality_warnings"], made["sources"]) == (
        "p7", 2001, True, [],
    )  # fmt: skip


@pytest.mark.parametrize("data", [{}, {"title": ""}, {"title": 3}, {"schema": "x", "title": "T"}, {"year": 1}])
def test_what_is_no_old_record_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(LegacyRecordError):
        legacy_record(data)


def test_a_paper_is_no_old_record() -> None:
    assert not is_legacy(paper(Record("pubmed", "1", "T")))
    assert is_legacy({"title": "T"})
