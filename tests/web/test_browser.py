"""The design system in a real browser: accessibility of every piece, and what the scripts promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web import pages

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.web.pages")]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
Visit = Callable[..., Any]


def violations(page: Any) -> list[tuple[str, list[Any]]]:
    """What axe finds: rule and places."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found]


@pytest.fixture(autouse=True)
def _nothing_posted() -> None:
    pages.POSTED.clear()


# Accessibility


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1440])
def test_the_style_guide_has_no_violation_and_reflows(visit: Visit, width: int, scheme: str) -> None:
    page = visit("/guide/", width=width, scheme=scheme)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["login", "signup", "password/reset", "logout"])
def test_the_account_pages_have_no_violation(visit: Visit, name: str) -> None:
    assert violations(visit(f"/account/{name}/", width=360, scheme="dark")) == []


def test_an_open_dialog_and_an_open_menu_have_no_violation(visit: Visit) -> None:
    page = visit("/guide/")
    page.click("text=Open a dialog")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.click("button[popovertarget=user-menu]")
    assert violations(page) == []


def test_text_may_be_spaced_out_without_loss(visit: Visit) -> None:
    page = visit("/guide/", width=320)
    page.evaluate(
        """() => { const sheet = new CSSStyleSheet();
        sheet.replaceSync('*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}');
        document.adoptedStyleSheets = [sheet]; }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_controls_are_large_enough_and_thumbs_find_theirs(visit: Visit) -> None:
    page = visit("/guide/", width=360, has_touch=True, is_mobile=True)
    small = page.evaluate(
        """() => [...document.querySelectorAll('.btn, .chip, .tab, .nav-item, summary')].filter(e => {
        const b = e.getBoundingClientRect();
        return b.height && (b.height < 24 || b.width < 24) }).map(e => e.outerHTML)"""
    )
    deciding = page.evaluate(
        """() => [...document.querySelectorAll('.decision-buttons .btn, .decision-undo')]
        .map(e => e.getBoundingClientRect().height)"""
    )
    assert (small, min(deciding) >= 48) == ([], True)


def test_the_focused_control_is_not_under_the_decision_bar(visit: Visit) -> None:
    page = visit("/guide/", width=360)
    link = page.locator(".record-where a").first
    link.evaluate("link => window.scrollTo(0, window.scrollY + link.getBoundingClientRect().bottom - innerHeight + 20)")
    bar = page.locator(".decision-bar").bounding_box()
    before = link.bounding_box()
    assert before["y"] + before["height"] > bar["y"], "the link must lie under the bar for this test to say anything"
    link.focus()
    after = link.bounding_box()
    assert after["y"] + after["height"] <= bar["y"]


# Theme and navigation


def test_the_chosen_theme_holds_on_the_next_page_before_anything_is_drawn(visit: Visit) -> None:
    page = visit("/guide/")
    page.click("button[popovertarget=user-menu]")
    page.click("[data-theme-set=dark]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 27)"
    page.reload(wait_until="commit")
    page.wait_for_selector("body", state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("[data-theme-set=dark]").get_attribute("aria-pressed") == "true"


def test_on_a_phone_the_navigation_opens_and_closes_by_keyboard(visit: Visit) -> None:
    page = visit("/guide/", width=360)
    assert not page.is_visible("#side")
    page.focus(".menu-button")
    page.keyboard.press("Enter")
    assert page.is_visible("#side")
    page.keyboard.press("Escape")
    assert not page.is_visible("#side")
    assert page.evaluate("document.activeElement.className").endswith("menu-button")


def test_on_a_desk_the_navigation_is_simply_there(visit: Visit) -> None:
    page = visit("/guide/")
    assert (page.is_visible("#side"), page.is_visible(".menu-button")) == (True, False)


def test_without_script_the_page_and_its_menus_work(visit: Visit) -> None:
    page = visit("/guide/", width=360, java_script_enabled=False)
    page.click(".menu-button")
    assert page.is_visible("#side")


# Keys


def pressed(page: Any) -> Any:
    """The page, which from now on collects the keys of the controls that are clicked."""
    page.evaluate(
        """() => { window.clicked = []; document.addEventListener('click', e => {
        const control = e.target.closest('[data-key]');
        if (control) window.clicked.push(control.dataset.key); }, true); }"""
    )
    return page


def test_a_key_clicks_its_control_once(visit: Visit) -> None:
    page = pressed(visit("/guide/"))
    page.keyboard.press("v")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.clicked") == ["v", "j ArrowRight"]


def test_a_key_held_down_decides_once(visit: Visit) -> None:
    page = pressed(visit("/guide/"))
    for _ in range(4):
        page.keyboard.down("v")
    assert page.evaluate("window.clicked") == ["v"]


@pytest.mark.parametrize("combination", ["Control+v", "Alt+v", "Meta+v", "Shift+V"])
def test_keys_with_modifiers_do_nothing(visit: Visit, combination: str) -> None:
    page = pressed(visit("/guide/"))
    page.keyboard.press(combination)
    assert page.evaluate("window.clicked") == []


@pytest.mark.parametrize("place", ["input[name=question]", "textarea[name=query]"])
def test_keys_do_nothing_in_a_text_field(visit: Visit, place: str) -> None:
    page = pressed(visit("/guide/"))
    page.focus(place)
    page.keyboard.press("v")
    assert (page.evaluate("window.clicked"), page.input_value(place)) == ([], "v")


def test_keys_do_nothing_behind_a_dialog(visit: Visit) -> None:
    page = visit("/guide/")
    page.click("text=Open a dialog")
    pressed(page).keyboard.press("v")
    assert page.evaluate("window.clicked") == []


def test_keys_in_a_list_act_on_the_row_that_one_has_moved_to(visit: Visit) -> None:
    page = visit("/workbench/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("o")
    assert page.evaluate("location.hash") == "#two"
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#one"


def test_the_question_mark_lists_the_keys_of_this_page(visit: Visit) -> None:
    page = visit("/guide/")
    page.keyboard.press("?")
    listed = {
        row.locator("dd").inner_text(): row.locator("kbd").all_inner_texts()
        for row in page.locator("#keys-help .key-list > div").all()
    }
    assert listed["Include"] == ["V"]
    assert listed["Undo"] == ["U", "Z"]
    assert listed["Next record"] == ["J", "→"]


def test_keys_can_be_switched_off_for_good(visit: Visit) -> None:
    page = visit("/guide/")
    page.keyboard.press("?")
    page.uncheck("[data-keys-switch]")
    page.keyboard.press("Escape")
    page.reload()
    pressed(page).keyboard.press("v")
    assert page.evaluate("window.clicked") == []
    assert page.locator("[data-key=v]").first.get_attribute("aria-keyshortcuts") is None


# Dialogs and bulk choice


def test_a_dialog_gives_the_focus_back(visit: Visit) -> None:
    page = visit("/guide/")
    page.focus("text=Open a dialog")
    page.keyboard.press("Enter")
    assert page.is_visible("#sample-dialog")
    page.click("#sample-dialog [data-dialog-close]")
    expect(page.locator("text=Open a dialog")).to_be_focused()


def test_a_menu_closes_on_escape_and_gives_the_focus_back(visit: Visit) -> None:
    page = visit("/guide/")
    page.click(".menu > summary")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.evaluate("[document.querySelector('.menu').open, document.activeElement.tagName]") == [False, "SUMMARY"]


def test_shift_takes_the_range_and_the_bar_counts(visit: Visit) -> None:
    page = visit("/guide/")
    boxes = page.locator("[data-bulk-item]")
    boxes.nth(0).click()
    boxes.nth(3).click(modifiers=["Shift"])
    assert [box.is_checked() for box in boxes.all()] == [True, True, True, True, False]
    assert page.inner_text("[data-bulk-count]") == "4"
    page.click("[data-bulk-clear]")
    assert (page.is_visible("[data-bulk-bar]"), page.locator("[data-bulk-item]:checked").count()) == (False, 0)


# htmx: right answers, wrong answers, none


def test_the_new_part_takes_the_focus(visit: Visit) -> None:
    page = visit("/workbench/")
    page.click("#get")
    expect(page.locator("#arrived")).to_be_focused()


def test_a_refused_form_is_shown(visit: Visit) -> None:
    page = visit("/workbench/", expect=("422", "htmx:"))
    page.click("#wrong")
    assert page.wait_for_selector("#refused").inner_text() == "This field is required."


def test_a_fault_is_said_and_changes_nothing(visit: Visit) -> None:
    page = visit("/workbench/", expect=("500", "htmx:"))
    page.click("#fault")
    said = page.wait_for_selector("#toasts .message-error").inner_text()
    assert "The server had a fault" in said
    assert (page.inner_text("#target"), "Traceback" in page.content()) == ("nothing yet", False)


def test_a_lost_connection_is_said(visit: Visit) -> None:
    page = visit("/workbench/", expect=("ERR_", "htmx:"))
    page.context.set_offline(True)
    page.click("#get")
    assert "cannot be reached" in page.wait_for_selector("#toasts .message-error").inner_text()


def test_a_lost_session_never_puts_the_sign_in_page_into_a_part(visit: Visit) -> None:
    page = visit("/workbench/")
    page.click("#door")
    assert "signed out" in page.wait_for_selector("#toasts .message-error").inner_text()
    assert page.inner_text("#target") == "nothing yet"


def test_a_dialog_that_arrives_opens_and_is_gone_when_closed(visit: Visit) -> None:
    page = visit("/workbench/")
    page.click("#offer")
    page.wait_for_selector("dialog[open] [data-dialog-close]").click()
    expect(page.locator("#dialog dialog")).to_have_count(0)


def test_a_decision_is_saved_only_when_the_server_says_so(visit: Visit) -> None:
    page = visit("/workbench/", expect=("500", "htmx:"))
    page.click("#decide button")
    expect(page.locator("#target")).to_have_text("decided")
    assert page.inner_text("[data-unsent-text]") == "Saved"
    page.click("#broken button")
    page.wait_for_selector("[data-unsent][data-state=failed]")
    assert page.inner_text("[data-unsent-text]") == "1 decision not saved"
    assert page.is_visible("[data-unsent-retry]")


def test_a_double_click_sends_once(visit: Visit) -> None:
    page = visit("/workbench/")
    page.evaluate("() => { const b = document.querySelector('#decide button'); b.click(); b.click(); }")
    expect(page.locator("#target")).to_have_text("decided")
    assert pages.POSTED == ["/decide/"]


def test_a_plain_form_is_sent_once(visit: Visit) -> None:
    page = visit("/workbench/")
    page.evaluate(
        """() => { const form = document.querySelector('#plain');
        form.addEventListener('submit', () => setTimeout(() => form.requestSubmit(), 5)); }"""
    )
    page.click("#plain button")
    page.wait_for_load_state()
    assert pages.POSTED == ["/plain/"]


def test_copying_says_so(visit: Visit) -> None:
    page = visit("/workbench/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#copy")
    expect(page.locator("#copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "10.1000/x"
    assert page.inner_text("#announce") == "Copied"
