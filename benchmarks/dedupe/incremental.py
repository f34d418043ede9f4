"""Measure a new import against a large library: keys are looked up, only what meets is compared.

    python benchmarks/dedupe/incremental.py [--shared FOLDER] [--library N] [--new N]

The library is made of all sets, repeated under other titles until it has N records; the new records are drawn from it
and written a little differently (capitals, initials).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.dedupe.run import SHARED
from benchmarks.dedupe.sets import read_set
from litapp.core.dedupe import Relation, block_keys, cluster, compare, compare_all, find_duplicates
from litapp.core.records import Record


def library_of(folder: Path, size: int) -> dict[str, Record]:
    """`size` records: all sets, then copies whose titles say so."""
    records: dict[str, Record] = {}
    sets = [read_set(path.parent) for path in sorted(folder.glob("*/records.csv.gz"))]
    for turn in range(100):
        for number, members in enumerate(sets):
            for identity, record in members.items():
                if len(records) == size:
                    return records
                title = record.title if not turn else f"Xylo{turn} {record.title} zeta{turn}"
                changed = record if not turn else replace(record, title=title, identifiers=(), volume=f"{turn}7")
                records[f"{turn}.{number}.{identity}"] = changed
    return records


def main() -> None:
    """Build the library, time the whole and the increment."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--library", type=int, default=100_000)
    options.add_argument("--new", type=int, default=1_000)
    options.add_argument("--whole", action="store_true")
    chosen = options.parse_args()
    records = library_of(chosen.shared, chosen.library)
    if chosen.whole:
        began = time.process_time()
        found = find_duplicates(records)
        print(f"whole: {len(records)} records, {len(found.clusters)} clusters, {time.process_time() - began:.1f} CPU s")
        return
    stored: defaultdict[str, list[str]] = defaultdict(list)
    for identity, record in records.items():
        for key in block_keys(record):
            stored[key].append(identity)
    drawn = random.Random(7).sample(sorted(records), chosen.new)
    new = {f"new.{identity}": replace(records[identity], title=records[identity].title.upper()) for identity in drawn}
    began = time.process_time()
    touched = {
        identity: records[identity]
        for record in new.values()
        for key in block_keys(record)
        if len(stored[key]) <= 200
        for identity in stored[key]
    }
    pairs = compare_all({**touched, **new}, new=set(new))
    clusters = cluster(pairs).clusters
    spent = time.process_time() - began
    at_home = sum(any(p.a == i or p.b == i for p in pairs if p.verdict.relation is Relation.SAME) for i in new)
    print(
        f"increment: {len(new)} new against {len(records)}: {len(touched)} looked up, {len(pairs)} pairs, "
        f"{len(clusters)} groups, {at_home} found again, {spent:.2f} CPU s"
    )
    one = next(iter(new.values()))
    assert compare(one, records[drawn[0]]).relation is Relation.SAME


if __name__ == "__main__":
    main()
