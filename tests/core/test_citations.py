"""Citation keys: the rule, uniqueness and stability."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.citations import assign_citation_keys, base_key, citation_key
from litapp.core.records import PartialDate, Person, Record

KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*_(?:\d{1,4}|nd)_[A-Za-z0-9]+(?:_[a-z]+)?")


def record(title: str = "Trial", year: int | None = 2021, *authors: Person) -> Record:
    return Record(source="pubmed", source_id="1", title=title, authors=authors, date=PartialDate(year=year))


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (record("Dexamethasone in hospitalised patients", 2021, Person("Horby", "Peter")), "Horby_2021_Dexamethasone"),
        (record("The effect of it", 2020, Person("van der Berg", "J")), "VanDerBerg_2020_Effect"),
        (record("A 5-year study", 2020, Person("García-López", "M")), "GarciaLopez_2020_Year"),
        (record("β-blockers", 2020, Person("O’Neill", "P")), "ONeill_2020_Beta"),
        (record("Upper", 2016, Person("KELLER", "A")), "Keller_2016_Upper"),
        (record("Upper", 2016, Person("McDonald", "A")), "McDonald_2016_Upper"),
        (record("<i>E. coli</i> growth", 2016, Person("Li", "A")), "Li_2016_Coli"),
        (record("RETRACTED: Hydroxychloroquine", 2020, Person("Mehra", "M")), "Mehra_2020_Hydroxychloroquine"),
        (
            record("Tocilizumab", 2021, Person(literal="RECOVERY Collaborative Group")),
            "RecoveryCollaborativeGroup_2021_Tocilizumab",
        ),
        (
            record("Report", 2021, Person(literal="World Health Organization (WHO)")),
            "WorldHealthOrganization_2021_Report",
        ),
        (record("Heart", 2021, Person(literal="3C Study Group")), "X3cStudyGroup_2021_Heart"),
        (record("漢字の研究", 2021, Person("山田", "太郎")), "ShanTian_2021_Hanzinoyanjiu"),
        (record("Исследование", 2019, Person("Соловьёв")), "Solovev_2019_Issledovanie"),
        (record("Øresund", None, Person("Ørsted Ångström")), "OrstedAngstrom_nd_Oresund"),
        (record("Of the on", 2020), "Anon_2020_Of"),
        (record("2019 2020", 2020), "Anon_2020_2019"),
        (record("", None), "Anon_nd_Untitled"),
    ],
)
def test_the_rule(paper: Record, key: str) -> None:
    assert base_key(paper) == key


def test_the_first_keeps_the_plain_key_and_later_ones_get_letters() -> None:
    papers = [record("Trial", 2016, Person(name)) for name in ("Keller", "KELLER", "keller")]
    assert assign_citation_keys(papers, set()) == ["Keller_2016_Trial", "Keller_2016_Trial_a", "Keller_2016_Trial_b"]
    assert citation_key(papers[0], {"KELLER_2016_Trial", "Keller_2016_Trial_b"}) == "Keller_2016_Trial_a"


def test_letters_go_on_after_z() -> None:
    keys = assign_citation_keys([record()] * 30, set())
    assert keys[26:29] == ["Anon_2021_Trial_z", "Anon_2021_Trial_aa", "Anon_2021_Trial_ab"]


@given(
    st.lists(
        st.builds(
            record,
            st.sampled_from(["Trial", "trial", "<b>Trial</b>"]) | st.text(max_size=20),
            st.none() | st.integers(1900, 2030),
            st.builds(Person, st.text(max_size=10), st.just("A"), st.just(""), st.text(max_size=10)),
        ),
        max_size=12,
    )
)
def test_keys_are_ascii_unique_without_case_and_do_not_change_when_others_are_added(papers: list[Record]) -> None:
    keys = assign_citation_keys(papers, set())
    assert all(KEY.fullmatch(key) for key in keys)
    assert len({key.lower() for key in keys}) == len(keys)
    half = len(papers) // 2
    first = assign_citation_keys(papers[:half], set())
    assert first + assign_citation_keys(papers[half:], set(first)) == keys


@pytest.mark.shared
@pytest.mark.parametrize("name", ["53-citekeys-unique-and-stable", "54-citekeys-from-difficult-names"])
def test_reported_faults_of_other_tools(shared: Path, name: str) -> None:
    items = json.loads((shared / f"bugs/import/{name}.json").read_text())
    papers = [
        record(
            item.get("title", ""),
            item["issued"]["date-parts"][0][0] if "issued" in item else None,
            *(Person(**author) for author in item.get("author", ())),
        )
        for item in items
    ]
    keys = assign_citation_keys(papers, set())
    assert len({key.lower() for key in keys}) == len(items)
    assert [key for key in keys if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_:.+-]*", key)] == []
