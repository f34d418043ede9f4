"""Citations as text: a found record laid over them says where each field stands, in every common style."""

from __future__ import annotations

import pytest

from litapp.core.matching import compare_fields
from litapp.core.matching.verdicts import Agreement
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.core.verification.freetext import claim_of

FOUND = Record(
    source="crossref",
    source_id="10.1000/j.7",
    title="Atrial remodeling in patients with tachycardia: a case-control study of 24 weeks",
    authors=(
        Person("Kocabaş", "Umut"),
        Person("Abade Dos Santos", "Fábio A"),
        Person("Le", "Thomas P"),
        Person("Di", "Khanh"),
    ),
    journal="Journal of clinical ultrasound : JCU",
    journal_abbreviation="J Clin Ultrasound",
    volume="49",
    issue="6",
    pages="573-579",
    date=PartialDate(2021),
    years=(2021,),
    identifiers=(Identifier(Scheme.DOI, "10.1000/j.7"),),
)
TITLE = "Atrial remodeling in patients with tachycardia: a case-control study of 24 weeks"
NAMES = "Kocabaş, U., Abade Dos Santos, F. A., Le, T. P."
STYLES = {
    "vancouver": f"1. Kocabas U, Abade Dos Santos FA, Le TP, Di K. {TITLE}. J Clin Ultrasound. 2021;49(6):573-9.",
    "ama": f"Kocabaş U, Abade Dos Santos FA, Le TP, et al. {TITLE}. *J Clin Ultrasound*. 2021;49(6):573-579.",
    "apa": f"{NAMES}, & Di, K. (2021). {TITLE}. Journal of clinical ultrasound : JCU, 49(6), 573–579.",
    "harvard": f"{NAMES} and Di, K. (2021) '{TITLE}', Journal of clinical ultrasound, 49(6), pp. 573-579.",
    "gbt7714": f"KOCABAŞ U, ABADE DOS SANTOS F A, LE T P, et al. {TITLE}[J]. J Clin Ultrasound, 2021, 49(6): 573-579.",
    "ieee": "U. Kocabaş, F. A. Abade Dos Santos, T. P. Le, and K. Di, "
    f"“{TITLE},” J. Clin. Ultrasound, vol. 49, no. 6, pp. 573–579, 2021.",
    "chicago": "Kocabaş, Umut, Fábio A. Abade Dos Santos, Thomas P. Le, and Khanh Di. "
    f"“{TITLE}.” Journal of Clinical Ultrasound 49, no. 6 (2021): 573–79.",
    "mla": f"Kocabaş, Umut, et al. “{TITLE}.” Journal of Clinical Ultrasound, vol. 49, no. 6, 2021, pp. 573-79.",
    "nature": f"{NAMES} & Di, K. {TITLE}. J. Clin. Ultrasound 49, 573–579 (2021).",
    "elsevier": f"U. Kocabaş, F. A. Abade Dos Santos, T. P. Le, K. Di, {TITLE}, J. Clin. Ultrasound 49 (2021) 573–579.",
    "bmc": f"Kocabaş U, Abade Dos Santos FA, Le TP, Di K: {TITLE}. J Clin Ultrasound 2021, 49:573-579.",
    "chatbot": f"**{NAMES}, et al. (2021).** *{TITLE}.* Journal of Clinical Ultrasound, 49(6), 573-579.",
}


def differing(text: str, found: Record = FOUND) -> list[str]:
    claimed = claim_of(text, [found])
    return [field.field for field in compare_fields(claimed, found) if field.verdict is Agreement.DIFFERS]


@pytest.mark.parametrize("style", STYLES)
def test_a_right_citation_differs_in_nothing_and_its_fields_are_read(style: str) -> None:
    claimed = claim_of(STYLES[style], [FOUND])
    assert differing(STYLES[style]) == []
    assert (claimed.title, claimed.year, claimed.volume) == (TITLE, 2021, "49")
    assert all((claimed.authors, claimed.journal, claimed.pages))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("right", "wrong", "field"),
    [
        ("2021", "2016", "year"),
        ("24 weeks", "12 weeks", "title"),
        ("in patients with", "in patients without", "title"),
        ("573", "811", "pages"),
    ],
)
def test_a_changed_value_is_seen_in_every_style(style: str, right: str, wrong: str, field: str) -> None:
    assert field in differing(STYLES[style].replace(right, wrong))


def test_an_invented_author_is_no_given_name_of_another_one() -> None:
    text = STYLES["vancouver"].replace("U, Abade", "U, Chaudhry TT, Abade")
    assert differing(text) == ["authors"]


def test_names_that_cannot_be_read_accuse_nobody() -> None:
    text = STYLES["apa"].replace("Le, T. P.", "Maria de los Angeles Le (chair)")
    assert differing(text) == []


@pytest.mark.parametrize(
    "cut",
    ["Atrial remodeling in patients with", "Atrial remodeling in patients…", "Atrial remodeling in … of 24 weeks"],
)
@pytest.mark.parametrize("style", ["ama", "harvard", "ieee", "elsevier", "chatbot"])
def test_a_shortened_title_is_read_as_it_stands(style: str, cut: str) -> None:
    claimed = claim_of(STYLES[style].replace(TITLE, cut), [FOUND])
    assert claimed.title.rstrip(" …") == cut.rstrip(" …")
    assert (claimed.year, claimed.volume) == (2021, "49")


def test_years_in_a_journals_name_and_pages_that_look_like_years() -> None:
    proceedings = "Proceedings of the 2018 Conference on Hearts, Volume 1 (Long Papers)"
    found = Record(source="crossref", source_id="x", title=TITLE, authors=FOUND.authors, journal=proceedings,
                   pages="1768-1778", date=PartialDate(2019), years=(2019,))  # fmt: skip
    text = f"Kocabaş U, Abade Dos Santos FA, Le TP, Di K. {TITLE}. {proceedings}. 2019:1768-78."
    assert differing(text, found) == []
    assert differing(text.replace("2019:", "2018:"), found) == []
    assert differing(text.replace("2019:", "2012:"), found) == ["year"]


@pytest.mark.parametrize(
    "text",
    [
        f"Kocabaş, U., Abade Dos Santos, F. A., Le, T. P. & Di, K. 2021 {TITLE}. J. Clin. Ultrasound 49, 573-579.",
        f"Kocabaş U, Abade Dos Santos FA, Le TP, Di K (2021) {TITLE}. J Clin Ultrasound 49:573579",
        f"Kocabaş, U., F. A. Abade Dos Santos, T. P. Le, and K. Di. 2021a. {TITLE}.",
    ],
)
def test_a_bare_year_a_lost_dash_and_a_missing_place_are_no_faults(text: str) -> None:
    claimed = claim_of(text, [FOUND])
    assert differing(text) == []
    assert (claimed.title, claimed.year) == (TITLE, 2021)


def test_a_title_that_goes_on_is_not_the_short_one_it_begins_with() -> None:
    short = Record(source="crossref", source_id="y", title="Atrial remodeling in patients", authors=FOUND.authors)
    assert claim_of(STYLES["vancouver"], [short, FOUND]).title == TITLE


def test_an_invented_title_is_read_from_the_build_of_the_citation() -> None:
    invented = "Weekly semaglutide after hip fracture: a randomised controlled trial"
    other = Record(source="crossref", source_id="z", title="Aspirin after stroke: a randomised controlled trial")
    for style, text in STYLES.items():
        claimed = claim_of(text.replace(TITLE, invented), [other])
        assert (style, claimed.title, claimed.year) == (style, invented, 2021)
