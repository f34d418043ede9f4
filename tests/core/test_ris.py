"""RIS: exact lines, no markup or entities, nothing that breaks a line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pypandoc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.ris import write_ris
from litapp.core.markup import plain_text
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from tests.core.export_samples import NASTY_TEXT, NASTY_TITLE, record, retracted, verified


def test_an_entry_as_lines() -> None:
    text = write_ris([verified(paper=record(NASTY_TITLE, languages=("eng",)), found_in=("pubmed", "crossref"))])
    assert text.split("\r\n") == [
        "TY  - JOUR",
        "ID  - Berg_2020_Plain",
        'TI  - Dexamethasone in E. coli & COVID-19: R&D of {sic} 5% a_b #1 ~ 2^3 \\ <LOD> "q" for Crohn\'s vitamin C, '
        "p53 10⁶. mRNA in the Lancet",
        "AU  - van der Berg, Jan",
        "AU  - King, Martin, Jr",
        "AU  - Smith & Sons,",
        "T2  - Health & Care",
        "J2  - Health Care",
        "PY  - 2020",
        "DA  - 2020/03/04/",
        "VL  - 1",
        "IS  - 2",
        "SP  - 480",
        "EP  - 486",
        "SN  - 0028-4793",
        "DO  - 10.5555/bug_48(1)",
        "AN  - 12",
        "U1  - 12[pmid]",
        "C2  - PMC34",
        "LA  - eng",
        "N1  - verified: true; verified_by: crossref + openalex; verified_on: 2026-01-02",
        "DB  - pubmed + crossref",
        "ER  - ",
        "",
    ]


def test_marks_stand_in_the_first_note() -> None:
    lines = write_ris([retracted(verdict_note="Nobody knows it"), ExportEntry(record(), "M", "manual")]).split("\r\n")
    assert [line for line in lines if line.startswith("N1")] == [
        "N1  - [RETRACTED 2020-06-05, notice 10.5555/notice_1] [UNVERIFIED - NEEDS MANUAL CHECK] Nobody knows it",
        "N1  - verified: false",
        "N1  - verified: manual",
    ]


def test_a_sparse_record_writes_filled_tags_only() -> None:
    sparse = Record(source="crossref", source_id="x", title="T", date=PartialDate(2020))
    assert write_ris([ExportEntry(sparse, "k")]) == (
        "TY  - JOUR\r\nID  - k\r\nTI  - T\r\nPY  - 2020\r\nN1  - [UNVERIFIED - NEEDS MANUAL CHECK]\r\n"
        "N1  - verified: false\r\nER  - \r\n"
    )
    assert write_ris([]) == ""


@given(
    st.lists(
        st.builds(
            record,
            NASTY_TEXT,
            authors=st.lists(st.builds(Person, NASTY_TEXT, NASTY_TEXT), max_size=2).map(tuple),
            url=NASTY_TEXT,
            pages=NASTY_TEXT,
        ),
        max_size=4,
    )
)
def test_every_line_is_a_tag_and_every_record_ends(papers: list[Record]) -> None:
    lines = write_ris([ExportEntry(paper, f"k{i}") for i, paper in enumerate(papers)]).split("\r\n")
    assert [line for line in lines if line and not re.match(r"[A-Z][A-Z0-9]  - ", line)] == []
    assert [sum(line.startswith(tag) for line in lines) for tag in ("TY  - ", "ER  - ")] == [len(papers)] * 2
    titles = [line[6:] for line in lines if line.startswith("TI  - ")]
    assert titles == [shown for paper in papers if (shown := plain_text(ExportEntry(paper, "k").title))]


def test_pandoc_reads_it_back() -> None:
    paper = record(NASTY_TITLE, authors=(Person("Løvås", "François"), Person(literal="World Health Organization")))
    (item,) = json.loads(pypandoc.convert_text(write_ris([verified(paper=paper)]), "csljson", format="ris"))
    assert (item["DOI"], item["volume"], item["page"]) == ("10.5555/bug_48(1)", "1", "480-486")
    assert item["author"] == [{"family": "Løvås", "given": "François"}, {"family": "World Health Organization"}]


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    ["50-export-ris-authors-not-exploded", "52-export-ris-no-blank-lines", "55-export-plain-text-formats-no-html"],
)
def test_reported_faults_of_other_tools(shared: Path, name: str) -> None:
    items = json.loads((shared / f"bugs/import/{name}.json").read_text())
    expected = json.loads((shared / f"bugs/import/{name}.expected.json").read_text())
    papers = [
        record(
            item["title"],
            journal=item.get("container-title", ""),
            authors=tuple(Person(**author) for author in item.get("author", ())),
            identifiers=(Identifier(Scheme.DOI, item["DOI"]),) if "DOI" in item else (),
        )
        for item in items
    ]
    text = write_ris([verified(f"k{i}", paper) for i, paper in enumerate(papers)])
    wanted = [*expected.get("must_contain", ()), *expected.get("must_contain_ris", ())]
    assert [part for part in wanted if part not in text] == []
    assert [part for part in expected.get("must_not_contain", ()) if part in text] == []
    assert [p for p in expected.get("must_not_match", ()) if re.search(p, text.replace("\r\n", "\n"))] == []
    assert text.count("AU  - ") == sum(len(item.get("author", ())) for item in items)
