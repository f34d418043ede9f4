"""The labelled cases of the shared benchmark: what must hold without exception, and the agreed rates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.verification import run as benchmark
from benchmarks.verification.evidence import Sources, load_journals, load_module
from litapp.core.verification import SILENCE_SOURCES, Status

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def scored(shared: Path) -> tuple[list[Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """(cases, predictions, rows of the shared scorer), once for all tests."""
    folder = shared / "verify"
    cases_module, wire = load_module(folder, "make_cases"), load_module(folder, "world_http")
    world = cases_module.World(cases_module.load_jsonl(folder / "records.jsonl"))
    cases = cases_module.load_jsonl(folder / "cases.jsonl")
    journals = load_journals(shared / "corpus" / "journals")
    predictions = benchmark.run(Sources(world, wire), cases, journals, SILENCE_SOURCES)
    rows, _, _ = cases_module.score(cases, predictions)
    return cases, predictions, rows


def test_no_right_reference_is_suspect(scored: Any) -> None:
    cases, predictions, _ = scored
    quiet = ("clean", "harmless", "natural", "coverage")
    assert [
        case["id"]
        for case, found in zip(cases, predictions, strict=True)
        if case["group"] in quiet and not case["expect"]["must_flag"] and found["judged"].status is Status.SUSPECT
    ] == []


def test_no_invention_is_verified_and_no_chimera_goes_unnamed(scored: Any) -> None:
    cases, predictions, _ = scored
    broken = []
    for case, found in zip(cases, predictions, strict=True):
        invented = case["group"] == "fabricated" or case["kind"].startswith(("doi_", "pmid_", "arxiv_unrelated"))
        if invented and case["expect"]["must_flag"] and found["judged"].status is Status.VERIFIED:
            broken.append(case["id"])
        if case["group"] == "chimera" and not {"authors", "title"} & set(found["judged"].wrong):
            broken.append(case["id"])
    assert broken == []


def test_rates(scored: Any) -> None:
    _, _, rows = scored
    alarms = [row["false_alarm"] for row in rows if row["caught"] is None]
    caught = [
        row["caught"] for row in rows if row["caught"] is not None and row["kind"] != "two_sources_left_fabricated"
    ]
    exact = [row["exact"] for row in rows]
    assert sum(alarms) / len(alarms) <= 0.005
    assert sum(caught) / len(caught) >= 0.99
    assert sum(exact) / len(exact) >= 0.97


def test_every_kind_is_caught(scored: Any) -> None:
    """But one: with PubMed down too, an invention stays unverified (decision 0005)."""
    _, _, rows = scored
    kinds: dict[str, list[bool]] = {}
    for row in rows:
        if row["caught"] is not None:
            kinds.setdefault(row["kind"], []).append(row["caught"])
    weak = {kind for kind, values in kinds.items() if sum(values) / len(values) < 0.95}
    assert weak == {"two_sources_left_fabricated"}
