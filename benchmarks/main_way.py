"""The main job on real records in a browser: three published strategies and one plain question, plan to exports.

    python benchmarks/main_way.py CORPUS.sqlite3 SHARED_FOLDER [--clock N]

CORPUS is made by `manage.py sandbox_load SHARED/corpus/pubmed/*.xml.gz --mesh litapp/sandbox/mesh.tsv.gz`.
Prints one row per query: hits, duplicates, verdicts, seconds of the run and of the checks, and the requests each source
got with the time they need at its published rate. Writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, expect, sync_playwright

from tests.e2e.conftest import FLAGS, Installation, install
from tests.e2e.test_main_way import approve_and_run, new_project, sign_up, wait_for_run

PUBLISHED_SECONDS = {
    "pubmed": 1 / 3,
    "crossref": 1.0,
    "openalex": 0.1,
    "semanticscholar": 1.0,
    "europepmc": 0.2,
    "arxiv": 3.0,
}
"""Seconds between requests that each source allows without key and e-mail (docs of the sources, wire notes)."""

TAKE_PLAIN = {"crossref", "openalex", "semanticscholar"}
"""The sources that take a plain question; the others need a Boolean query, which the plain one has not."""


def queries(shared: Path) -> list[tuple[str, str, str]]:
    """(name, Boolean query, plain query). The first two strategies as published, of the third its first block: its
    later blocks leave one record in this corpus."""
    folder = shared / "queries"
    antibiotic = (folder / "polyglot-antibiotic-5db" / "pubmed.txt").read_text().strip()
    trials = (folder / "sra-rct-filter-6db" / "pubmed.txt").read_text().strip()
    first_block = (folder / "bond-antibiotic-skin-uti-rct" / "pubmed.txt").read_text().split(") AND (")[0].strip() + ")"
    return [
        ("polyglot-antibiotic-5db", antibiotic, "failure of antibiotic prescribing for bacterial infections"),
        ("sra-rct-filter-6db", trials, "randomised controlled trials"),
        ("bond-antibiotic-skin-uti-rct, first block", first_block, "antibacterial agents"),
        ("own plain question", "", "telemedicine for patients with diabetes during the pandemic"),
    ]


def served(it: Installation) -> Counter[str]:
    with urllib.request.urlopen(f"{it.sandbox}/_control/log") as answer:
        return Counter(line["source"] for line in json.load(answer)["requests"])


def one(page: Page, it: Installation, base: str, name: str, boolean: str, plain: str) -> dict[str, object]:
    page.goto(f"{base}/plans/new/")
    page.locator("[name=title]").fill(name)
    page.locator("[name=question]").fill(plain)
    if boolean:
        page.locator("[name=queries-0-boolean]").fill(boolean)
    else:
        for source in page.locator("input[name=sources]:enabled").all():
            source.set_checked(source.get_attribute("value") in TAKE_PLAIN)
    page.locator("[name=queries-0-plain]").fill(plain)
    page.locator("[name=per_source]").fill("1000")
    page.locator("button.btn-primary[value=save]").click()
    page.wait_for_load_state()
    before, started = served(it), time.monotonic()
    approve_and_run(page, page.url.split("?")[0])
    wait_for_run(page, seconds=400)
    seconds = time.monotonic() - started
    asked = served(it) - before
    return {
        "query": name,
        "run_seconds": round(seconds, 1),
        "records": page.locator(".page-meta").first.inner_text().split("·")[0].strip(),
        "steps": steps_of_newest_run(it),
        "requests": dict(asked),
        "slowest_allows": round(max(n * PUBLISHED_SECONDS.get(source, 0) for source, n in asked.items()), 1),
    }


def steps_of_newest_run(it: Installation) -> dict[str, object]:
    """Seconds of the newest run by its own times; per source: seconds to its end, records, requests of its steps."""
    question = (
        "import json; from searches.models import RetrievalRun as R; r = R.objects.order_by('pk').last();"
        "s = lambda t: round((t - r.started_at).total_seconds(), 1);"
        "print('JSON' + json.dumps({'run': s(r.finished_at), **{f'{p.source} {p.query_index}': [s(p.finished_at), "
        "p.fetched, p.answers.filter(how='live').count()] for p in r.steps.all()}}))"
    )
    said = it.manage("shell", "-v", "0", "-c", question)
    return dict(json.loads(said.split("JSON", 1)[1].splitlines()[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--clock", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="main-way-"))
    it = install(folder, clock=options.clock, corpus=options.corpus)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True).new_page()
            sign_up(page, it)
            for name, boolean, plain in queries(options.shared):
                base = new_project(page, it, name[:60])
                row = one(page, it, base, name, boolean, plain)
                started = time.monotonic()
                row["checks_seconds"] = wait_for_checks(it, started)
                row["overview"] = overview(page, base)
                row["export_seconds"] = exports(page, base)
                print(json.dumps(row, ensure_ascii=False), flush=True)
            browser.close()
    finally:
        it.stop()


def wait_for_checks(it: Installation, started: float) -> float:
    """Seconds until no verification is waiting or running."""
    question = "from litapp.verification.models import Verification as V; print('open', V.objects.open().count())"
    while "open 0" not in it.manage("shell", "-v", "0", "-c", question):
        time.sleep(1)
    return round(time.monotonic() - started, 1)


def overview(page: Page, base: str) -> str:
    page.goto(f"{base}/")
    return " ".join(page.locator("main").inner_text().split())[:600]


def exports(page: Page, base: str) -> dict[str, float]:
    """Include what stands on the first page of the list, then make three files. Seconds each."""
    page.goto(f"{base}/screen/")
    for _ in range(20):
        page.keyboard.press("v")
        page.wait_for_timeout(250)
    seconds = {}
    for kind in ("bib", "pmids", "docx"):
        page.goto(f"{base}/exports/new/")
        page.locator(f"main input[name=format][value={kind}]").check()
        if kind != "pmids":  # a PMID list has no scope: citable ids, the rest in a second file
            page.locator("main input[name=scope][value=all]").check()
        started = time.monotonic()
        page.get_by_role("button", name="Make the file").click()
        expect(page.locator("main a[href*='/exports/']").last).to_be_visible(timeout=60_000)
        expect(page.locator("main")).to_contain_text("sha256", timeout=60_000)
        seconds[kind] = round(time.monotonic() - started, 1)
    return seconds


if __name__ == "__main__":
    main()
