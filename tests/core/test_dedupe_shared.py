"""The labelled sets of the shared benchmark (the small ones): works lost, duplicates missed, kinds never merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.dedupe.run import load_scorer
from benchmarks.dedupe.sets import read_set
from litapp.core.dedupe import find_duplicates

pytestmark = pytest.mark.shared

MOST_LOST_AND_MISSED = {
    "api_variants_a": (0, 2),
    "copper": (0, 1),
    "cytology_screening": (0, 3),
    "diabetes": (0, 3),
    "digital_work": (1, 4),
    "neuroimaging": (0, 6),
    "respiratory": (1, 6),
}


@pytest.mark.parametrize(("name", "most"), MOST_LOST_AND_MISSED.items())
def test_set(shared: Path, name: str, most: tuple[int, int]) -> None:
    folder = shared / "dedupe" / name
    found = find_duplicates(read_set(folder))
    result: dict[str, Any] = load_scorer(shared / "dedupe").score(str(folder), [list(c) for c in found.clusters])
    counts = result["records_removed"]
    assert (counts["FP"] <= most[0], counts["FN"] <= most[1]) == (True, True), counts
    merged = {kind: count["merged"] for kind, count in result["special"].items() if kind.startswith("different")}
    merged.pop("different same_title_other_article", None)
    assert set(merged.values()) <= {0}, merged
    assert len(found.doubtful) <= 0.01 * counts["TN"]
