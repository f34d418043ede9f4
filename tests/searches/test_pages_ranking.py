"""The page of prioritised screening and the reasons beside a record: who sees what, what each button does."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest

from litapp.projects.models import Role
from searches.models import Candidate, Ranking, StoppingSample
from searches.services.ranking_work import RankingWork
from searches.services.screening import decide_many
from searches.services.stages import Settings, stage_set
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_folder(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def world() -> World:
    return make_world(candidates=12)


def address(world: World, tail: str = "") -> str:
    return f"/projects/{world.project.pk}/screening/ranking/{tail}"


def text(html: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.decode())).split())


def train() -> None:
    for key in list(RankingWork().due()):
        RankingWork().run(key)


def switched_on(world: World) -> Ranking:
    world.client().post(address(world, "switch/"), {"control_share": "0.0"})
    train()
    return Ranking.objects.get(project=world.project)


def decided(world: World, candidates: list[Candidate], decision: str) -> None:
    decide_many(
        project=world.project, actor=world.owner, candidate_ids=[c.pk for c in candidates], decision=decision,
        request_id=uuid4(),
    )  # fmt: skip


def test_a_lead_switches_it_on_and_off(world: World) -> None:
    client = world.client()
    assert "Switch on" in text(client.get(address(world)).content)
    response = client.post(address(world, "switch/"), {"control_share": "0.1"}, follow=True)
    assert "Prioritised screening is on. The first order is made in the background." in text(response.content)
    assert "Random control 10 %" in text(response.content)
    train()
    assert "Learned from 0 decisions" in text(client.get(address(world)).content)
    response = client.post(address(world, "switch/"), {"act": "stop"}, follow=True)
    assert "Prioritised screening is off" in text(response.content)
    assert "Switch on again" in text(response.content)


def test_a_share_that_is_not_offered_changes_nothing(world: World) -> None:
    response = world.client().post(address(world, "switch/"), {"control_share": "0.9"}, follow=True)
    assert "Choose one of the shares offered. Nothing was changed." in text(response.content)
    assert not Ranking.objects.exists()


def test_the_record_says_why_it_stands_there(world: World) -> None:
    switched_on(world)
    html = world.client().get(f"/projects/{world.project.pk}/screen/").content
    assert "Most relevant first" in text(html)
    assert "Why now" in text(html)
    assert "Place 1 when it was ranked." in text(html)
    by_fit = world.client().get(f"/projects/{world.project.pk}/screen/?order=fit").content
    assert "Best fit first" in text(by_fit)


def test_without_ranking_the_page_of_screening_is_as_before(world: World) -> None:
    html = text(world.client().get(f"/projects/{world.project.pk}/screen/").content)
    assert "Most relevant first" not in html
    assert "Why now" not in html


def test_from_the_sample_to_the_certificate(world: World) -> None:
    ranking = switched_on(world)
    client = world.client()
    decided(world, world.candidates[:8], "include")
    html = text(client.get(address(world)).content)
    assert "To show a recall of 95 % with 95 % confidence it needs at least 4 records" in html
    wanted = {"target": "0.95", "confidence": "0.95", "size": "4", "request_id": str(uuid4())}
    response = client.post(address(world, "sample/"), wanted, follow=True)
    assert "4 records were drawn." in text(response.content)
    client.post(address(world, "sample/"), wanted)
    sample = StoppingSample.objects.get(ranking=ranking)
    assert "Sample 1 is being read: 0 of 4 records have an outcome." in text(client.get(address(world)).content)
    early = client.post(address(world, f"sample/{sample.pk}/accept/"), follow=True)
    assert "there is nothing to accept" in text(early.content)
    decided(world, world.candidates[8:], "exclude")
    train()
    assert "Target shown" in text(client.get(address(world)).content)
    response = client.post(address(world, f"sample/{sample.pk}/accept/"), follow=True)
    said = text(response.content)
    assert "Stopping certificate Accepted" in said
    assert "Recall at this stage was therefore at least 95% with 95% confidence" in said


def test_a_sample_that_cannot_be_read_says_so_beside_its_field(world: World) -> None:
    switched_on(world)
    decided(world, world.candidates[:8], "include")
    response = world.client().post(
        address(world, "sample/"), {"target": "0.95", "confidence": "0.95", "size": "none", "request_id": str(uuid4())}
    )
    assert response.status_code == 422
    assert "Enter a whole number." in text(response.content)
    refused = world.client().post(
        address(world, "sample/"),
        {"target": "0.95", "confidence": "0.95", "size": "99", "request_id": str(uuid4())},
        follow=True,
    )
    assert "No sample was drawn. The sample must hold 1 to 4 records" in text(refused.content)
    assert not StoppingSample.objects.exists()


def test_while_blind_a_screener_sees_nothing_that_follows_from_decisions_of_others(world: World) -> None:
    switched_on(world)
    world.person("bob", Role.SCREENER)
    screener = world.client("bob")
    stage_set(project=world.project, actor=world.owner, stage="title", wanted=Settings(screeners=2, blind=True))
    train()
    before = text(screener.get(address(world)).content)
    assert "leads alone see what the decisions come to" in before
    assert "It learns from your own decisions alone." in before
    queue = screener.get(f"/projects/{world.project.pk}/screen/").content
    decided(world, world.candidates[:6], "include")
    decided(world, world.candidates[6:], "exclude")
    train()
    assert text(screener.get(address(world)).content) == before
    again = screener.get(f"/projects/{world.project.pk}/screen/").content
    assert text(again) == text(queue)
