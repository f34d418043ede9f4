"""The whole main job in a real browser, on a whole installation: from a question to exported references."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Installation

NUMBERS = itertools.count(1)
PASSWORD = "correct horse 42 battery"
BOOLEAN = "asthma[tiab] OR asthma[mh]"
PLAIN = "asthma"
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 320, "height": 640}


def sign_up(page: Page, litledger: Installation, name: str = "Anna Weber") -> str:
    email = f"person{next(NUMBERS)}-{os.getpid()}@example.org"
    page.goto(f"{litledger.url}/account/signup/")
    page.get_by_label("Your name").fill(name)
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=password2]").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    expect(page).to_have_url(re.compile(r"/projects/"))
    return email


def new_project(page: Page, litledger: Installation, name: str = "Asthma") -> str:
    page.goto(f"{litledger.url}/projects/new/")
    page.locator("main input[name=name]").fill(name)
    page.locator("main form button[type=submit]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    return page.url.rstrip("/")


def write_plan(page: Page, base: str, *, boolean: str = BOOLEAN, plain: str = PLAIN) -> str:
    """A saved and counted draft; returns its address."""
    page.goto(f"{base}/plans/new/")
    page.locator("[name=title]").fill("Asthma")
    page.locator("[name=question]").fill("What is known about asthma?")
    page.locator("[name=queries-0-boolean]").fill(boolean)
    page.locator("[name=queries-0-plain]").fill(plain)
    page.locator("button[value=count]").click()
    expect(page).to_have_url(re.compile(r"/plans/\d+/"))
    return page.url.split("?")[0]


def approve_and_run(page: Page, plan: str) -> str:
    page.goto(f"{plan}approve/")
    page.get_by_role("button", name="Approve").last.click()
    page.wait_for_load_state()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs/\d+/"))
    return page.url


def wait_for_run(page: Page, state: str = "Success|Partial success", *, seconds: int = 60) -> None:
    expect(page.locator("main")).to_contain_text(re.compile(state), timeout=seconds * 1000)


@pytest.fixture
def desk(browser: Browser) -> Page:
    """A page of a new person's browser, desktop width."""
    return browser.new_context(viewport=DESKTOP, accept_downloads=True).new_page()


@pytest.fixture(scope="module")
def screened(browser: Browser, litledger: Installation) -> tuple[str, dict[str, object]]:
    """A project with a finished run and some decisions, and the sign-in of its owner."""
    context = browser.new_context(viewport=DESKTOP)
    page = context.new_page()
    sign_up(page, litledger)
    base = new_project(page, litledger)
    approve_and_run(page, write_plan(page, base))
    wait_for_run(page)
    page.goto(f"{base}/screen/")
    for key in "vvxm":
        title = page.locator(".record-title").inner_text()
        page.keyboard.press(key)
        expect(page.locator(".record-title")).not_to_have_text(title)
    state = context.storage_state()
    context.close()
    return base, dict(state)


def test_from_question_to_exported_references(desk: Page, litledger: Installation, tmp_path: Path) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "From question to references")
    plan = write_plan(desk, base)
    expect(desk.locator("main")).to_contain_text("PubMed")
    expect(desk.locator("main")).to_contain_text(re.compile(r"[1-9]\d* (hits|records)"), timeout=20_000)
    approve_and_run(desk, plan)
    wait_for_run(desk)
    desk.goto(f"{base}/screen/")
    desk.keyboard.press("v")
    expect(desk.locator("main")).to_contain_text("Your last: include")
    desk.goto(f"{base}/references/")
    expect(desk.locator("main")).to_contain_text("1 in the list")
    expect(desk.locator("main")).to_contain_text(re.compile(r"[A-Z]\w+_\d{4}_[A-Z]\w+"))
    expect(desk.locator(".badge").first).to_contain_text(re.compile("Verified|Unverified|Suspect"), timeout=30_000)
    desk.reload()
    for kind, beginning in (("bib", b""), ("docx", b"PK")):
        desk.goto(f"{base}/exports/new/")
        desk.locator(f"main input[name=format][value={kind}]").check()
        desk.locator("main input[name=scope][value=all]").check()
        desk.get_by_role("button", name="Make the file").click()
        link = desk.locator("main a[download], main a[href*='/exports/'][href$='.bib'], main a[href$='.docx']").first
        expect(link).to_be_visible(timeout=60_000)
        with desk.expect_download() as download:
            link.click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(beginning)
        if kind == "bib":
            text = content.decode()
            assert re.search(r"@\w+\{[A-Z]\w+_\d{4}_[A-Z]\w+,", text)
            assert "verified = {" in text
            assert "sandbox" in text.lower(), "an export from sandbox data says so"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_an_accessibility_fault(
    browser: Browser,
    litledger: Installation,
    screened: tuple[str, dict[str, object]],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    base, state = screened
    context = browser.new_context(viewport=viewport, color_scheme=scheme, storage_state=state)  # type: ignore[arg-type]
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(f"console: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(f"script: {error}"))
    page.goto(f"{base}/candidates/")
    candidate = page.locator("a[href*='/candidates/']").evaluate_all(
        r"links => links.map(a => a.pathname).find(p => /candidates\/\d+\/$/.test(p))"
    )
    badge = page.locator("a.badge[href*='/verifications/']").first.get_attribute("href")
    paths = ["", "/plans/", "/plans/new/", "/runs/", "/candidates/", "/screen/", "/references/", "/exports/new/"]
    paths += ["/team/", "/history/", "/rename/", "/delete/"]
    page.goto(f"{base}/plans/")
    plan = page.locator("main a[href*='/plans/']").evaluate_all(
        r"links => links.map(a => a.pathname).find(p => /plans\/\d+\/$/.test(p))"
    )
    page.goto(f"{base}/runs/")
    run = page.locator("main a[href*='/runs/']").evaluate_all(
        r"links => links.map(a => a.pathname).find(p => /runs\/\d+\/$/.test(p))"
    )
    addresses = [f"{base}{path}" for path in paths]
    addresses += [f"{litledger.url}{path}" for path in (candidate, badge, plan, run, "/projects/")]
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state()
        results = Axe().run(page)
        faults += [f"{address}: {v['id']}: {v['nodes'][0]['html'][:120]}" for v in results.response["violations"]]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            faults.append(f"{address}: scrolls sideways by {wide} px")
    context.close()
    assert faults == []


def test_screening_by_keyboard_alone(
    browser: Browser, litledger: Installation, screened: tuple[str, dict[str, object]]
) -> None:
    base, state = screened
    page = browser.new_context(viewport=DESKTOP, storage_state=state).new_page()  # type: ignore[arg-type]
    page.goto(f"{base}/screen/")
    first = page.locator(".record-title").inner_text()
    page.keyboard.press("j")
    expect(page.locator(".record-title")).not_to_have_text(first)
    page.keyboard.press("k")
    expect(page.locator(".record-title")).to_have_text(first)
    page.keyboard.press("x")
    expect(page.locator("main")).to_contain_text("Your last: exclude")
    expect(page.locator(".record-title")).not_to_have_text(first)
    page.keyboard.press("u")
    expect(page.locator(".record-title")).to_have_text(first)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()


def test_two_tabs_and_a_double_click_decide_once(
    browser: Browser, litledger: Installation, screened: tuple[str, dict[str, object]]
) -> None:
    base, state = screened
    context = browser.new_context(viewport=DESKTOP, storage_state=state)  # type: ignore[arg-type]
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(f"{base}/screen/")
    title = one.locator(".record-title").inner_text()
    assert two.locator(".record-title").inner_text() == title
    one.locator(".decision-bar .btn-maybe").dblclick()
    expect(one.locator("main")).to_contain_text("Your last: maybe")
    two.keyboard.press("x")
    expect(two.locator("main")).to_contain_text(re.compile("decided|Maybe|maybe"))
    one.goto(f"{base}/candidates/?decision=exclude")
    expect(one.locator("main")).not_to_contain_text(title)


def test_a_dead_source_never_fails_the_run(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "One source dead")
    plan = write_plan(desk, base)
    rules = b'{"faults": [{"source": "crossref", "kind": "http", "status": 403}]}'
    control = urllib.request.Request(f"{litledger.sandbox}/_control/faults", data=rules, method="POST")
    with urllib.request.urlopen(control) as answer:
        assert answer.status == 200
    try:
        approve_and_run(desk, plan)
        wait_for_run(desk, "Partial success")
        expect(desk.locator("main")).to_contain_text("Crossref")
        desk.goto(f"{base}/candidates/")
        expect(desk.locator("main")).to_contain_text("PubMed")
    finally:
        clear = urllib.request.Request(f"{litledger.sandbox}/_control/faults", data=b'{"faults": []}', method="POST")
        urllib.request.urlopen(clear).close()


def test_a_killed_worker_loses_nothing(desk: Page, litledger: Installation) -> None:
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Worker killed")
    run = approve_and_run(desk, write_plan(desk, base))
    found = subprocess.run(["pgrep", "-f", "manage.py worker"], capture_output=True, text=True, check=False)
    ours = str(litledger.folder / "data")
    for pid in found.stdout.split():
        environment = Path(f"/proc/{pid}/environ")
        if environment.exists() and ours.encode() in environment.read_bytes():
            os.kill(int(pid), signal.SIGKILL)
    desk.goto(run)
    wait_for_run(desk)
    fetched = desk.locator(".page-meta").first.inner_text()
    again = desk.url
    desk.get_by_role("button", name="Run again").click()
    expect(desk).not_to_have_url(again)
    wait_for_run(desk)
    assert desk.locator(".page-meta").first.inner_text().split("·")[0] == fetched.split("·")[0]
