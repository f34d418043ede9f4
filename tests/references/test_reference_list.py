"""The reference list follows the decisions; keys stay; two people write notes without overwriting each other."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from litapp.core.records import PartialDate, Person
from litapp.jobs.models import StepState
from litapp.projects.models import Event, Role
from litapp.verification.models import Priority
from references.models import Reference
from references.services.reference_list import (
    LONGEST_NOTE,
    ReferenceProblem,
    StaleReference,
    after_decisions,
    note_save,
    reference_remove,
    reference_restore,
)
from searches.services.merging import merge_candidates
from searches.services.screening import decide_many, undo
from tests.references.world import HOSTILE, World, make_world

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def world() -> World:
    return make_world(candidates=3)


def listed(world: World) -> dict[str, str]:
    """Key -> title of what stands in the list."""
    rows = Reference.objects.filter(project=world.project).current().select_related("candidate")
    return {row.key: row.candidate.title.split(" on ")[0] for row in rows}


def reference(world: World) -> Reference:
    world.decide(world.candidates[0], "include")
    return Reference.objects.get()


def events(verb: str) -> list[tuple[Any, Any]]:
    return [(e.actor and e.actor.username, e.payload) for e in Event.objects.filter(verb=verb).order_by("sequence")]


# What decisions do


def test_an_included_paper_stands_in_the_list_with_its_key(world: World) -> None:
    world.decide(world.candidates[0], "include")
    assert listed(world) == {"Weber_2001_Paper": "Paper 1"}
    assert Reference.objects.get().added_by == world.owner
    assert events("reference.added") == [("owner", {"keys": ["Weber_2001_Paper"]})]


@pytest.mark.parametrize("decision", ["exclude", "maybe"])
def test_any_other_decision_takes_it_out(world: World, decision: str) -> None:
    world.decide(world.candidates[0], "include")
    world.decide(world.candidates[0], decision)
    assert listed(world) == {}
    assert events("reference.removed") == [("owner", {"keys": ["Weber_2001_Paper"]})]


def test_undo_takes_it_out_and_including_again_brings_back_key_and_note(world: World) -> None:
    first = reference(world)
    note_save(reference=first, actor=world.owner, note="cite in the discussion", version=1)
    undo(project=world.project, actor=world.owner)
    assert listed(world) == {}
    world.decide(world.candidates[0], "include")
    again = Reference.objects.get()
    assert (again.pk, again.key, again.note, again.removed_at) == (first.pk, first.key, "cite in the discussion", None)


def test_a_key_is_never_given_twice_even_after_removal() -> None:
    world = make_world()
    for _ in range(4):
        world.candidate(title="Steroids in pneumonia", date=PartialDate(year=2020), authors=(Person("Weber"),))
    world.decide(world.candidates[0], "include")
    world.decide(world.candidates[0], "exclude")
    for candidate in world.candidates[1:]:
        world.decide(candidate, "include")
    keys = list(Reference.objects.order_by("pk").values_list("key", flat=True))
    assert keys == ["Weber_2020_Steroids", "Weber_2020_Steroids_a", "Weber_2020_Steroids_b", "Weber_2020_Steroids_c"]


def test_keys_of_other_projects_are_free(world: World) -> None:
    world.decide(world.candidates[0], "include")
    Reference.objects.update(project=type(world.project).objects.create(name="Other", created_by=world.owner))
    world.decide(world.candidates[1], "include")
    Reference.objects.get(candidate=world.candidates[1])
    third = world.candidate(1)
    world.decide(third, "include")
    assert Reference.objects.get(candidate=third).key == "Weber_2001_Paper"


def test_a_bulk_gives_every_paper_its_own_key_and_one_event() -> None:
    world = make_world(candidates=30)
    many = [c.pk for c in world.candidates]
    decide_many(
        project=world.project,
        actor=world.owner,
        candidate_ids=many,
        decision="include",
        request_id=world.run.request_id,
    )
    keys = Reference.objects.values_list("key", flat=True)
    assert len({key.lower() for key in keys}) == 30
    assert [len(payload["keys"]) for _, payload in events("reference.added")] == [30]


def test_telling_twice_changes_nothing(world: World) -> None:
    first = reference(world)
    after_decisions(project=world.project, candidate_ids=[world.candidates[0].pk])
    again = Reference.objects.get()
    assert (again.version, again.removed_at) == (first.version, None)
    assert len(events("reference.added")) == 1


def test_including_an_unchecked_record_moves_its_check_to_the_front(world: World) -> None:
    waiting = world.verify(world.candidates[0], "unverified", state=StepState.QUEUED, checked_at=None)
    other = world.verify(world.candidates[1], "unverified", state=StepState.QUEUED, checked_at=None)
    world.decide(world.candidates[0], "include")
    waiting.refresh_from_db()
    other.refresh_from_db()
    assert (waiting.priority, other.priority) == (Priority.INCLUDED, Priority.RETRIEVED)


def test_a_joined_paper_hands_its_reference_over(world: World) -> None:
    stays, joined = world.candidates[:2]
    world.decide(joined, "include")
    note_save(reference=Reference.objects.get(), actor=world.owner, note="kept", version=1)
    merge_candidates(project=world.project, kept_id=stays.pk, absorbed_id=joined.pk)
    row = Reference.objects.get()
    assert (row.candidate_id, row.key, row.note, row.removed_at) == (stays.pk, "Weber_2002_Paper", "kept", None)


def test_of_two_joined_references_the_one_that_stays_is_kept(world: World) -> None:
    stays, joined = world.candidates[:2]
    world.decide(stays, "include")
    world.decide(joined, "include")
    merge_candidates(project=world.project, kept_id=stays.pk, absorbed_id=joined.pk)
    assert listed(world) == {"Weber_2001_Paper": "Paper 1"}
    assert events("reference.removed") == [(None, {"keys": ["Weber_2002_Paper"]})]


# Taking out by hand


def test_taken_out_by_hand_it_can_come_back_while_it_is_included(world: World) -> None:
    row = reference(world)
    for _ in range(2):
        reference_remove(reference=row, actor=world.owner)
    assert listed(world) == {}
    assert len(events("reference.removed")) == 1
    reference_restore(reference=row, actor=world.owner)
    assert listed(world) == {"Weber_2001_Paper": "Paper 1"}


def test_an_excluded_paper_is_not_put_back_by_hand(world: World) -> None:
    row = reference(world)
    world.decide(world.candidates[0], "exclude")
    with pytest.raises(ReferenceProblem, match="not included any more"):
        reference_restore(reference=row, actor=world.owner)
    assert listed(world) == {}


# Notes


def test_two_people_write_and_nothing_is_overwritten(world: World) -> None:
    ben, row = world.person("ben", Role.SCREENER), reference(world)
    note_save(reference=row, actor=ben, note="Ben's text", version=row.version)
    with pytest.raises(StaleReference) as stale:
        note_save(reference=row, actor=world.owner, note="Ada's text", version=row.version)
    assert (stale.value.current.note, stale.value.current.version) == ("Ben's text", 2)
    assert Reference.objects.get().note == "Ben's text"
    saved = note_save(reference=row, actor=world.owner, note="Ben's and Ada's text", version=2)
    assert (saved.note, saved.version) == ("Ben's and Ada's text", 3)
    assert [payload["note"] for _, payload in events("reference.note_saved")] == ["Ben's text", "Ben's and Ada's text"]


def test_the_same_text_twice_is_no_conflict_and_no_change(world: World) -> None:
    row = reference(world)
    for _ in range(2):
        saved = note_save(reference=row, actor=world.owner, note="same\r\ntext ", version=1)
        assert (saved.note, saved.version) == ("same\ntext", 2)
    assert len(events("reference.note_saved")) == 1


def test_a_note_that_is_too_long_is_refused(world: World) -> None:
    with pytest.raises(ReferenceProblem, match="20,001"):
        note_save(reference=reference(world), actor=world.owner, note="x" * (LONGEST_NOTE + 1), version=1)
    assert Reference.objects.get().note == ""


# The pages


def text(html: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.decode())).split())


def page(world: World, tail: str = "", name: str = "owner") -> bytes:
    answer = world.client(name).get(f"/projects/{world.project.pk}/references/{tail}")
    assert answer.status_code == 200
    return answer.content


def verdict_world() -> World:
    world = make_world(candidates=6)
    statuses = ("verified", "verified", "suspect", "unverified", "manual")
    for candidate, status in zip(world.candidates, statuses, strict=False):
        world.verify(candidate, status)
    world.candidates[1].verification.publication_state = "retracted"  # type: ignore[union-attr]
    world.candidates[1].verification.save()  # type: ignore[union-attr]
    for candidate in world.candidates:
        world.decide(candidate, "include")
    return world


def test_chips_count_each_verdict_and_filter_by_it() -> None:
    world = verdict_world()
    chips = re.findall(
        r'class="chip" href="\?([^"]*)"[^>]*>([^<]+?) <span class="num">(\d+)</span>', page(world).decode()
    )
    assert chips == [
        ("", "All", "6"),
        ("verdict=verified", "Verified", "2"),
        ("verdict=suspect", "Suspect", "1"),
        ("verdict=unverified", "Unverified", "1"),
        ("verdict=unchecked", "Not checked yet", "1"),
        ("verdict=manual", "Confirmed by a person", "1"),
        ("verdict=retracted", "Retracted", "1"),
    ]
    for query, _, count in chips:
        assert page(world, f"?{query}").count(b"<tr id=") == int(count)


def test_the_list_shows_status_key_note_and_the_way_to_the_evidence() -> None:
    world = verdict_world()
    row = Reference.objects.get(candidate=world.candidates[1])
    note_save(reference=row, actor=world.owner, note="line one\n<b>two</b>", version=1)
    html = page(world)
    entry = re.search(rf'<tr id="reference-{row.pk}".*?</tr>', html.decode(), re.DOTALL)
    assert entry
    for part in (
        "Retracted Verified 2 of 2",
        "Paper 2 on dexamethasone in severe pneumonia",
        "Weber AB, Lindqvist C, Author002 Z Journal of Trials 2002 10.1000/paper.2 PMID 30000002",
        "Weber_2002_Paper",
        "line one <b>two</b>",
    ):
        assert part in text(entry[0].encode())
    evidence = f"/projects/{world.project.pk}/verifications/{row.candidate.verification_id}/"
    assert f'href="{evidence}" hx-get="{evidence}" hx-target="#evidence"' in entry[0]
    assert "<b>two" not in entry[0]


def test_words_find_papers_keys_and_notes(world: World) -> None:
    for candidate in world.candidates:
        world.decide(candidate, "include")
    note_save(reference=Reference.objects.get(key="Weber_2003_Paper"), actor=world.owner, note="Cochrane", version=1)
    for words, keys in (
        ("30000002", ["Weber_2002_Paper"]),
        ("weber_2001", ["Weber_2001_Paper"]),
        ("cochrane", ["Weber_2003_Paper"]),
    ):
        found = re.findall(r"<code class=\"break\">(\w+)</code>", page(world, f"?q={words}").decode())
        assert found == keys


def test_an_empty_list_says_how_papers_get_in(world: World) -> None:
    assert "No references yet" in text(page(world))


def test_a_note_in_conflict_shows_both_texts_and_saves_on_the_new_version(world: World) -> None:
    world.person("ben", Role.SCREENER)
    row = reference(world)
    note = f"/projects/{world.project.pk}/references/{row.pk}/note/"
    world.client("ben").post(note, {"note": "Ben's text", "version": 1})
    for extra in (HTMX, {}):
        answer = world.client().post(note, {"note": "Ada's text", "version": 1}, **extra)
        assert answer.status_code == 409
        assert "Stored now Ben's text" in text(answer.content)
        assert ">Ada&#x27;s text</textarea>" in answer.content.decode()
        assert 'name="version" value="2"' in answer.content.decode()
    saved = world.client().post(note, {"note": "both", "version": 2}, **HTMX)
    assert "both" in text(saved.content)
    assert Reference.objects.get().note == "both"


def test_a_note_works_without_script(world: World) -> None:
    row, client = reference(world), world.client()
    note = f"/projects/{world.project.pk}/references/{row.pk}/note/"
    assert b"<textarea" in client.get(note).content
    answer = client.post(note, {"note": "plain", "version": 1}, follow=True)
    assert answer.redirect_chain == [(f"/projects/{world.project.pk}/references/{row.pk}/", 302)]
    assert "Note of Weber_2001_Paper saved." in text(answer.content)


@pytest.mark.parametrize(
    ("sent", "why"), [({"note": "x"}, "incomplete"), ({"note": "x" * 20_001, "version": 1}, "20,000")]
)
def test_a_note_that_cannot_be_saved_keeps_what_was_typed(world: World, sent: dict[str, Any], why: str) -> None:
    row = reference(world)
    answer = world.client().post(f"/projects/{world.project.pk}/references/{row.pk}/note/", sent, **HTMX)
    assert answer.status_code == 422
    assert why in text(answer.content)
    assert f">{sent['note']}</textarea>" in answer.content.decode()


def test_removal_and_return_on_the_pages(world: World) -> None:
    row, client = reference(world), world.client()
    base = f"/projects/{world.project.pk}/references/"
    answer = client.post(f"{base}{row.pk}/remove/", follow=True)
    assert "Weber_2001_Paper is out of the list." in text(answer.content)
    assert "Taken out 1" in text(answer.content)
    assert b"Put back" in client.get(f"{base}?verdict=removed").content
    answer = client.post(f"{base}{row.pk}/restore/", follow=True)
    assert "Weber_2001_Paper is back in the list." in text(answer.content)


@pytest.mark.parametrize(
    ("role", "may_write"), [(Role.SCREENER, True), (Role.LIBRARIAN, True), (Role.LEAD, True), (Role.READER, False)]
)
def test_who_may_change_the_list(world: World, role: str, may_write: bool) -> None:
    world.person("ben", role)
    row, client = reference(world), world.client("ben")
    base = f"/projects/{world.project.pk}/references/{row.pk}/"
    assert client.get(base).status_code == 200
    assert (b"Add a note" in client.get(base).content) is may_write
    expected = 302 if may_write else 403
    for act in ("note/", "remove/", "restore/"):
        assert client.post(base + act, {"note": "x", "version": 1}).status_code == expected


def test_references_of_other_projects_are_not_found(world: World) -> None:
    row = reference(world)
    Reference.objects.update(project=type(world.project).objects.create(name="Other", created_by=world.owner))
    for method, tail in (("get", ""), ("post", "note/"), ("post", "remove/"), ("post", "restore/")):
        client = world.client()
        assert getattr(client, method)(f"/projects/{world.project.pk}/references/{row.pk}/{tail}").status_code == 404


def test_a_hostile_title_stays_text() -> None:
    world = make_world()
    world.decide(world.candidate(title=HOSTILE), "include")
    for tail in ("", f"{Reference.objects.get().pk}/"):
        html = page(world, tail)
        assert b"alert(1)" in html
        assert b"<script>alert" not in html


def test_the_number_of_queries_does_not_grow() -> None:
    def measured(world: World) -> list[int]:
        client, counts = world.client(), []
        for tail in ("", "?verdict=verified&q=paper", f"{Reference.objects.order_by('pk')[0].pk}/"):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(f"/projects/{world.project.pk}/references/{tail}").status_code == 200
            counts.append(len(captured))
        return counts

    world = verdict_world()
    few = measured(world)
    for _ in range(30):
        candidate = world.candidate()
        world.verify(candidate, "manual")
        world.decide(candidate, "include")
    assert measured(world) == few
    assert max(few) <= 13
