"""Counting before fetching: what each source says, and never a zero where it said nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from litapp.core.plan import PlanError, SearchPlan
from litapp.core.ports import Outcome
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Event, Project
from litapp.providers.base import CountResult
from searches.models import PlanCount, SearchPlanVersion
from searches.services import counts
from searches.services.counts import counts_refresh, many_warning
from searches.services.plans import plan_create
from tests.searches.conftest import content
from tests.searches.stand_in import StandIn, papers, trouble

Sources = dict[str, StandIn]


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' database lives in one connection, so the sources are asked one after the other."""

    class Here:
        def __init__(self, **_: object) -> None: ...

        def __enter__(self) -> Here:
            return self

        def __exit__(self, *_: object) -> None: ...

        def map(self, work: Callable, items: object) -> list:
            return [[counts._count(line) for line in lines] for lines in items]  # type: ignore[attr-defined]

    monkeypatch.setattr(counts, "ThreadPoolExecutor", Here)


@pytest.fixture
def draft(project: Project, person: User) -> Callable[..., SearchPlanVersion]:
    return lambda *sources, **more: plan_create(
        project=project, actor=person, title="", content=content(*sources, **more)
    )


def test_every_source_and_query_gets_a_row_with_its_total(sources: Sources, draft: Callable) -> None:
    sources["pubmed"].records, sources["openalex"].records = papers(7), papers(3, "openalex")
    rows = counts_refresh(version=draft("pubmed", "openalex", queries=2))
    assert [(row.source, row.query_index, row.total, row.error) for row in rows] == [
        ("pubmed", 0, 7, ""),
        ("pubmed", 1, 7, ""),
        ("openalex", 0, 3, ""),
        ("openalex", 1, 3, ""),
    ]
    assert all(row.answer_id for row in rows)


@pytest.mark.parametrize("outcome", [Outcome.MALFORMED, Outcome.RATE_LIMITED, Outcome.TRANSIENT, Outcome.PERMANENT])
def test_a_source_that_failed_has_no_total_and_the_reason(sources: Sources, draft: Callable, outcome: Outcome) -> None:
    sources["pubmed"].faults = [trouble(outcome=outcome)]
    sources["openalex"].records = papers(3, "openalex")
    rows = counts_refresh(version=draft("pubmed", "openalex"))
    assert [(row.source, row.total, row.error) for row in rows] == [
        ("pubmed", None, "pubmed has a problem. Try later."),
        ("openalex", 3, ""),
    ]


def test_a_source_switched_off_is_not_asked(sources: Sources, draft: Callable) -> None:
    sources["pubmed"].state = SourceState(False, "PubMed is switched off.", "Ask your administrator.")
    (row,) = counts_refresh(version=draft("pubmed"))
    assert (row.total, row.error, sources["pubmed"].sent) == (
        None,
        "PubMed is switched off. Ask your administrator.",
        [],
    )


def test_nothing_found_is_a_zero_that_the_source_said(sources: Sources, draft: Callable) -> None:
    (row,) = counts_refresh(version=draft("pubmed"))
    assert (row.total, row.error) == (0, "")


def test_two_hundred_thousand_hits_are_a_warning_with_advice(sources: Sources, draft: Callable) -> None:
    sources["pubmed"].reported = 200_000
    (row,) = counts_refresh(version=draft("pubmed"))
    assert row.total == 200_000
    assert [note["text"] for note in row.notes] == [
        "PubMed reports 200,000 records. That is more than a team can screen, and more than most sources give out. "
        "Narrow the query (more blocks joined by AND, years, publication types) or set a limit."
    ]


def test_a_number_that_is_no_count_is_no_warning() -> None:
    assert many_warning("crossref", CountResult(1_000_000, False, None), None) == ""


def test_counts_are_kept_and_the_newest_of_this_content_is_shown(
    sources: Sources, draft: Callable, person: User
) -> None:
    version = draft("pubmed")
    for total in (5, 6):
        sources["pubmed"].reported = total
        counts_refresh(version=version, actor=person)
    assert list(PlanCount.objects.values_list("total", flat=True).order_by("pk")) == [5, 6]
    assert [row.total for row in PlanCount.objects.newest_of(version)] == [6]
    version.content_hash = "other"
    assert list(PlanCount.objects.newest_of(version)) == []
    assert [event.payload["counts"] for event in Event.objects.filter(verb="plan.counted")] == [
        [{"source": "pubmed", "query": 0, "total": 5}],
        [{"source": "pubmed", "query": 0, "total": 6}],
    ]


def test_an_unfinished_plan_is_not_sent_anywhere(sources: Sources, project: Project, person: User) -> None:
    draft = plan_create(project=project, actor=person, title="", content=SearchPlan("Q?", ("pubmed",), ()))
    with pytest.raises(PlanError):
        counts_refresh(version=draft)
    assert sources["pubmed"].sent == []
