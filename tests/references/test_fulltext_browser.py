"""Pages of full texts and briefings in a real browser: axe, small screens, forms by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from litapp.core.formats.briefing import opening_summary
from litapp.sandbox.pdf_files import pdf_of, scanned_pdf
from references.models import Briefing, BriefingPaper, FullText, FullTextAttempt, Reference
from references.services.fulltext_requests import fulltexts_request, mark_not_retrieved
from references.services.fulltext_uploads import UploadWork, upload_request
from tests.references.briefing_documents import document_with
from tests.references.world import MOMENT, World, make_world
from tests.web.test_browser import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Any]


@pytest.fixture
def world(transactional_db: None) -> World:
    world = make_world()
    for number in range(1, 7):
        world.decide(world.candidate(number), "include")
    references = list(Reference.objects.filter(project=world.project).order_by("pk"))
    good = pdf_of([f"doi:{references[0].candidate.doi}", "A text in which all is told of the paper. " * 4])
    upload = upload_request(
        project=world.project, actor=world.owner, request_id=uuid4(),
        files=[("a.pdf", [good]), ("scan.pdf", [scanned_pdf()]), ("none.pdf", [b"x" * 20_000])],
    )  # fmt: skip
    UploadWork().run(str(upload.pk))
    fulltexts_request(project=world.project, actor=world.owner, reference_ids=[references[1].pk])
    search = FullText.objects.get()
    for source, outcome in (("unpaywall", "nothing"), ("landing", "paywall"), ("landing", "captcha")):
        FullTextAttempt.objects.create(
            full_text=search, source=source, outcome=outcome, message="Told.", url="https://a.test/"
        )
    mark_not_retrieved(reference=references[2], actor=world.owner, reason="paywall")
    record = world.candidates[0].source_records.get().source_record
    briefing = Briefing.objects.create(
        project=world.project, request_id=uuid4(), asked="BRCA1", asked_key="0", number=1, input_sha256="0" * 64,
        state="done", read_at=MOMENT, total=1, found=3, query_sent="BRCA1[tiab]", document=document_with(record.record),
    )  # fmt: skip
    summary = opening_summary(record.record, fallback="the model refused.")
    BriefingPaper.objects.create(briefing=briefing, place=1, source_record=record, summary=summary)
    return world


def pages(world: World) -> list[str]:
    first, second, third = Reference.objects.filter(project=world.project).order_by("pk")[:3]
    briefing = Briefing.objects.get()
    upload = world.project.full_text_uploads.get()
    return [
        "/full-texts/", f"/full-texts/{first.pk}/", f"/full-texts/{second.pk}/", f"/full-texts/{third.pk}/",
        f"/full-texts/{first.pk}/text/", "/full-texts/bring/", f"/full-texts/uploads/{upload.pk}/",
        "/full-texts/questions/", "/full-texts/resolver/", "/briefings/", "/briefings/new/",
        f"/briefings/{briefing.pk}/",
    ]  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_no_page_has_a_barrier_or_runs_over(world: World, as_person: Open, width: int, scheme: str) -> None:
    for address in pages(world):
        page = as_person(world, address, width=width, scheme=scheme)
        assert violations(page) == [], address
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over == 0, address
        page.context.close()


def test_the_proposed_papers_are_chosen_and_sent_by_keyboard(world: World, as_person: Open) -> None:
    page = as_person(world, "/full-texts/?show=none")
    boxes = page.get_by_role("checkbox", name="Choose")
    chosen = [box for box in boxes.all() if box.is_checked()]
    assert chosen
    for box in chosen[1:]:
        box.focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Look for the chosen").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Looking for 1 full text.")).to_be_visible()
    assert FullText.objects.count() == 2


def test_the_abstract_of_a_briefing_opens_on_demand(world: World, as_person: Open) -> None:
    page = as_person(world, f"/briefings/{Briefing.objects.get().pk}/")
    expect(page.get_by_text("Done.")).to_be_hidden()
    page.get_by_text("Abstract", exact=True).click()
    expect(page.get_by_text("Done.")).to_be_visible()
    expect(page.get_by_text("No AI summary: the model refused.")).to_be_visible()
