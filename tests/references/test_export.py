"""Exports: what goes out with which mark, what stays out by name, and that equal state gives equal files."""

from __future__ import annotations

import hashlib
import io
import json
import re
import uuid
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import docx
import pytest
import time_machine
from docx.opc.constants import RELATIONSHIP_TYPE

from litapp.jobs.models import StepState
from litapp.jobs.services import claim
from litapp.jobs.work import work_of_kind
from litapp.projects.models import Event, Role
from litapp.projects.services.events import verify_chain
from references.models import Export, Reference
from references.services import export as export_service
from references.services.citation_styles import UnknownStyle
from references.services.entries import NOT_IN_LEDGER, export_content
from references.services.evidence_summary import evidence_summary, flow_of
from references.services.export import ExportProblem, ExportWork, export_folder, export_request
from references.services.pandoc import PandocFailed, run_pandoc
from references.services.reference_list import reference_remove
from searches.models import Candidate, CandidateSource
from searches.services.screening import decide_many
from tests.references.world import HOSTILE, MOMENT, World, make_world, record

pytestmark = pytest.mark.django_db
UNVERIFIED = "[UNVERIFIED - NEEDS MANUAL CHECK]"
RETRACTED = "[RETRACTED 2020-06-05, notice 10.1016/notice]"
NOTICE = {"publication_state": "retracted", "notice_date": "2020-06-05", "notice_doi": "10.1016/notice"}
FORMATS = ("bib", "ris", "nbib", "csv", "yaml", "pmids", "dois", "docx", "md", "csl")


def make(world: World, format: str = "bib", scope: str = "all", style: str = "nlm-citation-sequence") -> Export:
    """Ask for an export and let the worker make it."""
    export = export_request(
        project=world.project, actor=world.owner, format=format, scope=scope, style=style, request_id=uuid.uuid4()
    )
    ExportWork().run(str(export.pk))
    export.refresh_from_db()
    return export


def files(export: Export) -> dict[str, bytes]:
    """Its files, each with the recorded hash and size."""
    assert (export.state, export.message) == (StepState.DONE, "")
    contents = {}
    for file in export.files:
        content = (export_folder(export) / file["name"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["size"] == len(content)
        contents[file["name"]] = content
    return contents


def only_file(export: Export) -> bytes:
    (content,) = files(export).values()
    return content


def docx_text(content: bytes) -> str:
    return run_pandoc(["-f", "docx", "-t", "plain", "--wrap=none"], content).decode()


def one_reference(status: str, **verification: Any) -> World:
    world = make_world()
    candidate = world.candidate(1)
    if status != "none":
        world.verify(candidate, status, **verification)
    world.decide(candidate, "include")
    return world


# What goes out, and how: verdict x publication state x scope

VERDICTS = {
    # verdict: (BibTeX's verified, marks, citable)
    "verified": ("true", "", True),
    "suspect": ("false", UNVERIFIED, False),
    "unverified": ("false", UNVERIFIED, False),
    "manual": ("manual", "", False),
    "none": ("false", UNVERIFIED, False),
}
STATES = {
    "": ("", True),
    "retracted": (RETRACTED, False),
    "withdrawn": (RETRACTED.replace("RETRACTED", "WITHDRAWN"), False),
    "partly_retracted": (RETRACTED.replace("RETRACTED", "PARTLY RETRACTED"), False),
    "concern": (RETRACTED.replace("RETRACTED", "EXPRESSION OF CONCERN"), True),
    "corrected": ("", True),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verdict", [verdict for verdict in VERDICTS if verdict != "none"])
def test_marks_and_scope(verdict: str, state: str) -> None:
    verified, verdict_mark, verdict_citable = VERDICTS[verdict]
    status_mark, state_citable = STATES[state]
    world = one_reference(verdict, **{**NOTICE, "publication_state": state} if state else {})
    marks = [mark for mark in (status_mark, verdict_mark) if mark]

    bib = only_file(make(world, "bib", "all")).decode()
    ris = only_file(make(world, "ris", "all")).decode()
    assert f"verified = {{{verified}}}" in bib
    assert f"verified: {verified}" in ris
    for text in (bib, ris, only_file(make(world, "csl", "all")).decode()):
        assert re.findall(r"\[[A-Z][A-Z -]+[^\]]*\]", text) == marks

    if verdict_citable and state_citable:
        export = make(world, "bib", "verified")
        assert (export.included, export.left_out) == (["Weber_2001_Paper"], [])
        assert re.findall(r"\[[A-Z][A-Z -]+[^\]]*\]", only_file(export).decode()) == marks
    else:
        with pytest.raises(ExportProblem, match="None of the 1 references may go out as verified"):
            make(world, "bib", "verified")


@pytest.mark.parametrize(
    ("verdict", "state"), [(v, s) for v in VERDICTS for s in ("", "retracted") if (v, s) != ("none", "retracted")]
)
def test_the_marks_stand_in_front_of_the_printed_reference(verdict: str, state: str) -> None:
    world = one_reference(verdict, **NOTICE if state else {})
    marks = [mark for mark in (STATES[state][0], VERDICTS[verdict][1]) if mark]
    word = docx_text(only_file(make(world, "docx", "all")))
    markdown = unescape(only_file(make(world, "md", "all")).decode()).replace("\\", "")
    for text in (word, markdown):
        (line,) = re.findall(r"^\s*1\. +(.*)$", text, re.MULTILINE)
        assert line.startswith(" ".join([*marks, "Weber AB, Lindqvist C, Author001 Z. Paper 1 on"]))


@pytest.mark.parametrize(
    ("verdict", "lines"),
    [
        ("verified", ["  verified = {true},", "  verified_by = {PubMed},", "  verified_on = {2026-11-30},"]),
        ("suspect", ["  verified = {false},"]),
        ("unverified", ["  verified = {false},"]),
        ("manual", ["  verified = {manual},"]),
    ],
)
def test_verified_by_and_on_stand_only_where_it_is_verified(verdict: str, lines: list[str]) -> None:
    world = one_reference(verdict, verified_by=["pubmed"], verified_on=MOMENT.date())
    bib = only_file(make(world, "bib", "all")).decode()
    assert [line for line in bib.splitlines() if "verified" in line] == lines


def test_confirming_sources_are_joined_by_a_plus() -> None:
    bib = only_file(make(one_reference("verified"), "bib", "all")).decode()
    assert "verified_by = {Crossref + PubMed}" in bib


@pytest.mark.parametrize("fields", [{"wrong": ["year"]}, {"verified_by": []}])
def test_verified_with_a_wrong_field_or_without_a_source_never_goes_out_as_verified(fields: dict[str, Any]) -> None:
    world = one_reference("verified", **fields)
    assert "verified = {false}" in only_file(make(world, "bib", "all")).decode()
    with pytest.raises(ExportProblem):
        make(world, "bib", "verified")


def test_a_person_who_vouches_is_named_with_reason_and_day() -> None:
    world = one_reference("manual")
    bib = only_file(make(world, "bib", "all")).decode()
    assert "note = {Checked by hand: Ada Owner, 2026-11-30: seen the printed issue}" in bib


# What stays out


def mixed_world(**options: Any) -> World:
    world = make_world(candidates=5, **options)
    for candidate, status in zip(
        world.candidates, ("verified", "suspect", "unverified", "manual", "verified"), strict=True
    ):
        world.verify(candidate, status, **(NOTICE if candidate is world.candidates[4] else {}))
        world.decide(candidate, "include")
    return world


def test_what_stays_out_is_named_with_the_reason() -> None:
    export = make(mixed_world(), "bib", "verified")
    assert export.included == ["Weber_2001_Paper"]
    assert [(out["key"], out["why"]) for out in export.left_out] == [
        ("Weber_2002_Paper", "Suspect: The year differs: 2019 here, 2020 at Crossref"),
        ("Weber_2003_Paper", "Unverified: Crossref could not be asked"),
        ("Weber_2004_Paper", "Confirmed by a person, not by a source: Ada Owner, 2026-11-30: seen the printed issue"),
        ("Weber_2005_Paper", RETRACTED),
    ]
    assert export.left_out[0]["title"] == "Paper 2 on dexamethasone in severe pneumonia"


def test_nothing_goes_out_without_a_source_record() -> None:
    world = mixed_world()
    another = world.candidate(6)
    world.verify(another, "verified")
    world.decide(another, "include")
    CandidateSource.objects.filter(candidate=world.candidates[0]).delete()
    for scope in ("verified", "all"):
        export = make(world, "bib", scope)
        assert ("Weber_2001_Paper", NOT_IN_LEDGER) in [(out["key"], out["why"]) for out in export.left_out]
        assert b"Weber_2001" not in only_file(export)
    assert "Weber_2001_Paper" in [out["key"] for out in make(world, "pmids").left_out]


def test_removed_references_are_in_no_export() -> None:
    world = mixed_world()
    reference_remove(reference=Reference.objects.get(key="Weber_2001_Paper"), actor=world.owner)
    assert make(world, "bib", "all").included == [f"Weber_200{n}_Paper" for n in (2, 3, 4, 5)]


def test_the_pmid_list_holds_citable_ids_and_the_rest_stands_in_a_second_file() -> None:
    world = mixed_world()
    bare = world.candidate(9, identifiers=())
    world.verify(bare, "verified")
    world.decide(bare, "include")
    export = make(world, "pmids", "all")
    ids, others = files(export).values()
    assert ids.decode() == "30000001\n"
    assert [line.split("\t")[:2] for line in others.decode().splitlines()[1:]] == [
        ["30000002", "Weber_2002_Paper"],
        ["30000003", "Weber_2003_Paper"],
        ["30000004", "Weber_2004_Paper"],
        ["30000005", "Weber_2005_Paper"],
        ["", "Weber_2009_Paper"],
    ]
    assert export.included == ["Weber_2001_Paper"]
    assert [out["key"] for out in export.left_out] == [f"Weber_200{n}_Paper" for n in (2, 3, 4, 5, 9)]


def test_an_empty_list_cannot_be_exported() -> None:
    with pytest.raises(ExportProblem, match="The reference list is empty"):
        make(make_world(candidates=2))


@pytest.mark.parametrize(("format", "scope"), [("exe", "all"), ("bib", "some"), ("", "")])
def test_an_unknown_format_or_scope_is_refused(format: str, scope: str) -> None:
    with pytest.raises(ExportProblem):
        make(mixed_world(), format, scope)


def test_an_unknown_style_is_refused_for_word_and_ignored_for_bibtex() -> None:
    world = mixed_world()
    with pytest.raises(UnknownStyle):
        make(world, "docx", style="Journal of Nothing")
    assert make(world, "bib", style="Journal of Nothing").style == ""


# The Word file


@pytest.fixture
def word() -> tuple[World, bytes]:
    world = mixed_world()
    world.source_record(world.candidates[0], record(1, source="crossref"))
    world.decide(world.candidate(6), "exclude", reason="not randomised")
    world.candidate(7)
    return world, only_file(make(world, "docx", "all"))


def test_the_word_file_says_question_search_counts_references_and_limits(word: tuple[World, bytes]) -> None:
    text = " ".join(docx_text(word[1]).split())
    assert (
        docx.Document(io.BytesIO(word[1])).paragraphs[0].text == "Evidence summary: Dexamethasone in severe pneumonia"
    )
    for part in (
        "Does dexamethasone lower mortality in severe pneumonia?",
        "adults with severe pneumonia",
        "“Main search”, version 1, approved 2026-11-30 by Ada Owner",
        'dexamethasone[tiab] AND "severe pneumonia"[tiab]',
        "PubMed 2026-11-30 09:00 UTC 5 5 done",
        "Records identified from databases 8 records – PubMed 8 records",
        "Duplicate records removed 1 record",
        "Records excluded 1 record – not randomised 1 record",
        "– Not screened yet 1 record",
        "Reports of new included studies 5 reports",
        "Interim: not everything is screened and assessed.",
        "Retracted or withdrawn (1)",
        "Verified (1)",
        "Checked by hand (1)",
        "Suspect (1)",
        "Unverified (1)",
        "It is no systematic review and no medical advice.",
    ):
        assert part in text


def test_references_are_numbered_through_all_groups_with_clickable_dois(word: tuple[World, bytes]) -> None:
    document = docx.Document(io.BytesIO(word[1]))
    cited = [p for p in document.paragraphs if p.style.name == "Bibliography"]
    assert [re.search(r"Paper (\d)", p.text)[1] for p in cited] == ["5", "1", "4", "2", "3"]  # type: ignore[index]
    assert all(p._p.pPr.numPr is not None for p in cited)
    numbers = re.findall(r"^\s*(\d+)\. ", docx_text(word[1]), re.MULTILINE)
    assert numbers == ["1", "2", "3", "4", "5"]
    for paragraph in cited:
        (doi,) = re.findall(r"10\.1000/paper\.\d", paragraph.text)
        links = {link.address: link.text for link in paragraph.hyperlinks}
        assert links[f"https://doi.org/{doi}"] == doi
    external = [rel.target_ref for rel in document.part.rels.values() if rel.reltype == RELATIONSHIP_TYPE.HYPERLINK]
    assert all(target.startswith(("https://doi.org/", "https://www.ncbi.nlm.nih.gov/")) for target in external)


def test_the_word_file_uses_real_styles_and_knows_its_page_and_title(word: tuple[World, bytes]) -> None:
    document = docx.Document(io.BytesIO(word[1]))
    used = {p.style.name for p in document.paragraphs}
    assert {"Title", "Heading 1", "Heading 2", "Bibliography", "Search Query", "Reference Detail"} <= used
    marked = [run.text for p in document.paragraphs for run in p.runs if run.style.name == "Citation Mark"]
    assert marked == [RETRACTED, UNVERIFIED, UNVERIFIED]
    assert document.styles["Citation Mark"].font.bold
    assert document.core_properties.title == "Evidence summary: Dexamethasone in severe pneumonia"
    footer = document.sections[0].footer.paragraphs[0]._p.xml
    assert "LitLedger evidence summary" in footer
    assert "NUMPAGES" in footer


def test_the_style_is_the_chosen_one() -> None:
    world = one_reference("verified")
    forms = {style: docx_text(only_file(make(world, "docx", style=style))) for style in ("jama", "apa", "The Lancet")}
    assert "Weber AB, Lindqvist C, Author001 Z. Paper 1 on dexamethasone in severe pneumonia. Journal" in forms["jama"]
    assert "Weber, A. B., Lindqvist, C., & Author001, Z. (2001)." in forms["apa"]
    assert "2001; 1: 11–9" in forms["The Lancet"]


def test_hostile_texts_stay_text_in_every_format() -> None:
    world = make_world(name=HOSTILE[:190])
    candidate = world.candidate(1, title=HOSTILE, journal=HOSTILE)
    world.verify(candidate, "verified")
    world.decide(candidate, "include")
    word = only_file(make(world, "docx"))
    assert "<script>alert(1)</script>" in docx_text(word)
    with zipfile.ZipFile(io.BytesIO(word)) as archive:
        assert b"<script" not in archive.read("word/document.xml")
        assert b"javascript:" not in archive.read("word/_rels/document.xml.rels")
    markdown = only_file(make(world, "md")).decode()
    assert "<script>" not in markdown.replace("\\<script\\>", "")
    html = run_pandoc(["-f", "gfm", "-t", "html"], markdown.encode()).decode()
    assert "<script" not in html
    assert 'href="javascript' not in html
    json.loads(only_file(make(world, "csl")))
    for export in Export.objects.all():
        assert all(re.fullmatch(r"[a-z0-9.-]+", file["name"]) for file in export.files)


def test_the_counts_add_up_whatever_was_decided() -> None:
    world = mixed_world()
    world.decide(world.candidates[1], "exclude", reason="wrong year")
    world.decide(world.candidates[2], "maybe")
    world.source_record(world.candidates[3], record(4, source="openalex"))
    Candidate.objects.filter(pk=world.candidates[4].pk).update(merged_into=world.candidates[0])
    CandidateSource.objects.filter(candidate=world.candidates[4]).update(candidate=world.candidates[0])
    counts = flow_of(world.project)
    assert counts.identified == (("PubMed", 5), ("OpenAlex", 1))
    assert (counts.duplicates_removed, counts.screened, counts.not_yet_screened) == (2, 4, 0)
    assert (counts.included, counts.maybe, counts.excluded) == (2, 1, 1)
    assert counts.excluded_reasons == (("wrong year", 1),)


def test_a_search_that_failed_or_was_cut_is_told() -> None:
    world = mixed_world()
    step = world.step
    step.state, step.message, step.capped = StepState.PARTIAL, "PubMed did not answer.", "Cut at 5 of 900 by the limit."
    step.save()
    text = " ".join(docx_text(only_file(make(world, "docx"))).split())
    assert "partial: Cut at 5 of 900 by the limit. PubMed did not answer." in text


# Sandbox


@pytest.mark.parametrize("format", FORMATS)
def test_files_of_sandbox_data_say_so(format: str) -> None:
    world = mixed_world(sandbox=True)
    for name, content in files(make(world, format)).items():
        assert name.startswith("sandbox-data-")
        if format == "docx":
            assert "SANDBOX DATA" in docx_text(content)
            footer = docx.Document(io.BytesIO(content)).sections[0].footer.paragraphs[0].text
            assert "SANDBOX DATA, do not cite" in footer
        elif format not in ("pmids", "dois"):
            assert "SANDBOX DATA" in content.decode().replace("\\", "")


@pytest.mark.parametrize("format", FORMATS)
def test_real_data_say_nothing_of_a_sandbox(format: str) -> None:
    for name, content in files(make(mixed_world(), format)).items():
        assert "sandbox" not in name
        assert "SANDBOX" not in (docx_text(content) if format == "docx" else content.decode())


# Equal state, equal bytes


@pytest.mark.parametrize("format", FORMATS)
def test_equal_state_and_choices_give_equal_bytes(format: str) -> None:
    world = mixed_world()
    with time_machine.travel("2027-01-01T00:00:00Z"):
        first = files(make(world, format))
    with time_machine.travel("2027-02-02T02:02:02Z"):
        second = files(make(world, format))
    assert first == second
    world.decide(world.candidates[0], "exclude")
    assert files(make(world, format)) != second


def test_the_summary_is_dated_by_the_last_change_not_by_the_export() -> None:
    world = one_reference("verified")
    summary = evidence_summary(world.project, export_content(world.project, "all"))
    last = Event.objects.filter(verb__startswith="screening.").latest("sequence").created_at
    assert abs((summary.generated_at - last).total_seconds()) < 1


# The work


def test_an_export_is_recorded_with_who_what_and_hash() -> None:
    world = mixed_world()
    export = make(world, "bib", "verified")
    asked, finished = Event.objects.filter(verb__startswith="export.").order_by("sequence")
    assert (asked.verb, asked.actor, asked.subject) == ("export.requested", world.owner, f"export:{export.pk}")
    assert (finished.verb, finished.actor) == ("export.finished", None)
    assert finished.payload["files"] == export.files
    assert finished.payload["included"] == export.included
    assert finished.payload["left_out"] == export.left_out
    assert verify_chain(world.project).intact


def test_a_double_click_is_one_export() -> None:
    world, number = mixed_world(), uuid.uuid4()
    choices = {"project": world.project, "actor": world.owner, "format": "bib", "scope": "all", "style": ""}
    made = [export_request(**choices, request_id=number) for _ in range(2)]
    assert made[0].pk == made[1].pk
    assert Event.objects.filter(verb="export.requested").count() == 1


def test_a_finished_or_leased_or_missing_export_is_left_alone() -> None:
    world = mixed_world()
    export = make(world)
    before = vars(Export.objects.get(pk=export.pk))
    ExportWork().run(str(export.pk))
    ExportWork().run("999999")
    after = vars(Export.objects.get(pk=export.pk))
    assert {k: v for k, v in before.items() if k != "_state"} == {k: v for k, v in after.items() if k != "_state"}
    leased = export_request(
        project=world.project, actor=world.owner, format="bib", scope="all", style="", request_id=uuid.uuid4()
    )
    assert claim(Export.objects.all(), leased.pk)
    ExportWork().run(str(leased.pk))
    assert Export.objects.get(pk=leased.pk).files == []


def test_a_worker_that_lost_its_lease_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = mixed_world()
    export = export_request(
        project=world.project, actor=world.owner, format="bib", scope="all", style="", request_id=uuid.uuid4()
    )
    real = export_service.export_files

    def robbed(*arguments: Any) -> Any:
        Export.objects.filter(pk=export.pk).update(lease_token="somebody else")
        return real(*arguments)

    monkeypatch.setattr(export_service, "export_files", robbed)
    ExportWork().run(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.lease_token, export.files) == (StepState.RUNNING, "somebody else", [])
    assert not Event.objects.filter(verb="export.finished").exists()


def test_open_exports_are_due_and_the_work_is_known_to_the_queue() -> None:
    world = mixed_world()
    make(world)
    waiting = export_request(
        project=world.project, actor=world.owner, format="ris", scope="all", style="", request_id=uuid.uuid4()
    )
    assert list(work_of_kind("export").due()) == [str(waiting.pk)]


def test_a_failure_of_pandoc_is_told_and_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> bytes:
        raise PandocFailed("it was stopped after 20 seconds")

    monkeypatch.setattr("references.services.export_files.docx_of", broken)
    export = make(mixed_world(), "docx")
    assert (export.state, export.files) == (StepState.FAILED, [])
    assert export.message == "Pandoc could not make the document: it was stopped after 20 seconds"
    assert export.hint.startswith("Try another citation style")


def test_an_export_whose_worker_dies_again_and_again_is_given_up() -> None:
    world = mixed_world()
    export = export_request(
        project=world.project, actor=world.owner, format="bib", scope="all", style="", request_id=uuid.uuid4()
    )
    Export.objects.filter(pk=export.pk).update(attempts=3)
    ExportWork().run(str(export.pk))
    export.refresh_from_db()
    assert export.state == StepState.FAILED
    assert "broke off 3 times" in export.message


def test_two_hundred_references_each_stand_in_the_document_with_their_link() -> None:
    world = make_world()
    for number in range(1, 201):
        candidate = world.candidate(number)
        world.verify(candidate, ("verified", "suspect")[number % 2])
    ids = [candidate.pk for candidate in world.candidates]
    decide_many(
        project=world.project, actor=world.owner, candidate_ids=ids, decision="include", request_id=uuid.uuid4()
    )
    export = make(world, "docx")
    document = docx.Document(io.BytesIO(only_file(export)))
    cited = [p for p in document.paragraphs if p.style.name == "Bibliography"]
    assert len(cited) == 200
    assert sum(len([h for h in p.hyperlinks if h.address.startswith("https://doi.org/")]) for p in cited) == 200


# The pages


def page_text(html: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.decode())).split())


def test_the_form_names_what_stays_out_and_what_is_marked() -> None:
    world = mixed_world()
    page = page_text(world.client().get(f"/projects/{world.project.pk}/exports/new/").content)
    assert "1 go out: verified by a source. 4 stay out: Weber_2002_Paper Paper 2 on" in page
    assert "Suspect: The year differs: 2019 here, 2020 at Crossref" in page
    assert "All 5 go out. 3 carry a mark in the note or in the text: Weber_2002_Paper" in page
    assert RETRACTED in page


def test_from_form_to_file() -> None:
    world = mixed_world()
    client, base = world.client(), f"/projects/{world.project.pk}/exports/"
    sent = {"format": "docx", "scope": "verified", "style": "The Lancet", "request_id": uuid.uuid4()}
    answer = client.post(f"{base}new/", sent)
    export = Export.objects.get()
    assert (answer.status_code, answer["Location"], export.style) == (302, f"{base}{export.pk}/", "the-lancet")
    waiting = client.get(f"{base}{export.pk}/").content.decode()
    poll = re.search(r'hx-get="([^"]+)" hx-trigger="every 1s"', waiting)
    assert poll
    assert client.get(unescape(poll[1]), HTTP_HX_REQUEST="true").status_code == 204
    ExportWork().run(str(export.pk))
    ready = client.get(unescape(poll[1]), HTTP_HX_REQUEST="true").content.decode()
    assert "hx-trigger" not in ready
    (link,) = re.findall(r'href="([^"]+\.docx)" download data-download-now', ready)
    assert "data-download-now" not in client.get(f"{base}{export.pk}/").content.decode()
    file = client.get(link)
    assert file["Content-Disposition"] == 'attachment; filename="dexamethasone-in-severe-pneumonia-verified.docx"'
    assert hashlib.sha256(file.content).hexdigest() == Export.objects.get().files[0]["sha256"]
    assert "4" in page_text(ready.encode()).split("Left out ")[1][:2]


def test_a_failed_export_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> bytes:
        raise PandocFailed("boom")

    monkeypatch.setattr("references.services.export_files.docx_of", broken)
    world = mixed_world()
    export = make(world, "docx")
    page = page_text(world.client().get(f"/projects/{world.project.pk}/exports/{export.pk}/").content)
    assert "The file could not be made Pandoc could not make the document: boom Try another citation style" in page


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"style": "Journal of Nothing"}, "There is no citation style called “Journal of Nothing”."),
        ({"style": "journal-of-international-peacekeeping"}, "prints no reference list"),
        ({"format": "exe"}, "Select a valid choice"),
        ({"scope": ""}, "This field is required"),
    ],
)
def test_a_choice_that_cannot_be_made_is_explained(change: dict[str, str], why: str) -> None:
    world = mixed_world()
    sent = {"format": "docx", "scope": "all", "style": "bmj", "request_id": uuid.uuid4(), **change}
    answer = world.client().post(f"/projects/{world.project.pk}/exports/new/", sent)
    assert answer.status_code == 422
    assert why in page_text(answer.content)
    assert not Export.objects.exists()


def test_styles_are_searched_by_the_server() -> None:
    world = mixed_world()
    html = world.client().get(f"/projects/{world.project.pk}/exports/styles/?style=lancet+onc").content.decode()
    assert re.findall(r'value="([^"]+)"', html) == ["The Lancet Oncology"]


@pytest.mark.parametrize("name", ["other.bib", "..%2F..%2Fsecret_key", ".htaccess", "dexamethasone"])
def test_only_the_files_of_the_export_are_given_out(name: str) -> None:
    world = mixed_world()
    export = make(world)
    (Path(export_folder(export)) / "other.bib").write_text("not recorded")
    assert world.client().get(f"/projects/{world.project.pk}/exports/{export.pk}/{name}").status_code == 404


def test_exports_of_other_projects_are_not_found() -> None:
    world = mixed_world()
    export = make(world)
    name = export.files[0]["name"]
    Export.objects.update(project=type(world.project).objects.create(name="Other", created_by=world.owner))
    for tail in (f"{export.pk}/", f"{export.pk}/{name}"):
        assert world.client().get(f"/projects/{world.project.pk}/exports/{tail}").status_code == 404


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_every_member_may_export(role: str) -> None:
    world = mixed_world()
    world.person("ben", role)
    client, base = world.client("ben"), f"/projects/{world.project.pk}/exports/"
    sent = {"format": "bib", "scope": "all", "style": "", "request_id": uuid.uuid4()}
    assert client.post(f"{base}new/", sent).status_code == 302
    assert Export.objects.get().requested_by == world.people["ben"]
    assert [client.get(f"{base}{tail}").status_code for tail in ("new/", "styles/", f"{Export.objects.get().pk}/")] == [
        200
    ] * 3
