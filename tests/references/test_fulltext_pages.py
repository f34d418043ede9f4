"""Pages of full texts: list with proposals, one reference, files, questions, resolver; with script or without."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from litapp.jobs.models import StepState
from litapp.sandbox.pdf_files import pdf_of, scanned_pdf
from litapp.sandbox.server import RunningSandbox
from references.models import FullText, FullTextCopy, FullTextUpload, Reference, ResolverAddress
from references.services.fulltext_uploads import UploadWork
from references.services.fulltext_work import FullTextWork
from searches.models import ReportRetrieval
from tests.references.fulltext_papers import CONTACT, article_of_kind, refer
from tests.references.world import HOSTILE, World, make_world
from tests.sandbox.fixtures import FAST, running_sandbox, sandbox_server, tiny_corpus

__all__ = ["running_sandbox", "sandbox_server", "tiny_corpus"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def sandbox(sandbox_server: RunningSandbox, settings: Any) -> RunningSandbox:
    settings.SANDBOX_URL, settings.SANDBOX_CLOCK, settings.CONTACT_EMAIL = sandbox_server.url, FAST, CONTACT
    return sandbox_server


@pytest.fixture
def world(sandbox: RunningSandbox) -> World:
    return make_world(sandbox=True)


def url(world: World, name: str, *args: Any) -> str:
    return reverse(f"references:{name}", args=[world.project.pk, *args])


def test_an_empty_list_says_what_to_do(world: World) -> None:
    page = world.client().get(url(world, "fulltext"))
    assert page.status_code == 200
    assert "Include a paper in screening first." in page.content.decode()


def test_the_proposed_papers_are_chosen_with_their_reasons_and_the_choice_is_the_persons(
    world: World, sandbox: RunningSandbox
) -> None:
    pmc = refer(world, article_of_kind(sandbox, "paywall", pmc=True))
    closed = refer(world, article_of_kind(sandbox, "paywall"))
    client = world.client()
    text = client.get(url(world, "fulltext")).content.decode()
    chosen = re.findall(r'name="reference" value="(\d+)"[^>]* checked>', text)
    assert sorted(map(int, chosen)) == sorted([pmc.pk, closed.pk])
    assert "Rules over the 2 records chose them" in text
    sent = client.post(url(world, "fulltext_start"), {"reference": [closed.pk]})
    assert (sent.status_code, sent["Location"]) == (303, url(world, "fulltext"))
    assert [row.reference for row in FullText.objects.all()] == [closed]
    client.post(url(world, "fulltext_start"), {"all": "1"})
    assert {row.reference for row in FullText.objects.all()} == {closed, pmc}
    text = client.get(url(world, "fulltext")).content.decode()
    assert "0 of 2 searches are through" in text
    assert "The background worker is not running." in text
    FullTextWork().run("0")
    text = client.get(url(world, "fulltext")).content.decode()
    assert "1 of 2 here" in text
    assert "It stands behind a paywall." in text
    assert "PubMed Central" in text
    shown = client.get(url(world, "fulltext"), {"show": "not_retrieved"}).content.decode()
    assert closed.key in shown
    assert pmc.key not in shown


def test_the_progress_is_asked_for_and_ends_with_a_new_page(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    client = world.client()
    client.post(url(world, "fulltext_start"), {"reference": [reference.pk]})
    part = client.get(url(world, "fulltext"), headers={"hx-request": "true"})
    text = part.content.decode()
    assert text.strip().startswith('<div id="progress"')
    seen = text.split("?seen=")[1].split('"')[0]
    assert client.get(url(world, "fulltext"), {"seen": seen}, headers={"hx-request": "true"}).status_code == 204
    FullTextWork().run("0")
    done = client.get(url(world, "fulltext"), {"seen": seen}, headers={"hx-request": "true"})
    assert (done.status_code, done["HX-Refresh"]) == (204, "true")
    page = url(world, "fulltext_reference", reference.pk)
    assert client.get(page, headers={"hx-request": "true"})["HX-Refresh"] == "true"


def test_stop_and_resume(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    client = world.client()
    client.post(url(world, "fulltext_start"), {"reference": [reference.pk]})
    client.post(url(world, "fulltext_cancel"))
    assert FullText.objects.get().state == StepState.CANCELLED
    assert "1 search stopped." in client.get(url(world, "fulltext")).content.decode()
    client.post(url(world, "fulltext_resume"))
    assert FullText.objects.get().state == StepState.QUEUED


def test_one_reference_shows_every_place_with_its_answer_and_the_letters(world: World, sandbox: RunningSandbox) -> None:
    article = article_of_kind(sandbox, "paywall")
    reference = refer(world, article)
    client = world.client()
    sent = client.post(url(world, "fulltext_start"), {"reference": [reference.pk], "from": "reference"})
    assert sent["Location"] == url(world, "fulltext_reference", reference.pk)
    FullTextWork().run("0")
    text = client.get(sent["Location"]).content.decode()
    for word in ("Unpaywall", "OpenAlex", "Crossref", "The publisher&#x27;s page", "A page that sells the paper.",
                 "Not retrieved.", "Request to a library", "Message to the author", "By rule, from what the",
                 "The access rules of your institution bind you."):  # fmt: skip
        assert word in text, word
    assert f"https://doi.org/{article.doi.lower()}" in text
    answers = [part.split('"')[0] for part in text.split('href="') if "/full-texts/places/" in part.split('"')[0]]
    assert len(answers) == 5
    assert all(client.get(address).status_code == 200 for address in answers)
    raw = client.get(answers[-1] + "?raw=1")
    assert b"Purchase PDF" in raw.content


def test_a_person_decides_and_takes_it_back(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    client = world.client()
    address = url(world, "fulltext_not_retrieved", reference.pk)
    client.post(address, {"reason": "language", "because": "Finnish"})
    row = ReportRetrieval.objects.get()
    assert (row.outcome, row.reason, row.because, row.actor) == ("not_retrieved", "language", "Finnish", world.owner)
    client.post(address, {"reason": "nonsense"})
    assert ReportRetrieval.objects.get().reason == "language"
    client.post(address, {"again": "1"})
    assert ReportRetrieval.objects.get().outcome == "sought"


def test_a_found_text_is_read_by_sections_and_downloaded_as_it_came(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall", pmc=True))
    client = world.client()
    client.post(url(world, "fulltext_start"), {"reference": [reference.pk]})
    FullTextWork().run("0")
    xml, pdf = FullTextCopy.objects.order_by("pk")
    text = client.get(url(world, "fulltext_text", reference.pk)).content.decode()
    assert "CC BY 4.0" in text
    file = client.get(url(world, "fulltext_file", pdf.pk))
    assert (file["Content-Type"], file["X-Content-Type-Options"], file.content[:5]) == (
        "application/pdf", "nosniff", b"%PDF-",
    )  # fmt: skip
    assert file["Content-Disposition"].startswith("attachment; ")
    assert client.get(url(world, "fulltext_file", xml.pk))["Content-Type"] == "application/octet-stream"
    client.post(url(world, "fulltext_withdraw", xml.pk))
    client.post(url(world, "fulltext_withdraw", pdf.pk))
    assert client.get(url(world, "fulltext_text", reference.pk)).status_code == 404
    assert ReportRetrieval.objects.get().outcome == "sought"


def test_files_are_brought_matched_and_asked_about(world: World, sandbox: RunningSandbox) -> None:
    reference = refer(world, article_of_kind(sandbox, "paywall"))
    good = pdf_of([reference.candidate.title, f"doi {reference.candidate.doi}", "Words of the paper. " * 20])
    scan = scanned_pdf()
    client = world.client()
    assert "webkitdirectory" in client.get(url(world, "fulltext_bring")).content.decode()
    sent = client.post(
        url(world, "fulltext_bring"),
        {"files": [SimpleUploadedFile("a.pdf", good), SimpleUploadedFile("scan.pdf", scan)], "request_id": uuid4()},
    )
    upload = FullTextUpload.objects.get()
    assert sent["Location"] == url(world, "fulltext_upload", upload.pk)
    assert "files looked at" in client.get(sent["Location"]).content.decode()
    UploadWork().run(str(upload.pk))
    text = client.get(sent["Location"]).content.decode()
    assert "Look at 1" in text
    queue = client.get(url(world, "fulltext_questions")).content.decode()
    assert "scan.pdf" in queue
    copy = FullTextCopy.objects.get(file_name="scan.pdf")
    client.post(url(world, "fulltext_answer", copy.pk), {"reference": ""})
    copy.refresh_from_db()
    assert copy.state == "asked"
    client.post(url(world, "fulltext_answer", copy.pk), {"reference": reference.pk})
    copy.refresh_from_db()
    assert (copy.state, copy.reference) == ("accepted", reference)
    client.post(url(world, "fulltext_answer", copy.pk), {"none": "1"})
    copy.refresh_from_db()
    assert copy.state == "accepted"
    assert "Nothing to look at" in client.get(url(world, "fulltext_questions")).content.decode()


def test_bringing_nothing_says_so(world: World) -> None:
    answer = world.client().post(url(world, "fulltext_bring"), {"request_id": "no number"})
    assert answer.status_code == 422
    assert "Choose at least one file." in answer.content.decode()


def test_the_resolver_page_states_the_rule_and_presets_nothing(world: World) -> None:
    client = world.client()
    text = client.get(url(world, "fulltext_resolver")).content.decode()
    assert "The access rules of your institution bind you." in text
    assert 'value=""' in text
    bad = client.post(url(world, "fulltext_resolver"), {"address": "http://localhost/x"})
    assert bad.status_code == 422
    assert "This address is not public." in bad.content.decode()
    assert "http://localhost/x" in bad.content.decode()
    client.post(url(world, "fulltext_resolver"), {"address": "https://proxy.test/login?url="})
    assert ResolverAddress.objects.get().user == world.owner


def test_hostile_titles_and_file_names_are_shown_as_text(world: World) -> None:
    candidate = world.candidate(title=HOSTILE)
    world.decide(candidate, "include")
    reference = Reference.objects.get(candidate=candidate)
    client = world.client()
    name = '"><script>alert(1)</script>.pdf'
    client.post(
        url(world, "fulltext_bring"), {"files": [SimpleUploadedFile(name, b"x")], "request_id": uuid4()}
    )  # fmt: skip
    upload = FullTextUpload.objects.get()
    UploadWork().run(str(upload.pk))
    for address in (url(world, "fulltext"), url(world, "fulltext_reference", reference.pk),
                    url(world, "fulltext_upload", upload.pk), url(world, "fulltext_questions")):  # fmt: skip
        text = client.get(address).content.decode()
        assert "<script>alert(" not in text


def test_the_list_needs_few_queries(world: World, django_assert_max_num_queries: Any) -> None:
    for _ in range(3):
        world.decide(world.candidate(), "include")
    client = world.client()
    client.get(url(world, "fulltext"))
    with django_assert_max_num_queries(30):
        client.get(url(world, "fulltext"))
