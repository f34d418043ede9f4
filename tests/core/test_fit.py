"""Fit by rule: what counts as found, the three levels, and the line that says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.fit import Fit, FitLevel, fit, fit_terms, fit_terms_of_plan
from litapp.core.plan import Pico, PlanQuery, SearchPlan
from litapp.core.records import AbstractSection, MeshHeading, Record

QUESTION = "Does exercise training improve quality of life in patients with chronic heart failure?"
QUERY = (
    '("Heart Failure"[mh] OR cardiomyopath*[tiab]) AND (exercis*[tiab] OR "physical activity"[tiab]) '
    "AND (mortality[tiab] OR wom*n[tiab]) AND 2010:2020[dp] NOT animals[mh]"
)
QUESTION_WORDS = ("exercise", "training", "quality", "life", "chronic", "heart", "failure")
PLAN = SearchPlan(QUESTION, ("pubmed",), (PlanQuery(boolean=QUERY),))


def paper(title: str = "", abstract: str = "", mesh: tuple[str, ...] = (), keywords: tuple[str, ...] = ()) -> Record:
    return Record(
        source="pubmed",
        source_id="1",
        title=title,
        abstract=(AbstractSection(abstract),) if abstract else (),
        mesh=tuple(MeshHeading(descriptor) for descriptor in mesh),
        keywords=keywords,
    )


def test_the_words_and_blocks_of_a_plan() -> None:
    terms = fit_terms_of_plan(PLAN)
    assert [word.shown for word in terms.words] == [
        "exercise",
        "training",
        "quality",
        "life",
        "chronic",
        "heart",
        "failure",
    ]
    assert [[[term.shown for term in block] for block in query] for query in terms.queries] == [
        [["Heart Failure", "cardiomyopath*"], ["exercis*", "physical activity"], ["mortality", "wom*n"]]
    ]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            paper("Exercise training in chronic heart failure", "Mortality and quality of life."),
            Fit(
                FitLevel.HIGH,
                "3 of 3 query blocks and 7 of 7 question words found (Heart Failure, exercis*, mortality, exercise, "
                "training, …).",
                ("Heart Failure", "exercis*", "mortality", *QUESTION_WORDS),
            ),
        ),
        (
            paper("A cohort", "Exercise training in chronic heart failure, mortality and quality of life."),
            Fit(
                FitLevel.MEDIUM,
                "3 of 3 query blocks and 7 of 7 question words found (Heart Failure, exercis*, mortality, exercise, "
                "training, …), none in the title.",
                ("Heart Failure", "exercis*", "mortality", *QUESTION_WORDS),
            ),
        ),
        (
            paper("Physical activity of women", mesh=("Cardiomyopathies",)),
            Fit(
                FitLevel.MEDIUM,
                "3 of 3 query blocks and 0 of 7 question words found (cardiomyopath*, physical activity, wom*n); there "
                "is no abstract to look in.",
                ("cardiomyopath*", "physical activity", "wom*n"),
            ),
        ),
        (
            paper("Exercise", "Something else."),
            Fit(
                FitLevel.LOW,
                "1 of 3 query blocks and 1 of 7 question words found (exercis*, exercise).",
                ("exercis*", "exercise"),
            ),
        ),
        (
            paper("Knee pain", "Nothing of it."),
            Fit(FitLevel.LOW, "0 of 3 query blocks and 0 of 7 question words found.", ()),
        ),
    ],
)  # fmt: skip
def test_levels_and_the_line_why(record: Record, expected: Fit) -> None:
    assert fit(fit_terms_of_plan(PLAN), record) == expected


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("tumour", "Tumors of the lung", True),
        ("randomised", "A randomized trial", True),
        ("oedema", "Edema", True),
        ("therapies", "Therapy", True),
        ("heart attack", "Heart attacks", True),
        ("heart attack", "Attack of the heart", False),
        ("heart-attack", "heart attack", True),
        ("meta analysis", "A meta-analysis", True),
        ("β-blocker", "Beta blockers", True),
        ("art", "Heart", False),
        ("cardio*", "Cardiomyopathy", True),
        ("cardio*", "Echocardiography", False),
        ("randomis*", "Randomized", True),
        ("randomiz*", "Randomised", True),
        ("tumour*", "Tumor growth", True),
        ("tumor*", "Tumours", True),
        ("heart attac*", "Heart attacks", True),
        ("organi*ation", "The organisation of care", True),
        ("wom*n", "Women", True),
        ("wom*n", "Wombat", False),
        ("covid 19", "COVID-19", True),
    ],
)
def test_what_counts_as_found(term: str, text: str, found: bool) -> None:
    assert (fit(fit_terms("", [[[term]]]), paper(text)).matched != ()) is found


def test_phrases_do_not_run_from_one_part_into_the_next() -> None:
    terms = fit_terms("", [[["heart attack"]]])
    assert fit(terms, paper("The heart", "Attack of pain.")).matched == ()
    assert fit(terms, paper("x", mesh=("Heart", "Attack"))).matched == ()
    assert fit(terms, paper("x", keywords=("heart attack",))).matched == ("heart attack",)


def test_without_blocks_three_quarters_of_the_words_make_it_high() -> None:
    terms = fit_terms("aspirin stroke diabetes women")
    levels = [fit(terms, paper(title)).level for title in ("Aspirin, stroke, women", "Aspirin, stroke", "Aspirin")]
    assert levels == [FitLevel.HIGH, FitLevel.MEDIUM, FitLevel.LOW]


def test_the_best_of_several_queries_counts() -> None:
    terms = fit_terms("", [[["aspirin"], ["stroke"]], [["warfarin"], ["stroke"]]])
    assert fit(terms, paper("Warfarin after stroke")) == Fit(
        FitLevel.HIGH,
        "2 of 2 query blocks found (warfarin, stroke); there is no abstract to look in.",
        ("warfarin", "stroke"),
    )


def test_plans_without_words_or_with_an_unreadable_query() -> None:
    nothing = Fit(FitLevel.LOW, "The plan has no words to compare with.")
    assert fit(fit_terms_of_plan(SearchPlan("", (), ())), paper("Aspirin")) == nothing
    assert fit_terms_of_plan(SearchPlan("Is it?", (), (PlanQuery(boolean="(aspirin"),))).queries == ()
    by_pico = fit_terms_of_plan(SearchPlan("", (), (), pico=Pico(population="adults", intervention="aspirin")))
    assert [word.shown for word in by_pico.words] == ["adults", "aspirin"]
    plain = fit_terms_of_plan(SearchPlan("", (), (PlanQuery(plain="warfarin"),)))
    assert [word.shown for word in plain.words] == ["warfarin"]


TEXT = st.text(st.sampled_from("abc AB*-'\"()éβ<>.") | st.characters(codec="utf-8"), max_size=30)


@given(TEXT, st.lists(st.lists(TEXT, max_size=3), max_size=3), TEXT, TEXT)
def test_any_text_gives_a_fit_and_more_text_never_a_lower_one(
    question: str, blocks: list[list[str]], title: str, abstract: str
) -> None:
    terms = fit_terms(question, [blocks])
    order = [FitLevel.LOW, FitLevel.MEDIUM, FitLevel.HIGH]
    short, long = fit(terms, paper(title)), fit(terms, paper(title, abstract))
    assert order.index(short.level) <= order.index(long.level)
    assert set(short.matched) <= set(long.matched) | {
        term.shown for query in terms.queries for b in query for term in b
    }
