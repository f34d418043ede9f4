"""Finding the same report among records of several sources: keys, pairs, clusters, merging. Pure.

Incremental use: store `block_keys(record)` per record; a new record is compared (`compare`) with the records that
share a key. Whole sets: `find_duplicates`. See docs/decisions/0005-matching-and-verdicts.md.
"""

from litapp.core.dedupe.blocking import block_keys
from litapp.core.dedupe.clusters import Duplicates, find_duplicates
from litapp.core.dedupe.merge import MergedRecord, merge_records
from litapp.core.dedupe.pairs import compare
from litapp.core.dedupe.verdicts import PairVerdict, Relation

__all__ = [
    "Duplicates",
    "MergedRecord",
    "PairVerdict",
    "Relation",
    "block_keys",
    "compare",
    "find_duplicates",
    "merge_records",
]
