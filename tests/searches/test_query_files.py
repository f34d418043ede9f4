"""Plans from query files: kept provenance, named rejects, refused before anything is asked; page and command."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from litapp.core.formats.planyaml import plan_to_yaml
from litapp.core.plan import PlanError, PlanQuery, SearchPlan
from litapp.projects.models import Membership, Project, Role
from searches.models import RetrievalRun, SearchPlanVersion
from searches.services import query_files
from searches.services.bundle_export import bundle_export
from searches.services.bundle_import import bundle_import
from searches.services.plans import plan_approve, plan_new_version, plan_save
from searches.services.query_files import (
    QueryFileError,
    plan_create_from_file,
    plan_from_file,
    plan_from_query_file,
    without_empty_queries,
)
from searches.services.runs import run_start
from tests.searches.conftest import content, work_all
from tests.searches.stand_in import StandIn, papers

pytestmark = pytest.mark.django_db
QUERIES = ["asthma children", "asthma adults", "copd oxygen", "sepsis fluids", "stroke aspirin"]


def made(value: Any, **options: Any) -> query_files.PlanFile:
    return plan_from_query_file(json.dumps(value).encode(), **({"sources": ["pubmed", "crossref"]} | options))


def test_a_plan_with_topic_domain_and_labels() -> None:
    file = made(
        {"topic": "Does it help?", "domain": "lungs", "queries": [{"query": q, "topic": q[:4]} for q in QUERIES]},
        name="q.json",
    )
    assert (file.content.question, file.content.sources) == ("Does it help?", ("pubmed", "crossref"))
    assert [(q.plain, q.label) for q in file.content.queries] == [(q, q[:4]) for q in QUERIES]
    assert {k: file.origin[k] for k in ("kind", "name", "topic", "domain", "entries")} == {
        "kind": "query_file", "name": "q.json", "topic": "Does it help?", "domain": "lungs", "entries": [1, 2, 3, 4, 5],
    }  # fmt: skip


def test_the_topic_given_beside_the_file_counts_where_it_has_none() -> None:
    assert made(QUERIES, topic=" Why? ").content.question == "Why?"
    assert made({"topic": "Own", "queries": QUERIES}, topic="Why?").content.question == "Own"


def test_rejects_are_named_and_kept() -> None:
    file = made([*QUERIES, "", "(a OR b", "x" * 1001])
    assert len(file.content.queries) == 5
    assert [note[:8] for note in file.notes] == ["Entry 6:", "Entry 7 ", "Entry 8 "]
    assert file.origin["rejected"] == list(file.notes)
    assert "1,001 characters; at most 1,000" in file.notes[2]


@pytest.mark.parametrize("number", [4, 26])
def test_too_few_or_too_many_are_refused_before_any_request(
    sources: dict[str, StandIn], number: int, settings: Any
) -> None:
    value = [f"query {n}" for n in range(number)]
    with pytest.raises(QueryFileError, match=f"has {number} valid queries; a query file has 5 to 25"):
        made(value)
    assert all(stand_in.sent == [] for stand_in in sources.values())
    settings.QUERY_FILE_LEAST, settings.QUERY_FILE_MOST = 1, 30
    assert len(made(value).content.queries) == number


def test_twenty_five_queries_can_be_approved_and_run(
    project: Project, person: User, sources: dict[str, StandIn]
) -> None:
    sources["pubmed"].records = papers(2)
    file = made([f"query {n}" for n in range(25)], topic="Why?", sources=["pubmed"])
    version = plan_create_from_file(project=project, actor=person, file=file)
    version = plan_approve(version=version, actor=person, content_hash=version.content_hash)
    run = run_start(version=version, actor=person, request_id=uuid4())
    assert run.steps.count() == 25


def test_plans_made_on_the_page_are_not_bound_by_the_limits(
    approved: Callable[..., SearchPlanVersion], sources: dict[str, StandIn]
) -> None:
    for number in (1, 30):
        assert len(approved("pubmed", queries=number).plan_content.queries) == number


def test_the_provenance_stays_with_the_plan_its_versions_and_its_bundle(
    project: Project, person: User, sources: dict[str, StandIn], tmp_path: Path
) -> None:
    sources["pubmed"].records = papers(2)
    raw = json.dumps({"topic": "Why?", "domain": "lungs", "queries": [*QUERIES, ""]}).encode()
    file = plan_from_query_file(raw, name="q.json", sources=["pubmed"])
    version = plan_create_from_file(project=project, actor=person, file=file)
    version = plan_approve(version=version, actor=person, content_hash=version.content_hash)
    run = work_all(run_start(version=version, actor=person, request_id=uuid4()))
    told = bundle_export(run=run, out=tmp_path / "a").manifest["query_file"]
    assert told == {
        "sha256": hashlib.sha256(raw).hexdigest(), "name": "q.json", "topic": "Why?", "domain": "lungs",
        "rejected": ["Entry 6: it is empty and was taken out."], "notes": [], "unchanged": True,
    }  # fmt: skip
    second = plan_new_version(version=version, actor=person)
    assert second.origin == version.origin
    plan_save(version=second, actor=person, content=content("pubmed"), revision=second.revision)
    second.refresh_from_db()
    second = plan_approve(version=second, actor=person, content_hash=second.content_hash)
    run = work_all(run_start(version=second, actor=person, request_id=uuid4()))
    assert bundle_export(run=run, out=tmp_path / "b").manifest["query_file"]["unchanged"] is False
    other = Project.objects.create(name="Elsewhere", created_by=person)
    imported = bundle_import(path=tmp_path / "a", project=other, actor=person).run
    assert bundle_export(run=imported, out=tmp_path / "c").manifest["query_file"] == told


# Files of either kind


def test_a_plan_file_is_read_as_a_plan_and_its_empty_queries_are_dropped_with_a_note() -> None:
    queries = (PlanQuery("a[ti]"), PlanQuery(label="later"), PlanQuery("b[ti]"), PlanQuery())
    plan = content("pubmed", queries_given=queries)
    file = plan_from_file(plan_to_yaml(plan).encode(), name="p.yaml")
    assert [q.boolean for q in file.content.queries] == ["a[ti]", "b[ti]"]
    assert file.notes == ("Query 2 (“later”) is empty and was taken out.", "Query 4 is empty and was taken out.")
    assert file.origin == {}


def test_a_plan_of_nothing_but_empty_queries_is_left_for_the_check() -> None:
    plan = SearchPlan("q", ("pubmed",), (PlanQuery(),))
    assert without_empty_queries(plan) == (plan, ())


def test_a_query_file_is_recognised_and_what_is_neither_says_so() -> None:
    assert plan_from_file(json.dumps(QUERIES).encode()).origin["kind"] == "query_file"
    with pytest.raises(PlanError):
        plan_from_file(b"- just\n- a list\n")
    with pytest.raises(PlanError, match="UTF-8"):
        plan_from_file(b"\xff\xfe")


def test_the_review_command_takes_a_query_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps([*QUERIES, ""]))
    with pytest.raises(CommandError, match="Nothing runs unapproved"):
        call_command("review", str(path), "--out", str(tmp_path / "out"), "--topic", "Why?")
    assert "Entry 6: it is empty and was taken out." in capsys.readouterr().err
    path.write_text(json.dumps(QUERIES[:2]))
    with pytest.raises(CommandError, match="2 valid queries; a query file has 5 to 25"):
        call_command("review", str(path), "--out", str(tmp_path / "out"), "--approve")
    assert RetrievalRun.objects.count() == 0


# The page


@pytest.fixture
def client(project: Project, person: User) -> Client:
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    browser = Client()
    browser.force_login(person)
    return browser


def send(client: Client, project: Project, **data: Any) -> Any:
    address = reverse("searches:plan_from_file", args=[project.pk])
    return client.post(address, {"sources": ["pubmed", "crossref"], "request_id": str(uuid4()), **data}, follow=True)


def text_of(response: Any) -> str:
    page = re.sub(r"(?s)<(script|style|svg|template)\b.*?</\1>", " ", response.content.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_pasted_file_becomes_a_draft(client: Client, project: Project) -> None:
    page = send(client, project, text=json.dumps([*QUERIES, "("]), topic="Why?", title="My plan")
    [version] = SearchPlanVersion.objects.all()
    assert (version.plan.title, version.is_approved, len(version.plan_content.queries)) == ("My plan", False, 5)
    told = text_of(page)
    assert "Draft with 5 queries. Nothing is searched before it is approved." in told
    assert "Entry 6 (“(”)" in told
    assert "Made from the query file “pasted”" in told


def test_an_uploaded_file_becomes_a_draft_with_its_name(client: Client, project: Project) -> None:
    upload = SimpleUploadedFile("q.json", json.dumps({"topic": "Why?", "queries": QUERIES}).encode())
    send(client, project, file=upload)
    assert SearchPlanVersion.objects.get().origin["name"] == "q.json"


def test_a_double_click_makes_one_plan(client: Client, project: Project) -> None:
    number = str(uuid4())
    for _ in range(2):
        send(client, project, text=json.dumps(QUERIES), request_id=number)
    assert SearchPlanVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Paste the file here."),
        ({"text": "[1"}, "cannot be read as JSON"),
        ({"text": json.dumps(QUERIES[:3])}, "3 valid queries; a query file has 5 to 25"),
        ({"text": json.dumps(QUERIES), "sources": []}, "Choose at least one source."),
    ],
)
def test_what_is_wrong_stands_on_the_page_and_nothing_typed_is_lost(
    client: Client, project: Project, data: dict[str, Any], sentence: str
) -> None:
    page = send(client, project, topic="Kept question", **data)
    assert page.status_code == 422
    assert sentence in text_of(page)
    assert "Kept question" in page.content.decode()
    if "text" in data:
        assert html.escape(data["text"]) in page.content.decode()
    assert SearchPlanVersion.objects.count() == 0


def test_hostile_text_stays_text(client: Client, project: Project) -> None:
    evil = "<script>alert(1)</script>"
    page = send(client, project, text=json.dumps({"topic": evil, "domain": evil, "queries": [*QUERIES, [evil]]}))
    assert SearchPlanVersion.objects.count() == 1
    assert evil not in page.content.decode()


def test_an_empty_query_of_the_plan_form_is_dropped_with_a_note(client: Client, project: Project) -> None:
    data = {
        "title": "T", "question": "Why?", "sources": ["pubmed"], "preprints": "included", "then": "save",
        "queries-TOTAL_FORMS": "3", "queries-INITIAL_FORMS": "0",
        "queries-0-boolean": "a[ti]", "queries-1-label": "later", "queries-2-boolean": "b[ti]",
    }  # fmt: skip
    page = client.post(reverse("searches:plan_new", args=[project.pk]), data, follow=True)
    assert [q.boolean for q in SearchPlanVersion.objects.get().plan_content.queries] == ["a[ti]", "b[ti]"]
    assert "Query 2 (“later”) was empty and was taken out." in text_of(page)
