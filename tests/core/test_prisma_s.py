"""PRISMA-S: every item is answered from facts or says its gap; nothing is made up; text and Markdown agree."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from litapp.core.prisma.events import Method
from litapp.core.prisma.methods import method_of
from litapp.core.prisma.methods_text import as_markdown, methods_paragraph
from litapp.core.prisma.prisma_s import ASKS, Search, SearchFacts, Statement, Status, prisma_s

FACTS = SearchFacts(
    searches=(
        Search("PubMed", platform="National Library of Medicine", query='"a b"[tiab] AND `c`', on=date(2026, 3, 1),
               records=120, run=1),
        Search("Crossref", query="a b", on=date(2026, 3, 1), records=0, failed="HTTP 503", simple=True, run=1),
        Search("Embase", platform="Ovid", query="", on=None, records=80, elsewhere=True),
        Search("ClinicalTrials.gov", Method.REGISTER, query="a b", on=date(2026, 3, 3), records=4, elsewhere=True),
        Search("Citation searching", Method.CITATIONS, on=date(2026, 4, 1), records=6, elsewhere=True),
    ),
    identified=(("PubMed", 120), ("Embase", 80), ("ClinicalTrials.gov", 4), ("Citation searching", 6)),
    limits=("Published from 2010.",),
    approvals=("Ada approved “Plan”, version 1, on 2026-02-28, before it was run.",),
    duplicates=33,
    same=2,
    apart=1,
)  # fmt: skip


def test_the_sixteen_items_are_filled_from_the_facts_with_their_gaps() -> None:
    items = {item.number: item for item in prisma_s(FACTS)}
    assert [item.name for item in items.values()] == [name for name, _ in ASKS]
    assert items[1].told == ("PubMed (National Library of Medicine)", "Crossref", "Embase (Ovid)")
    assert items[3].told == ("ClinicalTrials.gov",)
    assert items[5].told == ("Citation searching: on 2026-04-01, 6 records",)
    assert items[6].status is Status.GAP
    assert items[8].told == (
        'PubMed (National Library of Medicine): "a b"[tiab] AND `c`', "Crossref: a b", "ClinicalTrials.gov: a b",
    )  # fmt: skip
    assert items[8].gaps == (
        "Crossref ranks plain words by likeness: its search is not systematic.",
        "The strategy for Embase (Ovid) is not told.",
    )
    assert items[9].gaps == (
        "Why these limits were set is not told.",
        "Limits set outside the query in Embase are not told.",
    )
    assert items[12].told == ("The searches were run once; they were not updated.",)
    assert items[13].gaps == ("When Embase was searched is not told.",)
    assert items[14].status is Status.PARTLY
    assert items[15].told == ("PubMed: 120", "Embase: 80", "ClinicalTrials.gov: 4", "Citation searching: 6")
    assert items[15].gaps == ("Crossref: HTTP 503. This is not “no records”.",)
    assert "33 duplicate records were removed." in items[16].told


def test_a_statement_answers_its_item_under_a_name() -> None:
    said = Statement(6, "Two experts were asked.", "Ada", date(2026, 5, 1))
    items = {item.number: item for item in prisma_s(SearchFacts(statements=(said,)))}
    assert items[6].status is Status.FILLED
    assert items[6].statements == (said,)
    assert [number for number, item in items.items() if item.status is Status.FILLED] == [6, 7]


def test_nothing_is_answered_of_a_project_without_searches() -> None:
    items = prisma_s(SearchFacts())
    assert [item.number for item in items if item.told] == [7]
    assert methods_paragraph(SearchFacts()) == ""


def test_the_paragraph_says_what_was_done_and_what_failed() -> None:
    text = methods_paragraph(FACTS)
    assert text == (
        "We searched PubMed (National Library of Medicine), Crossref and Embase (Ovid) on 1 March 2026. "
        "Study registers searched: ClinicalTrials.gov on 3 March 2026. "
        "Further records were sought by citation searching. "
        "The strategies, as run, are given in full in the appendix. Limits: Published from 2010. "
        "The searches identified 210 records; LitLedger grouped them by rule and removed 33 duplicates, with doubtful "
        "pairs decided by people. Searches that were not made or not finished: Crossref (HTTP 503). "
        "Searches of Crossref rank plain words by likeness and are not systematic. "
        "The search is reported by PRISMA-S."
    )


def test_markdown_holds_the_exact_strategy_and_every_gap() -> None:
    text = as_markdown(FACTS, title="A *title*")
    assert '```\n"a b"[tiab] AND `c`\n```' in text
    for item in prisma_s(FACTS):
        assert f"## Item {item.number}: {item.name}" in text
    assert text.count("**Gap:**") == sum(len(item.gaps) for item in prisma_s(FACTS))
    assert "A \\*title\\*" in text


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_markdown(query: str, name: str) -> None:
    facts = SearchFacts(
        (Search(name or "x", query=query, records=1),), statements=(Statement(2, name, name, date(2026, 1, 1)),)
    )
    assert as_markdown(facts, title=name).count("## Item") >= 16


def test_an_imports_name_says_its_box() -> None:
    names = {
        "Embase": Method.DATABASE, "Cochrane Central Register of Controlled Trials": Method.DATABASE,
        "Google Scholar": Method.DATABASE, "ClinicalTrials.gov": Method.REGISTER, "WHO ICTRP": Method.REGISTER,
        "ISRCTN registry": Method.REGISTER, "Citation searching": Method.CITATIONS, "Reference pool": Method.CITATIONS,
        "Added by hand": Method.WEBSITE, "Quick cite": Method.WEBSITE, "WHO website": Method.WEBSITE,
        "Authors contacted": Method.ORGANISATION, "Previous version of this review": Method.PREVIOUS,
        "PEDro": Method.DATABASE, "Hand search of journals": Method.WEBSITE,
    }  # fmt: skip
    assert {name: method_of(name) for name in names} == names
