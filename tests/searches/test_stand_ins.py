"""While PubMed is closed: Europe PMC's copy is offered, asked only when a person says so, and named as what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import Caps
from litapp.core.ports import Outcome
from litapp.jobs.models import HealthState, SourceHealth, StepState
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Event, Membership, Project, Role
from litapp.providers.registry import copy_of_pubmed
from searches.models import RetrievalRun, RunState
from searches.services import retrieval, stand_ins
from searches.services.outcome import step_name
from searches.services.queries import stands_in_for
from searches.services.runs import RunNotChanged
from searches.services.stand_ins import stand_in_offer, stand_in_start
from tests.searches.conftest import steps_of, work_all
from tests.searches.stand_in import StandIn, paper, papers, trouble

Started = Callable[..., RetrievalRun]
QUERY = (
    "((TITLE:dexamethasone OR ABSTRACT:dexamethasone OR KW:dexamethasone) AND "
    "(TITLE:mortality OR ABSTRACT:mortality OR KW:mortality)) AND SRC:MED"
)


@pytest.fixture(autouse=True)
def europepmc(sources: dict[str, StandIn], monkeypatch: pytest.MonkeyPatch) -> StandIn:
    sources["europepmc"] = StandIn("europepmc", papers(3, "europepmc"))
    monkeypatch.setattr(stand_ins, "source_state", lambda key: sources[key].state)
    return sources["europepmc"]


@pytest.fixture
def refused(sources: dict[str, StandIn], started: Started) -> RetrievalRun:
    """A run whose PubMed search was refused; Crossref's was made."""
    sources["pubmed"].faults = [trouble("pubmed", Outcome.PERMANENT, code="refused")]
    sources["crossref"].records = papers(2, "crossref")
    run = work_all(started("pubmed", "crossref"))
    SourceHealth.objects.create(source="pubmed", state=HealthState.REFUSED, last_error="PubMed refuses us.")
    return run


def offer_of(run: RetrievalRun) -> Any:
    return stand_in_offer(run, run.steps.all())


def test_the_same_query_is_offered_over_pubmeds_records(refused: RetrievalRun) -> None:
    offer = offer_of(refused)
    assert offer.why == "PubMed refuses us."
    assert [(one.step.source, one.query.text) for one in offer.stand_ins] == [("pubmed", QUERY)]


def test_nothing_is_asked_before_a_person_says_so(refused: RetrievalRun, europepmc: StandIn) -> None:
    offer_of(refused)
    assert (europepmc.sent, sorted(steps_of(refused))) == ([], [("crossref", 0), ("pubmed", 0)])


@pytest.mark.parametrize(
    "change",
    [
        lambda run: SourceHealth.objects.update(state=HealthState.CLOSED),
        lambda run: run.steps.filter(source="pubmed").update(state=StepState.DONE),
        lambda run: run.steps.filter(source="pubmed").update(state=StepState.PARTIAL, exhausted=True),
        lambda run: RetrievalRun.objects.update(bundle={"name": "x"}),
    ],
)
def test_nothing_is_offered_without_need(refused: RetrievalRun, change: Callable[[RetrievalRun], Any]) -> None:
    change(refused)
    refused.refresh_from_db()
    assert offer_of(refused) is None


def test_nothing_is_offered_where_europe_pmc_cannot_be_used(refused: RetrievalRun, europepmc: StandIn) -> None:
    europepmc.state = SourceState(False, "Europe PMC is switched off.")
    assert offer_of(refused) is None


def test_it_is_asked_named_and_kept_in_the_log(refused: RetrievalRun, person: User) -> None:
    stand_in_start(run=refused, actor=person)
    run = work_all(refused)
    step = steps_of(run)["europepmc", 0]
    assert (step.state, step.fetched, step.query_text) == (StepState.DONE, 3, QUERY)
    assert stands_in_for(step.notes) == "pubmed"
    assert step_name(step, several=False) == "Europe PMC (in place of PubMed)"
    assert (run.state, run.reasons) == (RunState.PARTIAL, ["PubMed failed: pubmed has a problem."])
    event = Event.objects.get(verb="run.stood_in")
    assert (event.actor, event.payload["in_place_of"], event.payload["queries"]) == (
        person,
        "pubmed",
        [{"query": 0, "text": QUERY}],
    )
    assert set(run.steps.get(source="europepmc").hits.values_list("source_record__source", flat=True)) == {"europepmc"}


def test_it_is_started_once(refused: RetrievalRun, person: User) -> None:
    stand_in_start(run=refused, actor=person)
    with pytest.raises(RunNotChanged):
        stand_in_start(run=refused, actor=person)
    assert refused.steps.filter(source="europepmc").count() == 1


def test_beside_the_plans_own_search_of_europe_pmc(sources: dict[str, StandIn], started: Started, person: User) -> None:
    sources["pubmed"].faults = [trouble("pubmed", Outcome.PERMANENT)] * 2
    run = work_all(started("pubmed", "europepmc", queries=2, caps=Caps(per_source=4)))
    SourceHealth.objects.create(source="pubmed", state=HealthState.OPEN)
    stand_in_start(run=run, actor=person)
    run = work_all(run)
    assert {
        key: (stands_in_for(step.notes), step.query_label, step.fetched)
        for key, step in steps_of(run).items()
        if key[0] == "europepmc"
    } == {
        ("europepmc", 0): ("", "", 2),
        ("europepmc", 1): ("", "", 2),
        ("europepmc", 2): ("pubmed", "in place of PubMed", 2),
        ("europepmc", 3): ("pubmed", "in place of PubMed", 2),
    }


def test_a_waiting_search_of_pubmed_goes_on_beside_it(
    sources: dict[str, StandIn], started: Started, person: User, clock: Any
) -> None:
    sources["pubmed"].faults = [trouble("pubmed", Outcome.TRANSIENT)]
    sources["pubmed"].records = [paper(1)]
    run = started("pubmed")
    retrieval.RetrievalWork().run(str(run.steps.get().pk))
    SourceHealth.objects.create(source="pubmed", state=HealthState.OPEN)
    stand_in_start(run=run, actor=person)
    run = work_all(run, clock)
    assert {key: step.fetched for key, step in steps_of(run).items()} == {("pubmed", 0): 1, ("europepmc", 0): 3}
    assert run.state == RunState.SUCCESS


def test_the_run_page_offers_it_to_who_may_run(
    refused: RetrievalRun, project: Project, person: User, colleague: User
) -> None:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    Membership.objects.create(project=project, user=colleague, role=Role.READER)
    address = reverse("searches:run_stand_in", args=[project.pk, refused.pk])
    pages = {}
    for user in (person, colleague):
        browser = Client()
        browser.force_login(user)
        pages[user] = browser, browser.get(reverse("searches:run", args=[project.pk, refused.pk])).content.decode()
    assert address in pages[person][1]
    assert "SRC:MED" in pages[colleague][1]
    assert address not in pages[colleague][1]
    assert pages[colleague][0].post(address).status_code == 403
    pages[person][0].post(address)
    assert refused.steps.filter(source="europepmc").count() == 1


def test_only_europe_pmc_holds_a_copy() -> None:
    with pytest.raises(KeyError):
        copy_of_pubmed("crossref")
