"""Titles: which differences are harmless, which are another claim. Pairs are made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.matching import Agreement, WordDiff, diff_words
from litapp.core.matching.titles import ORIGINAL_LANGUAGE, compare_titles, compare_titles_of, is_slip
from litapp.core.records import Record

HARMLESS = [
    ("Effect of aspirin on tumour growth in mice", "Effect of aspirin on tumor growth in mice."),
    ("EFFECT OF ASPIRIN ON TUMOUR GROWTH", "Effect of aspirin on tumour growth"),
    ("Ischaemic heart disease in ageing women", "Ischemic Heart Disease in Aging Women"),
    ("Randomised trial of haemodialysis in oedema", "Randomized trial of hemodialysis in edema"),
    ("A study of α-synuclein and TGF-β1", "A study of alpha-synuclein and TGF-beta1"),
    ("αβ T cells in mice after vaccination", "Alphabeta T cells in mice after vaccination"),
    ("Meta-analysis of randomized trials", "Metaanalysis of randomized trials"),
    ("Two weeks of therapy for otitis media", "2 weeks of therapy for otitis media"),
    ("A phase II trial of metformin in sepsis", "A phase 2 trial of metformin in sepsis"),
    ("Aspirin versus placebo in older adults", "Aspirin vs. placebo in older adults"),
    ("Diet &amp; exercise in obese children", "Diet and exercise in obese children"),
    ("Effects of H<sub>2</sub>O on <i>E. coli</i>", "Effects of H2O on E. coli"),
    ("Sero\u00adlogy of inter- vention studies", "Serology of intervention studies"),
    ("A ﬁrst look at eﬃcacy", "A first look at efficacy"),
    ("Caf{\\'e} culture in {UK} hospitals", "Café culture in UK hospitals"),
    ("[Use of copper in hospitals in Chile]", "Use of copper in hospitals in Chile"),
    ("RETRACTED: Use of copper in hospitals", "Use of copper in hospitals"),
    ("The effect of a drug on the heart", "Effect of drug on heart"),
    ("Heat waves, aging, and human health", "Heat waves, aging, and human health: a review of evidence"),
    ("Heat waves, aging, and human health: a review of evidence", "Heat waves, aging, and human health"),
    ("Treatment of septicaemia with antibiotics", "Treatment of septicaemia with antibiotcs"),
    ("Cost of 1,000 admissions in Spain", "Cost of 1000 admissions in Spain"),
    ("Prävention in der Hausarztpraxis [Prevention in general practice]", "Prävention in der Hausarztpraxis"),
    ("PET imaging with [(18)F]FDG in sarcoma", "PET imaging with F-18 FDG in sarcoma"),
    ("Use in women aged > or = 50 years with diabetes", "Use in women aged >=50 years with diabetes"),
    ("Alzheimerâ€™s disease as a systems disease", "Alzheimer's disease as a systems disease"),
    ("Clinical review 138: Steroids in chronic disease", "Steroids in chronic disease"),
    ("Atypical squamos cells of the cervix", "Atypical squamous cells of the cervix"),
    ("Persistant infection of the airways", "Persistent infection of the airways"),
    ("Risk of fracture in women with diabetes. [letter]", "Risk of fracture in women with diabetes"),
]
ANOTHER_CLAIM = [
    ("Aspirin is not effective in adults with sepsis", "Aspirin is effective in adults with sepsis"),
    ("Aspirin with heparin in stroke", "Aspirin without heparin in stroke"),
    ("Increased mortality after surgery", "Decreased mortality after surgery"),
    ("Hypertension in pregnancy and stroke risk", "Hypotension in pregnancy and stroke risk"),
    ("Symptomatic carotid stenosis in patients", "Asymptomatic carotid stenosis in patients"),
    ("Efferent nerves of the kidney in rats", "Afferent nerves of the kidney in rats"),
    ("Nitrates in drinking water and cancer", "Nitrites in drinking water and cancer"),
    ("Efficacy in type 1 diabetes mellitus", "Efficacy in type 2 diabetes mellitus"),
    ("A trial of 12 weeks of therapy", "A trial of 24 weeks of therapy"),
    ("Two weeks of therapy for otitis media", "Three weeks of therapy for otitis media"),
    ("Part II. Drugs of the future in malaria", "Part III. Drugs of the future in malaria"),
    ("Dose of 1.2 mg in children with croup", "Dose of 12 mg in children with croup"),
    ("CD4+ T cells in lymphoma", "CD4- T cells in lymphoma"),
    ("Survival with INR <2 after surgery", "Survival with INR >2 after surgery"),
    ("Outcomes in men with heart failure", "Outcomes in women with heart failure"),
    ("Perineal nerve injury in athletes", "Peroneal nerve injury in athletes"),
    ("Effect of copper on surface bacteria", "Impact of copper on surface bacteria"),
    ("Role of iron in the brain", "Role of zinc in the brain"),
    ("Interleukin17a blockade in psoriasis", "Interleukin18a blockade in psoriasis"),
    ("Comment on: Steroids in chronic disease", "Steroids in chronic disease"),
    ("Vitamin B in the elderly population", "Vitamin D in the elderly population"),
]


@pytest.mark.parametrize(("ours", "theirs"), HARMLESS)
def test_harmless_variants_agree_both_ways(ours: str, theirs: str) -> None:
    agreed = {compare_titles(ours, theirs).verdict, compare_titles(theirs, ours).verdict}
    assert agreed <= {Agreement.SAME, Agreement.VARIANT}


@pytest.mark.parametrize(("ours", "theirs"), ANOTHER_CLAIM)
def test_one_changed_meaning_always_differs(ours: str, theirs: str) -> None:
    assert compare_titles(ours, theirs).verdict is Agreement.DIFFERS
    assert compare_titles(theirs, ours).verdict is Agreement.DIFFERS


def test_the_differing_words_are_named() -> None:
    found = compare_titles("Aspirin is not effective in sepsis", "Aspirin is effective in sepsis")
    assert (found.ours, found.theirs, found.why) == ("not", "", "Title: “not” is not in the source's title.")


def test_any_title_the_source_gives_may_agree() -> None:
    found = compare_titles(
        "Prevalencia de diabetes en Chile", "Prevalence of diabetes in Chile", "Prevalencia de diabetes en Chile"
    )
    assert found.verdict is Agreement.SAME


def test_a_missing_title_says_nothing() -> None:
    assert compare_titles("", "Aspirin in sepsis").verdict is Agreement.ABSENT
    assert compare_titles("Aspirin in sepsis", "", "").verdict is Agreement.ABSENT


def test_a_reworded_title_is_told_from_another_one() -> None:
    reworded = compare_titles("Impact of copper on hospital surfaces", "Effect of copper on hospital surfaces")
    other = compare_titles("Impact of copper on hospital surfaces", "Vitamin D and fractures in older women")
    assert (reworded.reworded, other.reworded) == (True, False)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("septicaemia", "septicamia", True),
        ("demographic", "demograhpic", True),
        ("hypertension", "hypotension", False),
        ("symptomatic", "asymptomatic", False),
        ("nitrate", "nitrite", False),
        ("trial", "trail", False),
        ("dysphagia", "dysphasia", False),
    ],
)
def test_slips_of_the_pen(a: str, b: str, expected: bool) -> None:
    assert is_slip(a, b) is expected


def test_diff_marks_words_and_keeps_ours_for_equal_ones() -> None:
    assert diff_words("Aspirin is NOT effective", "aspirin is effective <i>today</i>") == (
        WordDiff("same", "Aspirin is"),
        WordDiff("ours", "NOT"),
        WordDiff("same", "effective"),
        WordDiff("theirs", "today"),
    )


def test_diff_puts_ours_before_theirs() -> None:
    assert diff_words("12 weeks", "24 weeks") == (
        WordDiff("ours", "12"),
        WordDiff("theirs", "24"),
        WordDiff("same", "weeks"),
    )


WORDS = st.lists(
    st.sampled_from(["aspirin", "copper", "not", "with", "without", "2", "12", "α", "tumour", "of", "trial"]),
    min_size=1,
)


@given(WORDS)
def test_every_title_is_the_same_as_itself(words: list[str]) -> None:
    title = " ".join(words)
    assert compare_titles(title, title).verdict is Agreement.SAME


@given(WORDS, WORDS)
def test_comparison_is_symmetric(ours: list[str], theirs: list[str]) -> None:
    left, right = " ".join(ours), " ".join(theirs)
    assert (compare_titles(left, right).verdict is Agreement.DIFFERS) == (
        compare_titles(right, left).verdict is Agreement.DIFFERS
    )


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it(ours: str, theirs: str) -> None:
    compare_titles(ours, theirs)
    diff_words(ours, theirs)


PRINTED = "Vogelcholera: preventieve behandeling met antibiotica"
TRANSLATED = "[Fowl cholera. Treatment with antibiotics]"


@pytest.mark.parametrize(
    ("theirs", "compared", "verdict", "why"),
    [
        (("", PRINTED), PRINTED, Agreement.VARIANT, ORIGINAL_LANGUAGE),
        ((PRINTED.upper(), ""), PRINTED, Agreement.VARIANT, ORIGINAL_LANGUAGE),
        (("Fowl cholera: treatment with antibiotics", ""), TRANSLATED, Agreement.SAME, ""),
    ],
)
def test_a_translated_title_is_known_by_the_printed_one(
    theirs: tuple[str, str], compared: str, verdict: Agreement, why: str
) -> None:
    claimed = Record("pubmed", "1", title=TRANSLATED, original_title=PRINTED)
    shown, comparison = compare_titles_of(claimed, Record("openalex", "W1", title=theirs[0], original_title=theirs[1]))
    assert (shown, comparison.verdict, comparison.why) == (compared, verdict, why)


def test_neither_title_is_the_other_papers() -> None:
    claimed = Record("pubmed", "1", title=TRANSLATED, original_title=PRINTED)
    _, comparison = compare_titles_of(claimed, Record("openalex", "W1", title="Copper surfaces in hospitals of Chile"))
    assert comparison.verdict is Agreement.DIFFERS
