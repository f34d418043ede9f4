"""Runs: only what is approved runs, once per click; every end says why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from litapp.core.plan import Caps, PlanQuery, plan_hash, plan_to_dict
from litapp.core.ports import Outcome
from litapp.jobs.models import StepState
from litapp.ledger.services import clients
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Event, Project
from litapp.providers.base import Deferred
from litapp.verification.models import Verification
from searches.models import Candidate, RetrievalRun, RunState, SearchPlanVersion
from searches.services.candidates import CHECKS_BEGIN_WITHIN
from searches.services.plans import plan_create
from searches.services.runs import NotApproved, RunNotChanged, can_resume, run_again, run_cancel, run_resume, run_start
from searches.services.screening import decide
from tests.searches.conftest import BOOLEAN, NOW, content, steps_of, work_all, work_once
from tests.searches.stand_in import StandIn, paper, papers, trouble

Sources = dict[str, StandIn]


def test_nothing_runs_unapproved(sources: Sources, project: Project, person: User) -> None:
    draft = plan_create(project=project, actor=person, title="", content=content("pubmed"))
    with pytest.raises(NotApproved):
        run_start(version=draft, actor=person, request_id=uuid4())
    assert not RetrievalRun.objects.exists()


def test_content_changed_behind_the_approval_does_not_run(sources: Sources, approved: Callable, person: User) -> None:
    version = approved("pubmed")
    SearchPlanVersion.objects.update(content=plan_to_dict(content("crossref")))
    with pytest.raises(NotApproved):
        run_start(version=version, actor=person, request_id=uuid4())
    other = content("crossref")
    assert plan_hash(other) != version.approved_hash


def test_one_step_per_source_and_query_with_what_is_sent(sources: Sources, started: Callable) -> None:
    run = started("pubmed", "crossref", queries=2)
    assert [(s.source, s.query_index, s.query_text, s.query_params, s.state) for s in run.steps.all()] == [
        ("crossref", 0, "dexamethasone mortality", [["q", "dexamethasone mortality"]], "queued"),
        ("crossref", 1, "dexamethasone mortality 1", [["q", "dexamethasone mortality 1"]], "queued"),
        ("pubmed", 0, BOOLEAN, [["q", BOOLEAN]], "queued"),
        ("pubmed", 1, f"{BOOLEAN} AND 1[vi]", [["q", f"{BOOLEAN} AND 1[vi]"]], "queued"),
    ]


def test_a_query_without_words_for_a_source_is_not_sent_there(sources: Sources, started: Callable) -> None:
    lines = (PlanQuery(BOOLEAN, ""), PlanQuery("", "plain words"))
    run = started("pubmed", "openalex", queries_given=lines)
    assert sorted(steps_of(run)) == [("openalex", 1), ("pubmed", 0)]


def test_the_same_click_twice_is_one_run(sources: Sources, approved: Callable, person: User) -> None:
    version, click = approved("pubmed"), uuid4()
    runs = [run_start(version=version, actor=person, request_id=click) for _ in range(2)]
    assert runs[0] == runs[1]
    assert (RetrievalRun.objects.count(), Event.objects.filter(verb="run.started").count()) == (1, 1)


def test_the_first_step_of_every_lane_is_rung_for(
    sources: Sources, started: Callable, rung: list, django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = started("pubmed", "crossref", queries=2)
    steps = steps_of(run)
    assert sorted(key for kind, key in rung if kind == "retrieval") == sorted(
        str(steps[source, 0].pk) for source in ("pubmed", "crossref")
    )


def test_a_source_without_its_needed_key_is_skipped_and_that_is_no_success(
    sources: Sources, started: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state comes from the real rule: OpenAlex is taken for a source that does not answer without a key."""
    monkeypatch.setattr(clients, "KEY_NEEDED", frozenset({"openalex"}))
    sources["openalex"].state = clients.source_state("openalex")
    sources["openalex"].records = papers(3, "openalex")
    sources["pubmed"].records = papers(2)
    run = work_all(started("pubmed", "openalex"))
    assert {key: (s.state, s.fetched) for key, s in steps_of(run).items()} == {
        ("pubmed", 0): ("done", 2),
        ("openalex", 0): ("skipped", 0),
    }
    assert run.state == RunState.PARTIAL
    assert len(run.reasons) == 1
    assert run.reasons[0].startswith("OpenAlex was skipped: OpenAlex needs a key, and this installation has none.")
    assert sources["openalex"].sent == []


def test_a_run_whose_only_source_lacks_its_key_has_failed(
    sources: Sources, started: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "KEY_NEEDED", frozenset({"openalex"}))
    sources["openalex"].state = clients.source_state("openalex")
    assert started("openalex").state == RunState.FAILED


def test_many_queries_that_fail_alike_are_told_in_one_sentence(sources: Sources, started: Callable) -> None:
    sources["pubmed"].faults = [trouble("pubmed", Outcome.PERMANENT)] * 4
    run = work_all(started("pubmed", queries=4))
    assert (run.state, run.reasons) == (RunState.FAILED, ["PubMed failed in 4 queries: pubmed has a problem."])


def test_everything_fetched_is_success(sources: Sources, started: Callable) -> None:
    sources["pubmed"].records = papers(25)
    sources["crossref"].records = papers(5, "crossref")
    run = work_all(started("pubmed", "crossref"))
    assert (run.state, run.reasons) == (RunState.SUCCESS, [])
    assert {key: (s.state, s.reported, s.fetched) for key, s in steps_of(run).items()} == {
        ("pubmed", 0): ("done", 25, 25),
        ("crossref", 0): ("done", 5, 5),
    }


def test_a_source_that_cannot_be_used_is_skipped_and_never_counts_as_success(
    sources: Sources, started: Callable
) -> None:
    sources["pubmed"].records = papers(5)
    sources["openalex"].state = SourceState(False, "OpenAlex is switched off.", "Ask your administrator.")
    run = work_all(started("pubmed", "openalex"))
    assert (run.state, run.reasons) == (
        RunState.PARTIAL,
        ["OpenAlex was skipped: OpenAlex is switched off. Ask your administrator."],
    )
    assert sources["openalex"].sent == []


def test_a_run_in_which_every_source_is_skipped_failed_at_once(sources: Sources, started: Callable) -> None:
    sources["pubmed"].state = SourceState(False, "PubMed is switched off.", "")
    run = started("pubmed")
    assert (run.state, run.reasons) == (RunState.FAILED, ["PubMed was skipped: PubMed is switched off."])
    assert run.finished_at is not None


def test_one_dead_source_does_not_fail_the_run(sources: Sources, started: Callable, clock: Any) -> None:
    sources["pubmed"].records = papers(5)
    sources["crossref"].faults = [trouble("crossref")] * 100
    run = work_all(started("pubmed", "crossref"), clock)
    assert (run.state, run.reasons) == (RunState.PARTIAL, ["Crossref failed: crossref has a problem."])
    assert Candidate.objects.count() == 5


def test_all_sources_dead_is_failed(sources: Sources, started: Callable, clock: Any) -> None:
    for key in ("pubmed", "crossref"):
        sources[key].faults = [trouble(key, Outcome.PERMANENT)]
    run = work_all(started("pubmed", "crossref"), clock)
    assert (run.state, sorted(run.reasons)) == (
        RunState.FAILED,
        ["Crossref failed: crossref has a problem.", "PubMed failed: pubmed has a problem."],
    )


def test_reasons_name_the_query_where_there_are_several(sources: Sources, started: Callable) -> None:
    sources["pubmed"].records = papers(30)
    lines = (PlanQuery("a[tiab]", "", "masks"), PlanQuery("b[tiab]", ""))
    run = work_all(started("pubmed", queries_given=lines, caps=Caps(per_query=10)))
    assert run.reasons == [
        "PubMed (query 1, masks): Cut at 10 records of the 30 that PubMed reports by the limit per query.",
        "PubMed (query 2): Cut at 10 records of the 30 that PubMed reports by the limit per query.",
    ]


def test_cancel_stops_before_the_next_page_and_keeps_what_is_here(
    sources: Sources, started: Callable, person: User
) -> None:
    sources["pubmed"].records = papers(50)
    sources["crossref"].records = papers(50, "crossref")
    run = started("pubmed", "crossref", queries=2)
    sources["pubmed"].faults = [None, lambda: run_cancel(run=run, actor=person)]
    sources["crossref"].faults = [lambda: None]
    steps_before = steps_of(run)
    from searches.services.retrieval import RetrievalWork

    RetrievalWork().run(str(steps_before["pubmed", 0].pk))
    run = work_all(run)
    found = {key: (step.state, step.fetched) for key, step in steps_of(run).items()}
    assert found == {
        ("pubmed", 0): ("cancelled", 20),
        ("pubmed", 1): ("cancelled", 0),
        ("crossref", 0): ("cancelled", 0),
        ("crossref", 1): ("cancelled", 0),
    }
    assert (run.state, Candidate.objects.count()) == (RunState.CANCELLED, 20)
    assert "PubMed (query 1) was stopped after 20 records." in run.reasons


def test_cancelling_a_run_that_waits_ends_it_at_once(sources: Sources, started: Callable, person: User) -> None:
    run = run_cancel(run=started("pubmed"), actor=person)
    assert (run.state, run.steps.get().state, work_once()) == (RunState.CANCELLED, "cancelled", 0)
    with pytest.raises(RunNotChanged):
        run_cancel(run=run, actor=person)


def test_resume_goes_on_where_it_stopped(sources: Sources, started: Callable, person: User) -> None:
    sources["pubmed"].records = papers(30)
    run = started("pubmed")
    sources["pubmed"].faults = [None, lambda: run_cancel(run=run, actor=person)]
    run = work_all(run)
    assert [step.fetched for step in run.steps.all()] == [20]
    run = work_all(run_resume(run=run, actor=person))
    assert (run.state, run.reasons, Candidate.objects.count()) == (RunState.SUCCESS, [], 30)
    assert sources["pubmed"].sent == ["/search?0", "/search?10", "/search?20"]


def test_resume_tries_failed_and_skipped_sources_again_and_leaves_the_rest(
    sources: Sources, started: Callable, person: User, clock: Any
) -> None:
    for key in sources:
        sources[key].records = papers(5, key)
    sources["crossref"].faults = [trouble("crossref", Outcome.PERMANENT)]
    sources["openalex"].state = SourceState(False, "OpenAlex is switched off.", "")
    run = work_all(started("pubmed", "crossref", "openalex"), clock)
    assert (run.state, can_resume(run.steps.all())) == (RunState.PARTIAL, True)
    sources["openalex"].state = SourceState(True)
    run = work_all(run_resume(run=run, actor=person))
    assert (run.state, run.reasons) == (RunState.SUCCESS, [])
    assert [len(sources[key].sent) for key in ("pubmed", "crossref", "openalex")] == [1, 2, 1]


def test_resume_says_when_nothing_is_left(sources: Sources, started: Callable, person: User) -> None:
    sources["pubmed"].records = papers(30)
    run = started("pubmed", caps=Caps(per_query=10))
    with pytest.raises(RunNotChanged, match="still going on"):
        run_resume(run=run, actor=person)
    run = work_all(run)
    assert can_resume(run.steps.all()) is False
    with pytest.raises(RunNotChanged, match="Nothing is left"):
        run_resume(run=run, actor=person)


def test_running_again_asks_anew_and_recognises_what_is_here(
    sources: Sources, started: Callable, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(10)
    first = work_all(started("pubmed"))
    clock.shift(60)
    sources["pubmed"].records = papers(12)
    second = work_all(run_again(run=first, actor=person, request_id=uuid4()))
    assert second.pk != first.pk
    assert (second.state, steps_of(second)["pubmed", 0].fetched) == (RunState.SUCCESS, 12)
    assert Candidate.objects.listed(first.project).count() == 12
    assert sources["pubmed"].sent == ["/search?0", "/search?0", "/search?10"]


def test_a_deleted_project_stops_its_run(sources: Sources, started: Callable, project: Project, clock: Any) -> None:
    sources["pubmed"].records = papers(30)
    run = started("pubmed")
    Project.objects.update(deleted_at="2026-01-01T00:00:00Z")
    run = work_all(run)
    step = run.steps.get()
    assert (step.state, step.message, sources["pubmed"].sent) == (StepState.CANCELLED, "The project was deleted.", [])


def test_the_end_is_in_the_log(sources: Sources, started: Callable) -> None:
    sources["pubmed"].records = [paper(1)]
    work_all(started("pubmed"))
    event = Event.objects.get(verb="run.finished")
    assert (event.actor, event.payload) == (
        None,
        {
            "state": "success",
            "reasons": [],
            "steps": [{"source": "pubmed", "query": 0, "state": "done", "fetched": 1, "reported": 1}],
        },
    )


def checks(project: Project) -> list[tuple[str, int, Any]]:
    return sorted(Verification.objects.filter(project=project).values_list("state", "priority", "not_before"))


def test_checks_begin_when_the_run_ends_and_do_not_take_its_sources_pace(
    sources: Sources, started: Callable, project: Project, clock: Any
) -> None:
    sources["pubmed"].records = papers(3)
    sources["crossref"].records = papers(3, "crossref")
    sources["crossref"].faults = [trouble("crossref")]
    run = started("pubmed", "crossref")
    work_once()
    assert checks(project) == [("waiting", 50, NOW + CHECKS_BEGIN_WITHIN)] * 3
    clock.shift(10)
    run = work_all(run, clock)
    assert run.state == RunState.SUCCESS
    assert checks(project) == [("queued", 50, None)] * 3
    assert {tuple(row.returned_by) for row in Verification.objects.all()} == {("crossref", "pubmed")}


def test_a_run_that_waits_for_hours_does_not_keep_its_records_unchecked(
    sources: Sources, started: Callable, project: Project, clock: Any
) -> None:
    sources["pubmed"].records = papers(3)
    sources["crossref"].faults = [
        Deferred("crossref", Outcome.RATE_LIMITED, "Later.", retry_at=NOW + timedelta(hours=9))
    ]
    started("pubmed", "crossref")
    work_once()
    assert Verification.objects.claimable().count() == 0
    clock.shift(CHECKS_BEGIN_WITHIN)
    assert Verification.objects.claimable().count() == 3


def test_another_source_does_not_push_a_check_further_away(
    sources: Sources, started: Callable, project: Project, clock: Any
) -> None:
    sources["pubmed"].records = papers(1)
    sources["crossref"].records = papers(1, "crossref")
    sources["crossref"].faults = [trouble("crossref")]
    sources["openalex"].faults = [
        Deferred("openalex", Outcome.RATE_LIMITED, "Later.", retry_at=NOW + timedelta(hours=9))
    ]
    run = started("pubmed", "crossref", "openalex")
    work_once()
    clock.move_to(steps_of(run)["crossref", 0].not_before, tick=False)
    work_once()
    assert checks(project) == [("waiting", 50, NOW + CHECKS_BEGIN_WITHIN)]


def test_a_record_that_is_included_during_the_run_is_checked_at_once(
    sources: Sources, started: Callable, project: Project, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(2)
    sources["crossref"].records = papers(2, "crossref")
    sources["crossref"].faults = [trouble("crossref")]
    run = started("pubmed", "crossref")
    work_once()
    row = Candidate.objects.order_by("pk")[0]
    decide(project=project, candidate_id=row.pk, actor=person, decision="include", version=1, request_id=uuid4())
    assert checks(project) == [("queued", 10, None), ("waiting", 50, NOW + CHECKS_BEGIN_WITHIN)]
    clock.move_to(steps_of(run)["crossref", 0].not_before, tick=False)
    Verification.objects.filter(priority=10).update(state="done")
    work_once()
    assert checks(project)[0] == ("queued", 10, None)
