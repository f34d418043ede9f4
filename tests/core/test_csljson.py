"""CSL JSON: what citeproc and Zotero read."""

from __future__ import annotations

import json

import pypandoc
import pytest

from litapp.core.formats.csljson import to_csl, write_csljson
from litapp.core.formats.entry import ExportEntry
from litapp.core.records import PartialDate, Record
from tests.core.export_samples import NASTY_TITLE, record, retracted, verified


def test_an_item_whole() -> None:
    assert to_csl(verified(paper=record(NASTY_TITLE, languages=("eng",)))) == {
        "id": "Berg_2020_Plain",
        "type": "article-journal",
        "title": 'Dexamethasone in <i>E. coli</i> & COVID-19: R&D of {sic} 5% a_b #1 ~ 2^3 \\ <LOD> "q" for Crohn\'s '
        "vitamin C, p53 10<sup>6</sup>. mRNA in the Lancet",
        "author": [
            {"family": "van der Berg", "given": "Jan"},
            {"family": "King", "given": "Martin", "suffix": "Jr"},
            {"literal": "Smith & Sons"},
        ],
        "container-title": "Health & Care",
        "container-title-short": "Health Care",
        "volume": "1",
        "issue": "2",
        "page": "480-486",
        "issued": {"date-parts": [[2020, 3, 4]]},
        "ISSN": "0028-4793",
        "DOI": "10.5555/bug_48(1)",
        "PMID": "12",
        "PMCID": "PMC34",
        "language": "eng",
    }


def test_marks_stand_in_the_note_and_where_asked_in_the_title() -> None:
    marks = "[RETRACTED 2020-06-05, notice 10.5555/notice_1] [UNVERIFIED - NEEDS MANUAL CHECK]"
    plain, marked = to_csl(retracted(verdict_note="Why")), to_csl(retracted(), marks_in_title=True)
    assert (plain["title"], plain["note"]) == ("A retracted title", f"{marks} Why")
    assert (marked["title"], marked["note"]) == (f'A retracted title <span class="nocase">{marks}</span>', marks)
    assert to_csl(verified(), marks_in_title=True)["title"] == "A plain title"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"date": PartialDate()}, {}),
        ({"date": PartialDate(2020, 3)}, {"issued": {"date-parts": [[2020, 3]]}}),
        ({"date": PartialDate(text="1978 Spring")}, {"issued": {"literal": "1978 Spring"}}),
        ({"languages": ("eng", "fre")}, {}),
    ],
)
def test_what_no_source_stated_is_left_out(fields: dict[str, object], expected: dict[str, object]) -> None:
    base = {"source": "pubmed", "source_id": "1", "title": "T"}
    entry = ExportEntry(Record(**{**base, **fields}), "k")
    assert to_csl(entry) == {
        "id": "k",
        "type": "article-journal",
        "title": "T",
        "note": "[UNVERIFIED - NEEDS MANUAL CHECK]",
        **expected,
    }


def test_a_preprint_is_no_journal_article() -> None:
    assert to_csl(verified(paper=record(is_preprint=True)))["type"] == "article"


def test_pandoc_reads_the_file() -> None:
    entries = [verified(paper=record(NASTY_TITLE)), retracted()]
    items = json.loads(pypandoc.convert_text(write_csljson(entries), "csljson", format="csljson"))
    assert [(item["id"], item["DOI"]) for item in items] == [(e.key, "10.5555/bug_48(1)") for e in entries]
    with pytest.raises(ValueError, match="share the citation key"):
        write_csljson([verified("a"), verified("A")])
