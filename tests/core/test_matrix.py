"""The literature matrix's rules: every offer is a verbatim span of what a source returned; drafted sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.matrix import Column, Place, Span, Suggestion, find_quote, sentences, suggestions, text_at
from litapp.core.matrix.claims import Lack, cited_keys, claims, unresolved_numbers, with_keys
from litapp.core.records import AbstractSection, MeshHeading, Record

TRIAL = Record(
    source="pubmed",
    source_id="1",
    title="Steroids in severe pneumonia",
    publication_types=("Journal Article", "Randomized Controlled Trial", "Research Support, Non-U.S. Gov't"),
    mesh=(MeshHeading("Humans"), MeshHeading("Dexamethasone"), MeshHeading("Aged"), MeshHeading("Cohort Studies")),
    abstract=(
        AbstractSection("Steroids may help. Evidence was scarce, e.g. in older adults.", "BACKGROUND", "BACKGROUND"),
        AbstractSection(
            "In this open-label, randomized controlled trial, we randomly assigned a total of 2,104 patients with "
            "severe pneumonia to dexamethasone or usual care. The primary outcome was death at 28 days.",
            "METHODS",
            "METHODS",
        ),
        AbstractSection(
            "Mortality was lower with dexamethasone (22.9% vs. 25.7%; rate ratio, 0.83; 95% CI, 0.75 to 0.93; "
            "P < .001). Side effects were rare.",
            "RESULTS",
            "RESULTS",
        ),
        AbstractSection(
            "Dexamethasone reduced mortality. A limitation of this trial was its open label.",
            "CONCLUSIONS",
            "CONCLUSIONS",
        ),
    ),
)


def offers(record: Record, column: Column) -> list[Suggestion]:
    return [one for one in suggestions(record) if one.column is column]


def test_each_column_gets_what_the_record_says_likeliest_first() -> None:
    told = {column: [(one.value, one.place, one.rule) for one in offers(TRIAL, column)] for column in Column}
    assert told[Column.DESIGN] == [
        ("Randomized Controlled Trial", Place.PUBLICATION_TYPES, "publication types"),
        ("Cohort Studies", Place.MESH, "MeSH headings of design"),
        ("open-label, randomized controlled trial", Place.ABSTRACT, "design words"),
    ]
    assert told[Column.POPULATION][0] == ("Humans; Aged", Place.MESH, "MeSH check tags")
    assert told[Column.SIZE] == [("2,104 patients", Place.ABSTRACT, "sample size")]
    assert [value for value, *_ in told[Column.FINDING]] == [
        "Dexamethasone reduced mortality.",
        "Mortality was lower with dexamethasone (22.9% vs. 25.7%; rate ratio, 0.83; 95% CI, 0.75 to 0.93; P < .001).",
        "A limitation of this trial was its open label.",
        "Side effects were rare.",
    ]
    assert [value for value, *_ in told[Column.LIMITATION]] == ["A limitation of this trial was its open label."]
    assert told[Column.RELEVANCE] == []


def test_every_offer_is_what_the_record_says_at_its_place() -> None:
    for one in suggestions(TRIAL):
        assert one.stands_in(TRIAL)
        if one.span:
            assert TRIAL.abstract[one.span.section].text[one.span.start : one.span.end] == one.quote
            assert one.value in one.quote
            assert one.label == TRIAL.abstract[one.span.section].label


def test_an_offer_does_not_stand_in_a_record_that_says_something_else() -> None:
    changed = replace(TRIAL, abstract=tuple(replace(part, text=f"X{part.text}") for part in TRIAL.abstract), mesh=())
    stands = [one for one in suggestions(TRIAL) if one.stands_in(changed)]
    assert {one.place for one in stands} == {Place.PUBLICATION_TYPES}


def test_a_record_without_abstract_types_and_headings_gets_no_offer() -> None:
    assert suggestions(Record(source="crossref", source_id="2", title="Anything")) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("We enrolled 6425 participants.", "6425 participants"),
        ("We included 1 234 adult patients.", "1 234 adult patients"),
        ("The cohort (n = 57) was followed.", "n = 57"),
        ("Of 12 randomised trials, 3 were pooled.", "12 randomised trials"),
        ("Patients took 50 mg daily.", None),
        ("A 39-year-old patient came.", None),
        ("Patients were followed for 28 days; 25% of patients died.", None),
        ("Between 2010-2015 patients came.", None),
    ],
)
def test_sample_sizes(text: str, value: str | None) -> None:
    record = Record(source="pubmed", source_id="1", abstract=(AbstractSection(text, "METHODS", "METHODS"),))
    assert [one.value for one in offers(record, Column.SIZE)] == ([value] if value else [])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("A vs. B was 2.5 (P < .001). Done?  Yes!", ["A vs. B was 2.5 (P < .001).", "Done?", "Yes!"]),
        ("In the U.S. Army, e.g. Texas. Next.", ["In the U.S. Army, e.g. Texas.", "Next."]),
        ("No full stop", ["No full stop"]),
        ("第一句。第二句。", ["第一句。", "第二句。"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text(alphabet="Ab1 .!?()<>\n\u3002vs", max_size=80))
def test_sentences_lose_no_sign(text: str) -> None:
    spans = list(sentences(text))
    assert "".join(text[start:end] for start, end in spans).split() == "".join(text).split() or [
        sign for start, end in spans for sign in text[start:end] if not sign.isspace()
    ] == [sign for sign in text if not sign.isspace()]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_a_quote_is_found_word_for_word_whatever_its_blanks() -> None:
    span = find_quote(TRIAL, "rate ratio,\n0.83;  95% CI")
    assert span is not None
    assert text_at(TRIAL, span) == "rate ratio, 0.83; 95% CI"
    assert find_quote(TRIAL, "rate ratio, 0.84") is None
    assert find_quote(TRIAL, "  ") is None
    assert text_at(TRIAL, Span(9, 0, 5)) == ""


# Drafted sentences

SOURCES = {"Weber_2001_Paper": "Of 6,425 patients 22.9% died, ratio 0.83.", "Kim_2002_Study": "Nothing was counted."}


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Mortality fell to 22.9% [@Weber_2001_Paper].", ()),
        ("It fell in 6425 patients [@Weber_2001_Paper; @Kim_2002_Study].", ()),
        ("Mortality fell.", (Lack.NO_REFERENCE,)),
        ("Mortality fell [@Nobody_2020_Paper].", (Lack.UNKNOWN_REFERENCE,)),
        ("Mortality fell [9].", (Lack.UNKNOWN_REFERENCE,)),
        ("Mortality fell to 21.9% [@Weber_2001_Paper].", (Lack.UNKNOWN_FIGURE,)),
        ("It was 22.9% [@Kim_2002_Study].", (Lack.UNKNOWN_FIGURE,)),
        ("It was 7 [@Kim_2002_Study; @No_2000_One].", (Lack.UNKNOWN_REFERENCE, Lack.UNKNOWN_FIGURE)),
    ],
)
def test_what_a_sentence_lacks(text: str, lacks: tuple[Lack, ...]) -> None:
    [claim] = claims(text, SOURCES)
    assert claim.lacks == lacks
    assert len(claim.told) == len(lacks)


def test_a_citation_behind_the_full_stop_belongs_to_the_sentence_before() -> None:
    told = claims("It fell. [@Weber_2001_Paper] It rose.", SOURCES)
    assert [(claim.text, claim.lacks) for claim in told] == [
        ("It fell. [@Weber_2001_Paper]", ()),
        ("It rose.", (Lack.NO_REFERENCE,)),
    ]


def test_numbers_become_keys_and_unknown_ones_stay() -> None:
    keys = ["A_2001_x", "B_2002_y", "C_2003_z"]
    assert with_keys("So [1]; thus [1, 3] and [1-3], not [4] nor [2, 9].", keys) == (
        "So [@A_2001_x]; thus [@A_2001_x; @C_2003_z] and [@A_2001_x; @B_2002_y; @C_2003_z], not [4] nor [2, 9]."
    )
    assert cited_keys("[@B_2002_y; @A_2001_x] and [@B_2002_y]") == ["B_2002_y", "A_2001_x"]
    assert unresolved_numbers("[4] and [2, 9] and [@A_2001_x]") == ["[4]", "[2, 9]"]
