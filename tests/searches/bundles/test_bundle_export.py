"""Writing a run out: exactly the files, equal runs give equal bytes, no key, nothing unsaid."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litapp.core.formats.bundle.files import CONTENT, MANIFEST
from litapp.core.formats.bundle.schemas import paper_error
from litapp.core.plan import SOURCE_POLICY_VERSION
from litapp.core.ports import Outcome
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.clients import SourceState
from searches.models import RetrievalRun, StepAnswer
from searches.services.bundle_files import BundleError
from searches.services.bundle_import import bundle_check
from tests.searches.bundles.bundle_files import content_of, export, lines
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers, trouble

pytestmark = pytest.mark.django_db
Sources = dict[str, StandIn]
Start = Callable[..., RetrievalRun]


def test_a_bundle_has_exactly_its_files_and_is_valid(run: RetrievalRun, tmp_path: Path) -> None:
    made = export(run, tmp_path / "b")
    assert sorted(content_of(tmp_path / "b")) == sorted((MANIFEST, *CONTENT))
    checked = bundle_check(path=tmp_path / "b")
    assert (checked.problems, checked.valid, checked.legacy) == ([], True, 0)
    assert checked.manifest == made.manifest


def test_the_manifest_tells_how_the_run_ended_and_counts_what_is_there(run: RetrievalRun, tmp_path: Path) -> None:
    manifest = export(run, tmp_path / "b").manifest
    assert (manifest["status"], manifest["mode"], manifest["sandbox"], manifest["query_file"]) == (
        "partial_success" if run.reasons else "success", "live", False, None,
    )  # fmt: skip
    assert manifest["plan"]["sha256"] == run.version.approved_hash
    assert manifest["source_policy"] == {"version": SOURCE_POLICY_VERSION, "sources": ["pubmed", "crossref"]}
    assert manifest["counts"] == {
        "hits": 90,
        "duplicates_in_source": 2,
        "supplements": 0,
        "normalized": 90,
        "deduped": 34,
        "reported": 50,
        "empty_records": 0,
        "invalid_records": 0,
        "not_delivered": 0,
        "abstracts": {"present": 25, "filled": 0, "missing": 9},
        "answers": {"live": 10, "reused": 0, "replayed": 0, "failed": 0},
        "by_source": {"pubmed": 50, "crossref": 40},
    }
    assert [(a["source"], a["query"], a["requests"], a["attempts"]) for a in manifest["attempts"]] == [
        ("pubmed", 1, 3, 3), ("pubmed", 2, 3, 3), ("crossref", 1, 2, 2), ("crossref", 2, 2, 2),
    ]  # fmt: skip
    assert manifest["answers"] == {"included": False, "files": 0, "terms": []}


def test_every_paper_has_the_schema_and_says_where_it_comes_from(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "b")
    deduped = lines(tmp_path / "b", "candidates_deduped.jsonl")
    assert [paper_error(one) for one in deduped] == [""] * 34
    both = next(one for one in deduped if one["title"] == paper(17).title)
    assert sorted((s["source"], s["source_id"]) for s in both["sources"]) == [
        ("crossref", "crossref-17"), ("crossref", "crossref-17"), ("pubmed", "1000017"), ("pubmed", "1000017"),
    ]  # fmt: skip
    assert {(m["source"], m["query"], m["rank"]) for m in both["query_matches"]} == {
        ("pubmed", 1, 17), ("pubmed", 2, 17), ("crossref", 1, 2), ("crossref", 2, 2),
    }  # fmt: skip
    assert (both["abstract_status"], both["abstract_provenance"]) == (
        "present", {"source": "pubmed", "identifier": None},
    )  # fmt: skip
    assert (both["doi"], both["year"], both["venue"], both["source"], both["url"]) == (
        "10.1000/study.17", 2017, "Journal of Trials", "pubmed", None,
    )  # fmt: skip
    bare = next(one for one in deduped if one["title"] == paper(30).title)
    assert (bare["abstract"], bare["abstract_status"], bare["abstract_provenance"], bare["abstract_sections"]) == (
        None, "missing", None, [],
    )  # fmt: skip
    assert bare["quality_warnings"] == ["abstract_missing"]


def test_the_same_run_gives_the_same_bytes_whatever_others_do(
    run: RetrievalRun, sources: Sources, started: Start, tmp_path: Path
) -> None:
    first = export(run, tmp_path / "a.zip")
    sources["crossref"].records = papers(60, "crossref")
    work_all(started("crossref"))
    second = export(run, tmp_path / "b.zip")
    assert first.sha256 == second.sha256
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_zip_does_not_tell_when_it_was_written(run: RetrievalRun, tmp_path: Path, clock: Any) -> None:
    export(run, tmp_path / "a.zip")
    clock.shift(400 * 86400)
    export(run, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())


def test_folder_and_zip_hold_the_same(run: RetrievalRun, tmp_path: Path) -> None:
    export(run, tmp_path / "folder", answers=True)
    export(run, tmp_path / "packed.zip", answers=True)
    with zipfile.ZipFile(tmp_path / "packed.zip") as archive:
        packed = {info.filename: archive.read(info) for info in archive.infolist()}
    assert packed == content_of(tmp_path / "folder")
    assert bundle_check(path=tmp_path / "packed.zip").problems == []


def test_answers_come_only_when_asked_for_and_then_with_their_terms(run: RetrievalRun, tmp_path: Path) -> None:
    made = export(run, tmp_path / "b", answers=True)
    stored = {name for name in content_of(tmp_path / "b") if name.startswith("answers/")}
    assert stored == {f"answers/{sha}" for sha in SourceAnswer.objects.values_list("sha256", flat=True)}
    assert made.manifest["answers"]["files"] == len(stored)
    assert [(t["source"], t["terms_url"].startswith("https://")) for t in made.manifest["answers"]["terms"]] == [
        ("crossref", True), ("pubmed", True),
    ]  # fmt: skip


def test_a_key_in_the_bundle_stops_the_export(run: RetrievalRun, tmp_path: Path, settings: Any) -> None:
    settings.SOURCES = {**settings.SOURCES, "pubmed": {**settings.SOURCES["pubmed"], "key": "s3cret-key-1"}}
    export(run, tmp_path / "clean")
    answer = SourceAnswer.objects.filter(source="pubmed").first()
    assert answer is not None
    SourceAnswer.objects.filter(pk=answer.pk).update(url=answer.url + "&api_key=s3cret-key-1")
    with pytest.raises(BundleError, match=r"A key of this installation stands in search_log\.json"):
        export(run, tmp_path / "leaky")
    assert not (tmp_path / "leaky").exists()


def test_a_run_that_goes_on_is_not_exported(started: Start, sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="still going on"):
        export(started("pubmed"), tmp_path / "b")


def test_a_place_that_is_taken_is_left_alone(run: RetrievalRun, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.txt").write_text("x")
    with pytest.raises(BundleError, match="there already"):
        export(run, tmp_path / "b")
    assert content_of(tmp_path / "b") == {"mine.txt": b"x"}


def test_what_was_cut_skipped_and_failed_is_told(sources: Sources, started: Start, tmp_path: Path, clock: Any) -> None:
    sources["pubmed"].records, sources["pubmed"].capped_at = papers(25), 20
    sources["crossref"].state = SourceState(False, "Crossref is switched off here.")
    sources["openalex"].faults = [trouble("openalex", Outcome.PERMANENT, code="x")]
    run = work_all(started("pubmed", "crossref", "openalex"), clock)
    manifest = export(run, tmp_path / "b").manifest
    assert manifest["status"] == "partial_success"
    assert [(t["source"], t["why"], t["fetched"], t["reported"]) for t in manifest["truncations"]] == [
        ("pubmed", "PubMed gives no more of this query than the 20 records that were fetched; it reports 25.", 20, 25)
    ]
    assert len(manifest["reasons"]) == 3
    log = json.loads((tmp_path / "b" / "search_log.json").read_bytes())
    assert [(s["source"], s["state"]) for s in log["steps"]] == [
        ("pubmed", "partial"), ("crossref", "skipped"), ("openalex", "failed"),
    ]  # fmt: skip


def test_a_run_whose_answers_were_all_there_before_says_reused(run: RetrievalRun, tmp_path: Path) -> None:
    StepAnswer.objects.filter(step__run=run).update(how=StepAnswer.How.REUSED)
    assert export(run, tmp_path / "b").manifest["mode"] == "reused"
