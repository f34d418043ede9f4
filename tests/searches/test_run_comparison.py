"""Two runs of a plan: new, gone, changed, newly retracted; what nobody can say is not called gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from litapp.core.ports import Outcome
from litapp.core.records import Notice, NoticeKind
from litapp.projects.models import Project
from searches.models import Candidate, RetrievalRun
from searches.querysets import CandidateFilter
from searches.services.run_comparison import NotComparable, compare_runs, earlier_runs
from searches.services.runs import run_again
from searches.services.screening import decide
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers, trouble

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]
RETRACTED = (Notice(NoticeKind.RETRACTION, doi="10.1000/notice", date="2026"),)


def again(run: RetrievalRun, actor: User, clock: Any) -> RetrievalRun:
    clock.shift(90 * 86400)
    return work_all(run_again(run=run, actor=actor, request_id=uuid4()), clock)


def titles(ids: Any) -> set[str]:
    return set(Candidate.objects.filter(pk__in=list(ids)).values_list("title", flat=True))


def named(*numbers: int) -> set[str]:
    return {paper(number).title for number in numbers}


def test_new_gone_changed_and_newly_retracted(sources: Sources, started: Start, person: User, clock: Any) -> None:
    sources["pubmed"].records = papers(6)
    earlier = work_all(started("pubmed"))
    sources["pubmed"].records = [
        *papers(2), paper(3, volume="99"), paper(4, notices=RETRACTED), paper(7), paper(8, notices=RETRACTED),
    ]  # fmt: skip
    later = again(earlier, person, clock)
    found = compare_runs(earlier=earlier, later=later)
    assert (titles(found.new), titles(found.gone)) == (named(7, 8), named(5, 6))
    assert (found.perhaps_new, found.perhaps_gone, found.both, found.same_plan) == (frozenset(), frozenset(), 4, True)
    assert [(titles([one.candidate_id]), one.fields) for one in found.changed] == [
        (named(3), ("volume",)), (named(4), ("notices",)),
    ]  # fmt: skip
    assert [(titles([one.candidate_id]), one.kind, one.source, one.date) for one in found.retracted] == [
        (named(4), "retraction", "pubmed", "2026")
    ]
    assert found.gaps == ()


def test_an_unchanged_rerun_changes_nothing(sources: Sources, started: Start, person: User, clock: Any) -> None:
    sources["pubmed"].records = [*papers(5), paper(6, notices=RETRACTED)]
    earlier = work_all(started("pubmed"))
    found = compare_runs(earlier=earlier, later=again(earlier, person, clock))
    assert (found.new, found.gone, found.changed, found.retracted, found.both) == (frozenset(), frozenset(), (), (), 6)


def test_only_the_new_waits_for_screening(
    sources: Sources, started: Start, person: User, project: Project, clock: Any
) -> None:
    sources["pubmed"].records = papers(3)
    earlier = work_all(started("pubmed"))
    for candidate in Candidate.objects.listed(project):
        decide(
            project=project, candidate_id=candidate.pk, actor=person, decision="exclude", version=candidate.version,
            request_id=uuid4(),
        )  # fmt: skip
    sources["pubmed"].records = papers(5)
    later = again(earlier, person, clock)
    waiting = Candidate.objects.listed(project).filtered(CandidateFilter(decision="undecided"))
    new = Candidate.objects.listed(project).filtered(CandidateFilter(run=later.pk, not_in=earlier.pk))
    assert set(waiting) == set(new)
    assert titles(one.pk for one in new) == named(4, 5)
    decided = Candidate.objects.listed(project).filter(decision="exclude")
    assert decided.count() == 3


@pytest.mark.parametrize("fault", ["failed", "capped", "broken off", "skipped"])
def test_a_source_that_was_not_read_to_the_end_makes_nothing_gone(
    sources: Sources, started: Start, person: User, clock: Any, fault: str
) -> None:
    from litapp.ledger.services.clients import SourceState

    sources["pubmed"].records, sources["crossref"].records = papers(25), papers(3, "crossref", start=30)
    earlier = work_all(started("pubmed", "crossref"))
    if fault == "failed":
        sources["pubmed"].faults = [trouble(outcome=Outcome.PERMANENT)]
    elif fault == "capped":
        sources["pubmed"].capped_at = 10
    elif fault == "broken off":
        sources["pubmed"].faults = [None, trouble(outcome=Outcome.PERMANENT)]
    else:
        sources["pubmed"].state = SourceState(False, "switched off")
    sources["crossref"].records = papers(2, "crossref", start=30)
    found = compare_runs(earlier=earlier, later=again(earlier, person, clock))
    left = 0 if fault in ("failed", "skipped") else 10
    assert titles(found.gone) == named(32)
    assert titles(found.perhaps_gone) == named(*range(left + 1, 26))
    assert len(found.gaps) == 1
    assert "did not read pubmed (query 1) to the end" in found.gaps[0]


def test_what_the_earlier_run_could_not_have_seen_is_only_perhaps_new(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records, sources["pubmed"].capped_at = papers(20), 10
    earlier = work_all(started("pubmed"))
    sources["pubmed"].capped_at = None
    found = compare_runs(earlier=earlier, later=again(earlier, person, clock))
    assert (found.new, titles(found.perhaps_new)) == (frozenset(), named(*range(11, 21)))


def test_a_paper_that_one_source_lost_and_another_still_has_is_in_both(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records, sources["crossref"].records = papers(3), papers(3, "crossref")
    earlier = work_all(started("pubmed", "crossref"))
    sources["pubmed"].records = papers(2)
    found = compare_runs(earlier=earlier, later=again(earlier, person, clock))
    assert (found.both, found.gone, found.perhaps_gone) == (3, frozenset(), frozenset())


def test_a_retraction_that_another_source_told_before_is_not_new(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(1)
    sources["crossref"].records = [paper(1, "crossref", notices=RETRACTED)]
    earlier = work_all(started("pubmed", "crossref"))
    sources["pubmed"].records = [paper(1, notices=RETRACTED)]
    assert compare_runs(earlier=earlier, later=again(earlier, person, clock)).retracted == ()


def test_a_retraction_notice_is_no_retracted_paper(sources: Sources, started: Start, person: User, clock: Any) -> None:
    sources["pubmed"].records = papers(1)
    earlier = work_all(started("pubmed"))
    sources["pubmed"].records = [replace(paper(1), notices=RETRACTED, is_notice=True)]
    assert compare_runs(earlier=earlier, later=again(earlier, person, clock)).retracted == ()


def test_runs_of_two_plans_and_open_runs_are_not_compared(
    sources: Sources, started: Start, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(2)
    first, other = work_all(started("pubmed")), work_all(started("pubmed"))
    with pytest.raises(NotComparable, match="two different plans"):
        compare_runs(earlier=first, later=other)
    clock.shift(10)
    open_one = run_again(run=first, actor=person, request_id=uuid4())
    with pytest.raises(NotComparable, match="still going on"):
        compare_runs(earlier=first, later=open_one)
    assert earlier_runs(open_one) == [first]
    assert earlier_runs(first) == []
