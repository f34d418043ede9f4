"""The door for lists, in a browser: paste, follow, look at a verdict, take the good one, download the report."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Installation
from tests.e2e.test_main_way import DESKTOP, new_project, sign_up

REAL = (
    "Azad Khan AK, Akhtar S, Mahtab H. Coccinia indica in the treatment of patients with diabetes mellitus. "
    "Bangladesh Med Res Counc Bull. 1979;5(2):60-6. PMID: 399436"
)
WRONG = REAL.replace("Akhtar S", "Nobody Z").replace("PMID: 399436", "PMID 399436.")
FAKE = "Nobody A. A paper that nobody ever wrote about anything at all. Lancet. 2019;1:2-3. PMID: 99999998"
ANSWER = f"Sure! Here are your references:\n\n1. {REAL}\n2. {WRONG}\n3. {FAKE}\n\nLet me know if you need more."


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


def test_from_a_pasted_answer_to_verdicts_references_and_report(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    new_project(desk, litledger, "Brought")
    desk.goto(f"{litledger.url}/check-references/")
    desk.locator("textarea[name=text]").fill(ANSWER)
    desk.locator("form[data-drop] button[type=submit]").dblclick()
    expect(desk).to_have_url(re.compile(r"/lists/\d+/"))
    main = desk.locator("main")
    expect(desk.locator("#list[hx-get]")).to_have_count(0, timeout=90_000)
    first = main.locator(".list-entry").first
    expect(first).to_contain_text("PubMed has no record with the PMID 99999998")
    expect(main.locator(".chips")).to_contain_text(re.compile(r"All\s*3"))
    expect(main.locator(".chips")).to_contain_text(re.compile(r"Not a reference\s*2"))
    first.locator(".badges a").first.click()
    expect(desk.locator("#evidence-panel")).to_contain_text("archived answer")
    main.get_by_role("button", name=re.compile(r"Take \d+ verified")).click()
    expect(main).to_contain_text("1 paper in the reference list, 1 new.")
    desk.locator("summary", has_text="Download").click()
    with desk.expect_download() as report:
        desk.get_by_role("link", name="Report, Markdown").click()
    text = report.value.path().read_text(encoding="utf-8")
    assert "SANDBOX DATA" in text
    assert "A paper that nobody ever wrote" in text
    desk.set_viewport_size({"width": 320, "height": 640})
    assert desk.evaluate("document.documentElement.scrollWidth") <= 320
