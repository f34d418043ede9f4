"""Pages of team screening: set up, reasons by number, conflict room, notes and labels, full text."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from litapp.core.plan import PlanQuery, SearchPlan
from litapp.projects.models import Role
from searches.models import Candidate, CriteriaVersion, RecordNote, ScreeningDecision, ScreeningStage, StageRecord
from searches.services.criteria import Wanted, criteria_save
from searches.services.plans import plan_approve, plan_create
from searches.services.stages import Settings, stage_set
from searches.views.highlights import marks_for
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def world() -> World:
    world = make_world(candidates=3)
    world.person("anna", Role.SCREENER)
    world.person("bert", Role.SCREENER)
    return world


def base(world: World) -> str:
    return f"/projects/{world.project.pk}"


def criteria(world: World) -> CriteriaVersion:
    wanted = [Wanted("Not in adults"), Wanted("No outcome")]
    return criteria_save(project=world.project, actor=world.owner, number=0, wanted=wanted)


def decide(world: World, who: str, candidate: Candidate, **fields: Any) -> Any:
    page = world.client(who).get(f"{base(world)}/screen/?record={candidate.pk}&decision=all").content.decode()
    version = re.search(r'name="version" value="(\d+)"', page)
    assert version
    data = {"version": version[1], "request_id": uuid4(), **fields}
    return world.client(who).post(f"{base(world)}/candidates/{candidate.pk}/decide/", data, headers=HTMX)


def told(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_a_lead_sets_a_stage_and_a_screener_reads_it(world: World) -> None:
    lead, address = world.client(), f"{base(world)}/screening/title/set/"
    values = {"screeners": "2", "blind": "on", "sharing": "everyone", "keys": "rayyan"}
    assert lead.post(address, values).status_code == 302
    row = ScreeningStage.objects.get()
    assert (row.screeners, row.blind, row.keys) == (2, True, "rayyan")
    page = told(world.client("anna").get(f"{base(world)}/screening/"))
    assert "Two screeners per record Blind" in page
    assert "Lift the blinding" not in page
    assert world.client("anna").post(address, values).status_code == 403
    screen = world.client("anna").get(f"{base(world)}/screen/").content.decode()
    assert re.findall(r'data-key="([^"]+)" data-act="(?:include|exclude|maybe|undo)"', screen) == ["i", "e", "u", "z"]


def test_criteria_are_saved_as_versions(world: World) -> None:
    first = {
        "number": "0",
        "id": ["", ""],
        "text": ["Animals", "Letters"],
        "prisma_text": ["", "Letter"],
        "why": "begin",
    }
    world.client().post(f"{base(world)}/screening/criteria/", first)
    version = CriteriaVersion.objects.get()
    assert [(one["text"], one["prisma_text"]) for one in version.content] == [("Animals", ""), ("Letters", "Letter")]
    page = world.client().post(f"{base(world)}/screening/criteria/", first, follow=True)
    assert "Somebody changed the criteria" in told(page)
    assert CriteriaVersion.objects.count() == 1


def test_a_number_key_excludes_with_its_reason(world: World) -> None:
    version = criteria(world)
    answer = decide(world, "anna", world.candidates[0], criterion_id=version.content[1]["id"], criteria=1)
    assert answer.status_code == 200
    entry = ScreeningDecision.objects.get()
    assert (entry.decision, entry.reason, entry.criteria_version) == ("exclude", "No outcome", version)
    page = told(world.client("anna").get(f"{base(world)}/candidates/{world.candidates[0].pk}/"))
    assert "decided “exclude” : No outcome (criteria 1)" in page or "decided “exclude”: No outcome (criteria 1)" in page


def test_at_full_text_an_exclusion_without_a_reason_is_refused_and_says_why(world: World) -> None:
    stage_set(project=world.project, actor=world.owner, stage="fulltext", wanted=Settings())
    version, candidate = criteria(world), world.candidates[0]
    world.decide(candidate, "include")
    assert world.client("anna").get(f"{base(world)}/screen/full-text/").context["progress"].total == 1
    answer = decide(world, "anna", candidate, decision="exclude", stage="fulltext")
    assert (answer.status_code, "choose the first criterion that fails" in told(answer)) == (422, True)
    answer = decide(world, "anna", candidate, criterion_id=version.content[0]["id"], stage="fulltext")
    assert answer.status_code == 200
    candidate.refresh_from_db()
    assert (candidate.decision, candidate.fulltext, candidate.final) == ("include", "exclude", "exclude")


def test_a_record_that_is_not_at_the_stage_is_not_found_there(world: World) -> None:
    stage_set(project=world.project, actor=world.owner, stage="fulltext", wanted=Settings())
    address = f"{base(world)}/screen/full-text/?record={world.candidates[0].pk}"
    assert world.client("anna").get(address).status_code == 404


def test_a_conflict_is_settled_by_one_key_and_the_next_is_shown(world: World) -> None:
    stage_set(project=world.project, actor=world.owner, stage="title", wanted=Settings(screeners=2, blind=True))
    criteria(world)
    for candidate in world.candidates[:2]:
        decide(world, "anna", candidate, decision="include")
        decide(world, "bert", candidate, decision="exclude", reason="a letter")
    lead, room = world.client(), f"{base(world)}/screening/title/conflicts/"
    page = lead.get(room)
    assert all(word in told(page) for word in ("2 to settle", "Anna Test", "Bert Test", "a letter"))
    fields = dict(re.findall(r'name="(request_id|seen)" value="([^"]*)"', page.content.decode()))
    address = f"{base(world)}/candidates/{world.candidates[0].pk}/resolve/title/"
    after = lead.post(address, {**fields, "decision": "exclude"}, follow=True)
    assert after.context["candidate"].pk == world.candidates[1].pk
    assert StageRecord.objects.get(candidate=world.candidates[0]).state == "resolved"
    assert ScreeningDecision.objects.get(resolution=True).reason == "a letter"
    again = lead.post(address, {**fields, "request_id": uuid4(), "decision": "include"}, follow=True)
    assert "Not settled" in told(again)
    assert world.client("anna").get(room).status_code == 403


def test_notes_and_labels_are_written_once_and_taken_back(world: World) -> None:
    [candidate, *_], number = world.candidates, uuid4()
    client, address = world.client("anna"), f"{base(world)}/candidates/{world.candidates[0].pk}"
    for _ in range(2):
        part = client.post(f"{address}/notes/", {"text": "ask the author", "request_id": number}, headers=HTMX)
    assert told(part).count("ask the author") == 1
    assert "RCT" in told(client.post(f"{address}/labels/", {"label": " RCT "}, headers=HTMX))
    listed = client.get(f"{base(world)}/candidates/?label=RCT")
    assert [row.candidate.pk for row in listed.context["rows"]] == [candidate.pk]
    assert client.post(f"{address}/notes/", {"text": " ", "request_id": uuid4()}, headers=HTMX).status_code == 422
    note = RecordNote.objects.get()
    assert world.client("bert").post(f"{address}/notes/{note.pk}/remove/").status_code == 404
    assert "ask the author" not in told(client.post(f"{address}/notes/{note.pk}/remove/", headers=HTMX))
    away = client.post(f"{address}/labels/", {"label": "X", "back": "https://elsewhere.example/"})
    assert away["Location"] == f"{address}/"


def test_own_words_are_marked_beside_the_plan(world: World) -> None:
    world.client("anna").post(f"{base(world)}/screening/words/", {"for": "adults\nchild*", "against": "mice"})
    marks = world.client("anna").get(f"{base(world)}/screen/").context["marks"]
    assert [(mark["css"], mark["words"]) for mark in marks] == [
        ("hl-for", ["adults", "child*"]), ("hl-against", ["mice"]), ("hl-p", ["dexamethasone"]),
        ("hl-i", ["severe pneumonia"]),
    ]  # fmt: skip
    assert [mark["css"] for mark in world.client("bert").get(f"{base(world)}/screen/").context["marks"]] == [
        "hl-p",
        "hl-i",
    ]


def test_the_words_of_every_approved_plan_are_marked_and_the_same_words_once(world: World) -> None:
    later = SearchPlan(
        "q", ("pubmed",), (PlanQuery("sepsis[tiab] AND dexamethasone[tiab]"), PlanQuery("shock[tiab] AND child[tiab]"))
    )
    draft = plan_create(project=world.project, actor=world.owner, title="Sepsis", content=later)
    assert len(marks_for(world.project, world.owner)) == 2  # nobody has approved it yet
    plan_approve(version=draft, actor=world.owner, content_hash=draft.content_hash)
    assert [(mark["css"], mark["label"], mark["words"]) for mark in marks_for(world.project, world.owner)] == [
        ("hl-p", "Sepsis, query 1, block 1", ["sepsis"]),
        ("hl-i", "Sepsis, query 1, block 2", ["dexamethasone"]),
        ("hl-c", "Sepsis, query 2, block 1", ["shock"]),
        ("hl-o", "Sepsis, query 2, block 2", ["child"]),
        ("hl-p", "Main search, block 2", ["severe pneumonia"]),
    ]


def test_who_comes_third_is_told_and_gets_the_next_record(world: World) -> None:
    stage_set(project=world.project, actor=world.owner, stage="title", wanted=Settings(screeners=2))
    world.person("cleo", Role.SCREENER)
    first, second, _ = world.candidates
    client, address = world.client("cleo"), f"{base(world)}/candidates/{first.pk}/decide/"
    for who in ("anna", "bert"):
        decide(world, who, first, decision="include")
    answer = client.post(address, {"decision": "exclude", "version": 1, "request_id": uuid4()}, headers=HTMX)
    assert (answer.status_code, answer.context["candidate"].pk) == (409, second.pk)
    assert "has its screeners already" in told(answer)


def test_an_older_decision_is_taken_back_from_the_records_page(world: World) -> None:
    one, two = world.candidates[:2]
    first = world.decide(one, "include", who="anna")
    world.decide(two, "exclude", who="anna")
    values = {"from": "candidate", "record": one.pk, "request_id": uuid4(), "target": first}
    answer = world.client("anna").post(f"{base(world)}/screen/undo/", values)
    assert answer["Location"] == f"{base(world)}/candidates/{one.pk}/"
    assert list(Candidate.objects.order_by("pk").values_list("decision", flat=True)) == ["", "exclude", ""]


@pytest.mark.parametrize("act", ["pilot", "assign"])
def test_what_cannot_be_done_is_said(world: World, act: str) -> None:
    page = world.client().post(f"{base(world)}/screening/title/{act}/", {"size": "900"}, follow=True)
    assert page.status_code == 200
    assert "Choose members who may screen" in told(page) or "A calibration round has" in told(page)
