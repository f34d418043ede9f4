"""What of a question is searched for, what looks like a patient's details, and when Chinese sources are called for."""

from __future__ import annotations

import pytest

from litapp.core.patient_details import Detail, patient_details
from litapp.core.querylang.question import QuestionWords, calls_for_chinese_sources, han_findings, question_words


def test_the_words_of_a_sentence_are_left_out_and_named() -> None:
    assert question_words("Does dexamethasone lower the mortality of COVID-19, and does it help?") == QuestionWords(
        "dexamethasone mortality COVID-19", ("Does", "lower", "the", "of", "and", "it", "help")
    )
    assert question_words("Is it so?") == QuestionWords("", ("Is", "it", "so"))


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("Should Mrs. Miller take statins?", Detail.NAME, "Mrs. Miller"),
        ("sepsis in patient Anna Berger after surgery", Detail.NAME, "patient Anna Berger"),
        ("John Smith has gout", Detail.NAME, "John Smith"),
        ("患者姓名：王小明，高血压", Detail.NAME, "患者姓名：王小明"),
        ("male, born 1954, with gout", Detail.BIRTH_DATE, "born 1954"),
        ("DOB: 12.03.1954 gout", Detail.BIRTH_DATE, "DOB: 12.03.1954"),
        ("seen on 2024-03-12 with gout", Detail.BIRTH_DATE, "2024-03-12"),
        ("seen on 3 March 2024", Detail.BIRTH_DATE, "3 March 2024"),
        ("MRN 4711123 with gout", Detail.RECORD_NUMBER, "MRN 4711123"),
        ("gout 123-45-6789", Detail.RECORD_NUMBER, "123-45-6789"),
        ("gout 11010519491231002X", Detail.RECORD_NUMBER, "11010519491231002X"),
        ("write to a.b@example.org", Detail.CONTACT, "a.b@example.org"),
    ],
)
def test_what_looks_like_a_patient_is_seen(text: str, kind: Detail, found: str) -> None:
    [suspicion] = patient_details(text)
    assert (suspicion.kind, suspicion.text, text[suspicion.start : suspicion.end]) == (kind, found, found)


@pytest.mark.parametrize(
    "text",
    [
        "Does dexamethasone lower mortality in adults with COVID-19?",
        "Parkinson disease, Crohn Disease and Hodgkin lymphoma in 2015 to 2020",
        "trials since 1990 with more than 10000 patients, HbA1c below 7.5",
        "the RECOVERY trial NCT04381936, PMID 32678530, doi 10.1056/NEJMoa2021436",
        "patients with heart failure, NYHA II-IV, 65 years and older",
        "IL-6 and SARS-CoV-2; CHA2DS2-VASc",
    ],
)
def test_a_question_without_a_patient_raises_no_warning(text: str) -> None:
    assert patient_details(text) == ()


def test_chinese_words_are_pointed_out_at_their_place() -> None:
    text = "asthma[tiab] AND 哮喘 儿童[tiab]"
    [finding] = han_findings(text)
    assert text[finding.start : finding.end] == "哮喘 儿童"
    assert "searched in English" in finding.message
    assert list(han_findings("asthma[tiab] AND Ärzte")) == []


@pytest.mark.parametrize(
    ("texts", "languages", "wanted"),
    [
        (("Acupuncture for migraine",), (), True),
        (("高血压",), (), True),
        (("gout", "Chinese adults"), (), True),
        (("gout",), ("eng", "chi"), True),
        (("gout in machines",), ("eng",), False),
    ],
)
def test_when_chinese_sources_are_called_for(texts: tuple[str, ...], languages: tuple[str, ...], wanted: bool) -> None:
    assert calls_for_chinese_sources(*texts, languages=languages) is wanted
