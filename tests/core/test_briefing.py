"""Briefings, pure rules: settings, openings, authors, dates, order; the document and its three forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from litapp.core.briefing import (
    BadBriefing,
    Checked,
    Topic,
    check_settings,
    date_text,
    first_sentence,
    newest_first,
    opening,
    query_of,
    short_authors,
    shortened,
)
from litapp.core.briefing_summary import ai_label, summary_problem
from litapp.core.formats.briefing import (
    SCHEMA_FILE,
    briefing_html,
    briefing_json,
    briefing_markdown,
    opening_summary,
    paper_entry,
    problems,
)
from litapp.core.records import AbstractSection, Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from tests.references.briefing_documents import document_with
from tests.references.world import HOSTILE

RECORD = Record(
    source="pubmed", source_id="31", title="On <i>BRCA1</i> & risk",
    authors=(Person("Weber", "Anna-Maria B"), Person("Lim", "W", "Jr"), Person(literal="RECOVERY Group"), Person("D")),
    journal="Journal of Trials", date=PartialDate(2026, 3, 1),
    abstract=(
        AbstractSection("Why we did it, i.e. our aim. More.", "BACKGROUND", "BACKGROUND"),
        AbstractSection("What we saw.", "", ""),
    ),
    identifiers=(Identifier(Scheme.PMID, "31"), Identifier(Scheme.DOI, "10.1/x")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", "One."),
        ("No end", "No end"),
        ("P was 0.05 in E. coli (Fig. 2), e.g. In men. More.", "P was 0.05 in E. coli (Fig. 2), e.g. In men."),
        ("Patients lack vitamin D. We treated them.", "Patients lack vitamin D."),
        ("The trial of J. Smith et al. Showed it. Next.", "The trial of J. Smith et al. Showed it."),
        ("Is it so? We asked.", "Is it so?"),
        ("It “works.” Others doubt.", "It “works.”"),
        ("Cost was approx. 5 EUR vs. 7 EUR. End.", "Cost was approx. 5 EUR vs. 7 EUR."),
        ("Two\n lines\tof text. Next", "Two lines of text."),
        ("lower. case goes on. Ends here.", "lower. case goes on."),
        ("", ""),
    ],
)  # fmt: skip
def test_the_first_sentence(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


def test_openings_are_at_most_300_characters_cut_between_words() -> None:
    exact = "a" * 299 + "."
    assert shortened(exact) == exact
    long = "word " * 80
    cut = shortened(long.strip())
    assert len(cut) <= 300
    assert cut.endswith("word…")
    assert len(shortened("x" * 400)) == 300
    assert opening((AbstractSection("<b>Bold</b> start. Then."),)) == "Bold start."
    assert opening((AbstractSection(" "), AbstractSection("Second part. More."))) == "Second part."
    assert opening(()) == ""


def test_three_authors_then_et_al() -> None:
    assert short_authors(RECORD.authors) == ["Weber AMB", "Lim W Jr", "RECOVERY Group", "et al."]
    assert short_authors(RECORD.authors[:3]) == ["Weber AMB", "Lim W Jr", "RECOVERY Group"]
    assert short_authors(()) == []


@pytest.mark.parametrize(
    ("date", "expected"),
    [(PartialDate(2026, 3, 1), "2026-03-01"), (PartialDate(2026, 3), "2026-03"), (PartialDate(2026), "2026"),
     (PartialDate(text="Spring 2026"), "Spring 2026"), (PartialDate(), None), (PartialDate(2026, None, 4), "2026")],
)  # fmt: skip
def test_dates_as_read(date: PartialDate, expected: str | None) -> None:
    assert date_text(date) == expected


def test_newest_first_by_the_date_as_read() -> None:
    dates = [
        PartialDate(2025),
        PartialDate(2026, 1),
        PartialDate(),
        PartialDate(2026, 1, 5),
        PartialDate(2027),
        PartialDate(2026, 1, 5),
    ]
    records = [Record("pubmed", str(n), date=date) for n, date in enumerate(dates)]
    assert newest_first(records) == [4, 3, 5, 1, 0, 2]


def test_settings_are_checked_all_at_once() -> None:
    assert check_settings(topic="gene", asked=" BRCA1\n ", papers="10") == Checked(Topic.GENE, "BRCA1", 10)
    capped = check_settings(topic="question", asked="x", papers=51)
    assert (capped.papers, capped.warnings) == (50, ("51 papers were asked for; a briefing has at most 50.",))
    assert check_settings(topic="question", asked="x", papers=50).warnings == ()
    with pytest.raises(BadBriefing) as bad:
        check_settings(topic="moon", asked=" ", papers="ten")
    assert len(bad.value.problems) == 3
    for papers in (0, -1, "1.5", "", None, True, "1e3"):
        with pytest.raises(BadBriefing):
            check_settings(topic="gene", asked="x", papers=papers)
    with pytest.raises(BadBriefing):
        check_settings(topic="gene", asked='BR"CA', papers=1)
    with pytest.raises(BadBriefing):
        check_settings(topic="question", asked="x" * 4_001, papers=1)


def test_queries() -> None:
    assert query_of(Checked(Topic.GENE, "BRCA1", 1)) == '"BRCA1"[tiab]'
    assert query_of(Checked(Topic.DISEASE, "Lynch syndrome", 1)) == '"Lynch syndrome"[mh] OR "Lynch syndrome"[tiab]'
    assert query_of(Checked(Topic.QUESTION, "a[ti] OR b", 1)) == "a[ti] OR b"


def test_a_paper_keeps_labels_and_categories_apart_and_null_where_nothing_is() -> None:
    assert paper_entry(RECORD, opening_summary(RECORD)) == {
        "title": "On BRCA1 & risk",
        "authors": ["Weber AMB", "Lim W Jr", "RECOVERY Group", "et al."],
        "date": "2026-03-01",
        "journal": "Journal of Trials",
        "pmid": "31",
        "doi": "10.1/x",
        "url": "https://pubmed.ncbi.nlm.nih.gov/31/",
        "abstract": "BACKGROUND: Why we did it, i.e. our aim. More.\n\nWhat we saw.",
        "sections": [
            {"label": "BACKGROUND", "nlm_category": "BACKGROUND", "text": "Why we did it, i.e. our aim. More."},
            {"label": None, "nlm_category": None, "text": "What we saw."},
        ],
        "notices": [],
        "summary": {
            "text": "Why we did it, i.e. our aim.", "label": "Abstract opening, no AI", "method": "first-sentence",
            "provider": None, "model": None, "prompt_version": None, "usage": None, "fallback_reason": None,
            "attempted": None,
        },
    }  # fmt: skip
    bare = Record("pubmed", "")
    entry = paper_entry(bare, opening_summary(bare))
    assert [entry[name] for name in ("title", "date", "journal", "pmid", "doi", "url", "abstract")] == [None] * 7
    assert (entry["summary"]["text"], entry["summary"]["method"]) == ("Abstract unavailable", "unavailable")


def test_the_published_schema_is_the_one_that_is_used_and_holds_every_document() -> None:
    root = Path(__file__).resolve().parents[2]
    assert (root / "docs/briefing.schema.json").read_bytes() == SCHEMA_FILE.read_bytes()
    assert problems(document_with()) == []
    assert problems(document_with(RECORD, Record("pubmed", "1"))) == []


@pytest.mark.parametrize(
    "change",
    [{"papers": [{"title": "x"}]}, {"extra": 1}, {"version": 0}, {"input_sha256": "x"}, {"generated_at": "yesterday"},
     {"warnings": "none"}],
)  # fmt: skip
def test_the_schema_refuses_what_is_none(change: dict[str, Any]) -> None:
    assert problems(document_with(**change)) != []


def test_a_summary_that_claims_no_model_names_none() -> None:
    document = document_with(RECORD)
    document["papers"][0]["summary"]["model"] = "llama"
    assert problems(document) != []
    document["papers"][0]["summary"].update(
        method="llm", provider="local", prompt_version="summary-1", model="llama", label="AI summary: …"
    )
    assert problems(document) == []
    document["papers"][0]["summary"]["fallback_reason"] = "refused"
    assert problems(document) != []


def test_the_three_forms_say_the_same_and_repeat_exactly() -> None:
    document = document_with(RECORD, warnings=["Sandbox data."])
    forms = (briefing_json, briefing_markdown, briefing_html)
    assert [form(document) for form in forms] == [form(json.loads(briefing_json(document))) for form in forms]
    assert json.loads(briefing_json(document)) == document
    for form in (briefing_markdown, briefing_html):
        text = form(document)
        for word in ("Why we did it, i.e. our aim.", "Abstract opening, no AI", "2026-03-01", "PMID 31",
                     "RECOVERY Group", "What we saw.", "Sandbox data", "1 of 1 papers"):  # fmt: skip
            assert word in text, word


def test_hostile_texts_stay_texts() -> None:
    record = Record(
        "pubmed", "1", title=HOSTILE, abstract=(AbstractSection(HOSTILE, "<b>X</b>"),), url="javascript:alert(1)",
        identifiers=(Identifier(Scheme.PMID, "1"),), notices=(Notice(NoticeKind.RETRACTION),),
    )  # fmt: skip
    document = document_with(record)
    html = briefing_html(document)
    assert "<script>" not in html
    assert "javascript:alert" not in html.split("<article>")[1].split("</h2>")[0].split(">")[1]
    assert "Notices on this paper: retraction" in html
    assert "<script>" not in briefing_markdown(document)


def test_an_empty_briefing_is_a_briefing() -> None:
    assert "No paper was found." in briefing_markdown(document_with())
    assert "No paper was found." in briefing_html(document_with())


ABSTRACT = "In 2,104 patients, mortality was 22.9% against 25.7% (rate ratio 0.83; 95% CI 0.75 to 0.93)."
GOOD = (
    "In this randomised trial of 2104 hospitalised patients, the authors report lower mortality with the drug than "
    "without it, 22.9% against 25.7%, with a rate ratio of 0.83 for the whole group."
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD, ""),
        (GOOD.replace("22.9", "23.9"), "the answer holds a figure that the abstract does not: 23.9"),
        ("Too short.", "the answer had 2 words in place of 25 to 40"),
        (" ".join(["word"] * 24), "the answer had 24 words in place of 25 to 40"),
        (" ".join(["word"] * 25), ""),
        (" ".join(["word"] * 40), ""),
        (" ".join(["word"] * 41), "the answer had 41 words in place of 25 to 40"),
        ("I'm sorry, but I cannot help with that.", "the model refused"),
        ("As an AI language model I do not give summaries of medical texts.", "the model refused"),
    ],
)
def test_which_summaries_stand(text: str, problem: str) -> None:
    assert summary_problem(text, title="", abstract=ABSTRACT, fewest=25, most=40) == problem


def test_the_label_of_a_model() -> None:
    assert ai_label("local", "llama3", "2026-12-01") == (
        "AI summary: local, llama3, 2026-12-01; check against the abstract"
    )
