"""A .bib that a person brings is extended: their bytes stay, what is there is skipped, what is new is appended."""

from __future__ import annotations

import io

import pytest

from litapp.core.formats.bibextend import Added, ExtendedBib, Skipped, extend_bib
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.importers import UnreadableFile, read_file
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme

THEIRS = (
    b"% my own list\r\n@string{j = {Lancet}}\r\n@ARTICLE {king20,\r\n  Title = {{Dexamethasone} in  trials},\r\n"
    b"  journal = j, year=2020, doi = {10.5555/A_b},\r\n}\r\n\r\n@misc{King_2021_Other, title={Another work}, year=1999"
)  # the last entry is never closed, the first has odd blanks


def entry(key: str, title: str, doi: str = "", pmid: str = "", year: int = 2021) -> ExportEntry:
    identifiers = tuple(
        Identifier(scheme, value) for scheme, value in ((Scheme.DOI, doi), (Scheme.PMID, pmid)) if value
    )
    record = Record(
        "pubmed", pmid, title=title, authors=(Person("King", "M"),), date=PartialDate(year), identifiers=identifiers
    )
    return ExportEntry(record, key, "verified", ("crossref",))


def test_new_entries_are_appended_and_known_ones_named() -> None:
    known = entry("King_2020_Dexamethasone", "Some other title", doi="10.5555/a_b")
    by_title = entry("King_1999_Another", "Another  Work.", pmid="7", year=1999)
    new = entry("King_2021_Other", "A third work", doi="10.5555/c")
    made = extend_bib(THEIRS, [known, by_title, new])
    assert made == ExtendedBib(
        content=THEIRS + b"\n" + write_bibtex([entry("King_2021_Other_a", "A third work", doi="10.5555/c")]).encode(),
        added=(Added("King_2021_Other_a", "King_2021_Other"),),
        skipped=(
            Skipped("King_2020_Dexamethasone", "king20", "same DOI 10.5555/a_b"),
            Skipped("King_1999_Another", "King_2021_Other", "same title and year"),
        ),
    )


def test_extending_again_changes_nothing() -> None:
    once = extend_bib(b"", [entry("King_2021_Third", "A third work", doi="10.5555/c")])
    again = extend_bib(once.content, [entry("King_2021_Third", "A third work", doi="10.5555/c")])
    assert (again.content, again.added, len(again.skipped)) == (once.content, (), 1)


def test_two_new_entries_of_one_key_get_two_keys() -> None:
    made = extend_bib(
        b"@misc{K, title={Old}, doi={10.5555/x}}\n",
        [entry("K", "One", doi="10.5555/1"), entry("K", "Two", doi="10.5555/2")],
    )
    assert [one.key for one in made.added] == ["K_a", "K_b"]
    assert [one.record.source_id for one in read_file(io.BytesIO(made.content)).entries if one.record] == [
        "K",
        "K_a",
        "K_b",
    ]


def test_a_different_doi_outweighs_an_equal_title() -> None:
    made = extend_bib(
        b"@misc{K, title={Editorial}, year=2021, doi={10.5555/x}}\n", [entry("E", "Editorial", doi="10.5555/1")]
    )
    assert [one.key for one in made.added] == ["E"]


def test_a_file_in_another_encoding_is_refused_before_it_is_mixed() -> None:
    with pytest.raises(UnreadableFile) as caught:
        extend_bib("@misc{K, title={Mädchen für Ärzte}}".encode("cp1252"), [entry("E", "T", doi="10.5555/1")])
    assert caught.value.kind == "other_encoding"
