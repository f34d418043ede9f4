"""A clinician's 60 seconds: from the one box of the start page to a saved quick cite, in a browser.

    python benchmarks/quick_cite_way.py CORPUS.sqlite3 [--clock N] [--rounds N]

CORPUS is the demo's (`make demo` builds it) or any made by `manage.py sandbox_load`. Each round takes a paper of the
corpus, remembers first author, year and some words of its title, types that into the box key by key, waits for the
verdicts, and adds the first paper with one key. Prints one row a round: seconds until the first card, until its
verdict, until it stands in the reference list, whether the paper offered first was the one remembered, and whether
the copied .bib entry names it. With --clock 1 the sandbox keeps the sources' published pace. Writes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, expect, sync_playwright

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.store import Corpus
from tests.e2e.conftest import FLAGS, Installation, install
from tests.e2e.test_main_way import new_project, sign_up

SMALL = frozenset(
    ("with", "from", "that", "this", "their", "after", "among", "between", "using", "study", "trial", "patients")
)

TYPING = 40
"""Milliseconds between two keys."""


def remembered(corpus: Path, rounds: int) -> list[tuple[str, str]]:
    """(sentence, PMID) of papers spread over the corpus."""
    opened = Corpus(corpus)
    try:
        ids = [row[0] for row in opened.rows("SELECT id FROM article ORDER BY id")]
        chosen = (opened.entry(ids[(number * 7919 + 101) % len(ids)]) for number in range(3 * rounds))
        articles = [one.article for one in chosen if one is not None and one.article is not None]
        found = [(said, str(article.pmid)) for article in articles if (said := sentence(article))]
        return found[:rounds]
    finally:
        opened.close()


def sentence(article: Article) -> str:
    """What one may remember of it; "" for a paper without author, year or enough words."""
    words = [word for word in re.findall(r"[A-Za-z]{5,}", article.title) if word.lower() not in SMALL][:3]
    family = next((a.family for a in article.authors if re.fullmatch(r"[A-Z][a-z]+", a.family or "")), "")
    if len(words) < 3 or not family or not article.year:
        return ""
    return f"that {article.year} paper by {family} on {' '.join(words)}"


def one(page: Page, it: Installation, said: str, pmid: str) -> dict[str, object]:
    page.goto(it.url)
    started = time.monotonic()
    page.keyboard.press("q")
    page.keyboard.type(said, delay=TYPING)
    page.keyboard.press("Enter")
    card = page.locator(".found-paper")
    nothing = page.locator("#nothing-title")
    expect(card.first.or_(nothing)).to_be_visible(timeout=60_000)
    row: dict[str, object] = {"sentence": said, "first_card": round(time.monotonic() - started, 1)}
    expect(page.locator("#found[hx-get]")).to_have_count(0, timeout=90_000)
    row["verdicts"] = round(time.monotonic() - started, 1)
    row["offered"] = card.count()
    if not card.count():
        return row | {"right_first": False, "saved": None}
    row["right_first"] = f"PMID {pmid}" in card.first.inner_text()
    row["right_offered"] = any(f"PMID {pmid}" in card.nth(n).inner_text() for n in range(card.count()))
    row["bib_names_it"] = pmid in (card.first.locator("pre").text_content() or "")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.locator(".found-paper").first).to_contain_text("In the project", timeout=30_000)
    row["saved"] = round(time.monotonic() - started, 1)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--clock", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    it = install(Path(tempfile.mkdtemp(prefix="quick-cite-")), clock=options.clock, corpus=options.corpus)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            sign_up(page, it)
            new_project(page, it, "Quick cites")
            rows = [one(page, it, said, pmid) for said, pmid in remembered(options.corpus, options.rounds)]
            for row in rows:
                print(json.dumps(row, ensure_ascii=False), flush=True)
            saved = [float(str(row["saved"])) for row in rows if row["saved"] is not None]
            print(json.dumps({"rounds": len(rows), "saved": len(saved), "slowest_saved": max(saved, default=None)}))
            browser.close()
    finally:
        it.stop()


if __name__ == "__main__":
    main()
