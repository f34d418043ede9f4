"""Found, shared, only there: each number is the length of the list behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.projects.models import Project
from searches.models import Candidate, RetrievalRun
from searches.querysets import CandidateFilter
from searches.services.overlap import run_overlap
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


def listed(project: Project, **wanted: object) -> int:
    return Candidate.objects.listed(project).filtered(CandidateFilter(**wanted)).count()  # type: ignore[arg-type]


def require_numbers_are_lists(run: RetrievalRun) -> None:
    """Every number of the table against the list that its link opens."""
    told = run_overlap(run)
    assert told.papers == listed(run.project, run=run.pk)
    for one in (*told.sources, *told.queries):
        place = {"run": run.pk, "at": one.source, "query": one.query}
        numbers = (
            listed(run.project, **place),
            listed(run.project, **place, overlap="shared"),
            listed(run.project, **place, overlap="only"),
        )
        assert (one.found, one.shared, one.only) == numbers, one


def test_sources_and_queries_each_have_their_numbers(sources: Sources, started: Start, project: Project) -> None:
    sources["pubmed"].records = papers(10)
    sources["crossref"].records = [*papers(6, "crossref", start=8), paper(8, "crossref")]
    run = work_all(started("pubmed", "crossref"))
    told = run_overlap(run)
    assert told.papers == 13
    assert [(s.source, s.records, s.found, s.shared, s.only) for s in told.sources] == [
        ("pubmed", 10, 10, 3, 7), ("crossref", 7, 6, 3, 3),
    ]  # fmt: skip
    assert [(q.source, q.query, q.records, q.found, q.shared, q.only) for q in told.queries] == [
        ("pubmed", 1, 10, 10, 3, 7), ("crossref", 1, 7, 6, 3, 3),
    ]  # fmt: skip
    require_numbers_are_lists(run)


def test_a_query_shares_with_every_other_query_a_source_only_with_other_sources(
    sources: Sources, started: Start
) -> None:
    sources["pubmed"].records = papers(4)
    run = work_all(started("pubmed", queries=2))
    told = run_overlap(run)
    assert [(s.found, s.shared, s.only) for s in told.sources] == [(4, 0, 4)]
    assert [(q.found, q.shared, q.only) for q in told.queries] == [(4, 4, 0), (4, 4, 0)]
    require_numbers_are_lists(run)


def test_other_runs_and_other_projects_do_not_count(sources: Sources, started: Start, project: Project) -> None:
    sources["pubmed"].records = papers(4)
    first = work_all(started("pubmed"))
    sources["crossref"].records = papers(4, "crossref")
    second = work_all(started("crossref"))
    assert [(s.source, s.found, s.only) for s in run_overlap(first).sources] == [("pubmed", 4, 4)]
    assert listed(project, run=second.pk, at="pubmed") == 0
    other = Project.objects.create(name="Other", created_by=project.created_by)
    assert listed(other, run=first.pk) == 0


def test_a_source_that_was_skipped_or_found_nothing_stands_with_zeros(sources: Sources, started: Start) -> None:
    sources["pubmed"].records = papers(2)
    run = work_all(started("pubmed", "crossref"))
    assert [(s.source, s.records, s.found, s.only) for s in run_overlap(run).sources] == [
        ("pubmed", 2, 2, 2), ("crossref", 0, 0, 0),
    ]  # fmt: skip


def test_the_number_of_database_queries_is_fixed(sources: Sources, started: Start) -> None:
    sources["pubmed"].records, sources["crossref"].records = papers(40), papers(20, "crossref")
    run = work_all(started("pubmed", "crossref", queries=3))
    with CaptureQueriesContext(
        connection,
    ) as caught:
        run_overlap(run)
    assert len(caught) == 5


@pytest.mark.django_db(transaction=False)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(("pubmed", "crossref", "openalex")), st.sets(st.integers(1, 12)), min_size=1))
def test_whatever_the_sources_find_numbers_and_lists_agree(
    sources: Sources, started: Start, found: dict[str, set[int]]
) -> None:
    for key, stand_in in sources.items():
        stand_in.records = [paper(number, key) for number in sorted(found.get(key, ()))]
    run = work_all(started(*found))
    told = run_overlap(run)
    for one in told.sources:
        others = set().union(*(found[key] for key in found if key != one.source))
        assert (one.found, one.only) == (len(found[one.source]), len(found[one.source] - others))
    require_numbers_are_lists(run)
