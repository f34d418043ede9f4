"""What is exported and read again is the same, for the fields that each format carries (docs/formats.md)."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.csvtable import write_reference_csv
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.idlist import id_list
from litapp.core.formats.importers import Entry, read_file
from litapp.core.formats.ledgeryaml import LedgerCheck, LedgerReference, write_ledger_yaml
from litapp.core.formats.nbib import write_nbib
from litapp.core.formats.ris import write_ris
from litapp.core.markup import plain_text
from litapp.core.records import AbstractSection, Identifier, MeshHeading, PartialDate, Person, Record, Scheme

_LETTERS = "abcdefghijklmnopqrstuvwxyzßøéüłčñабв漢"
_WORD = st.text(_LETTERS, min_size=2, max_size=9)
_SIGNS = st.sampled_from(
    [
        "5%",
        "R&D",
        "a_b",
        "#1",
        "$5",
        "2^3",
        "p53",
        "COVID-19",
        "x/y",
        "(n=4)",
        "{sic}",
        "~30",
        "q?",
        "α",
        "β-1",
        "50--60",
    ]
)
_TEXT = st.lists(_WORD | _SIGNS, min_size=2, max_size=8).map(" ".join)
_FAMILY = st.lists(st.text(_LETTERS, min_size=2, max_size=8).map(str.capitalize), min_size=1, max_size=2).map("-".join)
_GIVEN = st.lists(st.sampled_from(["Jan", "P. W.", "Ŝtefan", "Mary-Ann", "J."]), min_size=1, max_size=2).map(" ".join)
_PERSON = st.builds(Person, _FAMILY, _GIVEN, st.sampled_from(["", "", "", "Jr"])) | st.builds(
    Person,
    literal=st.sampled_from(["RECOVERY Collaborative Group", "World Health Organization", "Smith & Sons Clinics"]),
)
_JOURNAL = st.sampled_from(["Health & Care", "The Lancet", "BMJ open", "Zeitschrift für Ärzte"])
_PAGES = st.sampled_from(["", "480-486", "e1234", "S12-S15", "7"])


@st.composite
def records(draw: st.DrawFn) -> Record:
    year = draw(st.integers(1900, 2030))
    month = draw(st.none() | st.integers(1, 12))
    day = draw(st.none() | st.integers(1, 28)) if month else None
    identifiers = [Identifier(Scheme.PMID, str(draw(st.integers(1, 99_999_999))))]
    if draw(st.booleans()):
        identifiers.append(
            Identifier(
                Scheme.DOI,
                f"10.5555/{draw(st.sampled_from(['a_b', 'x(1)', 's0140-6736(97)1', '1<3::aid>3.0.co;2-#']))}",
            )
        )
    if draw(st.booleans()):
        identifiers.append(Identifier(Scheme.PMCID, f"PMC{draw(st.integers(1, 9_999_999))}"))
    return Record(
        source="pubmed",
        source_id="1",
        title=draw(_TEXT),
        authors=tuple(draw(st.lists(_PERSON, max_size=4))),
        journal=draw(_JOURNAL),
        issns=tuple(draw(st.lists(st.sampled_from(["0028-4793", "1533-4406"]), unique=True, max_size=2))),
        volume=draw(st.sampled_from(["", "12", "12A"])),
        issue=draw(st.sampled_from(["", "3", "Suppl 1"])),
        pages=draw(_PAGES),
        date=PartialDate(year, month, day),
        years=(year,),
        abstract=tuple(AbstractSection(text) for text in draw(st.lists(_TEXT, max_size=1))),
        keywords=tuple(draw(st.lists(_WORD, unique=True, max_size=3))),
        languages=tuple(draw(st.lists(st.sampled_from(["eng", "ger"]), max_size=1))),
        identifiers=tuple(identifiers),
        url=draw(st.sampled_from(["", "https://example.org/a_b?c=d&e=%20f"])),
    )


_BASIC = frozenset(("title", "authors", "journal", "year", "volume", "issue", "pages", "doi", "pmid", "pmcid"))
CARRIED: dict[str, frozenset[str]] = {
    "bibtex": _BASIC | {"issns", "url", "month"},
    "ris": _BASIC | {"issns", "url", "date", "languages"},
    "nbib": _BASIC | {"issns", "date", "languages", "keywords", "abstract"},
    "csl_json": _BASIC | {"issns", "url", "date", "languages"},
    "table": _BASIC | {"issns", "url", "date", "languages", "keywords", "abstract"},
}
"""The field sets of docs/formats.md."""
WRITERS: dict[str, Callable[[list[ExportEntry]], str]] = {
    "bibtex": write_bibtex,
    "ris": write_ris,
    "nbib": write_nbib,
    "csl_json": write_csljson,
    "table": write_reference_csv,
}


def seen(record: Record, names: frozenset[str]) -> dict[str, Any]:
    """The named fields, texts as plain as every one of these formats writes them."""
    values: dict[str, Any] = {
        "title": plain_text(record.title), "authors": record.authors, "journal": record.journal, "year": record.year,
        "volume": record.volume, "issue": record.issue, "pages": record.pages, "doi": record.doi, "pmid": record.pmid,
        "pmcid": record.identifier(Scheme.PMCID), "issns": record.issns, "url": record.url, "date": record.date,
        "month": record.date.month, "languages": record.languages, "keywords": record.keywords,
        "abstract": record.abstract_text,
    }  # fmt: skip
    return {name: values[name] for name in sorted(names)}


def read(text: str) -> tuple[str, list[Entry]]:
    reading = read_file(io.BytesIO(text.encode()))
    return reading.format, list(reading.entries)


@pytest.mark.parametrize("name", list(CARRIED))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(papers=st.lists(records(), min_size=1, max_size=3))
def test_a_round_trip_keeps_the_fields_of_the_format(name: str, papers: list[Record]) -> None:
    entries = [
        ExportEntry(paper, f"Key_{n}", "verified", ("crossref",), date(2026, 1, 2), found_in=("pubmed",))
        for n, paper in enumerate(papers)
    ]
    text = WRITERS[name](entries)
    format, back = read(text)
    assert (format, WRITERS[name](entries)) == ("medline" if name == "nbib" else name, text)
    assert [seen(one.record, CARRIED[name]) for one in back if one.record] == [seen(p, CARRIED[name]) for p in papers]


@pytest.mark.parametrize("name", ["bibtex", "ris", "nbib", "csl_json", "table"])
def test_a_verdict_comes_back_as_a_claim_only(name: str) -> None:
    paper = Record("pubmed", "1", title="A title of some length", identifiers=(Identifier(Scheme.PMID, "123"),))
    entry = ExportEntry(paper, "Key", "verified", ("crossref", "openalex"), date(2026, 1, 2))
    (back,) = read(WRITERS[name]([entry]))[1]
    claimed = (
        {}
        if name == "csl_json"
        else {"verified": "true", "verified_by": "crossref + openalex", "verified_on": "2026-01-02"}
    )
    assert (back.claimed, back.record and back.record.source) == (claimed, "import")


@settings(max_examples=25, deadline=None)
@given(papers=st.lists(records(), min_size=1, max_size=3))
def test_the_ledger_keeps_every_field(papers: list[Record]) -> None:
    references = [
        LedgerReference(
            ExportEntry(paper, f"Key_{n}", "verified", ("crossref",), date(2026, 1, 2)),
            "dexamethasone: yes or no?", "“A quoted\u2028sentence”: # not a comment", (LedgerCheck("crossref",
            "confirmed", "2026-01-02"),),
        )
        for n, paper in enumerate(papers)
    ]  # fmt: skip
    text = write_ledger_yaml(references)
    format, back = read(text)
    assert (format, write_ledger_yaml(references)) == ("ledger", text)
    expected = [{**vars_of(paper), "source": "import"} for paper in papers]
    assert [vars_of(one.record) for one in back if one.record] == expected
    assert {one.claimed["verified"] for one in back} == {"true"}


def vars_of(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in Record.__slots__}


def test_a_ledger_with_another_type_or_an_alias_is_a_problem_and_no_record() -> None:
    paper = Record("pubmed", "1", title="A title", identifiers=(Identifier(Scheme.DOI, "10.5555/a"),))
    text = write_ledger_yaml([LedgerReference(ExportEntry(paper, "Key"))])
    for broken in (
        text.replace("title: A title\n    source", "x"),
        text.replace("value: 10.5555/a", "value: nonsense"),
        text.replace("title: A title", "title: &a A\n  t: *a"),
    ):
        if broken != text:
            (entry,) = read(broken)[1]
            assert entry.record is None
            assert entry.problem is not None
            assert entry.problem.kind == "broken_ledger_entry"


def test_nbib_is_written_as_pubmed_writes_it() -> None:
    paper = Record(
        "pubmed",
        "12",
        title="A title that is long enough to be wrapped, because PubMed wraps its lines at eighty-eight signs.",
        authors=(Person("King", "Martin Luther", "Jr"), Person(literal="RECOVERY Group")),
        journal="Health & Care",
        journal_abbreviation="Health Care",
        issns=("0028-4793",),
        volume="1",
        issue="2",
        pages="480-486",
        date=PartialDate(2020, 3, 4),
        publication_types=("Journal Article",),
        languages=("eng",),
        mesh=(MeshHeading("Humans"), MeshHeading("Lung", qualifiers=("pathology",), major=True)),
        identifiers=(Identifier(Scheme.PMID, "12"), Identifier(Scheme.DOI, "10.5555/a")),
    )
    assert write_nbib([ExportEntry(paper, "King_2020_Title", "verified", ("crossref",), date(2026, 1, 2))]) == (
        "PMID- 12\nOWN - NLM\nIS  - 0028-4793\nVI  - 1\nIP  - 2\nDP  - 2020 Mar 4\n"
        "TI  - A title that is long enough to be wrapped, because PubMed wraps its lines at\n      eighty-eight signs\n"
        "PG  - 480-486\nLID - 10.5555/a [doi]\nFAU - King, Martin Luther, Jr\nAU  - King ML Jr\nCN  - RECOVERY Group\nLA  - eng\n"  # noqa: E501
        "PT  - Journal Article\nTA  - Health Care\nJT  - Health & Care\nMH  - Humans\nMH  - Lung/*pathology\n"
        "GN  - verified: true; verified_by: crossref; verified_on: 2026-01-02\n"
    )


def test_dois_are_a_list_that_is_read_back() -> None:
    paper = Record(
        "pubmed",
        "1",
        title="T",
        identifiers=(Identifier(Scheme.DOI, "10.1002/(sici)1097-0142(19990101)85:1<3::aid-cncr2>3.0.co;2-#"),),
    )
    listed = id_list([ExportEntry(paper, "K", "verified", ("crossref",))], Scheme.DOI)
    assert [entry.record.doi for entry in read(listed.text)[1] if entry.record] == [paper.doi]
