"""The screening page: what it shows, what a decision answers, and what happens when two people meet."""

from __future__ import annotations

import re
import uuid
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from litapp.core.records import AbstractSection, PartialDate
from litapp.projects.models import Membership, Role
from references.models import Reference
from searches.models import Candidate, ScreeningDecision
from searches.views.screening_queue import ORDERS, read_queue
from tests.references.world import HOSTILE, World, make_world

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def world() -> World:
    return make_world(candidates=4)


def address(world: World, tail: str = "") -> str:
    return f"/projects/{world.project.pk}/screen/{tail}"


def decide_address(world: World, candidate: Candidate, query: str = "") -> str:
    return f"/projects/{world.project.pk}/candidates/{candidate.pk}/decide/{query}"


def fields(candidate: Candidate, decision: str = "include", **changes: Any) -> dict[str, Any]:
    candidate.refresh_from_db()
    return {"decision": decision, "version": candidate.version, "request_id": uuid.uuid4(), **changes}


def shown(html: bytes | str) -> int | None:
    """The record that a page or part shows; None where nothing is left."""
    found = re.search(r'id="screen"[^>]*data-record="(\d*)"', html if isinstance(html, str) else html.decode())
    assert found
    return int(found[1]) if found[1] else None


def notice(html: bytes) -> str:
    found = re.search(r'screen-notice".*?<div>(.*?)</div>', html.decode(), re.DOTALL)
    return unescape(found[1]) if found else ""


def text(html: bytes) -> str:
    """What a reader reads."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.decode())).split())


# What is shown


def test_the_best_fit_comes_first_and_each_decision_leads_to_the_next(world: World) -> None:
    for candidate, fit in zip(world.candidates, (1, 3, 2, 3), strict=True):
        Candidate.objects.filter(pk=candidate.pk).update(fit=fit)
    client, order = world.client(), []
    html = client.get(address(world)).content
    while (pk := shown(html)) is not None:
        order.append(pk)
        html = client.post(
            decide_address(world, Candidate.objects.get(pk=pk)), fields(Candidate.objects.get(pk=pk)), **HTMX
        ).content
    first, second, third, fourth = (candidate.pk for candidate in world.candidates)
    assert order == [second, fourth, third, first]
    assert "All 4 are decided" in text(html)


def test_the_card_says_what_the_sources_said(world: World) -> None:
    candidate = world.candidates[0]
    world.verify(candidate, "verified", publication_state="retracted", notice_date="2021-02-03")
    page = text(world.client().get(address(world, f"?record={candidate.pk}")).content)
    for part in (
        "Retracted 2021 Verified 2 of 2",
        "Found by PubMed",
        "Paper 1 on dexamethasone in severe pneumonia",
        "Weber AB, Lindqvist C, Author001 Z",
        "Journal of Trials 2001;1:11–19 DOI 10.1000/paper.1 PMID 30000001",
        "Background Background of paper 1.",
        "Dexamethasone / therapeutic use (major topic)",
        "Medium fit",
        "“dexamethasone” in title and MeSH By rule, no AI",
    ):
        assert part in page


def test_identifiers_lead_to_their_owners(world: World) -> None:
    html = world.client().get(address(world, f"?record={world.candidates[0].pk}")).content.decode()
    assert 'href="https://doi.org/10.1000/paper.1"' in html
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/30000001/"' in html


def test_a_hostile_title_stays_text_everywhere() -> None:
    world = make_world()
    hostile = world.candidate(title=HOSTILE, abstract=(AbstractSection(HOSTILE, '"><img src=x>'),), journal=HOSTILE)
    other = world.candidate()
    client = world.client()
    answer = client.post(decide_address(world, hostile), fields(hostile, "maybe"), **HTMX)
    pages = [
        client.get(address(world, f"?record={hostile.pk}")).content,
        client.get(
            address(world, f"next/?record={other.pk}&decision=all&order=found&direction=previous"), **HTMX
        ).content,
        answer.content,
        client.get(f"/projects/{world.project.pk}/candidates/").content,
        client.get(f"/projects/{world.project.pk}/candidates/{hostile.pk}/").content,
    ]
    for html in pages:
        assert b"alert(1)" in html
        assert b"<script>alert" not in html
        assert b"<img src=x" not in html
        assert b'href="javascript:' not in html


def test_no_abstract_is_said() -> None:
    world = make_world()
    world.candidate(abstract=())
    assert "No source returned an abstract for this record." in text(world.client().get(address(world)).content)


def test_an_empty_project_says_what_to_do() -> None:
    world = make_world()
    page = text(world.client().get(address(world)).content)
    assert "Nothing to screen yet" in page
    assert "To the search plans" in page


def test_filters_that_nothing_passes_are_no_finished_queue(world: World) -> None:
    page = text(world.client().get(address(world, "?q=hydrocortisone")).content)
    assert "No record passes these filters" in page
    assert "decided" not in page.split("No record passes")[1].split("Keys on this page")[0]


@pytest.mark.parametrize("record", ["0", "99999999", "abc", "-1", "9" * 30])
def test_an_unknown_record_is_not_found(world: World, record: str) -> None:
    assert world.client().get(address(world, f"?record={record}")).status_code == 404


def test_a_record_of_another_project_is_not_found(world: World) -> None:
    world.person("ben", Role.SCREENER)
    mine = world.candidates[0].pk
    other = type(world.project).objects.create(name="Other", created_by=world.owner)
    Membership.objects.create(project=other, user=world.people["ben"], role=Role.SCREENER)
    ben = world.client("ben")
    assert ben.get(f"/projects/{other.pk}/screen/?record={mine}").status_code == 404
    assert ben.post(f"/projects/{other.pk}/candidates/{mine}/decide/", fields(world.candidates[0])).status_code == 404


def test_a_joined_record_leads_to_the_one_that_stays(world: World) -> None:
    stays, joined = world.candidates[:2]
    Candidate.objects.filter(pk=joined.pk).update(merged_into=stays)
    answer = world.client().get(address(world, f"?record={joined.pk}&order=found"))
    assert (answer.status_code, answer["Location"]) == (302, address(world, f"?order=found&record={stays.pk}"))


# The queue is in the address


def test_links_and_forms_keep_the_queue(world: World) -> None:
    html = world.client().get(address(world, "?q=dexamethasone&order=newest&decision=all&source=pubmed&junk=1")).content
    queue = "q=dexamethasone&amp;source=pubmed&amp;decision=all&amp;order=newest"
    assert f"/decide/?{queue}".encode() in html
    assert f"/screen/undo/?{queue}".encode() in html
    assert re.search(rf"data-address=\"/projects/\d+/screen/\?{re.escape(queue)}&amp;record=\d+\"", html.decode())


YEARS = (2010, None, 2020, 2010, None, 2005)


def order_world() -> tuple[World, dict[int, Candidate]]:
    world = make_world()
    for number, year in enumerate(YEARS, start=1):
        world.candidate(number, fit=number % 3 + 1, title=f"{'CBADFE'[number - 1]} title", date=PartialDate(year=year))
    return world, {candidate.pk: candidate for candidate in world.candidates}


@pytest.mark.parametrize("order", ORDERS)
def test_next_and_previous_follow_the_order_of_the_queue(order: str) -> None:
    _, candidates = order_world()
    queue = read_queue(QueryDict(f"decision=all&order={order}"))
    rows = Candidate.objects.all()
    whole = list(queue.rows(rows).values_list("pk", flat=True))
    assert sorted(whole) == sorted(candidates)
    for place, pk in enumerate(whole):
        assert list(queue.following(rows, candidates[pk]).values_list("pk", flat=True)) == whole[place + 1 :]
        assert list(queue.preceding(rows, candidates[pk]).values_list("pk", flat=True)) == whole[:place][::-1]


def test_the_orders_are_what_they_are_called() -> None:
    _, candidates = order_world()

    def ordered(order: str) -> list[Any]:
        queue = read_queue(QueryDict(f"decision=all&order={order}"))
        return [candidates[pk] for pk in queue.rows(Candidate.objects.all()).values_list("pk", flat=True)]

    assert [c.year for c in ordered("newest")] == [2020, 2010, 2010, 2005, None, None]
    assert [c.year for c in ordered("oldest")] == [2005, 2010, 2010, 2020, None, None]
    assert [c.title[0] for c in ordered("title")] == list("ABCDEF")
    assert [c.fit for c in ordered("fit")] == [3, 3, 2, 2, 1, 1]
    assert [c.pk for c in ordered("found")] == sorted(candidates)


@pytest.mark.parametrize("data", ["decision=junk&order=junk", "decision=&order=", "order=-fit"])
def test_an_address_that_is_not_understood_falls_back_to_the_default_queue(data: str) -> None:
    queue = read_queue(QueryDict(data))
    assert (queue.show, queue.order, queue.query()) == ("undecided", "fit", "")


def test_records_are_prepared_ahead_in_order(world: World) -> None:
    first, *rest = (candidate.pk for candidate in world.candidates)
    html = world.client().get(address(world, f"next/?record={first}&count=3"), **HTMX).content.decode()
    assert [int(pk) for pk in re.findall(r'id="screen"[^>]*data-record="(\d+)"', html)] == rest
    assert html.count("csrfmiddlewaretoken") == 12


@pytest.mark.parametrize(("count", "prepared"), [("1", 1), ("2", 2), ("99", 5), ("x", 1), ("", 1), ("0", 1)])
def test_at_most_five_records_are_prepared(count: str, prepared: int) -> None:
    world = make_world(candidates=8)
    html = world.client().get(address(world, f"next/?record={world.candidates[0].pk}&count={count}"), **HTMX).content
    assert html.count(b'id="screen"') == prepared


def test_plain_links_lead_to_the_neighbours_and_say_where_the_queue_ends(world: World) -> None:
    first, second, *_, last = (candidate.pk for candidate in world.candidates)
    client = world.client()
    forwards = client.get(address(world, f"next/?record={first}"))
    back = client.get(address(world, f"next/?record={second}&direction=previous"))
    end = client.get(address(world, f"next/?record={last}"), follow=True)
    assert forwards["Location"] == address(world, f"?record={second}")
    assert back["Location"] == address(world, f"?record={first}")
    assert shown(end.content) == last
    assert "This is the last record of the queue." in text(end.content)


# Deciding


def test_a_decision_is_stored_before_the_next_record_is_given(world: World) -> None:
    first, second = world.candidates[:2]
    sent = fields(first, "include")
    answer = world.client().post(decide_address(world, first), sent, **HTMX)
    first.refresh_from_db()
    assert (first.decision, first.decided_by, first.version) == ("include", world.owner, 2)
    assert shown(answer.content) == second.pk
    assert f'data-saved="{sent["request_id"]}"'.encode() in answer.content
    assert "Your last: include “Paper 1 on" in text(answer.content)
    assert [reference.candidate_id for reference in Reference.objects.all()] == [first.pk]


def test_without_script_a_decision_leads_to_the_next_record(world: World) -> None:
    first, second = world.candidates[:2]
    answer = world.client().post(decide_address(world, first, "?order=found"), fields(first, "exclude"), follow=True)
    assert answer.redirect_chain == [(address(world, f"?order=found&record={second.pk}"), 302)]
    assert "Saved: exclude “Paper 1 on dexamethasone in severe pneumonia”." in text(answer.content)


def test_a_double_click_decides_once(world: World) -> None:
    first, second = world.candidates[:2]
    sent, client = fields(first), world.client()
    answers = [client.post(decide_address(world, first), sent, **HTMX) for _ in range(3)]
    assert [(answer.status_code, shown(answer.content)) for answer in answers] == [(200, second.pk)] * 3
    assert all(f'data-saved="{sent["request_id"]}"'.encode() in answer.content for answer in answers)
    assert ScreeningDecision.objects.count() == 1
    assert Reference.objects.count() == 1


def test_a_decision_on_an_old_version_is_refused_and_says_who_was_faster(world: World) -> None:
    world.person("ben", Role.SCREENER)
    first = world.candidates[0]
    seen_by_ada = fields(first, "include")
    world.decide(first, "exclude", who="ben")
    answer = world.client().post(decide_address(world, first), seen_by_ada, **HTMX)
    first.refresh_from_db()
    assert (answer.status_code, shown(answer.content)) == (409, first.pk)
    assert notice(answer.content).startswith("Not saved: Ben Test decided “exclude” on this record in the meantime.")
    assert (first.decision, first.decided_by) == ("exclude", world.people["ben"])
    assert b"data-saved" not in answer.content
    assert f'name="version" value="{first.version}"'.encode() in answer.content


def test_without_script_a_refused_decision_shows_the_page_with_the_reason(world: World) -> None:
    first = world.candidates[0]
    old = fields(first)
    world.decide(first, "maybe")
    answer = world.client().post(decide_address(world, first), old)
    assert answer.status_code == 409
    assert "Not saved: Ada Owner decided “maybe”" in text(answer.content)
    assert b"<html" in answer.content


def test_a_record_that_was_joined_meanwhile_is_shown_as_it_is_now(world: World) -> None:
    stays, joined = world.candidates[:2]
    old = fields(joined)
    Candidate.objects.filter(pk=joined.pk).update(merged_into=stays, version=2)
    answer = world.client().post(decide_address(world, joined), old, **HTMX)
    assert (answer.status_code, shown(answer.content)) == (409, stays.pk)
    assert "this record changed in the meantime" in notice(answer.content)


@pytest.mark.parametrize("change", [{"decision": "perhaps"}, {"decision": ""}, {"version": "x"}, {"request_id": "x"}])
def test_what_cannot_be_read_decides_nothing_and_says_so(world: World, change: dict[str, str]) -> None:
    first = world.candidates[0]
    answer = world.client().post(decide_address(world, first), fields(first, **change), **HTMX)
    assert (answer.status_code, shown(answer.content)) == (422, first.pk)
    assert "nothing was saved" in notice(answer.content)
    assert not ScreeningDecision.objects.exists()


def test_the_end_of_the_queue_leads_back_to_what_was_passed_over(world: World) -> None:
    *_, third, last = world.candidates
    client = world.client()
    answer = client.post(decide_address(world, last), fields(last), **HTMX)
    assert shown(answer.content) == world.candidates[0].pk
    assert notice(answer.content) == "That was the end of the queue. Here are the records that you passed over."
    for candidate in world.candidates[:3]:
        answer = client.post(decide_address(world, candidate), fields(candidate, "exclude"), **HTMX)
    assert third.pk != shown(answer.content)
    assert shown(answer.content) is None
    assert "All 4 are decided" in text(answer.content)


def test_the_maybe_queue_is_worked_off_too(world: World) -> None:
    for candidate in world.candidates[:2]:
        world.decide(candidate, "maybe")
    client = world.client()
    first = client.get(address(world, "?decision=maybe"))
    assert shown(first.content) == world.candidates[0].pk
    query = "?decision=maybe"
    answer = client.post(decide_address(world, world.candidates[0], query), fields(world.candidates[0]), **HTMX)
    assert shown(answer.content) == world.candidates[1].pk
    answer = client.post(decide_address(world, world.candidates[1], query), fields(world.candidates[1]), **HTMX)
    assert "Nothing here: “maybe”" in text(answer.content)


def test_progress_counts_what_the_filters_let_through(world: World) -> None:
    world.decide(world.candidates[0], "include")
    client = world.client()
    assert "3 left of 4" in text(client.get(address(world)).content)
    assert "1 left of 1" in text(client.get(address(world, "?year_from=2004")).content)


# Taking back


def undo(client: Client, world: World, request_id: Any = None, **extra: Any) -> Any:
    return client.post(address(world, "undo/"), {"request_id": request_id or uuid.uuid4(), **extra}, **HTMX)


def test_undo_takes_the_last_decision_back_and_shows_its_record(world: World) -> None:
    first, second = world.candidates[:2]
    world.decide(first, "include")
    world.decide(second, "exclude")
    answer = undo(world.client(), world)
    second.refresh_from_db()
    assert (shown(answer.content), second.decision) == (second.pk, "")
    assert "Taken back: “Paper 2 on dexamethasone in severe pneumonia” stands at “not decided” again." in unescape(
        answer.content.decode()
    )


def test_undo_goes_further_back_each_time_and_a_double_click_does_not(world: World) -> None:
    for candidate in world.candidates[:3]:
        world.decide(candidate, "exclude")
    client, once = world.client(), uuid.uuid4()
    assert [shown(undo(client, world, once).content) for _ in range(2)] == [world.candidates[2].pk] * 2
    assert shown(undo(client, world).content) == world.candidates[1].pk
    assert list(Candidate.objects.order_by("pk").values_list("decision", flat=True)) == ["exclude", "", "", ""]


def test_undo_brings_back_the_decision_before(world: World) -> None:
    world.decide(world.candidates[0], "maybe")
    world.decide(world.candidates[0], "include")
    undo(world.client(), world)
    assert Candidate.objects.get(pk=world.candidates[0].pk).decision == "maybe"
    assert not Reference.objects.current().exists()


def test_undo_without_a_decision_says_so_and_keeps_the_record(world: World) -> None:
    here = world.candidates[1].pk
    answer = undo(world.client(), world, record=here)
    assert (answer.status_code, shown(answer.content)) == (409, here)
    assert notice(answer.content) == "You have no decision in this project that could be taken back."


def test_nobody_takes_back_the_decision_of_another(world: World) -> None:
    world.person("ben", Role.SCREENER)
    world.decide(world.candidates[0], "include")
    assert undo(world.client("ben"), world).status_code == 409
    assert Candidate.objects.get(pk=world.candidates[0].pk).decision == "include"


# Who may


@pytest.mark.parametrize(
    ("role", "status"), [(Role.SCREENER, 200), (Role.LEAD, 200), (Role.LIBRARIAN, 403), (Role.READER, 403)]
)
def test_roles(world: World, role: str, status: int) -> None:
    world.person("ben", role)
    client, first = world.client("ben"), world.candidates[0]
    answers = [
        client.get(address(world)).status_code,
        client.get(address(world, f"next/?record={first.pk}"), **HTMX).status_code,
        client.post(decide_address(world, first), fields(first), **HTMX).status_code,
        undo(client, world).status_code,
    ]
    assert answers == [status] * 4


def test_without_a_session_nothing_is_decided_and_the_script_is_told(world: World) -> None:
    first = world.candidates[0]
    answer = Client().post(decide_address(world, first), fields(first), **HTMX)
    assert answer.status_code == 401
    assert answer["HX-Redirect"].startswith("/account/login/")
    assert not ScreeningDecision.objects.exists()


def test_a_form_without_token_is_refused(world: World) -> None:
    first = world.candidates[0]
    answer = world.client(enforce_csrf_checks=True).post(decide_address(world, first), fields(first), **HTMX)
    assert answer.status_code == 403
    assert not ScreeningDecision.objects.exists()


# How much work it is


def queries(world: World, method: str, target: str, **data: Any) -> int:
    client = world.client()
    with CaptureQueriesContext(connection) as captured:
        answer = getattr(client, method)(target, **data)
    assert answer.status_code == 200
    return len(captured)


def test_the_number_of_queries_does_not_grow(world: World) -> None:
    def measured() -> list[int]:
        open_ones = Candidate.objects.filter(decision="").order_by("pk")
        first, second = open_ones[0], open_ones[1]
        world.verify(first)
        return [
            queries(world, "get", address(world)),
            queries(world, "get", address(world, f"next/?record={first.pk}&count=3"), **HTMX),
            queries(world, "post", decide_address(world, second), data=fields(second, "include"), **HTMX),
        ]

    few = measured()
    for _ in range(40):
        world.candidate(source="openalex")
    for candidate in world.candidates[6:30]:
        world.decide(candidate, "exclude")
    many = measured()
    assert many == few
    assert few[0] <= 20
    assert few[1] <= 27
    assert few[2] <= 48


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("show", ["undecided", "all"])
def test_a_decision_never_shows_the_same_record_again(order: str, show: str) -> None:
    world, candidates = order_world()
    client, query = world.client(), f"?decision={show}&order={order}"
    for candidate in candidates.values():
        answer = client.post(decide_address(world, candidate, query), fields(candidate, "maybe"), **HTMX)
        assert answer.status_code == 200
        assert shown(answer.content) != candidate.pk
