"""Names and author lists. Names are made up or common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.matching import Agreement
from litapp.core.matching.authors import compare_authors
from litapp.core.matching.names import NameMatch, compare_names, read_name, repair_mojibake
from litapp.core.records import Person


def person(text: str) -> Person:
    """ "Family, Given" or, without a comma, a name in one piece."""
    family, comma, given_name = text.partition(", ")
    return Person(family=family, given=given_name) if comma else Person(literal=text)


def people(text: str) -> tuple[Person, ...]:
    return tuple(person(name) for name in text.split("; "))


ONE_PERSON = [
    ("Horby, Peter", "Horby, P"),
    ("Horby, Peter W.", "Horby, PW"),
    ("Müller, Jürgen", "Mueller, J"),
    ("Müller, Jürgen", "Muller, J"),
    ("Åström, Eva", "Aastrom, E"),
    ("Sørensen, Lars", "Sorensen, L"),
    ("van den Berg, Anna", "Berg, A. van den"),
    ("van den Berg, Anna", "Vandenberg, A"),
    ("De Luca, Marco", "DeLuca, M"),
    ("Al-Shahi, Omar", "Shahi, O"),
    ("García López, María", "García, M"),
    ("Smith-Jones, Kate", "Jones, K"),
    ("Wang, Lei", "Lei Wang"),
    ("Wang, Lei", "Wang Lei"),
    ("Wang, Xiao-Ming", "Wang, Xiaoming"),
    ("Wang, Xiao-Ming", "Wang, XM"),
    ("Lei, Wang", "Wang, Lei"),
    ("Larry, W. Kenney", "Larry, W. K."),
    ("Kenney, W. Larry", "Kenney, Larry"),
    ("Smith, John Jr", "Smith, J"),
    ("Smith Jr, John", "Smith, J"),
    ("Santos 0001, Ana", "Santos, A"),
    ("O'Brien, Pat", "OBrien, P"),
    ("Castaño, Gemma", "CastaÃ±o, G"),
    ("Dierssen Trinidad, T", "ierssen Trinidad, T"),
    ("Papantoniou, Kyriaki", "Papantonio, Kyriaki"),
]
TWO_PEOPLE = [
    ("Smith, John", "Jones, John"),
    ("Li, Wei", "Lin, Jun"),
    ("Wang, Jun", "Wang, Xin"),
    ("Smith, Anna", "Smith, Boris"),
    ("Berg, A", "Berger, T"),
]


@pytest.mark.parametrize(("ours", "theirs"), ONE_PERSON)
def test_one_person_written_in_two_ways(ours: str, theirs: str) -> None:
    a, b = read_name(person(ours)), read_name(person(theirs))
    assert min(compare_names(a, b), compare_names(b, a)) >= NameMatch.VARIANT


@pytest.mark.parametrize(("ours", "theirs"), TWO_PEOPLE)
def test_two_people(ours: str, theirs: str) -> None:
    a, b = read_name(person(ours)), read_name(person(theirs))
    assert max(compare_names(a, b), compare_names(b, a)) <= NameMatch.GIVEN_CLASH


def test_mojibake_is_read_again_and_real_names_are_left_alone() -> None:
    assert [repair_mojibake(t) for t in ("PÃ©rez", "Pérez", "Âke", "Smith")] == ["Pérez", "Pérez", "Âke", "Smith"]


LIST = "Horby, Peter; Lim, Wei Shen; Emberson, Jonathan; Mafham, Marion; Bell, Jennifer"


@pytest.mark.parametrize(
    ("ours", "complete"),
    [
        (LIST, True),
        ("Horby, P; Lim, WS; Emberson, JR; Mafham, M; Bell, JL", True),
        ("Horby, P; Lim, WS; Emberson, J", False),
        ("Horby, P; et al.", True),
        ("Horby, P; Lim, WS; Emberson, J", True),
        (LIST + "; RECOVERY Collaborative Group", True),
    ],
)
def test_harmless_lists_agree(ours: str, complete: bool) -> None:
    found = compare_authors(people(ours), people(LIST), ours_complete=complete)
    assert found.verdict in (Agreement.SAME, Agreement.VARIANT)


@pytest.mark.parametrize(
    ("ours", "named"),
    [
        (
            "Smith, A; Lim, WS; Emberson, J; Mafham, M; Bell, J",
            "the first author is Smith A, in the source Horby Peter",
        ),
        ("Horby, P; Lim, WS; Smith, A; Mafham, M; Bell, J", "author 3 is Smith A, in the source Emberson Jonathan"),
        (LIST + "; Smith, Anna", "Smith Anna not among the source's authors"),
        ("Horby, P; Emberson, J; Bell, J; Mafham, M; Lim, WS", "another order"),
        ("Horby, P; Lim, WS; Bell, J", "missing in ours"),
        ("Horby, P; Lim, WS; Emberson, J; Mafham, M", "Bell Jennifer missing at the end of ours"),
        ("Horby, Xavier; Lim, WS; Emberson, J; Mafham, M; Bell, J", "the first author is Horby Xavier"),
    ],
)
def test_changed_lists_differ_and_say_where(ours: str, named: str) -> None:
    found = compare_authors(people(ours), people(LIST))
    assert found.verdict is Agreement.DIFFERS
    assert named in found.why


def test_a_list_of_strangers_is_foreign() -> None:
    found = compare_authors(people("Smith, A; Jones, B"), people(LIST))
    assert (found.verdict, found.foreign, found.matched) == (Agreement.DIFFERS, True, 0)


def test_an_appended_name_passes_only_where_the_source_cut_its_list() -> None:
    ours = people(LIST + "; Landray, Martin")
    assert compare_authors(ours, people(LIST)).verdict is Agreement.DIFFERS
    assert compare_authors(ours, people(LIST), theirs_complete=False).verdict is Agreement.VARIANT


def test_group_alone_and_people_alone_are_not_compared() -> None:
    found = compare_authors(people("RECOVERY Collaborative Group"), people(LIST))
    assert (found.verdict, found.foreign) == (Agreement.VARIANT, False)


def test_groups_by_other_names() -> None:
    who = compare_authors(people("WHO"), people("World Health Organization"))
    assert who.verdict is not Agreement.ABSENT
    same = compare_authors(people("World Health Organisation"), people("World Health Organization"))
    assert same.verdict in (Agreement.SAME, Agreement.VARIANT)


def test_names_filed_by_given_name_throughout() -> None:
    found = compare_authors(people("Valeria, P; Mario, E"), people("Prado, V; Esparza, M"))
    assert (found.verdict, found.why) == (Agreement.VARIANT, "Authors: given names and family names exchanged.")


def test_no_authors_on_one_side() -> None:
    assert compare_authors((), people(LIST)).verdict is Agreement.ABSENT


NAMES = st.lists(
    st.sampled_from(["Horby, P", "Lim, WS", "Bell, J", "Wang, Lei", "Müller, K", "García López, A", "Lei Wang"]),
    min_size=1,
    max_size=8,
    unique=True,
)


@given(NAMES)
def test_a_list_agrees_with_itself(names: list[str]) -> None:
    listed = tuple(person(name) for name in names)
    assert compare_authors(listed, listed).verdict is not Agreement.DIFFERS or "Lei Wang" in names


@given(st.lists(st.text(max_size=20), max_size=4), st.lists(st.text(max_size=20), max_size=4))
def test_no_names_break_it(ours: list[str], theirs: list[str]) -> None:
    compare_authors(tuple(Person(family=t) for t in ours), tuple(Person(literal=t) for t in theirs))
