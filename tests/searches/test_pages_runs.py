"""Pages of runs: live only while there is something to see, honest about what is missing, one click one run."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.jobs.models import StepState, WorkerBeat
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Membership, Project, Role
from litapp.verification.models import Verification
from searches.models import RetrievalRun, RetrievalStep, RunState, SearchPlanVersion
from searches.services.plans import plan_create
from tests.searches.conftest import content, work_all
from tests.searches.stand_in import StandIn, papers, trouble

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
Started = Callable[..., RetrievalRun]


@pytest.fixture
def client(project: Project, person: User) -> Client:
    """Ada, owner of the project."""
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    browser = Client()
    browser.force_login(person)
    return browser


def at(name: str, run: RetrievalRun) -> str:
    return reverse(f"searches:{name}", args=[run.project_id, run.pk])


def text_of(response: Any) -> str:
    """The page's text without tags, entities resolved, spaces joined."""
    page = re.sub(r"(?s)<(script|style|svg|template)\b.*?</\1>", " ", response.content.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def polled_address(page: str) -> str | None:
    """Where the page asks for news; None when it asks no more."""
    found = re.search(r'hx-get="([^"]*/progress/[^"]*)" hx-trigger="every 2s"', page)
    return html.unescape(found[1]) if found else None


def row_of(response: Any, source: str) -> list[str]:
    """The cells of a source's row in the table of numbers."""
    for row in re.findall(r"(?s)<tr>(.*?)</tr>", response.content.decode()):
        found = re.findall(r"(?s)<t[hd].*?>(.*?)</t[hd]>", row)
        cells = [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]
        if cells and cells[0] == source:
            return cells[1:]
    raise AssertionError(f"no row for {source}")


# Starting


def test_a_double_click_starts_one_run(
    client: Client, project: Project, approved: Callable[..., SearchPlanVersion], sources: dict[str, StandIn]
) -> None:
    version, number = approved("pubmed"), str(uuid4())
    address = reverse("searches:run_start", args=[project.pk, version.pk])
    answers = [client.post(address, {"request_id": number}) for _ in range(2)]
    [run] = RetrievalRun.objects.all()
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(303, at("run", run))] * 2


def test_an_unapproved_plan_does_not_run_and_says_so(client: Client, project: Project, person: User) -> None:
    version = plan_create(project=project, actor=person, title="T", content=content("pubmed"))
    address = reverse("searches:run_start", args=[project.pk, version.pk])
    response = client.post(address, {"request_id": str(uuid4())}, follow=True)
    assert RetrievalRun.objects.count() == 0
    assert "This version of the plan is not approved. Approve it, then run it." in text_of(response)


def test_only_an_approved_plan_has_a_run_button(
    client: Client, project: Project, person: User, approved: Callable[..., SearchPlanVersion]
) -> None:
    open_draft = plan_create(project=project, actor=person, title="T", content=content("pubmed"))
    for version, shown in ((approved("pubmed"), True), (open_draft, False)):
        page = client.get(reverse("searches:plan", args=[project.pk, version.pk])).content.decode()
        assert (reverse("searches:run_start", args=[project.pk, version.pk]) in page) is shown


# While it works


def test_an_open_run_asks_for_news_and_gets_none_while_nothing_changes(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed", "crossref")
    address = polled_address(client.get(at("run", run)).content.decode())
    assert address is not None
    assert client.get(address, headers=HTMX).status_code == 204
    RetrievalStep.objects.filter(run=run, source="pubmed").update(state=StepState.RUNNING, done=40, total=120)
    response = client.get(address, headers=HTMX)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert "Reading 40 of 120" in text_of(response)
    assert client.get(polled_address(response.content.decode()), headers=HTMX).status_code == 204


def test_the_announcement_is_made_when_a_source_ends_not_with_every_record(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed", "crossref")
    address = polled_address(client.get(at("run", run)).content.decode())
    RetrievalStep.objects.filter(run=run, source="pubmed").update(state=StepState.RUNNING, done=40)
    page = client.get(address, headers=HTMX).content.decode()
    assert "run-told" not in page
    RetrievalStep.objects.filter(run=run, source="pubmed").update(state=StepState.DONE)
    told = client.get(polled_address(page), headers=HTMX).content.decode()
    assert 'hx-swap-oob="innerHTML">The run goes on; 1 of 2 searches ended.' in told


def test_a_finished_run_asks_no_more(client: Client, started: Started, sources: dict[str, StandIn]) -> None:
    sources["pubmed"].records = papers(3)
    run = started("pubmed")
    address = polled_address(client.get(at("run", run)).content.decode())
    work_all(run)
    last = client.get(address, headers=HTMX)
    assert "Success. Everything the sources reported is here." in text_of(last)
    assert polled_address(last.content.decode()) is None
    assert polled_address(client.get(at("run", run)).content.decode()) is None


def test_without_script_the_progress_address_leads_to_the_page(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed")
    page = client.get(at("run", run)).content.decode()
    assert "Refresh" in page
    assert client.get(at("run_progress", run))["Location"] == at("run", run)


def test_a_missing_worker_is_named_with_how_to_start_it(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed")
    missing = "No worker is running, so nothing moves."
    assert missing in text_of(client.get(at("run", run)))
    assert "make run" in text_of(client.get(at("run", run)))
    WorkerBeat.objects.create(name="w", beat_at=timezone.now())
    assert missing not in text_of(client.get(at("run", run)))
    WorkerBeat.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    assert missing in text_of(client.get(at("run", run)))


def test_a_waiting_source_says_why_and_when_it_goes_on(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed")
    until = timezone.now().replace(hour=23, minute=5, second=9)
    RetrievalStep.objects.filter(run=run).update(
        state=StepState.WAITING, not_before=until, message="PubMed asked to slow down.", hint="Nothing to do."
    )
    assert "PubMed asked to slow down. Goes on at 23:05:09 UTC. Nothing to do." in text_of(client.get(at("run", run)))


# Afterwards


def test_numbers_are_the_sources_and_unknown_is_not_zero(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed", "crossref", "openalex")
    steps = RetrievalStep.objects.filter(run=run)
    steps.filter(source="pubmed").update(
        state=StepState.PARTIAL, reported=12_000, fetched=9_999, invalid_records=2, empty_records=3,
        missing=["1", "2", "3", "4"], capped="PubMed gives no more than 9,999 records of this query.", exhausted=True,
    )  # fmt: skip
    steps.filter(source="crossref").update(state=StepState.DONE, reported=500_000, fetched=50)
    steps.filter(source="openalex").update(state=StepState.FAILED, message="OpenAlex sent a web page.", hint="Resume.")
    page = client.get(at("run", run))
    assert row_of(page, "PubMed") == [
        "12,000", "9,999", "2", "3", "4", "PubMed gives no more than 9,999 records of this query."
    ]  # fmt: skip
    assert row_of(page, "Crossref") == ["500,000 (no count)", "50", "0", "0", "0", "no"]
    assert row_of(page, "OpenAlex") == ["—", "0", "0", "0", "0", "no"]
    assert "OpenAlex sent a web page. Resume." in text_of(page)


def test_a_source_without_hits_is_not_a_failure(client: Client, started: Started, sources: dict[str, StandIn]) -> None:
    run = work_all(started("pubmed"))
    text = text_of(client.get(at("run", run)))
    assert run.state == RunState.SUCCESS
    assert "PubMed answered: it has no record for this query." in text


def test_partial_success_gives_its_reasons(client: Client, started: Started, sources: dict[str, StandIn]) -> None:
    sources["pubmed"].records = papers(2)
    sources["crossref"].faults = [trouble("crossref", Outcome.PERMANENT)]
    sources["openalex"].state = SourceState(False, "OpenAlex is switched off here.", "Ask the administrator.")
    run = work_all(started("pubmed", "crossref", "openalex"))
    text = text_of(client.get(at("run", run)))
    assert "Partial success. " in text
    assert "Crossref failed: crossref has a problem." in text
    assert "OpenAlex was skipped: OpenAlex is switched off here." in text
    assert "not asked" in text


def test_an_ended_run_has_one_line_a_source_with_who_was_asked_instead(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].records = papers(2)
    sources["crossref"].faults = [trouble("crossref", Outcome.PERMANENT)]
    run = started("pubmed", "crossref")
    assert "Source by source" not in text_of(client.get(at("run", run)))
    work_all(run)
    Verification.objects.update(
        silent={"crossref": "rate_limited"}, status="verified", verified_by=["openalex"], checked_at=timezone.now()
    )
    text = text_of(client.get(at("run", run)))
    assert (
        "Source by source PubMed: the search was made, 2 records. Crossref: the search was not made or not finished "
        "(crossref has a problem), 0 records. In the checks: Crossref unavailable for 2 references (rate-limited); "
        "checked with OpenAlex instead." in text
    )


def test_a_failed_run_says_that_it_proves_nothing(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].faults = [trouble("pubmed", Outcome.PERMANENT)]
    run = work_all(started("pubmed"))
    assert "This says nothing about whether there are papers." in text_of(client.get(at("run", run)))


def test_the_exact_query_and_its_parameters_are_kept(
    client: Client, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed")
    text = text_of(client.get(at("run", run)))
    assert "dexamethasone[tiab] AND mortality[tiab]" in text
    assert "q dexamethasone[tiab] AND mortality[tiab]" in text


def test_cancel_resume_and_run_again(client: Client, started: Started, sources: dict[str, StandIn]) -> None:
    sources["pubmed"].records = papers(3)
    run = started("pubmed")
    text = text_of(client.post(at("run_cancel", run), follow=True))
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert "What was fetched stays in the project." in text
    assert "nothing to cancel" in text_of(client.post(at("run_cancel", run), follow=True))
    client.post(at("run_resume", run))
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    assert work_all(run).state == RunState.SUCCESS
    assert "Nothing is left to fetch in this run." in text_of(client.post(at("run_resume", run), follow=True))
    number = str(uuid4())
    answers = [client.post(at("run_again", run), {"request_id": number}) for _ in range(2)]
    again = RetrievalRun.objects.exclude(pk=run.pk).get()
    assert [answer["Location"] for answer in answers] == [at("run", again)] * 2
    assert again.version == run.version


def test_a_reader_sees_the_run_without_its_buttons(
    client: Client, project: Project, started: Started, sources: dict[str, StandIn]
) -> None:
    run, reader = started("pubmed"), User.objects.create_user("reader")
    Membership.objects.create(project=project, user=reader, role=Role.READER)
    browser = Client()
    browser.force_login(reader)
    page = browser.get(at("run", run)).content.decode()
    assert polled_address(page) is not None
    assert "Cancel run" not in page


def test_hostile_answers_of_sources_are_shown_as_text(
    client: Client, project: Project, started: Started, sources: dict[str, StandIn]
) -> None:
    run = started("pubmed")
    RetrievalStep.objects.filter(run=run).update(
        state=StepState.FAILED, message=HOSTILE, hint=HOSTILE, query_text=HOSTILE, query_label=HOSTILE, capped=HOSTILE,
        notes=[{"text": HOSTILE, "loss": HOSTILE}], query_params=[[HOSTILE, HOSTILE]], missing=[HOSTILE],
    )  # fmt: skip
    RetrievalRun.objects.update(state=RunState.PARTIAL, reasons=[HOSTILE])
    for address in (at("run", run), reverse("searches:run_list", args=[project.pk])):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page


def test_the_number_of_database_queries_of_each_page_is_fixed(
    client: Client, project: Project, started: Started, sources: dict[str, StandIn]
) -> None:
    def queries_of(run: RetrievalRun) -> dict[str, int]:
        found = {}
        addresses = {name: at(name, run) for name in ("run", "run_progress")}
        for name, address in {**addresses, "run_list": reverse("searches:run_list", args=[project.pk])}.items():
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address, headers=HTMX if name == "run_progress" else {}).status_code == 200
            found[name] = len(queries)
        return found

    few = queries_of(started("pubmed"))
    for _ in range(10):
        started("pubmed", "crossref", "openalex", "semanticscholar")
    many = queries_of(started("pubmed", "crossref", "openalex", "semanticscholar", queries=5))
    assert few == many == {"run": 12, "run_progress": 7, "run_list": 10}
