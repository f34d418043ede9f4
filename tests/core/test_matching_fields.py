"""Journals, years, volumes, pages, and the comparison of whole records."""

from __future__ import annotations

import pytest

from litapp.core.matching import Agreement, FieldVerdict, JournalNames, compare_fields
from litapp.core.matching.journals import same_journal
from litapp.core.matching.numbering import compare_numbers, compare_pages, compare_years
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme

SAME_JOURNAL = [
    ("N Engl J Med", "The New England Journal of Medicine"),
    ("N. Engl. J. Med.", "New England journal of medicine"),
    ("NEJM", "New England Journal of Medicine"),
    ("JAMA", "Journal of the American Medical Association"),
    ("BMJ", "BMJ (Clinical research ed.)"),
    ("Lancet", "Lancet (London, England)"),
    ("PNAS", "Proceedings of the National Academy of Sciences of the United States of America"),
    ("Proceedings of the National Academy of Sciences", "Proc Natl Acad Sci U S A"),
    ("Infect Control Hosp Epidemiol", "Infection Control & Hospital Epidemiology"),
    ("Antimicrob. Resist. Infect. Control", "Antimicrobial Resistance and Infection Control"),
    ("J Clin Oncol", "Journal of clinical oncology : official journal of the American Society of Clinical Oncology"),
    ("J Bone Joint Surg Am", "The Journal of Bone and Joint Surgery. American volume"),
    ("PLoS ONE", "PloS one"),
    ("Public Library of Science One", "PLOS ONE"),
    ("Jpn J Ophthalmol", "Japanese Journal of Ophthalmology"),
    ("NeurIPS", "Advances in Neural Information Processing Systems"),
    ("ICML", "Proceedings of the 38th International Conference on Machine Learning"),
    ("Behavioral Ecology", "Behavioural Ecology"),
    ("Asian Pacific Journal of Cancer Prevention : APJCP", "Asian Pac J Cancer Prev"),
    ("JNCCN Journal of the National Comprehensive Cancer Network", "J Natl Compr Canc Netw"),
    ("Journal of Psychopathology-Giornale Di Psicopatologia", "Journal of Psychopathology"),
    ("Diabetes. Conference: 70th Scientific Sessions", "Diabetes"),
    ("Trans R Soc Trop Med Hyg", "Transactions of the Royal Society of Tropical Medicine and Hygiene"),
]
SIBLINGS = [
    ("The Lancet", "The Lancet Infectious Diseases"),
    ("Nature", "Nature Communications"),
    ("Blood", "Blood Advances"),
    ("Science", "Science Advances"),
    ("New England Journal of Medicine", "New England Journal of Medicine Evidence"),
    ("Clinical Infectious Diseases", "Journal of Infectious Diseases"),
    ("Journal of Hospital Infection", "Journal of Infection"),
    ("American Journal of Infection Control", "Infection Control and Hospital Epidemiology"),
    ("J Phys A", "J Phys B"),
    ("PLoS One", "PLoS Medicine"),
    ("BMJ", "BMJ Open"),
    ("J Physiol", "J Physiother"),
    ("J Immunol", "J Immunother"),
    ("Circulation. Heart failure", "Circulation"),
    ("European Heart Journal - Acute Cardiovascular Care", "European Heart Journal"),
    ("JAMA Netw Open", "JAMA"),
    ("Ann Intern Med", "Ann Emerg Med"),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME_JOURNAL)
def test_names_of_one_journal(ours: str, theirs: str) -> None:
    assert same_journal(ours, theirs)
    assert same_journal(theirs, ours)


@pytest.mark.parametrize(("ours", "theirs"), SIBLINGS)
def test_siblings_are_other_journals(ours: str, theirs: str) -> None:
    assert not same_journal(ours, theirs)
    assert not same_journal(theirs, ours)


def test_known_names_join_what_words_cannot() -> None:
    names = JournalNames.from_names([["Deutsches Ärzteblatt international", "Dtsch Arztebl Int"], ["Gut"]])
    assert names.same("Dtsch Arztebl Int", "Deutsches Ärzteblatt International")
    assert (names.knows("Gut"), names.knows("Gut Microbes"), names.same("Gut", "Dtsch Arztebl Int")) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ({2020}, {2019, 2020}, Agreement.SAME),
        ({2020}, {2021}, Agreement.VARIANT),
        ({2020}, {2018}, Agreement.DIFFERS),
        (set(), {2018}, Agreement.ABSENT),
    ],
)
def test_years(ours: set[int], theirs: set[int], verdict: Agreement) -> None:
    assert compare_years(ours, theirs)[0] is verdict


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ("480-6", "480-486", Agreement.VARIANT),
        ("480–486", "480-486", Agreement.SAME),
        ("pp. 480", "480-486", Agreement.VARIANT),
        ("Article 101576", "101576", Agreement.SAME),
        ("e0143396", "0143396", Agreement.VARIANT),
        ("art. no. 013396", "13396", Agreement.SAME),
        ("S44-8", "S44-S48", Agreement.VARIANT),
        ("517-523", "480-486", Agreement.DIFFERS),
        ("S44", "44", Agreement.VARIANT),
        ("S44", "D44", Agreement.DIFFERS),
        ("", "480", Agreement.ABSENT),
        ("ahead of print", "480", Agreement.ABSENT),
        ("1-9", "2041-2049", Agreement.VARIANT),
    ],
)
def test_pages(ours: str, theirs: str, verdict: Agreement) -> None:
    assert compare_pages(ours, theirs)[0] is verdict


def test_pages_counted_from_one_are_final_in_a_finished_record() -> None:
    assert compare_pages("92-94", "1-3", theirs_final=True)[0] is Agreement.DIFFERS
    assert compare_pages("92-94", "1-3", theirs_final=False)[0] is Agreement.VARIANT


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ("12", "Vol. 12", Agreement.SAME),
        ("XII", "12", Agreement.SAME),
        ("36 Suppl 1", "36", Agreement.VARIANT),
        ("3-4", "3", Agreement.VARIANT),
        ("2017", "8", Agreement.VARIANT),
        ("12", "21", Agreement.DIFFERS),
        ("", "21", Agreement.ABSENT),
    ],
)
def test_volumes(ours: str, theirs: str, verdict: Agreement) -> None:
    assert compare_numbers("Volume", ours, theirs, years=frozenset({2017}))[0] is verdict


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ("Suppl 1", "1", Agreement.VARIANT),
        ("May", "5", Agreement.ABSENT),
        ("e0143396", "11", Agreement.ABSENT),
        ("2 Pt 1", "2", Agreement.VARIANT),
        ("3", "4", Agreement.DIFFERS),
    ],
)
def test_issues(ours: str, theirs: str, verdict: Agreement) -> None:
    assert compare_numbers("Issue", ours, theirs)[0] is verdict


def record(**changes: object) -> Record:
    values: dict[str, object] = {
        "source": "crossref",
        "source_id": "10.1000/x",
        "title": "Aspirin in adults with sepsis",
        "authors": (Person("Horby", "Peter"), Person("Lim", "Wei Shen")),
        "journal": "The Lancet",
        "volume": "397",
        "issue": "10285",
        "pages": "1637-1645",
        "date": PartialDate(2021),
        "years": (2020, 2021),
        "identifiers": (Identifier(Scheme.DOI, "10.1000/x"),),
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


def test_all_fields_in_order_with_both_values() -> None:
    claimed = record(
        title="Aspirin in adults with sepsis.", journal="Lancet", pages="1637-45", date=PartialDate(2020), years=()
    )
    assert compare_fields(claimed, record()) == (
        FieldVerdict("title", "Aspirin in adults with sepsis.", "Aspirin in adults with sepsis", Agreement.SAME),
        FieldVerdict("authors", "Horby Peter; Lim Wei Shen", "Horby Peter; Lim Wei Shen", Agreement.SAME),
        FieldVerdict("year", "2020", "2020, 2021", Agreement.SAME),
        FieldVerdict("journal", "Lancet", "The Lancet", Agreement.VARIANT, "Journal: name written differently."),
        FieldVerdict("volume", "397", "397", Agreement.SAME),
        FieldVerdict("issue", "10285", "10285", Agreement.SAME),
        FieldVerdict("pages", "1637-45", "1637-1645", Agreement.VARIANT, "Pages: written differently."),
        FieldVerdict("doi", "10.1000/x", "10.1000/x", Agreement.SAME),
        FieldVerdict("pmid", "", "", Agreement.ABSENT),
    )


def test_a_second_container_title_counts() -> None:
    found = record(journal="Methods in Molecular Biology", journal_alternatives=("Methods in Biobanking",))
    verdict = {f.field: f.verdict for f in compare_fields(record(journal="Methods in Biobanking"), found)}
    assert verdict["journal"] is Agreement.VARIANT


def test_preprint_server_beside_a_journal_is_named_not_counted() -> None:
    verdict = {f.field: f for f in compare_fields(record(journal="bioRxiv", volume="", pages=""), record())}
    assert verdict["journal"].verdict is Agreement.ABSENT
    assert "preprint" in verdict["journal"].why


def test_preprint_server_with_the_journals_own_pages_is_wrong() -> None:
    verdict = {f.field: f.verdict for f in compare_fields(record(journal="arXiv"), record())}
    assert verdict["journal"] is Agreement.DIFFERS
