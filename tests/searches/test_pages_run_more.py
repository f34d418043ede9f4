"""Below a finished run: numbers that open their lists, the bundle, the replay, the comparison; missing abstracts."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.formats.bundle.files import CONTENT, MANIFEST
from litapp.core.records import Notice, NoticeKind
from litapp.jobs.models import StepState
from litapp.projects.models import Membership, Project, Role
from searches.models import AbstractFill, AbstractLookup, Candidate, RetrievalRun
from searches.services.runs import run_again
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


@pytest.fixture
def client(project: Project, person: User) -> Client:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    browser = Client()
    browser.force_login(person)
    return browser


@pytest.fixture
def run(sources: Sources, started: Start) -> RetrievalRun:
    sources["pubmed"].records, sources["crossref"].records = papers(10), papers(6, "crossref", start=8)
    return work_all(started("pubmed", "crossref", queries=2))


def at(name: str, *numbers: Any) -> str:
    return reverse(f"searches:{name}", args=numbers)


def text_of(response: Any) -> str:
    page = re.sub(r"(?s)<(script|style|svg|template)\b.*?</\1>", " ", response.content.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def numbers_of(response: Any) -> list[tuple[str, str]]:
    """(address, number) of every link in the table."""
    table = re.search(r"(?s)<tbody>.*?</tbody>", response.content.decode())
    assert table is not None
    links = re.findall(r'<a href="([^"]+)">([\d,]+)</a>', table[0])
    return [(html.unescape(address), number) for address, number in links]


def test_a_finished_run_asks_for_what_stands_below_it(client: Client, run: RetrievalRun) -> None:
    page = client.get(at("run", run.project_id, run.pk)).content.decode()
    assert f'hx-get="{at("run_more", run.project_id, run.pk)}"' in page
    open_run = run_again(run=run, actor=run.started_by, request_id=uuid4())
    assert "run-more" not in client.get(at("run", run.project_id, open_run.pk)).content.decode()


def test_every_number_opens_a_list_of_that_length(client: Client, run: RetrievalRun) -> None:
    links = numbers_of(client.get(at("run_more", run.project_id, run.pk), headers=HTMX))
    assert len(links) == 14  # two sources of three numbers, four queries of which nothing is found only there
    for address, number in links:
        page = client.get(address)
        listed = re.search(r"of ([\d,]+)</caption>", page.content.decode())
        assert listed is not None, address
        assert listed[1] == number, address


def test_the_list_says_what_it_is_narrowed_to_and_keeps_it_when_filtered(client: Client, run: RetrievalRun) -> None:
    address = f"{at('candidates', run.project_id)}?run={run.pk}&at=pubmed&overlap=only"
    page = client.get(address)
    assert f"Only what run {run.pk} found at PubMed and nothing else of it found." in text_of(page)
    form = re.search(r'(?s)<form method="get" class="filters".*?</form>', page.content.decode())
    assert form is not None
    kept = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form[0]))
    assert kept == {"run": str(run.pk), "at": "pubmed", "overlap": "only"}


@pytest.mark.parametrize("query", ["run=99999999999999999999999", "run=x", "run=1&overlap=nonsense", "not_in=-3"])
def test_odd_addresses_of_the_list_are_answered(client: Client, run: RetrievalRun, query: str) -> None:
    assert client.get(f"{at('candidates', run.project_id)}?{query}").status_code == 200


def test_the_part_is_a_page_without_script(client: Client, run: RetrievalRun) -> None:
    whole = client.get(at("run_more", run.project_id, run.pk)).content.decode()
    part = client.get(at("run_more", run.project_id, run.pk), headers=HTMX).content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert part.strip().startswith('<div id="run-more"')


def test_the_bundle_is_downloaded_and_terms_stand_beside_the_answers(client: Client, run: RetrievalRun) -> None:
    page = client.get(at("run_bundle", run.project_id, run.pk))
    assert "before you pass them on, read their terms" in text_of(page)
    for query, extra in (("", 0), ("?answers=1", 1)):
        response = client.get(at("run_bundle_file", run.project_id, run.pk) + query)
        body = b"".join(response.streaming_content)  # type: ignore[attr-defined]
        assert response["Content-Disposition"].startswith("attachment; filename=")
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = archive.namelist()
        assert {name for name in names if "/" not in name} == {MANIFEST, *CONTENT}
        assert any(name.startswith("answers/") for name in names) is bool(extra)


def test_an_open_run_has_no_bundle_yet(client: Client, started: Start, sources: Sources) -> None:
    run = started("pubmed")
    assert "This run is still going on." in text_of(client.get(at("run_bundle", run.project_id, run.pk)))
    page = client.get(at("run_bundle_file", run.project_id, run.pk), follow=True)
    assert "still going on. Export it when it is over" in text_of(page)


def test_a_replay_is_started_once_and_says_how_it_ended(client: Client, run: RetrievalRun, sources: Sources) -> None:
    number = str(uuid4())
    address = at("run_replay", run.project_id, run.pk)
    answers = [client.post(address, {"request_id": number}) for _ in range(2)]
    [replay] = RetrievalRun.objects.filter(replay_of=run)
    assert [answer["Location"] for answer in answers] == [at("run", run.project_id, replay.pk)] * 2
    work_all(replay)
    told = text_of(client.get(at("run_more", run.project_id, replay.pk), headers=HTMX))
    assert "The replay gave the same. 32 records at the same ranks, 13 papers" in told


def test_a_run_without_archived_answers_offers_no_replay(client: Client, run: RetrievalRun) -> None:
    for step in run.steps.all():
        step.answers.all().delete()
    page = client.get(at("run_more", run.project_id, run.pk), headers=HTMX).content.decode()
    assert "Replay from the archive" not in page
    refused = client.post(at("run_replay", run.project_id, run.pk), follow=True)
    assert "No archived answers of this run are here" in text_of(refused)


def test_the_comparison_names_what_is_new_and_opens_its_list(
    client: Client, started: Start, sources: Sources, person: User, clock: Any
) -> None:
    sources["pubmed"].records = papers(4)
    earlier = work_all(started("pubmed"))
    notice = (Notice(NoticeKind.RETRACTION, date="2026"),)
    sources["pubmed"].records = [
        paper(1), paper(2, notices=notice), paper(3, volume="9"), paper(5, title=f"New {HOSTILE} paper on asthma"),
    ]  # fmt: skip
    clock.shift(86400)
    later = work_all(run_again(run=earlier, actor=person, request_id=uuid4()))
    page = client.get(at("run_comparison", later.project_id, later.pk, earlier.pk))
    told = text_of(page)
    assert (
        "In both runs 3 New 1 of them not decided 1 Gone 1 Cannot be said 0 Records changed 2 Newly retracted 1" in told
    )
    assert HOSTILE not in page.content.decode()
    new = re.search(r'<dt>New</dt><dd><a href="([^"]+)">1</a>', page.content.decode())
    assert new is not None
    assert "Only what run" in text_of(client.get(html.unescape(new[1])))
    screen = re.search(r'href="([^"]+/screen/[^"]+)"', page.content.decode())
    assert screen is not None
    card = text_of(client.get(html.unescape(screen[1])))
    assert "paper on asthma" in card
    more = text_of(client.get(at("run_more", later.project_id, later.pk), headers=HTMX))
    assert f"What changed since run {earlier.pk}" in more


def test_runs_of_two_plans_are_sent_back_with_the_reason(client: Client, run: RetrievalRun, started: Start) -> None:
    other = work_all(started("pubmed"))
    page = client.get(at("run_comparison", run.project_id, run.pk, other.pk), follow=True)
    assert "These runs are of two different plans." in text_of(page)


# Missing abstracts


def test_the_page_lists_what_is_missing_and_who_was_asked(client: Client, run: RetrievalRun) -> None:
    lacking = Candidate.objects.filter(has_abstract=False).order_by("pk").first()
    assert lacking is not None
    fill = AbstractFill.objects.create(project=run.project, request_id=uuid4(), chosen=[lacking.pk], total=1)
    AbstractLookup.objects.create(
        fill=fill, candidate=lacking, source="openalex", scheme="doi", identifier="x", outcome="no_abstract"
    )
    told = text_of(client.get(at("abstracts", run.project_id)))
    assert "Missing abstracts 3 missing Given by a source that found the paper 10 Filled from another source 0" in told
    assert "OpenAlex has the paper without an abstract" in told
    assert told.count("nobody yet") == 2


def test_the_button_asks_for_all_or_for_the_chosen(client: Client, run: RetrievalRun) -> None:
    ids = list(Candidate.objects.filter(has_abstract=False).order_by("pk").values_list("pk", flat=True))
    address = at("abstracts_look", run.project_id)
    client.post(address, {"which": "all", "request_id": str(uuid4())})
    client.post(address, {"which": "chosen", "ids": [ids[1], "x", "9" * 30], "request_id": str(uuid4())})
    assert [fill.chosen for fill in AbstractFill.objects.order_by("pk")] == [ids, [ids[1]]]
    page = client.post(address, {"which": "chosen", "request_id": str(uuid4())}, follow=True)
    assert "Choose at least one record first." in text_of(page)


def test_a_search_for_abstracts_is_polled_until_it_ends(client: Client, run: RetrievalRun) -> None:
    fill = AbstractFill.objects.create(project=run.project, request_id=uuid4(), chosen=[1, 2], total=2)
    address = at("abstracts_fill", run.project_id, fill.pk)
    polled = re.search(r'hx-get="([^"]+)"', client.get(address).content.decode())
    assert polled is not None
    assert client.get(html.unescape(polled[1]), headers=HTMX).status_code == 204
    counts = {"wanted": 2, "filled": 1, "filled_by": {"openalex": 1}, "missing": 1, "no_identifier": 0}
    AbstractFill.objects.filter(pk=fill.pk).update(
        state=StepState.PARTIAL, done=2, counts=counts, troubles=["PubMed could not be asked for 1 paper: busy."]
    )
    part = client.get(html.unescape(polled[1]), headers=HTMX)
    told = text_of(part)
    assert "Filled from OpenAlex 1" in told
    assert "PubMed could not be asked for 1 paper: busy." in told
    assert "hx-trigger" not in part.content.decode()
