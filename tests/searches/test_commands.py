"""The command line against the sandbox: single steps, and a whole review; what fails has a status and a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from litapp.sandbox.server import start_sandbox
from tests.jobs.installations import Installation, installation
from tests.jobs.invented_corpus import make_invented_corpus

PLAN = """
question: Does dexamethasone lower mortality?
sources: [pubmed, crossref, openalex, semanticscholar]
queries:
  - boolean: dexamethasone[tiab]
    plain: dexamethasone
"""


class Ended(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("commands")
    sandbox = start_sandbox(make_invented_corpus(folder, 60), clock=50.0)
    (folder / "data").mkdir()
    with installation("sqlite", folder / "data") as made:
        made.extra = {"LITAPP_SANDBOX_URL": sandbox.url, "LITAPP_SANDBOX_CLOCK": "50", "LITAPP_LOG_LEVEL": "ERROR"}
        yield made
    sandbox.stop()


@pytest.fixture
def run(place: Installation) -> Run:
    def run(*command: str) -> Ended:
        process = place.start("manage.py", *command)
        out, err = process.communicate(timeout=240)
        return Ended(process.returncode, out, err)

    return run


def test_search_prints_records_and_says_what_was_sent(run: Run) -> None:
    ended = run("search", "pubmed", "dexamethasone[tiab]", "--limit", "3", "--format", "json")
    found = json.loads(ended.out)
    assert (ended.status, found["sandbox"], len(found["records"])) == (0, True, 3)
    assert all("dexamethasone" in record["title"].lower() and record["answer"] for record in found["records"])
    assert "Sent to PubMed: dexamethasone[tiab]" in ended.err
    assert "3 records of 8 reported." in ended.err


def test_search_counts(run: Run) -> None:
    assert run("search", "pubmed", "dexamethasone[tiab]", "--count")[:2] == (0, "8\n")


def test_search_without_hits_is_a_success_with_a_zero(run: Run) -> None:
    ended = run("search", "pubmed", "unicorns[tiab]")
    assert (ended.status, ended.out) == (0, "")
    assert "0 records of 0 reported." in ended.err


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("search", "pubmed", "(dexamethasone[tiab]"), "This parenthesis is never closed."),
        (("search", "scopus", "x"), "There is no source “scopus”."),
        (("fetch", "99999999"), "1 of 1 identifiers were not fetched; see above."),
        (("fetch", "not-an-id"), "“not-an-id” is not an identifier that LitLedger knows"),
        (("cite", "A paper that nobody ever wrote"), "No source returned a paper with this title. Nothing is cited"),
        (("related", "1000001", "--source", "crossref"), "Crossref does not name related papers."),
    ],
)
def test_what_fails_has_a_status_and_a_sentence(run: Run, command: tuple[str, ...], sentence: str) -> None:
    ended = run(*command)
    assert (ended.status, ended.out) == (1, "")
    assert sentence in ended.err
    assert "Traceback" not in ended.err


def test_fetch_takes_pmids_and_dois(run: Run) -> None:
    ended = run("fetch", "1000003", "10.1000/study.5", "--format", "json")
    records = json.loads(ended.out)["records"]
    assert (ended.status, [record["source"] for record in records]) == (0, ["pubmed", "crossref"])
    assert "study.5" in json.dumps(records[1])


def test_fetch_prints_what_it_has_and_fails_for_the_rest(run: Run) -> None:
    ended = run("fetch", "1000003", "99999999", "--format", "bib")
    assert ended.status == 1
    assert "pmid = {1000003}" in ended.out
    assert "verified = {false}" in ended.out
    assert "pmid 99999999: PubMed does not have it." in ended.err


def test_cite_prints_the_source_record_with_its_verdict(run: Run) -> None:
    title = json.loads(run("fetch", "1000003", "--format", "json").out)["records"][0]["title"]
    ended = run("cite", title, "--format", "bib")
    assert ended.status == 0, ended.err
    assert "doi = {10.1000/study.3}" in ended.out
    assert "verified = {true}" in ended.out
    assert "Verdict: verified" in ended.err


def test_nothing_is_reviewed_unapproved(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    ended = run("review", str(tmp_path / "plan.yaml"), "--out", str(tmp_path / "out"))
    assert ended.status == 1
    assert "Nothing runs unapproved." in ended.err
    assert not (tmp_path / "out").exists()


def test_a_plan_with_faults_is_told_line_by_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.replace("dexamethasone[tiab]", "(dexamethasone[tiab]"))
    ended = run("review", str(tmp_path / "plan.yaml"), "--out", str(tmp_path / "out"), "--approve")
    assert ended.status == 1
    assert "queries.0.boolean: This parenthesis is never closed." in ended.err


def test_a_person_without_account_approves_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    ended = run(
        "review", str(tmp_path / "plan.yaml"), "--out", str(tmp_path / "out"), "--approve", "--user", "a@example.org"
    )
    assert (ended.status, "There is no account with the address a@example.org." in ended.err) == (1, True)


def test_a_review_retrieves_checks_and_exports_everything(run: Run, tmp_path: Path, place: Installation) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    out = tmp_path / "out"
    ended = run("review", str(tmp_path / "plan.yaml"), "--out", str(out), "--approve")
    assert ended.status == 0, ended.err
    log = json.loads((out / "run-log.json").read_text())
    assert (log["sandbox"], log["approved_by"], log["included_by"]) == (True, "review-command", "all")
    assert log["run"]["state"] in ("success", "partial_success")
    assert {step["source"] for step in log["steps"]} == {"pubmed", "crossref", "openalex", "semanticscholar"}
    assert log["steps"][2]["sent"] == "dexamethasone[tiab]"
    assert log["decisions"] == {"include": log["candidates"]}
    assert log["verdicts"]["unchecked"] == 0
    listed = {Path(line) for line in ended.out.splitlines()}
    assert all(path.is_file() and path.stat().st_size for path in listed)
    endings = {"".join(path.suffixes) for path in listed}
    assert endings == {".bib", ".ris", ".nbib", ".csv", ".yaml", ".txt", ".docx", ".md", ".csl.json", ".json", ".zip"}
    bib = next(path for path in listed if path.name.endswith("all-with-marks.bib")).read_text()
    assert bib.count("\n@") == log["candidates"]
    assert (out / "bundle").is_dir()
    assert log["not_written"] == []
