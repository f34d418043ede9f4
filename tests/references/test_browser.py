"""Screening, lists, references and exports in a real browser: keys, focus, lost connections, no script, axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import expect

from litapp.projects.models import Role
from references.models import Reference
from references.services.reference_list import note_save
from searches.models import Candidate, ScreeningDecision
from tests.references.world import World, make_world
from tests.web.test_browser import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Any]
OFFLINE = ("ERR_INTERNET_DISCONNECTED", "Failed to load resource")


@pytest.fixture
def world(transactional_db: None) -> World:
    world = make_world(candidates=5)
    for candidate, status in zip(world.candidates, ("verified", "suspect", "unverified", "manual"), strict=False):
        world.verify(candidate, status)
    return world


def title(page: Any) -> Any:
    return page.locator("#record-title")


def decisions() -> list[str]:
    return list(Candidate.objects.order_by("pk").values_list("decision", flat=True))


# Screening


def test_keys_decide_move_and_take_back(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/")
    expect(title(page)).to_contain_text("Paper 1")
    page.wait_for_load_state("networkidle")  # the next records are ready
    page.keyboard.press("v")
    expect(title(page)).to_contain_text("Paper 2")
    expect(title(page)).to_be_focused()
    expect(page.locator("#announce")).to_contain_text("Saved: include “Paper 1")
    expect(page).to_have_url(re.compile(rf"record={world.candidates[1].pk}$"))
    page.keyboard.press("j")
    expect(title(page)).to_contain_text("Paper 3")
    expect(page.locator('[data-screen-keep="progress"]')).to_have_text("4 left of 5")
    expect(page.locator("[data-screen-state-text]")).to_contain_text("Your last: include “Paper 1")
    page.keyboard.press("x")
    expect(title(page)).to_contain_text("Paper 4")
    assert decisions() == ["include", "", "exclude", "", ""]
    page.keyboard.press("k")
    expect(title(page)).to_contain_text("Paper 3")
    page.keyboard.press("k")
    expect(title(page)).to_contain_text("Paper 2")
    page.keyboard.press("u")
    expect(title(page)).to_contain_text("Paper 3")
    expect(page.locator("#announce")).to_contain_text("Taken back: “Paper 3")
    assert decisions() == ["include", "", "", "", ""]


def test_back_and_reload_show_the_record_of_the_address(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/")
    page.keyboard.press("j")
    expect(title(page)).to_contain_text("Paper 2")
    page.keyboard.press("j")
    expect(title(page)).to_contain_text("Paper 3")
    page.go_back()
    expect(title(page)).to_contain_text("Paper 2")
    page.reload()
    expect(title(page)).to_contain_text("Paper 2")
    assert decisions() == [""] * 5


def test_keys_do_nothing_when_switched_off_or_in_a_field(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/")
    page.locator("#queue-order").focus()
    page.keyboard.press("x")
    page.locator("[data-dialog-open='#keys-help']").first.click()
    page.locator("[data-keys-switch]").uncheck()
    page.keyboard.press("Escape")
    title(page).focus()
    page.keyboard.press("v")
    page.keyboard.press("Control+v")
    page.wait_for_load_state("networkidle")
    assert decisions() == [""] * 5


def test_a_lost_connection_loses_no_decision(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/", expect=OFFLINE)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.press("v")
    unsent = page.locator("#unsent-decisions")
    expect(unsent).to_contain_text("1 decision is not saved yet")
    expect(title(page)).to_contain_text("Paper 1")
    expect(page.locator("[data-screen-state]")).to_contain_text("Not saved yet")
    page.keyboard.press("x")  # the same record again: nothing is added, nothing replaced
    expect(unsent).to_contain_text("Include “Paper 1")
    page.keyboard.press("j")
    expect(title(page)).to_contain_text("Paper 2")
    page.keyboard.press("x")
    expect(unsent).to_contain_text("2 decisions are not saved yet")
    assert decisions() == [""] * 5
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(unsent).to_be_hidden()
    expect(title(page)).to_contain_text("Paper 3")
    assert decisions() == ["include", "exclude", "", "", ""]
    assert ScreeningDecision.objects.count() == 2


def test_an_unsent_decision_survives_a_reload_and_is_sent_then(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/", expect=OFFLINE)
    page.wait_for_load_state("networkidle")
    page.on("dialog", lambda dialog: dialog.accept())
    page.route("**/decide/**", lambda route: route.abort())
    page.keyboard.press("m")
    expect(page.locator("#unsent-decisions")).to_contain_text("Maybe “Paper 1")
    page.unroute("**/decide/**")
    page.reload()
    expect(title(page)).to_contain_text("Paper 2")
    assert decisions() == ["maybe", "", "", "", ""]


def test_an_answer_that_is_not_ours_is_not_taken_for_saved(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/", expect=OFFLINE)
    page.wait_for_load_state("networkidle")
    page.route(
        "**/decide/**", lambda route: route.fulfill(status=200, body="<html>please pay for the hotel's net</html>")
    )
    page.keyboard.press("v")
    expect(page.locator("#toasts")).to_contain_text("The server did not take Include “Paper 1")
    expect(page.locator("#unsent-decisions")).to_contain_text("1 decision is not saved yet")
    expect(title(page)).to_contain_text("Paper 1")
    assert decisions() == [""] * 5


def test_a_session_that_ended_is_told_and_the_decision_kept(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/", expect=OFFLINE)
    page.wait_for_load_state("networkidle")
    cookies = page.context.cookies()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.keyboard.press("v")
    expect(page.locator("#toasts")).to_contain_text("You are signed out")
    expect(page.locator("#unsent-decisions")).to_contain_text("Include “Paper 1")
    page.context.add_cookies(cookies)
    page.locator("[data-unsent-send]").click()
    expect(title(page)).to_contain_text("Paper 2")
    assert decisions() == ["include", "", "", "", ""]


def test_whoever_is_slower_is_told_who_decided(world: World, as_person: Open) -> None:
    world.person("ben", Role.SCREENER)
    page = as_person(world, "/screen/", expect=("409",))
    page.wait_for_load_state("networkidle")
    world.decide(world.candidates[0], "exclude", who="ben")
    page.keyboard.press("v")
    expect(page.locator(".screen-notice")).to_contain_text("Not saved: Ben Test decided “exclude”")
    expect(title(page)).to_contain_text("Paper 1")
    page.keyboard.press("v")
    expect(title(page)).to_contain_text("Paper 2")
    assert decisions()[0] == "include"


def test_the_evidence_opens_beside_the_record(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/")
    page.locator(".record .badge").first.click()
    expect(page.locator("#evidence")).to_contain_text("Returned by")


def test_screening_works_without_script(world: World, as_person: Open) -> None:
    page = as_person(world, "/screen/", java_script_enabled=False)
    page.get_by_role("button", name="Include").click()
    expect(title(page)).to_contain_text("Paper 2")
    page.get_by_role("link", name="Next record").click()
    expect(title(page)).to_contain_text("Paper 3")
    page.get_by_role("button", name="Undo").click()
    expect(title(page)).to_contain_text("Paper 1")
    assert decisions() == [""] * 5


# The list


def test_keys_work_on_the_marked_row(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    row = page.locator(f"#candidate-{world.candidates[1].pk}")
    expect(row).to_contain_text("Saved: exclude.")
    expect(row).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("v")
    expect(page.locator(f"#candidate-{world.candidates[0].pk}")).to_contain_text("Saved: include.")
    assert decisions() == ["include", "exclude", "", "", ""]


def test_a_key_pressed_while_a_row_settles_moves_on(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.evaluate(
        """() => document.addEventListener("htmx:afterSwap", () => setTimeout(
            () => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key: "k", bubbles: true})), 0), {once: true})"""
    )
    page.keyboard.press("x")
    expect(page.locator(f"#candidate-{world.candidates[1].pk}")).to_contain_text("Saved: exclude.")
    page.wait_for_timeout(200)  # settling takes 20 ms
    expect(page.locator(f"#candidate-{world.candidates[0].pk}")).to_be_focused()


def test_the_row_keeps_the_focus_when_its_button_was_used(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/")
    row = page.locator(f"#candidate-{world.candidates[2].pk}")
    row.get_by_role("button", name="Maybe").focus()
    page.keyboard.press("Enter")
    expect(row).to_contain_text("Saved: maybe.")
    expect(row).to_be_focused()
    expect(row.get_by_role("button", name="Maybe")).to_have_attribute("aria-pressed", "true")


def test_a_range_is_chosen_previewed_decided_and_taken_back(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/")
    boxes = page.locator("[data-bulk-item]")
    boxes.nth(1).check()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(page.locator("[data-bulk-count]")).to_have_text("3")
    page.locator("[data-bulk-bar] [value=exclude]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Exclude 3 records?")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("Exclude: 3 records changed.")
    assert decisions() == ["", "exclude", "exclude", "exclude", ""]
    page.keyboard.press("u")
    expect(page.locator("#messages")).to_contain_text("Taken back: 3 records")
    assert decisions() == [""] * 5


def test_chosen_rows_are_copied(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/", permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-bulk-item]").nth(0).check()
    page.locator("[data-copy-list=md]").click()
    expect(page.locator("[data-copy-list=md]")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert [line.split(" | ")[0] for line in copied.splitlines()[2:]] == [
        "| Paper 1 on dexamethasone in severe pneumonia"
    ]


def test_the_numbers_of_the_navigation_follow_own_decisions_and_those_of_others(world: World, as_person: Open) -> None:
    page = as_person(world, "/candidates/")
    references = page.locator("#side a", has_text="References").locator(".nav-count")
    undecided = page.locator("#side a", has_text="Title / abstract").locator(".nav-count")
    before = int(undecided.inner_text())
    expect(references).to_have_text("0")
    page.keyboard.press("j")
    page.keyboard.press("v")
    expect(references).to_have_text("1")
    expect(undecided).to_have_text(str(before - 1))
    expect(page.locator("[data-row][aria-current]")).to_be_focused()
    world.decide(world.candidates[1], "include")  # somebody else, meanwhile
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(references).to_have_text("2")


# References and exports


def test_a_note_typed_before_a_new_sign_in_in_another_tab_is_saved(world: World, as_person: Open) -> None:
    world.decide(world.candidates[0], "include")
    page = as_person(world, "/references/")
    page.get_by_text("Add a note").first.click()
    page.locator(".note textarea").fill("Typed before")
    page.evaluate("document.cookie = `csrftoken=${'n3w'.repeat(10)}ab; path=/`")  # what a sign-in elsewhere does
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note-text")).to_have_text("Typed before")


def test_a_note_of_two_people_in_the_browser(world: World, as_person: Open) -> None:
    ben = world.person("ben", Role.SCREENER)
    world.decide(world.candidates[0], "include")
    row = Reference.objects.get()
    page = as_person(world, "/references/", expect=("409",))
    page.get_by_text("Add a note").click()
    expect(page.locator(".note textarea")).to_be_focused()
    page.keyboard.type("Ada's text")
    note_save(reference=row, actor=ben, note="Ben's text", version=1)
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note-stored")).to_have_text("Ben's text")
    expect(page.locator(".note textarea")).to_have_value("Ada's text")
    page.locator(".note textarea").fill("Ben's text, and Ada's")
    page.get_by_role("button", name="Save this text").click()
    expect(page.locator(".note-text")).to_have_text("Ben's text, and Ada's")


def test_the_form_shows_what_the_choice_means(world: World, as_person: Open) -> None:
    for candidate in world.candidates:
        world.decide(candidate, "include")
    page = as_person(world, "/exports/new/")
    expect(page.locator(".export-scope-verified")).to_contain_text("1 go out")
    expect(page.locator(".export-scope-all")).to_be_hidden()
    page.get_by_label("All, with marks").check()
    expect(page.locator(".export-scope-all")).to_contain_text("3 carry a mark")
    page.get_by_label("BibTeX (.bib)").check()
    expect(page.locator("#id_style")).to_be_hidden()
    page.get_by_label("PMID list (.txt)").check()
    expect(page.locator(".pmid-note")).to_be_visible()
    expect(page.locator(".scope-field")).to_be_hidden()
    page.get_by_label("Evidence summary for Word (.docx)").check()
    page.locator("#id_style").fill("lancet onc")
    expect(page.locator("#style-list option")).to_have_count(1)


# Accessibility

PAGES = ("/screen/", "/screen/?q=nothing", "/candidates/", "/candidates/?q=nothing", "/references/", "/exports/new/")


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1440, "light")])
def test_no_page_violates_a_rule_and_all_reflow(world: World, as_person: Open, width: int, scheme: str) -> None:
    for candidate in world.candidates[:3]:
        world.decide(candidate, "include")
    own = (f"/candidates/{world.candidates[0].pk}/", f"/references/{Reference.objects.first().pk}/")  # type: ignore[union-attr]
    page = as_person(world, PAGES[0], width=width, scheme=scheme)
    start = page.url.split("/screen/")[0]
    for tail in (*PAGES, *own):
        page.goto(f"{start}{tail}")
        page.wait_for_load_state("networkidle")
        assert (tail, violations(page)) == (tail, [])
        assert (tail, page.evaluate("document.documentElement.scrollWidth")) == (tail, width)
