"""Clusters of records that are one report, whatever order they come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litapp.core.dedupe.pairs import PairVerdict
from litapp.core.records import Record


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Result over a whole set. `clusters` hold at least two ids each, sorted; `companions` and `doubtful` are pairs of
    ids with their verdict, doubtful ones likeliest first."""

    clusters: tuple[tuple[str, ...], ...]
    companions: tuple[tuple[str, str, PairVerdict], ...]
    doubtful: tuple[tuple[str, str, PairVerdict], ...]
    merges: tuple[tuple[str, str, PairVerdict], ...]


def find_duplicates(records: Mapping[str, Record]) -> Duplicates:
    """Blocks, compares and clusters all records (id -> record). Does not depend on their order."""
    raise NotImplementedError
