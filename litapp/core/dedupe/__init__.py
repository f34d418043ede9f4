"""Finding the same report among records of several sources: keys, pairs, clusters, merging. Pure.

Whole sets: `find_duplicates`. Incremental: store `block_keys(record)` per record; compare a new record with those that
share a key (`compare`, or `compare_all(..., new=...)`), store the pairs, and make the clusters of the touched component
anew with `cluster`. See docs/decisions/0005-matching-and-verdicts.md.
"""

from litapp.core.dedupe.blocking import block_keys
from litapp.core.dedupe.clusters import Clustering, Duplicates, cluster, compare_all, find_duplicates
from litapp.core.dedupe.entries import entry_key, entry_key_of
from litapp.core.dedupe.merge import MergedRecord, merge_records
from litapp.core.dedupe.pairs import compare
from litapp.core.dedupe.verdicts import Pair, PairVerdict, Relation, keeps_apart

RULES_VERSION = 1
"""Rises when two records that were joined stay apart, or the other way round: bundles say by which rules they are."""

__all__ = [
    "RULES_VERSION",
    "Clustering",
    "Duplicates",
    "MergedRecord",
    "Pair",
    "PairVerdict",
    "Relation",
    "block_keys",
    "cluster",
    "compare",
    "compare_all",
    "entry_key",
    "entry_key_of",
    "find_duplicates",
    "keeps_apart",
    "merge_records",
]
