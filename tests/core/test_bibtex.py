"""BibTeX: exact bytes, accepted by pandoc and bibtexparser, nothing lost from nasty titles."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import unicodedata
from datetime import date
from pathlib import Path
from typing import Any

import bibtexparser
import pypandoc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.citations import assign_citation_keys
from litapp.core.formats.bibtex import protected_title, write_bibtex
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.pubmedxml import iter_pubmed_records
from litapp.core.identifiers import same_doi
from litapp.core.markup import plain_text
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from tests.core.export_samples import NASTY_TEXT, NASTY_TITLE, SICI, record, retracted, verified


def read_with_pandoc(bib: str) -> list[dict[str, Any]]:
    return json.loads(pypandoc.convert_text(bib, "csljson", format="bibtex", extra_args=["--sandbox"]))


def test_bibtexparser_is_the_pinned_major() -> None:
    assert int(bibtexparser.__version__.split(".")[0]) >= 2


def test_an_entry_as_bytes() -> None:
    paper = record(NASTY_TITLE, url="https://example.org/a_b%20c?x=1&y=2#z~u", authors_complete=False)
    entries = [
        verified(paper=paper, found_in=("pubmed", "crossref")),
        retracted(verdict_note="Two sources do not know it"),
    ]
    assert write_bibtex(entries) == (
        "% BibTeX in UTF-8, written by LitLedger. Each entry is a record that a source returned.\n"
        "\n"
        "@article{Berg_2020_Plain,\n"
        r"  title = {Dexamethasone in \textit{{E}. {coli}} \& {COVID-19}: {R\&D} of \{sic\} 5\% a\_b \#1 "
        r"\textasciitilde{} 2\textasciicircum{}3 \textbackslash{} \textless{}{LOD}\textgreater{} "
        '"q" for {Crohn\'s} vitamin {C}, p53 '
        "10\\textsuperscript{6}. {mRNA} in the {Lancet}},\n"
        "  author = {van der Berg, Jan and King, Jr, Martin and {Smith \\& Sons} and others},\n"
        "  journal = {Health \\& Care},\n"
        "  year = {2020},\n"
        "  month = mar,\n"
        "  volume = {1},\n"
        "  number = {2},\n"
        "  pages = {480--486},\n"
        "  issn = {0028-4793},\n"
        "  doi = {10.5555/bug_48(1)},\n"
        "  pmid = {12},\n"
        "  pmcid = {PMC34},\n"
        "  url = {https://example.org/a_b%20c?x=1&y=2#z~u},\n"
        "  verified = {true},\n"
        "  verified_by = {crossref + openalex},\n"
        "  verified_on = {2026-01-02},\n"
        "  found_in = {pubmed + crossref},\n"
        "}\n"
        "\n"
        "@article{Berg_2020_Retracted,\n"
        "  title = {A retracted title},\n"
        "  author = {van der Berg, Jan and King, Jr, Martin and {Smith \\& Sons}},\n"
        "  journal = {Health \\& Care},\n"
        "  year = {2020},\n"
        "  month = mar,\n"
        "  volume = {1},\n"
        "  number = {2},\n"
        "  pages = {480--486},\n"
        "  issn = {0028-4793},\n"
        "  doi = {10.5555/bug_48(1)},\n"
        "  pmid = {12},\n"
        "  pmcid = {PMC34},\n"
        "  verified = {false},\n"
        "  note = {[RETRACTED 2020-06-05, notice 10.5555/notice\\_1] [UNVERIFIED - NEEDS MANUAL CHECK] "
        "Two sources do not know it},\n"
        "}\n"
    )


def test_verified_true_stands_only_at_verified_entries() -> None:
    entries = [
        verified("V_1"),
        *(
            ExportEntry(record(), f"K_{v}", v, verified_by=("crossref",), verified_on=date(2026, 1, 2))
            for v in ("suspect", "unverified", "manual")
        ),
    ]
    library = bibtexparser.parse_string(write_bibtex(entries))
    fields = {e.key: {name: e.fields_dict[name].value for name in e.fields_dict} for e in library.entries}
    assert {key: value["verified"] for key, value in fields.items()} == {
        "V_1": "true",
        "K_suspect": "false",
        "K_unverified": "false",
        "K_manual": "manual",
    }
    assert [key for key, value in fields.items() if "verified_by" in value or "verified_on" in value] == ["V_1"]
    assert {key: value.get("note") for key, value in fields.items()} == {
        "V_1": None,
        "K_suspect": "[UNVERIFIED - NEEDS MANUAL CHECK]",
        "K_unverified": "[UNVERIFIED - NEEDS MANUAL CHECK]",
        "K_manual": None,
    }


def test_sandbox_data_says_so_in_the_file_and_at_the_entry() -> None:
    text = write_bibtex([verified(sandbox=True)])
    assert "% Contains sandbox data: practice records, not the result of a real search.\n" in text
    assert "  note = {[SANDBOX DATA]},\n" in text


def test_no_entries_give_a_file_without_entries_and_repeated_keys_none() -> None:
    assert bibtexparser.parse_string(write_bibtex([])).entries == []
    with pytest.raises(ValueError, match="share the citation key"):
        write_bibtex([verified("a"), verified("A")])


@pytest.mark.parametrize(
    ("fields", "kind", "lines"),
    [
        ({"csl_type": "chapter"}, "incollection", ["booktitle = {Health \\& Care}"]),
        ({"csl_type": "book", "journal": "", "publisher": "P"}, "book", ["publisher = {P}"]),
        ({"csl_type": "report", "journal": "", "publisher": "WHO"}, "techreport", ["institution = {WHO}"]),
        (
            {
                "is_preprint": True,
                "journal": "",
                "publisher": "arXiv",
                "identifiers": (Identifier(Scheme.ARXIV, "2101.12345"),),
            },
            "misc",
            ["howpublished = {arXiv}", "eprint = {2101.12345}", "archiveprefix = {arXiv}"],
        ),
        ({"date": PartialDate(text="Spring")}, "article", []),
    ],
)
def test_types(fields: dict[str, Any], kind: str, lines: list[str]) -> None:
    text = write_bibtex([verified(paper=record(**fields))])
    assert f"\n@{kind}{{Berg_2020_Plain,\n" in text
    assert [line for line in lines if f"  {line},\n" not in text] == []


@pytest.mark.parametrize(
    ("title", "latex"),
    [
        ("Effect of the New England diet on Crohn disease", "Effect of the {New} {England} diet on {Crohn} disease"),
        ("Effect Of The New Diet On Human Heart", "Effect Of The New Diet On Human Heart"),
        ("EFFECT of aspirin", "{EFFECT} of aspirin"),
        ("Dexamethasone in the Lancet", "Dexamethasone in the {Lancet}"),
        ("mRNA and p53", "{mRNA} and p53"),
        ("p53 and Trial Results Shown In Full", "{p53} and Trial Results Shown In Full"),
        ("TNF-α/IL-6 (CO<sub>2</sub>)", "{TNF-α/IL-6} ({CO}\\textsubscript{2})"),
        ("A {b and c}", "A \\{b and c\\}"),
        ("A {b and c", "A \\textbraceleft{}b and c"),
        ("", ""),
    ],
)
def test_capitals_are_protected_where_they_mean_something(title: str, latex: str) -> None:
    assert protected_title(title) == latex


def comparable(text: str) -> str:
    """Text without what a TeX reader may change: kinds of quotes, dashes, dots and blanks."""
    text = unicodedata.normalize("NFKC", re.sub(r"</?[a-z]+[^>]*>", "", text) if "<span" in text else text)
    text = re.sub("[‘’`´'\"“”„″′]", "'", text).replace("…", "...").replace("''", "'")
    return re.sub(r"[\s‐-―−-]+", "", text)


PAPERS = st.builds(
    record,
    NASTY_TEXT,
    authors=st.lists(
        st.builds(Person, NASTY_TEXT, NASTY_TEXT) | st.builds(lambda name: Person(literal=name), NASTY_TEXT), max_size=3
    ).map(tuple),
    journal=NASTY_TEXT,
    url=st.sampled_from(["", "https://example.org/{x?y=%20#z", "https://example.org/a}b{c_d\\e"]),
    identifiers=st.sampled_from(["10.5555/a_b", SICI, "10.5555/a{b", "10.5555/50%_&$"]).map(
        lambda doi: (Identifier(Scheme.DOI, doi),)
    ),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(PAPERS, min_size=1, max_size=6), NASTY_TEXT)
def test_every_file_is_read_whole_by_pandoc_and_by_bibtexparser(papers: list[Record], reason: str) -> None:
    entries = [ExportEntry(paper, f"k{i}", "suspect", verdict_note=reason) for i, paper in enumerate(papers)]
    bib = write_bibtex(entries)
    library = bibtexparser.parse_string(bib)
    assert (library.failed_blocks, [e.key for e in library.entries]) == ([], [e.key for e in entries])
    items = read_with_pandoc(bib)
    assert [item["id"] for item in items] == [e.key for e in entries]
    assert all(item["note"].startswith("[UNVERIFIED - NEEDS MANUAL CHECK]") for item in items)
    for item, paper in zip(items, papers, strict=True):
        doi = paper.doi.replace("{", "%7B")
        assert item["DOI"] == doi
        assert same_doi(item["DOI"], paper.doi)


WORDS = st.text(st.sampled_from("abcDEF mRNA 12 ,;:()&%$#_~^\\<>*+=@αßøŁ漢-"), min_size=1, max_size=40)


@settings(max_examples=30, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_titles_come_back_from_pandoc(titles: list[str]) -> None:
    shown = [plain_text(title) for title in titles]
    entries = [verified(f"k{i}", record(title)) for i, title in enumerate(shown)]
    items = read_with_pandoc(write_bibtex(entries))
    read = [comparable(item.get("title", "")).casefold() for item in items]
    assert read == [comparable(title).casefold() for title in shown]


def test_a_nasty_record_comes_back_whole() -> None:
    paper = record(
        NASTY_TITLE,
        url="https://example.org/a_b%20c?x=1&y=2#z~u",
        identifiers=(Identifier(Scheme.DOI, SICI), Identifier(Scheme.PMID, "12")),
        authors=(
            Person("Løvås", "François Bjørn Æ"),
            Person("Q&A", "T."),
            Person("Foo and Bar", "X"),
            Person(literal="World Health Organization, Geneva"),
            Person("Madonna"),
            Person("King", "Martin", "Jr"),
        ),
    )
    (item,) = read_with_pandoc(write_bibtex([verified(paper=paper)]))
    assert item["title"] == (
        'Dexamethasone in <i>E. coli</i> & COVID-19: R&D of {sic} 5% a_b #1 ~ 2^3 \\ <LOD> "q" for Crohn’s vitamin C, '
        "p53 10<sup>6</sup>. mRNA in the Lancet"
    )
    assert (item["DOI"], item["URL"], item["PMID"]) == (SICI, paper.url, "12")
    assert item["author"] == [
        {"family": "Løvås", "given": "François Bjørn Æ"},
        {"family": "Q&A", "given": "T."},
        {"family": "Foo and Bar", "given": "X"},
        {"literal": "World Health Organization, Geneva"},
        {"family": "Madonna"},
        {"family": "King", "given": "Martin", "suffix": "Jr"},
    ]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["47-export-bib-accent-commands-with-space", "49-export-bib-special-characters"])
def test_reported_faults_of_other_tools(shared: Path, name: str) -> None:
    (item,) = json.loads((shared / f"bugs/import/{name}.json").read_text())
    expected = json.loads((shared / f"bugs/import/{name}.expected.json").read_text())
    paper = record(
        item["title"],
        journal=item.get("container-title", ""),
        authors=tuple(Person(**author) for author in item["author"]),
        url=item.get("URL", ""),
        identifiers=(Identifier(Scheme.DOI, item.get("DOI", "10.5555/none")),),
    )
    bib = write_bibtex([verified(paper=paper)])
    assert [p for p in expected.get("must_not_match", ()) if re.search(p, bib)] == []
    assert [p for p in expected.get("must_not_contain", ()) if p in bib] == []
    (read,) = read_with_pandoc(bib)
    if "roundtrip_authors" in expected:
        assert read["author"] == expected["roundtrip_authors"]
    else:
        assert (read["URL"], read["DOI"]) == (item["URL"], item["DOI"])
        assert comparable(read["title"]) == comparable(plain_text(item["title"]))


@pytest.mark.shared
def test_real_records_come_back_from_pandoc(shared: Path) -> None:
    with gzip.open(shared / "corpus/pubmed/pubmed21n1298_even_01.xml.gz") as file:
        papers = list(itertools.islice(iter_pubmed_records(file.read()), 600))
    entries = [ExportEntry(paper, key) for paper, key in zip(papers, assign_citation_keys(papers, set()), strict=True)]
    items = read_with_pandoc(write_bibtex(entries))
    read = [
        (i["id"], i.get("DOI", ""), comparable(plain_text(i["title"])).casefold(), len(i.get("author", ())))
        for i in items
    ]
    assert read == [
        (
            entry.key,
            entry.record.doi,
            comparable(plain_text(entry.title)).casefold(),
            len(entry.record.authors) + (bool(entry.record.authors) and not entry.record.authors_complete),
        )
        for entry in entries
    ]
