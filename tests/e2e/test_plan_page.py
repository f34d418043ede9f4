"""From a typed question to a checked strategy in a browser: draft, repair, undo, MeSH, hits, strings; axe, 320 px."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Installation
from tests.e2e.test_main_way import DESKTOP, new_project, sign_up
from tests.e2e.test_quick_cite import violations


@pytest.fixture
def desk(browser: Browser) -> Iterator[Page]:
    """A page of a new person's browser; a script error fails the test."""
    context = browser.new_context(viewport=DESKTOP)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


def fits(page: Page) -> bool:
    page.set_viewport_size({"width": 320, "height": 640})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(DESKTOP)
    return bool(width <= 320)


def test_a_question_becomes_a_strategy_that_other_databases_understand(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    new_project(desk, litledger, "Strategy")
    address = desk.url.split("/projects/")[0] + "/projects/" + desk.url.split("/projects/")[1].split("/")[0]
    desk.goto(f"{address}/plans/new/")
    desk.fill("[name=question]", "Does insulin help Mrs. Miller with diabetes?")
    expect(desk.locator("#question-check")).to_contain_text("This looks like details of a patient: “Mrs. Miller”")
    desk.fill("[name=question]", "Does insulin help in diabetes?")
    desk.get_by_role("button", name="Draft for a systematic search").click()
    query = desk.locator("[name='queries-0-boolean']")
    expect(query).not_to_have_value("")
    assert '"Insulin"[mh]' in query.input_value()
    assert violations(desk) == []

    query.fill(query.input_value() + " AND Hart Failure[mh]")
    finding = desk.locator("#queries-0-findings .finding", has_text="No such heading: MeSH 2024 has no “Hart Failure”")
    expect(finding).to_be_visible()
    finding.get_by_role("button", name="Hits before and after").click()
    expect(finding).to_contain_text("PubMed, without the limits: now")
    finding.get_by_role("button", name="Write").click()
    expect(desk.locator("#part-queries")).to_contain_text("in place of “Hart Failure[mh]”")
    assert '"Heart Failure"[mh]' in query.input_value()
    desk.get_by_role("button", name="Undo").click()
    expect(desk.locator("#part-queries")).to_contain_text("The query is as it was before.")
    assert "Hart Failure[mh]" in query.input_value()

    query.fill(query.input_value().replace(" AND Hart Failure[mh]", ""))
    desk.get_by_text("Put a MeSH heading into the query").click()
    desk.get_by_label("Words", exact=True).fill("heart failure")
    desk.get_by_role("button", name="Look up in MeSH").click()
    desk.locator(".mesh-found button[value='heading:0:Heart Failure']").click()
    expect(desk.locator("#part-queries")).to_contain_text("The heading “Heart Failure” is in the query.")
    assert query.input_value().endswith('AND "Heart Failure"[mh]')
    assert violations(desk) == []
    assert fits(desk)
    desk.get_by_role("button", name="Save draft").click()

    desk.get_by_text("Blocks and terms with their hits").click()
    desk.get_by_role("button", name="Count").filter(has_text="part").click()
    expect(desk.locator(".messages, #messages, main").first).to_contain_text("parts counted.")
    assert violations(desk) == []
    assert fits(desk)
    desk.get_by_role("link", name="Strings for other databases").click()
    expect(desk.locator("main")).to_contain_text("exp Heart Failure/")
    assert violations(desk) == []
    assert fits(desk)
