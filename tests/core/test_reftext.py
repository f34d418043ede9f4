"""Pasted text falls into references and stray pieces; nothing of it disappears."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.reftext import split_text
from litapp.core.formats.reftext_pieces import plain
from litapp.core.identifiers import Identifier, Scheme

ONE = "Weber AB, Lind C. Steroids in severe pneumonia. J Trials. 2010;12(3):45-52."
TWO = "van den Berg K, Okafor J, et al. Fluids before transport. Lancet 2011;377:101-9."
THREE = "Ruiz M. Early mobilisation after stroke. BMJ 2012;344:e1."
ALL = [ONE, TWO, THREE]


def texts(source: str) -> list[str]:
    return [piece.text for piece in split_text(source).references]


@pytest.mark.parametrize(
    "mark", ["{}. ", "{}) ", "[{}] ", "({}) ", "{}\t", "[^{}]: ", "**{}.** ", "{}\\. ", "［{}］", "#{} "]
)
def test_numbered_in_any_way(mark: str) -> None:
    source = "\n".join(mark.format(number) + text for number, text in enumerate(ALL, start=1))
    found = split_text(source).references
    assert [piece.text for piece in found] == ALL
    assert [piece.label for piece in found] == ["1", "2", "3"]
    assert [(piece.first_line, piece.last_line) for piece in found] == [(1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize("mark", ["- ", "* ", "• ", "– ", ""])
def test_bulleted_and_one_a_line(mark: str) -> None:
    assert texts("\n".join(mark + text for text in ALL)) == ALL


def test_blank_lines_between_entries_of_broken_lines() -> None:
    broken = [text.replace(". ", ".\n", 2) for text in ALL]
    found = split_text("\n\n".join(broken)).references
    assert [piece.text for piece in found] == ALL
    assert [(piece.first_line, piece.last_line) for piece in found] == [(1, 3), (5, 7), (9, 11)]


def test_hanging_lines() -> None:
    assert texts("\n".join(text.replace(". ", ".\n    ") for text in ALL)) == ALL


def test_items_of_a_list_that_was_pasted_as_one_line() -> None:
    assert texts(" ".join(f"{number}. {text}" for number, text in enumerate(ALL, start=1))) == ALL


def test_a_table_of_an_assistant() -> None:
    rows = "\n".join(f"| {number} | {text} |" for number, text in enumerate(ALL, start=1))
    assert texts(f"| # | Reference |\n|---|---|\n{rows}") == [text.rstrip(".") for text in ALL]


def test_words_of_an_assistant_are_stray_pieces_with_their_text() -> None:
    source = (
        "Sure! Here are some references:\n\n"
        f"1. {ONE}\n   - **Key finding:** It helps.\n\n2. {TWO}\n   - **Key finding:** It does not.\n\n"
        "Let me know if you need more."
    )
    found = split_text(source)
    assert [piece.text for piece in found.references] == [ONE, TWO]
    assert [(piece.first_line, piece.text) for piece in found.others] == [
        (1, "Sure! Here are some references:"),
        (4, "Key finding: It helps."),
        (7, "Key finding: It does not."),
        (9, "Let me know if you need more."),
    ]


def test_fields_below_a_title_belong_to_it() -> None:
    source = (
        "1. **Steroids in severe pneumonia**\n   - Authors: Weber AB, Lind C\n   - Journal: J Trials\n   - Year: 2010\n"
        "   - DOI: 10.5555/steroids.1\n2. **Fluids before transport**\n   - Authors: Okafor J\n   - Year: 2011"
    )
    first, second = split_text(source).references
    assert (first.first_line, first.last_line, second.first_line, second.last_line) == (1, 5, 6, 8)
    assert first.identifiers == (Identifier(Scheme.DOI, "10.5555/steroids.1"),)


@pytest.mark.parametrize(
    "heading",
    ["References", "## REFERENCES", "**Bibliography**", "7. Literature", "参考文献", "References (3)", "Literatur:"],
)
def test_a_reference_section_begins_at_its_heading(heading: str) -> None:
    body = "We treated 12 patients (Smith et al., 2009; 3:4-5).\nMore was said in 2010.\n\n"
    lines = "\n".join(f"{number}. {text}" for number, text in enumerate(ALL, start=1))
    found = split_text(f"{body}{heading}\n\n{lines}\n\n## Appendix\n\n1. Weighing of patients in 2010; 3:4.")
    assert [piece.text for piece in found.references] == ALL
    assert [piece.why for piece in found.others] == [
        "outside the list of references", "a heading", "outside the list of references"
    ]  # fmt: skip


def test_years_pages_and_volumes_at_the_beginning_of_a_line_are_no_marks() -> None:
    first = "1. Weber AB, Lind C. Steroids in severe pneumonia. J Trials.\n2010;12(3):\n45-52.\n"
    source = f"{first}2. Ruiz M. Title. BMJ\n2012. 344:e1."
    assert texts(source) == [ONE.replace(":45", ": 45"), "Ruiz M. Title. BMJ 2012. 344:e1."]


def test_a_title_may_begin_with_a_year() -> None:
    source = f"20. {ONE}\n21. 2024 consensus on arrhythmias in athletes. Ruiz M. Heart Rhythm. 2024;21:1-9."
    assert [piece.label for piece in split_text(source).references] == ["20", "21"]


def test_a_doi_cut_at_the_end_of_a_line_is_whole() -> None:
    [piece] = split_text("1. Weber AB. Steroids. J Trials 2010;1:2. doi:10.5555/S0016-\n5107(91)70740-2").references
    assert piece.identifiers == (Identifier(Scheme.DOI, "10.5555/s0016-5107(91)70740-2"),)
    assert piece.text.endswith("doi:10.5555/S0016-5107(91)70740-2")


def test_links_become_their_words_and_keep_an_address_that_is_an_identifier() -> None:
    text = "[Steroids](https://pubmed.ncbi.nlm.nih.gov/123). Weber AB. [Home](https://example.org) *J Trials* 2010\\."
    assert plain(text) == "Steroids. Weber AB. Home J Trials 2010. https://pubmed.ncbi.nlm.nih.gov/123"


@pytest.mark.parametrize(
    "source", ["123\n456", "PMID: 123\nPMID: 456", "123, 456", '["123", "", "456"]', "PMID\n123\n456"]
)
def test_lists_of_identifiers(source: str) -> None:
    found = [piece.identifiers for piece in split_text(source).references]
    assert found == [(Identifier(Scheme.PMID, "123"),), (Identifier(Scheme.PMID, "456"),)]


def test_what_is_no_identifier_in_such_a_list_is_an_entry_that_says_so() -> None:
    found = split_text("123\n456\n789\n1234567890123\n321").references
    assert [piece.why for piece in found] == ["", "", "", "“1234567890123” is no PMID, DOI, PMCID or arXiv id", ""]


def test_prose_is_no_reference() -> None:
    found = split_text("Dear colleague,\n\nplease check the list that I sent on Monday.\n\nBest wishes")
    assert found.references == ()
    assert [piece.first_line for piece in found.others] == [1, 3, 5]


@given(
    st.lists(st.sampled_from([*ALL, "1. ", "- x", "", "   ", "## References", "Note: no", "[3] y", "2010;1:2", "###"]))
)
def test_every_line_with_words_is_in_exactly_one_piece(lines: list[str]) -> None:
    covered: list[int] = []
    for piece in split_text("\n".join(lines)).pieces:
        covered += range(piece.first_line, piece.last_line + 1)
    worded = [number for number, line in enumerate(lines, start=1) if any(sign.isalnum() for sign in line)]
    assert set(worded) <= set(covered)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    found = split_text(text)
    assert [piece.number for piece in found.references] == list(range(1, len(found.references) + 1))


def test_a_long_line_without_end_is_read_in_time() -> None:
    assert split_text("1. " + "a, " * 50_000).pieces


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["plain-text", "llm-reference-lists"])
def test_real_lists(shared: Path, folder: str) -> None:
    files = sorted((shared / "imports" / folder).glob("*.expected.json"))
    wanted = {file.name: len(json.loads(file.read_text(encoding="utf-8"))) for file in files}
    found = {
        file.name: len(texts(file.with_name(file.name.removesuffix(".expected.json")).read_text(encoding="utf-8")))
        for file in files
    }
    assert found == wanted
