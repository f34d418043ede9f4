"""The literature matrix and the evidence summary in a real browser: keys, dialog, focus, axe, reflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from litapp.core.records import AbstractSection
from references.models import MatrixCell, Reference
from references.services.summary import topic_add
from tests.references.world import World, make_world
from tests.web.test_browser import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Any]
TEXT = "We enrolled 412 patients. Mortality was significantly lower (22.9% vs. 25.7%)."


@pytest.fixture
def world(transactional_db: None) -> World:
    world = make_world()
    for number in (1, 2):
        candidate = world.candidate(number, abstract=(AbstractSection(TEXT),))
        world.verify(candidate)
        world.decide(candidate, "include")
    return world


def test_a_cell_is_filled_and_taken_back_by_keys(world: World, as_person: Open) -> None:
    page = as_person(world, "/matrix/")
    page.keyboard.press("j")
    page.keyboard.press("o")
    dialog = page.locator("dialog.matrix-dialog")
    expect(dialog).to_contain_text("Population of Weber_2001_Paper")
    page.keyboard.press("1")
    expect(dialog).to_have_count(0)
    reference = Reference.objects.get(key="Weber_2001_Paper")
    opened = page.locator(f"#cell-{reference.pk}-population a")
    expect(opened).to_be_focused()
    expect(opened).to_contain_text("Humans")
    assert MatrixCell.objects.get().value == "Humans"
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("Offered by the rule “MeSH check tags”")
    page.keyboard.press("u")
    expect(dialog).to_have_count(0)
    expect(opened).not_to_contain_text("Humans")
    assert MatrixCell.objects.get().state == ""


def test_a_key_pressed_the_moment_the_dialog_arrives_counts(world: World, as_person: Open) -> None:
    page = as_person(world, "/matrix/")
    page.evaluate(
        """document.addEventListener("htmx:afterSwap", () => setTimeout(() => document.activeElement.dispatchEvent(
             new KeyboardEvent("keydown", {key: "1", bubbles: true, cancelable: true}))), {once: true})"""
    )
    page.keyboard.press("j")
    page.keyboard.press("o")
    reference = Reference.objects.get(key="Weber_2001_Paper")
    expect(page.locator(f"#cell-{reference.pk}-population a")).to_contain_text("Humans")
    expect(page.locator("dialog.matrix-dialog")).to_have_count(0)


def test_what_was_typed_stays_when_the_words_are_not_in_the_abstract(world: World, as_person: Open) -> None:
    reference = Reference.objects.get(key="Weber_2001_Paper")
    page = as_person(world, "/matrix/", expect=("422",))
    page.locator(f"#cell-{reference.pk}-finding a").click()
    page.get_by_label("Value").fill("fewer deaths")
    page.get_by_label("Words of the source").fill("no such words")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("dialog .notice-stop")).to_contain_text("No stored abstract of this paper holds these words")
    expect(page.get_by_label("Value")).to_have_value("fewer deaths")
    page.get_by_label("Words of the source").fill("significantly lower (22.9% vs. 25.7%)")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(f"#cell-{reference.pk}-finding a")).to_contain_text("fewer deaths")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_violates_a_rule_and_all_reflow(world: World, as_person: Open, width: int, scheme: str) -> None:
    topic_add(project=world.project, actor=world.owner, title="Mortality", text="It fell [9].")
    reference = Reference.objects.get(key="Weber_2001_Paper")
    page = as_person(world, "/matrix/", width=width, scheme=scheme)
    start = page.url.split("/matrix/")[0]
    for tail in ("/summary/", f"/matrix/{reference.pk}/finding/", "/matrix/"):
        page.goto(f"{start}{tail}")
        page.wait_for_load_state("networkidle")
        assert (tail, violations(page)) == (tail, [])
        assert (tail, page.evaluate("document.documentElement.scrollWidth")) == (tail, width)
    page.locator(f"#cell-{reference.pk}-finding a").click()
    expect(page.locator("dialog.matrix-dialog")).to_be_visible()
    assert violations(page) == []
