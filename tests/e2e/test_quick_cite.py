"""From the start page to a saved quick cite by keyboard, on a desk and on a phone; related papers of what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Installation
from tests.e2e.test_main_way import DESKTOP, new_project, sign_up

SENTENCE = "that 1979 paper by Azad Khan on Coccinia indica in diabetes"


@pytest.fixture
def desk(browser: Browser) -> Iterator[Page]:
    """A page of a new person's browser; a script error or a refused resource fails the test."""
    context = browser.new_context(viewport=DESKTOP)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Content Security Policy" in m.text else None)
    yield page
    context.close()
    assert faults == []


def violations(page: Page) -> list[str]:
    return [f"{one['id']}: {one['help']}" for one in Axe().run(page).response["violations"]]


def test_from_the_start_page_to_a_saved_quick_cite_by_keyboard(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    new_project(desk, litledger, "Quick")
    desk.goto(litledger.url)
    assert violations(desk) == []
    desk.keyboard.press("q")
    desk.keyboard.type(SENTENCE)
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(re.compile(r"/quick-cite/\d+/"))
    expect(desk.locator("#found[hx-get]")).to_have_count(0, timeout=60_000)
    first = desk.locator(".found-paper").first
    expect(first).to_contain_text("PMID 399436")
    expect(first).to_contain_text("Verified")
    assert violations(desk) == []
    desk.keyboard.press("j")
    desk.keyboard.press("a")
    expect(desk.locator("main")).to_contain_text("Added to the reference list.")
    expect(desk.locator(".found-paper").first).to_contain_text("AzadKhan")
    desk.set_viewport_size({"width": 320, "height": 640})
    assert desk.evaluate("document.documentElement.scrollWidth") <= 320
    desk.locator(".found-paper").first.get_by_role("link", name="Related papers").click()
    expect(desk.locator("#related-of")).to_have_value("399436")
    desk.get_by_role("button", name="Find related papers").click()
    expect(desk.locator("#found[hx-get]")).to_have_count(0, timeout=60_000)
    expect(desk.locator("main")).to_contain_text(re.compile("calls it similar|recommends it"))
    assert violations(desk) == []
    assert desk.evaluate("document.documentElement.scrollWidth") <= 320
