"""A run with one source dead, in every way a source can die, ends with exactly the records of the others.

The real providers, client, gate, breaker and archive, in front of imitated sources; only time and the wire are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import httpx
import pytest
import time_machine
from django.utils import timezone

from litapp.core.plan import PlanQuery
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services import clients
from searches.models import RetrievalHit, RetrievalRun, RunState
from searches.services import retrieval
from tests.providers.fakes import BASE_URLS
from tests.providers.imitations import Imitation
from tests.providers.test_contract import FAULTS, damaged
from tests.searches.conftest import work_all

SOURCES = ("pubmed", "crossref", "openalex", "semanticscholar", "europepmc", "arxiv")
SIZE = 5
WAYS = {
    **{name: reply for name, (reply, _) in FAULTS.items()},
    "cut body": "cut",
    "wrong charset": "wrong charset",
    "dies after the first answer": "later",
}
CASES = list(zip(WAYS, cycle(SOURCES), strict=False))


class World:
    """All sources behind one transport; `dead` answers as told."""

    def __init__(self) -> None:
        self.alive = {source: Imitation(source, SIZE) for source in SOURCES}
        self.hosts = {httpx.URL(BASE_URLS[source]).host: source for source in SOURCES}
        self.dead = ""
        self.reply: Any = None
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        source = self.hosts[request.url.host]
        self.asked.append(source)
        if source != self.dead:
            return self.alive[source](request)
        reply = self.reply
        if reply == "later":
            reply = Imitation(source, 700) if self.asked.count(source) == 1 else httpx.ReadError("reset")
        elif isinstance(reply, str):
            reply = damaged(source, reply)
        if isinstance(reply, Exception):
            raise reply
        return (
            reply(request)
            if callable(reply)
            else httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)
        )


@pytest.fixture
def world(
    transactional_db: None,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    clock: time_machine.TimeMachineFixture,
) -> Iterator[World]:
    made = World()
    settings.SANDBOX_URL = ""
    settings.SOURCES = {
        key: {**entry, "base_url": BASE_URLS[key], "key": "", "enabled": True}
        for key, entry in settings.SOURCES.items()
    }

    class Clock:
        def now(self) -> Any:
            return timezone.now()

        def sleep(self, seconds: float) -> None:
            clock.shift(seconds)

    monkeypatch.setattr(clients, "SystemClock", Clock)
    monkeypatch.setattr("litapp.providers.http.guarded_transport", lambda guard, proxy="": httpx.MockTransport(made))
    monkeypatch.setattr(retrieval, "FETCH_AHEAD", False, raising=False)
    clients._client.cache_clear()
    yield made
    clients._client.cache_clear()


@pytest.mark.parametrize(("way", "dead"), CASES)
def test_the_others_bring_exactly_their_records(
    world: World,
    started: Callable[..., RetrievalRun],
    clock: time_machine.TimeMachineFixture,
    way: str,
    dead: str,
) -> None:
    world.dead, world.reply = dead, WAYS[way]
    query = PlanQuery(boolean="stroke[ti]", plain="stroke rehabilitation")
    run = work_all(started(*SOURCES, queries_given=(query,)), clock)
    hits = RetrievalHit.objects.values_list("step__source", "rank", "source_record__data__title")
    found = sorted(hit for hit in hits if hit[0] != dead)
    alive = sorted(set(SOURCES) - {dead})
    assert found == [(source, n, f"Title {n}") for source in alive for n in range(1, SIZE + 1)]
    assert run.state == RunState.PARTIAL
    states = dict(run.steps.values_list("source", "state"))
    assert {states[source] for source in alive} == {"done"}
    assert states[dead] in ("failed", "partial")
    assert len([reason for reason in run.reasons if reason]) >= 1
    answered = SourceAnswer.objects.filter(source=dead, outcome__in=("empty", "not_found"))
    assert not answered.exists()


def test_with_nobody_dead_everything_comes(
    world: World, started: Callable[..., RetrievalRun], clock: time_machine.TimeMachineFixture
) -> None:
    query = PlanQuery(boolean="stroke[ti]", plain="stroke rehabilitation")
    run = work_all(started(*SOURCES, queries_given=(query,)), clock)
    assert (run.state, RetrievalHit.objects.count()) == (RunState.SUCCESS, SIZE * len(SOURCES))


def test_every_source_dies_in_several_ways() -> None:
    deaths = {source: sum(1 for _, dead in CASES if dead == source) for source in SOURCES}
    assert all(number >= 3 for number in deaths.values())
    assert {way for way, _ in CASES} == set(WAYS)
