"""Four people decide at once over a bad line: every decision counts exactly once, and none is lost.

Each person is a browser's outbox in a thread: answers get lost and are asked for again, the same request is sent twice
at the same moment, pages are out of date. `LITAPP_DECISIONS` sets how many decisions are made in all (1,000 was run;
the suite makes fewer).
"""

from __future__ import annotations

import os
import random
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from litapp.core.screening import outcome, standing
from litapp.projects.models import Event, Role
from litapp.projects.services.events import verify_chain
from searches.models import Assignment, ScreeningDecision, StageRecord, Vote
from searches.services.criteria import Wanted, criteria_save
from searches.services.outcomes import read_log
from searches.services.stages import Settings, stage_set
from tests.references.world import World, make_world

DECISIONS = int(os.environ.get("LITAPP_DECISIONS", "80"))
PEOPLE = ("ann", "ben", "cho", "dan")


@dataclass
class Outbox:
    """One person's browser. `saved` is what the server confirmed: record -> (request, decision)."""

    world: World
    who: str
    seed: int
    client: Client = field(init=False)
    chance: random.Random = field(init=False)
    saved: dict[int, tuple[UUID, str]] = field(default_factory=dict)
    trouble: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.client, self.chance = self.world.client(self.who), random.Random(self.seed)

    @property
    def base(self) -> str:
        return f"/projects/{self.world.project.pk}"

    def run(self, records: list[int]) -> None:
        """Decide on each record, as often as it takes."""
        try:
            for record in records:
                while record not in self.saved:
                    self.decide(record)
        finally:
            connection.close()

    def decide(self, record: int) -> None:
        page = self.client.get(f"{self.base}/screen/?record={record}&decision=all", headers={"HX-Request": "true"})
        version = re.search(r'name="version" value="(\d+)"', page.content.decode())
        criteria = re.findall(r'name="criterion_id" value="(\d+)"', page.content.decode())
        assert version
        fields: dict[str, Any] = {"version": version[1], "request_id": uuid4(), "stage": "title", "criteria": 1}
        if self.chance.random() < 0.4:
            fields["criterion_id"], decision = self.chance.choice(criteria), "exclude"
        else:
            fields["decision"] = decision = self.chance.choice(("include", "exclude", "maybe"))
        if self.chance.random() < 0.15:  # a page that was open too long
            fields["version"] = int(version[1]) + 7
        status, saved = self.send(record, fields)
        if status == 409:
            self.trouble["stale"] += 1
            return
        assert (status, saved) == (200, str(fields["request_id"])), status
        self.saved[record] = (fields["request_id"], decision)

    def send(self, record: int, fields: dict[str, Any]) -> tuple[int, str]:
        """Send until an answer comes: some are lost on the way, some requests go out twice at once."""
        while True:
            line = self.chance.random()
            if line < 0.1:  # the request never arrives
                self.trouble["cut before"] += 1
                continue
            if line < 0.2:
                self.trouble["twice at once"] += 1
                with ThreadPoolExecutor(2) as pool:
                    answers = list(pool.map(lambda _: self.post(record, fields, own=True), range(2)))
                assert len(set(answers)) == 1, answers
                return answers[0]
            answer = self.post(record, fields)
            if line < 0.4:  # it was carried out, and the answer is lost
                self.trouble["cut after"] += 1
                continue
            return answer

    def post(self, record: int, fields: dict[str, Any], *, own: bool = False) -> tuple[int, str]:
        client = self.world.client(self.who) if own else self.client
        try:
            response = client.post(
                f"{self.base}/candidates/{record}/decide/?decision=all", fields, headers={"HX-Request": "true"}
            )
        finally:
            if own:
                connection.close()
        saved = re.search(r'data-saved="([^"]*)"', response.content.decode())
        return response.status_code, saved[1] if saved else ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("screeners", [1, 2])
def test_every_decision_counts_exactly_once(screeners: int) -> None:
    world = make_world()
    records = [world.candidate().pk for _ in range(DECISIONS // 2 if screeners == 2 else DECISIONS)]
    for name in PEOPLE:
        world.person(name, Role.SCREENER)
    criteria_save(project=world.project, actor=world.owner, number=0, wanted=[Wanted("Animals"), Wanted("No outcome")])
    stage_set(
        project=world.project, actor=world.owner, stage="title",
        wanted=Settings(screeners=screeners, blind=screeners == 2, sharing="assigned"),
    )  # fmt: skip
    work: dict[str, list[int]] = {name: [] for name in PEOPLE}
    for number, record in enumerate(records):
        for turn in range(screeners):
            name = PEOPLE[(number + turn * (1 + number // 4 % 3)) % 4]
            work[name].append(record)
            Assignment.objects.create(
                project=world.project, stage="title", candidate_id=record, reviewer=world.people[name], how="share"
            )
    boxes = [Outbox(world, name, seed) for seed, name in enumerate(PEOPLE)]
    threads = [threading.Thread(target=box.run, args=(work[box.who],)) for box in boxes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    believed = {(world.people[box.who].pk, record): saved for box in boxes for record, saved in box.saved.items()}
    assert len(believed) == sum(len(rows) for rows in work.values()) == len(records) * screeners
    rows = ScreeningDecision.objects.values_list("reviewer", "candidate", "request_id", "decision")
    assert rows.count() == len(believed), "lost or doubled"
    assert {(reviewer, record): (request, decision) for reviewer, record, request, decision in rows} == believed
    assert Event.objects.filter(verb="screening.decided").count() == len(believed)
    assert verify_chain(world.project).intact
    if screeners == 2:
        votes = Vote.objects.values_list("reviewer", "candidate", "decision")
        assert {(who, record): decision for who, record, decision in votes} == {
            key: decision for key, (_, decision) in believed.items()
        }
        log = read_log(records)
        expected = {record: outcome(standing(log[record, "title"]), 2).state.value for record in records}
        assert dict(StageRecord.objects.values_list("candidate", "state")) == expected
    troubles = sum((box.trouble for box in boxes), Counter())
    assert set(troubles) == {"stale", "cut before", "cut after", "twice at once"}
    print(f"{len(believed)} decisions, {dict(troubles)}")
