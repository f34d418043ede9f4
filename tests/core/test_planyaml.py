"""Plans as YAML: written and read back equal, every fault named with its line, nothing built that a plan is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.formats.planyaml import LARGEST_PLAN, plan_from_yaml, plan_to_yaml
from litapp.core.plan import Caps, Filters, Pico, PlanError, PlanQuery, Preprints, SearchPlan

TEXT = st.text(
    st.sampled_from("ab \"':#-&*!|>%@`{}[],?\n\t\\é漢\u2028\x85") | st.characters(codec="utf-8"), max_size=40
)
NUMBER = st.none() | st.integers(0, 3000)
PLANS = st.builds(
    SearchPlan,
    TEXT.map(str.strip),
    st.lists(TEXT, max_size=3).map(tuple),
    st.lists(st.builds(PlanQuery, TEXT, TEXT, TEXT), max_size=3).map(tuple),
    st.builds(Pico, TEXT, TEXT, TEXT, TEXT),
    st.builds(
        Filters, NUMBER, NUMBER, st.lists(TEXT, max_size=2).map(tuple), st.lists(TEXT, max_size=2).map(tuple),
        st.sampled_from(list(Preprints)),
    ),
    st.builds(Caps, NUMBER, NUMBER, NUMBER),
    st.integers(1, 9),
)  # fmt: skip


@given(PLANS)
def test_reading_what_was_written_gives_an_equal_plan(plan: SearchPlan) -> None:
    assert plan_from_yaml(plan_to_yaml(plan)) == plan


def test_a_plan_as_people_write_it() -> None:
    assert plan_from_yaml(
        "\ufeff# my plan\n"
        "question: Does dexamethasone help?\n"
        "sources: [pubmed, crossref]\n"
        "queries:\n"
        "  - label: Line 1\n"
        "    boolean: |\n"
        '      "dexamethasone"[tiab] AND covid*[tiab]: x\n'
        "    plain: dexamethasone for covid\n"
        "filters:\n"
        "  year_from: 2019\n"
        "  languages: [no, eng]\n"
        "  preprints: only\n"
        "caps:\n"
        "  per_run: 500\n"
    ) == SearchPlan(
        question="Does dexamethasone help?",
        sources=("pubmed", "crossref"),
        queries=(PlanQuery('"dexamethasone"[tiab] AND covid*[tiab]: x\n', "dexamethasone for covid", "Line 1"),),
        filters=Filters(year_from=2019, languages=("no", "eng"), preprints=Preprints.ONLY),
        caps=Caps(per_run=500),
    )


def test_a_query_stands_in_a_block() -> None:
    plan = SearchPlan("Q", ("pubmed",), (PlanQuery(boolean='"heart attack"[tiab]\nAND aspirin'),))
    assert '- boolean: |-\n    "heart attack"[tiab]\n    AND aspirin\n' in plan_to_yaml(plan)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", {"plan": "The file is empty."}),
        ("just words", {"plan": "Line 1: fields with values are expected here, such as “question: …”."}),
        (
            "question: a\nsource: [x]\n",
            {"source": "Line 2: “source” is not part of a plan. Known here: question, sources,"},
        ),
        ("question: a\nquestion: b\n", {"question": "Line 2: “question” stands here a second time"}),
        ("sources: pubmed\n", {"sources": "Line 1: a list is expected here"}),
        (
            "filters:\n  year_from: 2010-01-01\n  preprints: maybe\n",
            {
                "filters.year_from": "Line 2: a whole number is expected here",
                "filters.preprints": "Line 3: one of included, excluded, only is expected here, not “maybe”.",
            },
        ),
        ("queries:\n  - boolean: [a]\n", {"queries[1].boolean": "Line 2: a text is expected here."}),
        ("queries:\n  - bolean: a\n", {"queries[1].bolean": "Line 2: “bolean” is not part of a plan."}),
        ("caps:\n  per_run: -1\n", {"caps.per_run": "Line 2: a whole number is expected here"}),
        ("source_policy:\n", {"source_policy": "Line 1: a whole number is expected here."}),
        ('queries:\n  - boolean: "a b"[tiab] AND c\n', {"plan": "Line 2: this cannot be read as YAML"}),
        ("question: a\n\tsources: [b]\n", {"plan": "Line 2: this cannot be read as YAML"}),
        ("question: a\n\n\x07\n", {"plan": "Line 3: a character here cannot be in a text file."}),
        ("a: &x [1]\nb: *x\n", {"plan": "Line 1: references (& and *) are not used in plans."}),
        ("question: !!python/object/apply:os.system ['true']\n", {"plan": "Line 1: tags (!) are not used in plans."}),
        ("question: a\n---\nquestion: b\n", {"plan": "Line 2: a second document starts here"}),
        ("schema: litledger.plan.v9\n", {"schema": "This plan is of the form 'litledger.plan.v9'"}),
    ],
)
def test_every_fault_is_named_with_its_line(text: str, problems: dict[str, str]) -> None:
    with pytest.raises(PlanError) as refused:
        plan_from_yaml(text)
    assert set(refused.value.problems) == set(problems)
    assert [name for name, start in problems.items() if not refused.value.problems[name].startswith(start)] == []


@pytest.mark.parametrize("text", ["[" * (LARGEST_PLAN - 1), "{a: " * 40_000, "- " * 90_000, "x" * (LARGEST_PLAN + 1)])
def test_hostile_files_are_refused_at_once(text: str) -> None:
    with pytest.raises(PlanError):
        plan_from_yaml(text)


def test_a_query_of_ten_thousand_characters_is_read() -> None:
    query = " OR ".join(f'"word {n}"[tiab]' for n in range(600))
    plan = SearchPlan("Q", ("pubmed",), (PlanQuery(boolean=query),))
    assert len(query) > 10_000
    assert plan_from_yaml(plan_to_yaml(plan)) == plan


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    problems = {}
    try:
        plan_from_yaml(text)
    except PlanError as error:
        problems = error.problems
    assert all(problems.values())
