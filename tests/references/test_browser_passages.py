"""Passages in a real browser: axe and reflow on the pages that show them, and accepting one as a quote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from litapp.jobs.models import StepState
from litapp.ledger.models import SourceRecord
from references.models import MatrixCell, Reference
from searches.models_passages import PassageSearch, StoredPassage
from tests.references.world import World, make_world
from tests.web.test_browser import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Any]
TEXT = "Patients were treated early. We enrolled 731 patients with severe pneumonia. Mortality was lower."


@pytest.fixture
def world(transactional_db: None) -> World:
    """Two references, six passages of the first, a search that ended and one that runs."""
    world = make_world()
    for number in (1, 2):
        candidate = world.candidate(number)
        world.verify(candidate)
        world.decide(candidate, "include")
    reference = Reference.objects.get(key="Weber_2001_Paper")
    answer = SourceRecord.objects.get(candidates__candidate=reference.candidate).answer
    for position in range(6):
        StoredPassage.objects.create(
            candidate=reference.candidate, source="semanticscholar", answer=answer, position=position, kind="body",
            text=f"{TEXT} Part {position}.", section="Results", words="early treatment of severe pneumonia",
        )  # fmt: skip
    given: dict[str, Any] = {"project": world.project, "requested_by": world.owner, "words": "early treatment"}
    counts = {"found": 1, "none": 0, "not_asked": 1, "passages": 6}
    trouble = "Semantic Scholar could not be asked for 1 paper: It is overloaded."
    PassageSearch.objects.create(
        **given, request_id=uuid4(), state=StepState.PARTIAL, chosen=[1, 2], total=2, done=2, counts=counts,
        troubles=[trouble],
    )  # fmt: skip
    PassageSearch.objects.create(**given, request_id=uuid4(), chosen=[1, 2], total=2)
    return world


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_violates_a_rule_and_all_reflow(world: World, as_person: Open, width: int, scheme: str) -> None:
    reference = Reference.objects.get(key="Weber_2001_Paper")
    page = as_person(world, "/matrix/", width=width, scheme=scheme)
    start = page.url.split("/matrix/")[0]
    for tail in ("/matrix/passages/", f"/references/{reference.pk}/", f"/matrix/{reference.pk}/methods/", "/matrix/"):
        page.goto(f"{start}{tail}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        assert (tail, violations(page)) == (tail, [])
        assert (tail, page.evaluate("document.documentElement.scrollWidth")) == (tail, width)


def test_a_passage_is_accepted_with_a_persons_value(world: World, as_person: Open) -> None:
    reference = Reference.objects.get(key="Weber_2001_Paper")
    page = as_person(world, "/matrix/")
    page.locator(f"#cell-{reference.pk}-methods a").click()
    page.get_by_text("Passages of the paper (6)").click()
    page.get_by_label("Value that it says").first.fill("early treatment")
    page.get_by_role("button", name="Accept this passage as the quote").first.click()
    expect(page.locator(f"#cell-{reference.pk}-methods a")).to_contain_text("early treatment")
    cell = MatrixCell.objects.get()
    assert (cell.place, cell.quote, cell.passage) == ("passage", f"{TEXT} Part 0.", StoredPassage.objects.first())
