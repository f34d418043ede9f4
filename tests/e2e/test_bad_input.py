"""What goes wrong while somebody works in the browser: a clear message each time; nothing typed or decided is lost."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Installation
from tests.e2e.test_main_way import DESKTOP, PASSWORD, approve_and_run, new_project, sign_up, wait_for_run, write_plan

LONG = " OR ".join(f"asthma{number}[tiab]" for number in range(620))[:9_990]
LONG = LONG[: LONG.rindex(" OR ")]


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


@pytest.fixture
def faults(litledger: Installation) -> Iterator[object]:
    """Tells the sandbox what shall go wrong: faults({"source": …, "kind": …}); nothing after the test, and no source
    is left alone for what it did in it."""

    def tell(*rules: dict[str, object]) -> None:
        body = json.dumps({"faults": rules}).encode()
        urllib.request.urlopen(
            urllib.request.Request(f"{litledger.sandbox}/_control/faults", data=body, method="POST")
        ).close()

    yield tell
    tell()
    litledger.manage("shell", "-c", "from litapp.jobs.models import SourceHealth; SourceHealth.objects.all().delete()")


def test_a_web_page_in_place_of_data_is_a_fault_of_the_source_never_zero(
    desk: Page, litledger: Installation, faults: object
) -> None:
    faults({"source": "crossref", "kind": "html_200"}, {"source": "openalex", "kind": "cut"})  # type: ignore[operator]
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Web page")
    plan = write_plan(desk, base)
    main = desk.locator("main")
    expect(main).to_contain_text("a web page in place of data", timeout=30_000)
    expect(main).not_to_contain_text(re.compile(r"Crossref[^.]{0,80}\b0 hits"))
    approve_and_run(desk, plan)
    expect(main).to_contain_text("4 of 6 searches ended", timeout=60_000)
    expect(main).to_contain_text("Crossref sent a web page in place of data. Nothing can be concluded from it.")
    expect(main.locator("table tr", has_text="Crossref").first).to_contain_text("—")
    expect(main).not_to_contain_text("Success.")


def test_a_source_that_hangs_holds_up_nobody_and_the_run_can_be_cancelled(
    desk: Page, litledger: Installation, faults: object
) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Hanging source")
    plan = write_plan(desk, base)
    faults({"source": "crossref", "kind": "hang", "seconds": 60})  # type: ignore[operator]
    run = approve_and_run(desk, plan)
    main = desk.locator("main")
    expect(main).to_contain_text("5 of 6 searches ended", timeout=60_000)
    desk.goto(f"{base}/candidates/")
    expect(main).to_contain_text("PubMed")
    desk.goto(run)
    desk.get_by_role("button", name="Cancel run").click()
    expect(main).to_contain_text(re.compile("[Cc]ancelled"), timeout=30_000)
    desk.goto(f"{base}/candidates/")
    expect(main).to_contain_text("PubMed")


def test_a_cut_connection_is_made_good_and_the_result_is_whole(
    desk: Page, litledger: Installation, faults: object
) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Cut connection")
    plan = write_plan(desk, base)
    faults({"source": "*", "kind": "reset", "operation": "search", "count": 4})  # type: ignore[operator]
    approve_and_run(desk, plan)
    wait_for_run(desk, "Success")


def test_a_session_that_ended_keeps_the_plan_that_was_typed(desk: Page, litledger: Installation) -> None:
    email = sign_up(desk, litledger)
    base = new_project(desk, litledger, "Lost session")
    desk.goto(f"{base}/plans/new/")
    desk.locator("[name=title]").fill("Typed for an hour")
    desk.locator("[name=question]").fill("Does it last?")
    desk.locator("[name=queries-0-boolean]").fill(LONG)
    desk.context.clear_cookies(name="litledger_sandbox")
    desk.get_by_role("button", name="Save draft").click()
    desk.locator("input[name=login]").fill(email)
    desk.locator("input[name=password]").fill(PASSWORD)
    desk.locator("main form button[type=submit]").first.click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Nothing was lost")
    desk.get_by_role("button", name="Send it now").click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Typed for an hour")
    expect(desk.locator("main")).to_contain_text("asthma0[tiab] OR asthma1[tiab]")


def test_a_query_of_ten_thousand_characters_is_counted(desk: Page, litledger: Installation) -> None:
    assert len(LONG) > 9_900
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Long query")
    write_plan(desk, base, boolean=LONG)
    expect(desk.locator("main")).to_contain_text(re.compile(r"\d+ (hits|records)"), timeout=30_000)


@pytest.mark.parametrize("query", ["", "asthma[tiab] AND (", '"asthma[tiab]', "asthma[nosuchtag] OR"])
def test_an_empty_or_unbalanced_query_is_kept_and_explained(desk: Page, litledger: Installation, query: str) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Unbalanced")
    desk.goto(f"{base}/plans/new/")
    desk.locator("[name=title]").fill("Unbalanced")
    desk.locator("[name=question]").fill("What is known?")
    desk.locator("[name=queries-0-boolean]").fill(query)
    desk.get_by_role("button", name="Save draft").click()
    expect(desk).to_have_url(re.compile(r"/plans/\d+/"))
    if query:
        expect(desk.locator("main")).to_contain_text(query)
    expect(desk.get_by_role("button", name="Approve")).to_have_count(0)
    expect(desk.locator("main")).to_contain_text(
        re.compile("missing|not closed|never closed|needs|unknown|Write", re.I)
    )


def test_no_hits_anywhere_says_so_and_what_to_do(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "No hits")
    desk.goto(f"{base}/plans/new/")
    desk.locator("[name=title]").fill("No hits")
    desk.locator("[name=question]").fill("Nothing?")
    desk.locator("[name=queries-0-boolean]").fill("zzyzxqq[tiab]")
    for source in ("crossref", "openalex", "semanticscholar"):
        desk.locator(f"[name=sources][value={source}]").uncheck()
    desk.get_by_role("button", name="Save draft").click()
    approve_and_run(desk, desk.url.split("?")[0])
    wait_for_run(desk, "Success")
    expect(desk.locator("main")).to_contain_text(re.compile("found nothing|no hits|0 records", re.I))
    desk.goto(f"{base}/screen/")
    expect(desk.locator("main")).not_to_contain_text("Something went wrong")


def test_a_project_deleted_while_somebody_screens_says_so(
    browser: Browser, desk: Page, litledger: Installation
) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "To be deleted")
    approve_and_run(desk, write_plan(desk, base))
    wait_for_run(desk)
    other = desk.context.new_page()
    other.goto(f"{base}/screen/")
    title = other.locator(".record-title").inner_text()
    desk.goto(f"{base}/delete/")
    desk.locator("[name=typed_name]").fill("To be deleted")
    desk.locator("main form button[type=submit]").click()
    expect(desk).to_have_url(re.compile(r"/projects/$"))
    other.keyboard.press("v")
    expect(other.locator("body")).to_contain_text("deleted", timeout=20_000)
    expect(other.locator("body")).not_to_contain_text("Your last: include")
    assert other.locator(".record-title").count() == 0 or other.locator(".record-title").inner_text() == title
