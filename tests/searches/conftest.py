"""A project with people, stand-in sources, approved plans, and a worker that runs in the test itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User

from litapp.core.normalise import family_key, title_key
from litapp.core.plan import Caps, PlanQuery
from litapp.core.plan import SearchPlan as PlanContent
from litapp.core.records import record_to_dict
from litapp.jobs import tasks
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Project
from litapp.verification.services.requests import verifications_request
from searches.models import Candidate, RetrievalRun, RetrievalStep, SearchPlanVersion
from searches.services import counts, queries, retrieval, runs
from searches.services.plans import plan_approve, plan_create
from tests.searches.stand_in import StandIn, paper

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOOLEAN = "dexamethasone[tiab] AND mortality[tiab]"
PLAIN = "dexamethasone mortality"


@pytest.fixture
def person(db: None) -> User:
    return User.objects.create_user("ada", "ada@example.org", "a long pass phrase", first_name="Ada")


@pytest.fixture
def colleague(db: None) -> User:
    return User.objects.create_user("bob", "bob@example.org", "a long pass phrase", first_name="Bob")


@pytest.fixture
def project(person: User) -> Project:
    return Project.objects.create(name="Dexamethasone in severe disease", created_by=person)


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Bells that were rung; none reaches a real queue."""
    bells: list[tuple[str, str]] = []
    ring = lambda kind, key: bells.append((kind, key))  # noqa: E731
    ring.schedule = lambda args, delay: bells.append(args)  # type: ignore[attr-defined]
    monkeypatch.setattr(tasks, "ring", ring)
    return bells


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> dict[str, StandIn]:
    """The four sources, empty; fill `records` and tell them what goes wrong."""
    stand_ins = {key: StandIn(key) for key in ("pubmed", "crossref", "openalex", "semanticscholar")}
    for module in (queries, counts, retrieval):
        monkeypatch.setattr(module, "search_provider", stand_ins.__getitem__)
    for module in (counts, retrieval):
        monkeypatch.setattr(module, "client_for", stand_ins.__getitem__)

    def state(key: str) -> SourceState:
        return stand_ins[key].state

    monkeypatch.setattr(retrieval, "FETCH_AHEAD", False)  # the tests' database lives in one connection
    for module in (counts, retrieval, runs):
        monkeypatch.setattr(module, "source_state", state)
    return stand_ins


@pytest.fixture
def clock(time_machine: time_machine.TimeMachineFixture) -> time_machine.TimeMachineFixture:
    """Time stands still at NOW until moved."""
    time_machine.move_to(NOW, tick=False)
    return time_machine


def content(*sources: str, queries: int = 1, caps: Caps | None = None, **more: Any) -> PlanContent:
    """A plan that can be approved."""
    lines = tuple(
        PlanQuery(BOOLEAN if number == 0 else f"{BOOLEAN} AND {number}[vi]", f"{PLAIN} {number or ''}".strip())
        for number in range(queries)
    )
    return PlanContent(
        question=more.pop("question", "Does dexamethasone lower mortality?"),
        sources=sources or ("pubmed",),
        queries=more.pop("queries_given", lines),
        caps=caps or Caps(),
        **more,
    )


@pytest.fixture
def approved(project: Project, person: User) -> Callable[..., SearchPlanVersion]:
    """Makes an approved plan version: approved("pubmed", "crossref", queries=2, caps=Caps(...))."""

    def make(*sources: str, **more: Any) -> SearchPlanVersion:
        version = plan_create(project=project, actor=person, title="", content=content(*sources, **more))
        return plan_approve(version=version, actor=person, content_hash=version.content_hash)

    return make


@pytest.fixture
def started(approved: Callable[..., SearchPlanVersion], person: User) -> Callable[..., RetrievalRun]:
    """Starts a run of a fresh approved plan."""

    def make(*sources: str, **more: Any) -> RetrievalRun:
        return runs.run_start(version=approved(*sources, **more), actor=person, request_id=uuid4())

    return make


def work_once() -> int:
    """One round over everything that is due; returns how many steps were due."""
    work = retrieval.RetrievalWork()
    keys = list(work.due())
    for key in keys:
        work.run(key)
    return len(keys)


def work_all(run: RetrievalRun, clock: Any = None) -> RetrievalRun:
    """Work until the run is closed; waits are skipped by moving `clock`. Fails when nothing moves any more."""
    for _ in range(200):
        if work_once() == 0:
            run.refresh_from_db()
            if not run.is_open:
                return run
            waiting = run.steps.exclude(not_before=None).order_by("not_before").first()
            assert waiting is not None, list(run.steps.values("source", "state", "message"))
            assert clock is not None, "the run waits; give the clock"
            clock.move_to(waiting.not_before, tick=False)
    raise AssertionError("the run does not end")


def steps_of(run: RetrievalRun) -> dict[tuple[str, int], RetrievalStep]:
    return {(step.source, step.query_index): step for step in run.steps.all()}


@pytest.fixture
def candidates(project: Project) -> Callable[..., list[Candidate]]:
    """Makes candidates: candidates(5), candidates(2, decision="include"). Each has an unchecked verification."""

    def make(count: int, **fields: Any) -> list[Candidate]:
        first = Candidate.objects.count() + 1
        rows = [paper(number) for number in range(first, first + count)]
        checks = verifications_request(project=project, records=[(record, ["pubmed"]) for record in rows])
        return Candidate.objects.bulk_create(
            Candidate(
                project=project,
                record=record_to_dict(record),
                sources=["pubmed"],
                title=record.title,
                title_key=title_key(record.title),
                author_key=family_key(record.authors[0]),
                journal=record.journal,
                year=record.year,
                search_text=title_key(record.title),
                verification=check,
                **fields,
            )
            for record, check in zip(rows, checks, strict=True)
        )

    return make
