"""Pages of the PRISMA flow and the search report: numbers open records, past dates, files, blinding, statements."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.plan import Filters
from litapp.core.prisma.check import check_file
from litapp.core.prisma.events import Method
from litapp.core.prisma.prisma_s import prisma_s
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Event, Membership, Project, Role
from searches.models import Candidate, PrismaStatement, RecordImport, RetrievalRun, ScreeningStage, Stage
from searches.models_plans import OtherMethod
from searches.services.imports import ImportDetails
from searches.services.prisma import project_flow
from searches.services.prisma_s import search_facts
from searches.services.screening import decide_many
from searches.services.stages import Settings, stage_set
from searches.views.prisma import moment_of
from tests.searches.conftest import BOOLEAN, work_all
from tests.searches.import_files import imported, ris_record
from tests.searches.stand_in import StandIn, papers, trouble

pytestmark = pytest.mark.django_db
HOSTILE = '"><script>alert(1)</script>'


def file_of(*which: int) -> bytes:
    return "".join(ris_record(number) for number in which).encode()


@pytest.fixture
def client(project: Project, person: User) -> Client:
    """Ada, owner, with five papers of two databases, of which two are excluded and one is included."""
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    imported(project, person, file_of(1, 2, 3, 4))
    imported(project, person, file_of(1, 5), details=ImportDetails("Scopus"))
    rows = list(Candidate.objects.listed(project).order_by("pk"))
    for decision, chosen in (("exclude", rows[:2]), ("include", rows[2:3])):
        decide_many(project=project, actor=person, candidate_ids=[row.pk for row in chosen], decision=decision,
                    request_id=uuid4(), reason=f"Wrong {HOSTILE}" if decision == "exclude" else "")  # fmt: skip
    browser = Client()
    browser.force_login(person)
    return browser


def at(name: str, project: Project, *args: Any) -> str:
    return reverse(f"searches:{name}", args=[project.pk, *args])


def text_of(response: Any) -> str:
    body = response.content.decode()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def links_of(body: str) -> dict[str, int]:
    """Address -> the number that the table shows for it."""
    found = re.findall(r'<a href="([^"]*/prisma/numbers/[^"]*)" aria-label="[^"]*">([\d,]+)</a>', body)
    return {html.unescape(address): int(number.replace(",", "")) for address, number in found}


def test_every_number_of_the_page_opens_the_records_behind_it(client: Client, project: Project) -> None:
    response = client.get(at("prisma", project))
    body = response.content.decode()
    assert HOSTILE not in body
    numbers = links_of(body)
    assert numbers[at("prisma_behind", project, "database_results")] == 6
    assert numbers[at("prisma_behind", project, "duplicates")] == 1
    assert numbers[at("prisma_behind", project, "records_screened")] == 3
    in_figure = {html.unescape(one) for one in re.findall(r'<a href="([^"]*/prisma/numbers/[^"]*)"><text', body)}
    assert set(numbers) <= in_figure | {
        one for one in numbers if parse_qs(urlsplit(one).query).get("part") or "included_via" in one
    }
    for address, number in numbers.items():
        page = client.get(address)
        assert page.status_code == 200
        papers = len(re.findall(r'<li><a href="/projects/\d+/candidates/\d+/">', page.content.decode()))
        of_records = re.search(r"(\d+) records? in (\d+) papers?", text_of(page))
        assert papers == (int(of_records[2]) if of_records else number), address
        if of_records:
            assert int(of_records[1]) == number


def test_a_past_date_shows_what_stood_then(
    project: Project, person: User, clock: time_machine.TimeMachineFixture
) -> None:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    browser = Client()
    browser.force_login(person)
    imported(project, person, file_of(1, 2))
    clock.shift(2 * 86400)
    imported(project, person, file_of(3))
    browser.force_login(person)
    then = browser.get(at("prisma", project), {"at": "2026-03-01"})
    assert "as it stood on 1 March 2026, 23:59" in text_of(then)
    assert links_of(then.content.decode())[at("prisma_behind", project, "database_results") + "?at=2026-03-01"] == 2
    now = browser.get(at("prisma", project))
    assert links_of(now.content.decode())[at("prisma_behind", project, "database_results")] == 3


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "9999-12-31T99:99", "' OR 1=1", "0000-00-00", "٣"])
def test_a_date_that_is_none_is_told_and_now_is_shown(client: Client, project: Project, text: str) -> None:
    response = client.get(at("prisma", project), {"at": text})
    assert response.status_code == 200
    assert "is no date" in text_of(response)
    assert moment_of(text).at is None


def test_files_are_the_numbers_of_the_page(client: Client, project: Project) -> None:
    for kind, media in (
        ("svg", "image/svg+xml"),
        ("png", "image/png"),
        ("csv", "text/csv"),
        ("json", "application/json"),
    ):
        response = client.get(at("prisma_file", project, kind))
        assert response.status_code == 200
        assert response["Content-Type"].startswith(media)
        assert f".{kind}" in response["Content-Disposition"]
        if kind in ("csv", "json"):
            found = check_file(response.content)
            assert found.violated == ()
            assert found.flow.numbers["database_results"] == 6
    whole = json.loads(client.get(at("prisma_file", project, "json")).content)
    assert len(whole["behind"]["records_excluded"]["ids"]) == 2
    assert client.get(at("prisma_file", project, "exe")).status_code == 404


@pytest.mark.parametrize("name", ["prisma", "prisma_file", "prisma_behind"])
def test_blind_screening_hides_the_numbers_from_screeners_not_from_leads(
    client: Client, project: Project, person: User, colleague: User, name: str
) -> None:
    Membership.objects.create(project=project, user=colleague, role=Role.SCREENER)
    stage_set(project=project, actor=person, stage=Stage.TITLE, wanted=Settings(screeners=2, blind=True))
    assert ScreeningStage.objects.get(project=project).secret
    other = Client()
    other.force_login(colleague)
    extra = {"prisma_file": ["csv"], "prisma_behind": ["records_excluded"]}.get(name, [])
    refused = other.get(at(name, project, *extra))
    assert refused.status_code == 403
    assert "records_excluded" not in refused.content.decode()
    assert client.get(at(name, project, *extra)).status_code == 200


@pytest.mark.parametrize(("key", "part"), [("nothing", ""), ("duplicates", "nothing")])
def test_a_number_that_does_not_exist_is_not_found(client: Client, project: Project, key: str, part: str) -> None:
    assert client.get(at("prisma_behind", project, key), {"part": part}).status_code == 404


def test_an_import_is_put_under_another_box(client: Client, project: Project) -> None:
    row = RecordImport.objects.filter(project=project, database="Scopus").get()
    answer = client.post(at("prisma_import_method", project, row.pk), {"method": Method.CITATIONS.value}, follow=True)
    assert "count as: Citation searching" in text_of(answer)
    assert links_of(answer.content.decode())[at("prisma_behind", project, "citations_results")] == 1
    assert Event.objects.filter(project=project, verb="import.method_set").count() == 1
    client.post(at("prisma_import_method", project, row.pk), {"method": Method.CITATIONS.value})
    assert Event.objects.filter(project=project, verb="import.method_set").count() == 1
    wrong = client.post(at("prisma_import_method", project, row.pk), {"method": "magic"}, follow=True)
    assert "Choose how the records" in text_of(wrong)


def test_the_search_report_tells_gaps_until_a_person_states_something(
    client: Client, project: Project, person: User
) -> None:
    page = client.get(at("search_report", project))
    body = text_of(page)
    assert "16. Deduplication" in body
    assert "Whether somebody peer reviewed the strategies (PRESS) is not told" in body
    sent = {"text": f"Reviewed by PRESS {HOSTILE}", "request_id": str(uuid4())}
    for _ in range(2):
        answer = client.post(at("search_report_statement", project, 14), sent, follow=True)
    assert PrismaStatement.objects.count() == 1
    told = answer.content.decode()
    assert HOSTILE not in told
    assert "Stated by Ada" in told
    assert "peer reviewed the strategies (PRESS) is not told" not in text_of(answer)
    text = client.get(at("search_report_file", project)).content.decode()
    assert "## Item 14: Peer review (answered)" in text
    assert "<script>" not in text
    client.post(at("search_report_statement", project, 14), {"text": "", "request_id": str(uuid4())})
    assert "is not told" in text_of(client.get(at("search_report", project)))


def test_a_statement_that_is_too_long_is_refused(client: Client, project: Project) -> None:
    answer = client.post(at("search_report_statement", project, 6), {"text": "x" * 5000}, follow=True)
    assert "may have 4,000 characters" in text_of(answer)
    assert PrismaStatement.objects.count() == 0


def test_the_search_report_holds_strategies_dates_and_failures_of_runs(
    project: Project, person: User, sources: dict[str, StandIn], started: Callable[..., RetrievalRun]
) -> None:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    sources["pubmed"].records = papers(3)
    sources["crossref"].faults = [trouble(503)] * 20
    sources["crossref"].state = SourceState(False, "Crossref refuses.", "")
    run = started("pubmed", "crossref", filters=Filters(year_from=2010))
    work_all(run)
    method = OtherMethod.objects.create(plan=run.version.plan, name="NICE guidelines", added_by=person)
    items = {item.number: item for item in prisma_s(search_facts(project))}
    assert "NICE guidelines is to be searched by hand and was not yet." in items[4].gaps
    method.searched_on, method.searched_by, method.note = date(2026, 3, 2), person, "pneumonia: 2 guidelines"
    method.save()
    items = {item.number: item for item in prisma_s(search_facts(project))}
    assert items[1].told == ("PubMed (National Library of Medicine)", "Crossref")
    assert items[4].told == ("NICE guidelines: on 2026-03-02 (pneumonia: 2 guidelines; searched by Ada)",)
    assert any(BOOLEAN in told for told in items[8].told)
    assert "Published from 2010." in items[9].told
    assert items[12].told == ("The searches were run once; they were not updated.",)
    assert [told for told in items[13].told if told.startswith("PubMed")]
    assert items[14].told[0].startswith("Ada approved")
    assert items[15].told == ("PubMed: 3",)
    assert [gap for gap in items[15].gaps if gap.startswith("Crossref") and "not “no records”" in gap]


def test_a_report_that_waits_is_marked_as_not_retrieved_and_sought_again(
    client: Client, project: Project, person: User
) -> None:
    stage_set(project=project, actor=person, stage=Stage.FULLTEXT, wanted=Settings())
    waiting = Candidate.objects.get(project=project, decision="include")
    page = client.get(at("prisma_behind", project, "dbr_sought_reports"))
    assert f'id="lost-{waiting.pk}"' in page.content.decode()
    sent = {"reason": "paywall", "back": "dbr_sought_reports"}
    answer = client.post(at("prisma_report", project, waiting.pk), sent, follow=True)
    assert "counts as not retrieved: Behind a paywall" in text_of(answer)
    flow = project_flow(project)
    assert [(part.name, part.ids) for part in flow["dbr_notretrieved_reports"].parts] == [
        ("Behind a paywall", (waiting.pk,))
    ]
    client.post(at("prisma_report", project, waiting.pk), sent)
    assert Event.objects.filter(project=project, verb="screening.not_retrieved").count() == 1
    client.post(at("prisma_report", project, waiting.pk), {"reason": ""})
    assert project_flow(project).value("dbr_notretrieved_reports") == 0
    refused = client.post(at("prisma_report", project, waiting.pk), {"reason": "lazy"}, follow=True)
    assert "Choose why" in text_of(refused)
    excluded = Candidate.objects.filter(project=project, decision="exclude").first()
    assert excluded is not None
    wrong = client.post(at("prisma_report", project, excluded.pk), sent, follow=True)
    assert "Only reports that were included" in text_of(wrong)
