"""The PRISMA flow and the search report in a real browser: numbers by keyboard, dates, checker, axe, reflow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.references.world import World, make_world
from tests.web.test_browser import violations

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Any]
WRONG = {"database_results": 100, "duplicates": 10, "records_screened": 85}


@pytest.fixture
def world(transactional_db: None) -> World:
    world = make_world()
    for number in range(1, 7):
        candidate = world.candidate(number)
        if number < 5:
            world.decide(candidate, "include" if number < 3 else "exclude")
    return world


def test_a_number_of_the_figure_is_opened_by_keyboard_and_leads_back(world: World, as_person: Open) -> None:
    page = as_person(world, "/prisma/")
    figure = page.locator(".prisma-figure svg")
    expect(figure).to_have_accessible_name(re.compile("PRISMA 2020 flow diagram"))
    link = figure.get_by_role("link", name=re.compile("Records screened"))
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Records screened")
    expect(page.locator(".prisma-papers li")).to_have_count(4)
    page.get_by_role("link", name="PRISMA flow").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("PRISMA flow")
    page.get_by_label("Numbers at the end of").fill("2020-01-01")
    page.keyboard.press("Enter")
    expect(page.locator(".page-meta")).to_contain_text("as it stood on 1 January 2020")
    expect(page.locator(".prisma-table")).not_to_contain_text("6")
    page.get_by_role("link", name="Now").click()
    expect(page.locator(".page-meta")).to_contain_text("as it stands now")


def test_a_statement_is_kept_under_the_persons_name(world: World, as_person: Open) -> None:
    page = as_person(world, "/search-report/")
    item = page.locator("#item-6")
    expect(item).to_contain_text("Whether anybody was contacted is not told.")
    item.locator("summary").click()
    item.get_by_label("Statement on item 6").fill("Two authors were asked for data.")
    item.get_by_role("button", name="Save with my name").click()
    expect(item).to_contain_text("Two authors were asked for data. Stated by")
    expect(item).not_to_contain_text("is not told")
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
    page.get_by_role("button", name="Copy the report").click()
    expect(page.get_by_role("button", name="Copied").first).to_be_visible()
    assert "## Item 6: Contacts (answered)" in page.evaluate("window.copied")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_no_page_violates_a_rule_and_all_reflow(world: World, as_person: Open, width: int, scheme: str) -> None:
    page = as_person(world, "/prisma/", width=width, scheme=scheme)
    start, site = page.url.split("/prisma/")[0], page.url.split("/projects/")[0]
    pages = ("/prisma/", "/prisma/numbers/records_screened/", "/search-report/")
    for address in (*(f"{start}{tail}" for tail in pages), f"{site}/check-prisma/"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert (address, violations(page)) == (address, [])
        assert (address, page.evaluate("document.documentElement.scrollWidth")) == (address, width)
    page.get_by_label("Numbers").fill(json.dumps(WRONG))
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text("R3 is violated")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
