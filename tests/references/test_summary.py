"""The evidence summary: findings with numbers that follow the text, matrix, limits, how it was made; one zip of all."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import uuid
import zipfile
from datetime import date
from html import unescape
from typing import Any

import docx
import pytest
import time_machine
import yaml

from litapp.core.formats.summarytext import numbers_of
from litapp.core.records import AbstractSection
from litapp.projects.models import Role
from references.models import Export, MatrixCell, Reference, SummaryTopic
from references.services.entries import export_content
from references.services.evidence_summary import evidence_summary
from references.services.export import ExportWork
from references.services.gate import override
from references.services.matrix import cell_accept, cell_not_reported, cell_save
from references.services.matrix_reading import column_named, rows_of
from references.services.summary import (
    StaleSummary,
    SummaryProblem,
    quote_add,
    quote_remove,
    setup_save,
    topic_add,
    topic_move,
    topic_remove,
    topic_save,
)
from references.services.transparency import TAKEN_IN_UNSCREENED
from searches.services.import_by_hand import TypedRecord, record_add
from searches.services.screening import decide_many
from tests.references.test_export import docx_text, files, make
from tests.references.world import HOSTILE, World, make_world

pytestmark = pytest.mark.django_db
RESULT = "Mortality was lower with dexamethasone (odds ratio, 0.70)."
KEYS = [f"Weber_200{number}_Paper" for number in (1, 2, 3, 4)]


@pytest.fixture
def world() -> World:
    """Four references: sound, sound, retracted though verified, suspect; each with a result in its abstract."""
    made = make_world()
    states: list[dict[str, Any]] = [
        {}, {}, {"publication_state": "retracted", "notice_date": "2020-06-05", "notice_doi": "10.1016/notice"}, {},
    ]  # fmt: skip
    for number, fields in enumerate(states, start=1):
        kind = ("Practice Guideline",) if number == 2 else ("Journal Article",)
        candidate = made.candidate(
            number, abstract=(AbstractSection(RESULT, "RESULTS", "RESULTS"),), publication_types=kind
        )
        made.verify(candidate, "suspect" if number == 4 else "verified", **fields)
        made.decide(candidate, "include")
    return made


def reference(number: int) -> Reference:
    return Reference.objects.get(key=KEYS[number - 1])


def finding(world: World, number: int) -> MatrixCell:
    """Accept the result sentence of a reference."""
    head = column_named(world.project, "finding")
    assert head is not None
    [row] = rows_of(world.project, [reference(number)], [head])
    offer = row.cells[0].offers[0].suggestion
    return cell_accept(reference=reference(number), head=head, actor=world.owner, offer=offer.name, version=0)


def told(world: World, scope: str = "all") -> Any:
    return evidence_summary(world.project, export_content(world.project, scope))


def text_of(content: bytes) -> str:
    return " ".join(docx_text(content).split())


def word_of(export: Export) -> bytes:
    [content] = [content for name, content in files(export).items() if name.endswith(".docx")]
    return content


# Numbers and groups


def test_numbers_follow_the_text_and_the_rest_comes_behind(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="Harm", text=f"None [@{KEYS[3]}; @{KEYS[1]}].")
    quote_add(topic=topic, cell=finding(world, 2), actor=world.owner)
    assert numbers_of(told(world)) == {KEYS[1]: 1, KEYS[3]: 2, KEYS[2]: 3, KEYS[0]: 4}


def test_what_was_retracted_stands_above_and_apart_whatever_its_verdict(world: World) -> None:
    document = docx.Document(io.BytesIO(word_of(make(world, "docx"))))
    groups: dict[str, list[str]] = {}
    at = ""
    for paragraph in document.paragraphs:
        if str(paragraph.style.name).startswith("Heading"):
            at = paragraph.text
        elif paragraph.style.name == "Bibliography":
            groups.setdefault(at, []).append(re.search(r"Paper (\d)", paragraph.text)[1])  # type: ignore[index]
    assert groups == {"Retracted or withdrawn (1)": ["3"], "Verified (2)": ["2", "1"], "Suspect (1)": ["4"]}


def test_each_number_in_the_text_leads_to_its_entry_in_word(world: World) -> None:
    topic_add(project=world.project, actor=world.owner, title="Effect", text=f"It works [@{KEYS[3]}, @{KEYS[0]}].")
    content = word_of(make(world, "docx"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        xml = archive.read("word/document.xml").decode()
    names = re.findall(r'<w:bookmarkStart [^>]*w:name="([^"]+)"', xml)
    anchors = re.findall(r'<w:hyperlink w:anchor="([^"]+)"', xml)
    assert anchors
    assert set(anchors) <= set(names)
    assert "It works [1, 2] [UNVERIFIED - NEEDS MANUAL CHECK]." in text_of(content)
    listed = re.findall(r"^\s*(\d+)\. +.*?Paper (\d) on", docx_text(content), re.MULTILINE)
    assert dict(listed)["1"] == "4"
    assert dict(listed)["2"] == "1"
    assert sorted(number for number, _ in listed) == ["1", "2", "3", "4"]


# What it says


def test_the_word_file_tells_findings_matrix_guidelines_limits_and_how_it_was_made(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="Mortality", text=f"It fell [@{KEYS[0]}].")
    quote_add(topic=topic, cell=finding(world, 1), actor=world.owner)
    finding(world, 2)
    limit = column_named(world.project, "limitation")
    assert limit is not None
    cell_not_reported(reference=reference(1), head=limit, actor=world.owner, version=0)
    text = text_of(word_of(make(world, "docx")))
    for part in (
        "Rapid evidence summary. Made in a shortened way",
        f"“{RESULT}” [1] (abstract, RESULTS, PubMed)",
        "It fell [1].",
        "Findings that stand under no topic",
        "Guidelines found",
        "Paper 2 on dexamethasone in severe pneumonia [2]",
        "The references rest on: 4 abstract only.",
        "Words behind the matrix",
        "rule “result sentence”, version 1; checked by Ada Owner",
        "not reported",
        "1 of 4 references are not confirmed by a source.",
        "Weber_2003_Paper verified Crossref + PubMed 2026-11-29 [RETRACTED 2020-06-05, notice 10.1016/notice]",
        "How this summary was made",
        "Screening: decisions of people, none of a model: Ada Owner (4).",
        "2 quotes that a rule found and a person accepted",
        "No language model was used for anything in this document.",
        "Searches run on 2026-11-30.",
        "appraisal of quality or risk of bias",
    ):
        assert part in text, part


def test_what_the_review_command_took_in_is_not_called_a_decision_of_people(world: World) -> None:
    whole = [world.candidate(number).pk for number in (5, 6, 7)]
    reason = f"{TAKEN_IN_UNSCREENED} (--include all)"
    decide_many(
        project=world.project, actor=world.owner, candidate_ids=whole, decision="include",
        request_id=uuid.uuid4(), reason=reason,
    )  # fmt: skip
    text = text_of(word_of(make(world, "docx")))
    assert (
        "Screening: 3 records were taken into the list by the review command; no person read them. The flow of "
        "records counts them as screened. Decisions of people: Ada Owner (4)."
    ) in text
    assert "decisions of people, none of a model" not in text


def test_a_systematic_review_names_its_steps_and_who_states_them(world: World) -> None:
    setup_save(
        project=world.project, actor=world.owner, kind="systematic", steps=["dual", "sources"],
        limitations="Only [1] was large.", keys=KEYS, version=1,
    )  # fmt: skip
    text = text_of(word_of(make(world, "docx")))
    assert "Systematic review. Its authors state below which steps" in text
    assert "Titles and abstracts screened by two people independently yes, as Ada Owner states" in text
    assert "Risk of bias assessed (outside LitLedger) not done" in text
    assert "Only [2] was large." in text  # the guideline is told before, and has [1]
    assert "It is no systematic review" not in text


def test_imports_stand_in_the_search_with_their_counts(world: World) -> None:
    record_add(
        project=world.project, actor=world.owner, request_id=uuid.uuid4(),
        typed=TypedRecord("A guideline of the ward", accessed_on=date(2026, 11, 3)),
    )  # fmt: skip
    line = told(world).searches[-1]
    assert (line.fetched, line.ran_at, line.label.split(":")[0]) == (1, date(2026, 11, 3), "imported")
    assert "2026-11-03 00:00" not in text_of(word_of(make(world, "docx")))


def test_hostile_texts_of_people_stay_text(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title=HOSTILE, text=f"- {HOSTILE} [@{KEYS[0]}]\n- b")
    head = column_named(world.project, "relevance")
    assert head is not None
    cell_save(reference=reference(1), head=head, actor=world.owner, value=HOSTILE, quote="", page="", version=0)
    quote_add(topic=topic, cell=finding(world, 1), actor=world.owner)
    summary = told(world)
    assert numbers_of(summary)[KEYS[0]] == 1
    export = make(world, "review")
    assert not export.gate["passed"]  # the text holds figures that no source does
    override(export=export, actor=world.owner, reason=HOSTILE)
    ExportWork().run(str(export.pk))
    export.refresh_from_db()
    [content] = files(export).values()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        page = next(packed.read(name).decode() for name in packed.namelist() if name.endswith(".html"))
        word = next(packed.read(name) for name in packed.namelist() if name.endswith(".docx"))
    assert "<script" not in page
    assert 'href="javascript' not in page
    with zipfile.ZipFile(io.BytesIO(word)) as archive:
        assert b"javascript:" not in archive.read("word/_rels/document.xml.rels")


# Files


def test_the_zip_holds_every_file_with_its_checksum(world: World) -> None:
    finding(world, 1)
    export = make(world, "review", "verified")
    [(name, content)] = files(export).items()
    base = "dexamethasone-in-severe-pneumonia-verified"
    assert name == f"{base}_Review.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        inside = {one: packed.read(one) for one in packed.namelist()}
    assert sorted(inside) == sorted(
        [
            "SHA256SUMS", f"{base}_PMIDs.txt", f"{base}_PRISMA.png", f"{base}_References.bib",
            f"{base}_References.yaml",
            f"{base}_Review.docx", f"{base}_Review.html", f"{base}_Review.md",
        ]
    )  # fmt: skip
    sums = dict(line.split("  ")[::-1] for line in inside["SHA256SUMS"].decode().splitlines())
    assert sums == {one: hashlib.sha256(data).hexdigest() for one, data in inside.items() if one != "SHA256SUMS"}
    assert inside[f"{base}_PMIDs.txt"].decode() == "30000001\n30000002\n"
    told_yaml = yaml.safe_load(inside[f"{base}_References.yaml"])["references"]
    assert [one["key"] for one in told_yaml] == KEYS[:2]
    assert told_yaml[0]["key_finding"] == RESULT
    page = inside[f"{base}_Review.html"].decode()
    assert f'id="ref-{KEYS[0]}"' in page
    assert f'href="#ref-{KEYS[0]}"' in page
    markdown = inside[f"{base}_Review.md"].decode()
    assert "](#ref-" not in markdown
    assert "https://doi.org/10.1000/paper.1" in markdown


def test_the_matrix_is_written_as_word_csv_and_markdown(world: World) -> None:
    finding(world, 1)
    head = column_named(world.project, "relevance")
    assert head is not None
    cell_save(reference=reference(2), head=head, actor=world.owner, value="=1+1", quote="", page="", version=0)
    export = make(world, "matrix")
    made = {name.rsplit(".", 1)[1]: content for name, content in files(export).items()}
    assert sorted(made) == ["csv", "docx", "md"]
    rows = list(csv.DictReader(io.StringIO(made["csv"].decode("utf-8-sig"))))
    assert [row["Key"] for row in rows] == KEYS
    assert (rows[0]["Key finding"], rows[0]["Key finding: quote"]) == (RESULT, RESULT)
    assert rows[0]["Key finding: where"] == "abstract, RESULTS, PubMed"
    assert rows[1]["Relevance"] == "'=1+1"
    assert {row["Design"] for row in rows} == {"not looked at"}
    assert "Literature matrix" in text_of(made["docx"])
    assert "| Study " in made["md"].decode()


def test_a_wide_matrix_lies_across_with_the_foot_on_every_page(world: World) -> None:
    for key in ("design", "population", "size", "methods", "limitation"):
        head = column_named(world.project, key)
        assert head is not None
        cell_not_reported(reference=reference(1), head=head, actor=world.owner, version=0)
    document = docx.Document(io.BytesIO(word_of(make(world, "docx"))))
    assert [section.orientation for section in document.sections] == [0, 1, 0]
    assert all(not section.footer.is_linked_to_previous for section in document.sections)


@pytest.mark.parametrize("format", ["review", "matrix", "archive"])
def test_equal_state_gives_equal_bytes(world: World, format: str) -> None:
    topic_add(project=world.project, actor=world.owner, title="Mortality", text=f"It fell [@{KEYS[0]}].")
    with time_machine.travel("2027-01-01T00:00:00Z"):
        first = files(make(world, format))
    with time_machine.travel("2027-02-02T02:02:02Z"):
        assert files(make(world, format)) == first
    world.decide(world.candidates[1], "exclude")
    assert files(make(world, format)) != first


# Writes


def test_numbers_that_a_person_typed_follow_the_reference(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="Mortality")
    saved = topic_save(
        topic=topic, actor=world.owner, title="Mortality", text="It fell [2], not [8].", keys=KEYS, version=1
    )
    assert saved.text == f"It fell [@{KEYS[1]}], not [8]."
    with pytest.raises(StaleSummary):
        topic_save(topic=topic, actor=world.owner, title="Mortality", text="Mine.", keys=KEYS, version=1)
    again = topic_save(topic=topic, actor=world.owner, title="Mortality", text=saved.text, keys=KEYS, version=1)
    assert again.version == 2


def test_topics_are_moved_taken_out_and_named(world: World) -> None:
    first, second = (topic_add(project=world.project, actor=world.owner, title=title) for title in ("A", "B"))
    topic_move(topic=second, actor=world.owner, up=True)
    topic_move(topic=second, actor=world.owner, up=True)
    assert [topic.title for topic in told(world).topics] == ["B", "A"]
    quote_add(topic=first, cell=finding(world, 1), actor=world.owner)
    topic_remove(topic=first, actor=world.owner)
    assert [(topic.title, len(topic.quotes)) for topic in told(world).topics] == [
        ("B", 0), ("Findings that stand under no topic", 1),
    ]  # fmt: skip
    with pytest.raises(SummaryProblem):
        topic_add(project=world.project, actor=world.owner, title=" ")


def test_a_quote_stands_once_under_a_topic_and_only_what_is_filled(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="A")
    cell = finding(world, 1)
    quote = quote_add(topic=topic, cell=cell, actor=world.owner)
    assert quote_add(topic=topic, cell=cell, actor=world.owner).pk == quote.pk
    quote_remove(quote=quote, actor=world.owner)
    MatrixCell.objects.filter(pk=cell.pk).update(state="not_reported", value="")
    cell.refresh_from_db()
    with pytest.raises(SummaryProblem):
        quote_add(topic=topic, cell=cell, actor=world.owner)


# The page


def page_text(content: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", content.decode())).split())


def test_from_the_page_to_the_document(world: World) -> None:
    cell = finding(world, 1)
    client, base = world.client(), f"/projects/{world.project.pk}/summary/"
    assert "Key findings under no topic: 1" in page_text(client.get(base).content)
    client.post(f"{base}change/", {"do": "topic_add", "title": "Mortality"})
    topic = SummaryTopic.objects.get()
    client.post(f"{base}change/", {"do": "quote_add", "topic": topic.pk, "cell": cell.pk})
    keys = re.search(r'name="keys" value="([^"]+)"', client.get(base).content.decode())
    assert keys
    sent = {"do": "topic_save", "topic": topic.pk, "version": 1, "title": "Mortality", "keys": keys[1]}
    answer = client.post(f"{base}change/", {**sent, "text": "It fell [1] and rose."})
    assert answer["Location"].endswith(f"#topic-{topic.pk}")
    topic.refresh_from_db()
    assert topic.text == f"It fell [@{keys[1].split()[0]}] and rose."
    assert ">It fell [1] and rose.</textarea>" in client.get(base).content.decode()
    stale = client.post(f"{base}change/", {**sent, "text": "Mine."})
    assert stale.status_code == 409
    assert ">Mine.</textarea>" in stale.content.decode()
    assert "Stored now It fell [1] and rose." in page_text(stale.content)


def test_a_sentence_is_let_stand_on_the_page_and_taken_back(world: World) -> None:
    topic_add(project=world.project, actor=world.owner, title="Mortality", text="It fell.")
    client, base = world.client(), f"/projects/{world.project.pk}/summary/"
    name = re.search(r'name="name" value="([0-9a-f]{64})"', client.get(base).content.decode())
    assert name
    assert client.post(f"{base}change/", {"do": "decide", "name": name[1], "reason": ""}).status_code == 422
    client.post(f"{base}change/", {"do": "decide", "name": name[1], "reason": "known"})
    assert "Stands Ada Owner" in page_text(client.get(base).content)
    client.post(f"{base}change/", {"do": "decision_undo", "name": name[1]})
    assert "Let it stand" in page_text(client.get(base).content)


def test_readers_read_and_nonsense_is_told(world: World) -> None:
    topic_add(project=world.project, actor=world.owner, title="Mortality", text="It fell.")
    world.person("rita", Role.READER)
    reader, base = world.client("rita"), f"/projects/{world.project.pk}/summary/"
    assert "<textarea" not in reader.get(base).content.decode()
    assert reader.post(f"{base}change/", {"do": "topic_add", "title": "x"}).status_code == 403
    assert world.client().post(f"{base}change/", {"do": "nothing"}).status_code == 422
    assert world.client().post(f"{base}change/", {"do": "topic_up", "topic": "99"}).status_code == 404
    setup = {"do": "setup", "kind": "perfect", "version": "1"}
    assert world.client().post(f"{base}change/", setup).status_code == 422


def test_the_help_page_says_what_is_not_done(client: Any) -> None:
    text = page_text(client.get("/help/limits/").content)
    for part in ("It does not appraise studies.", "It draws no conclusions.", "It gives no advice on a patient."):
        assert part in text


def test_what_was_retracted_is_marked_wherever_the_text_cites_it(world: World) -> None:
    topic = topic_add(project=world.project, actor=world.owner, title="Effect", text=f"It works [@{KEYS[2]}].")
    quote_add(topic=topic, cell=finding(world, 3), actor=world.owner)
    text = text_of(word_of(make(world, "docx")))
    mark = "[RETRACTED 2020-06-05, notice 10.1016/notice]"
    assert f"It works [1] {mark}." in text
    assert f"“{RESULT}” [1] {mark}" in text
