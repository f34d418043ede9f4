"""Merging the records of one paper: every field is some source's, and the order does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.dedupe import merge_records
from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme

DOI, PMID = Identifier(Scheme.DOI, "10.1000/x"), Identifier(Scheme.PMID, "12345678")
PUBMED = Record(
    "pubmed",
    "12345678",
    title="A trial",
    authors=(Person("Horby", "Peter"),),
    authors_complete=False,
    journal="N Engl J Med",
    volume="384",
    date=PartialDate(2021),
    years=(2021,),
    identifiers=(PMID,),
)
CROSSREF = Record(
    "crossref",
    "10.1000/x",
    title="A Trial.",
    authors=(Person("Horby", "Peter"), Person("Lim", "Wei Shen")),
    volume="384",
    issue="8",
    pages="693-704",
    date=PartialDate(2020),
    years=(2020, 2021),
    identifiers=(DOI,),
    notices=(Notice(NoticeKind.RETRACTION, doi="10.1000/n"),),
)


def test_each_field_comes_from_the_source_that_is_trusted_for_it() -> None:
    merged = merge_records([CROSSREF, PUBMED])
    record = merged.record
    assert (record.source, record.title, record.journal, record.date) == (
        "pubmed",
        "A trial",
        "N Engl J Med",
        PartialDate(2021),
    )
    assert record.authors == CROSSREF.authors, "a whole author list goes before a cut one"
    assert record.authors_complete is True
    assert (record.volume, record.issue, record.pages) == ("384", "8", "693-704")
    assert record.identifiers == (DOI, PMID)
    assert record.years == (2020, 2021)
    assert record.notices == CROSSREF.notices
    assert dict(merged.provenance) == {
        "authors": "crossref",
        "csl_type": "pubmed",
        "date": "pubmed",
        "identifiers": "pubmed+crossref",
        "issue": "crossref",
        "journal": "pubmed",
        "notices": "crossref",
        "pages": "crossref",
        "title": "pubmed",
        "volume": "crossref",
        "years": "pubmed+crossref",
    }


def test_a_notice_told_twice_stands_once() -> None:
    other = Record("openalex", "W1", title="A trial", notices=(Notice(NoticeKind.RETRACTION, doi="10.1000/n"),))
    assert merge_records([other, CROSSREF]).record.notices == CROSSREF.notices


def test_nothing_to_merge_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing to merge"):
        merge_records([])


texts = st.text("abc ", max_size=4)
records = st.builds(
    Record,
    source=st.sampled_from(["pubmed", "crossref", "openalex", "elsewhere"]),
    source_id=texts,
    title=texts,
    journal=texts,
    volume=texts,
    pages=texts,
    authors=st.lists(st.builds(Person, family=texts), max_size=2).map(tuple),
    authors_complete=st.booleans(),
    years=st.lists(st.integers(1990, 1993), max_size=2).map(tuple),
    identifiers=st.lists(st.sampled_from([DOI, PMID]), max_size=2, unique=True).map(tuple),
)


@given(st.lists(records, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_does_not_matter_and_nothing_is_made_up(found: list[Record], random: object) -> None:
    merged = merge_records(found)
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge_records(shuffled) == merged
    for name in ("title", "journal", "volume", "pages", "authors"):
        assert getattr(merged.record, name) in {getattr(record, name) for record in found}
    assert set(merged.record.identifiers) == {i for record in found for i in record.identifiers}
