"""Identifier lists: citable ones only in the first file, all others named in the second."""

from __future__ import annotations

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.idlist import id_list
from litapp.core.records import Identifier, Record, Scheme
from tests.core.export_samples import retracted, verified


def paper(pmid: str = "", doi: str = "") -> Record:
    identifiers = [Identifier(Scheme.PMID, pmid)] if pmid else []
    identifiers += [Identifier(Scheme.DOI, doi)] if doi else []
    return Record(source="pubmed", source_id=pmid, title="T", identifiers=tuple(identifiers))


ENTRIES = [
    verified("a", paper("3", "10.1000/a")),
    ExportEntry(paper("1"), "b", "manual"),
    verified("c", paper("3")),
    verified("d", paper("", "10.1000/d")),
    ExportEntry(paper("5"), "e", "suspect", verdict_note="Title differs\nfrom PubMed"),
    ExportEntry(paper(""), "f"),
    retracted("g", paper("7"), verdict="manual"),
    verified("h", paper("8"), status="concern"),
]


def test_pmids_one_a_line_and_the_rest_with_reasons() -> None:
    pmids = id_list(ENTRIES, Scheme.PMID)
    assert pmids.text == "3\n8\n"
    assert pmids.left_out_text == (
        "pmid\tkey\treason\n"
        "1\tb\tis confirmed by no source\n"
        "\td\thas no PMID\n"
        "5\te\t[UNVERIFIED - NEEDS MANUAL CHECK] Title differs from PubMed\n"
        "\tf\t[UNVERIFIED - NEEDS MANUAL CHECK]\n"
        "7\tg\t[RETRACTED 2020-06-05, notice 10.5555/notice_1]\n"
    )


def test_every_entry_is_in_one_of_the_two() -> None:
    for scheme in (Scheme.PMID, Scheme.DOI):
        ids = id_list(ENTRIES, scheme)
        left_out = {out.entry.key for out in ids.left_out}
        listed = {e.key for e in ENTRIES if e.citable and e.record.identifier(scheme) in ids.citable}
        assert left_out | listed == {e.key for e in ENTRIES}
        assert all(e.citable for e in ENTRIES if e.key not in left_out)


def test_empty_lists() -> None:
    assert (id_list([], Scheme.DOI).text, id_list([], Scheme.DOI).left_out_text) == ("", "")
