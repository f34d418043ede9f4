"""In the browser: a file is uploaded, its report read, its candidates seen, and the import undone."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Installation
from tests.e2e.test_bad_input import desk  # noqa: F401 - a fixture
from tests.e2e.test_main_way import new_project, sign_up
from tests.searches.import_files import ris_file


def test_upload_report_candidates_undo(desk: Page, litledger: Installation, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "export.ris"
    file.write_bytes(ris_file(12) + b"TY  - JOUR\nER  - \n")
    sign_up(desk, litledger)
    base = new_project(desk, litledger, "Imported")
    main = desk.locator("main")
    desk.goto(f"{base}/imports/new/")
    desk.get_by_label("Database").fill("Embase")
    desk.locator("input[type=file]").set_input_files(file)
    desk.get_by_role("button", name="Import").click()
    expect(main.get_by_role("heading", name="Report")).to_be_visible(timeout=60_000)
    for label, number in (("Read", "12"), ("Skipped", "1"), ("Records in the file", "13"), ("New papers", "12")):
        expect(main.locator(".tally > div", has_text=label).first).to_contain_text(number)
    main.locator(".tally > div", has_text="Skipped").get_by_role("link").click()
    expect(main).to_contain_text("Skipped:")
    desk.go_back()
    main.locator(".tally > div", has_text="Papers, each once").get_by_role("link").click()
    expect(main).to_contain_text(re.compile(r"Only what import \d+ brought"))
    expect(main.locator("tr[data-row]")).to_have_count(12)
    expect(main.locator("tr[data-row]").first).to_contain_text("Embase")
    desk.go_back()
    main.get_by_role("link", name="Undo").click()
    main.get_by_role("button", name="Undo the import").click()
    expect(main).to_contain_text("None of its records counts any more", timeout=60_000)
    desk.goto(f"{base}/candidates/")
    expect(main).to_contain_text("No candidates yet")
