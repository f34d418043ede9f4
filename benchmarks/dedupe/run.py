"""Measure duplicate finding on the labelled sets: works lost, duplicates missed, queue, seconds, memory.

    python benchmarks/dedupe/run.py [--shared FOLDER] [SET ...] [--errors N] [--kinds] [--doubtful N] [--shuffles N]

FOLDER holds the sets and score.py (default: ../shared/dedupe beside the project). Without SET all sets are run.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.dedupe.sets import read_set, read_truth
from litapp.core.dedupe import Duplicates, compare, find_duplicates
from litapp.core.records import Record

SHARED = Path(__file__).resolve().parents[3] / "shared" / "dedupe"


def load_scorer(folder: Path) -> ModuleType:
    """score.py of the shared folder as a module."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run the chosen sets and print one row each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sets", nargs="*")
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--errors", type=int, default=0)
    options.add_argument("--doubtful", type=int, default=0)
    options.add_argument("--kinds", action="store_true")
    options.add_argument("--shuffles", type=int, default=0)
    chosen = options.parse_args()
    scorer = load_scorer(chosen.shared)
    names = chosen.sets or sorted(path.parent.name for path in chosen.shared.glob("*/records.csv.gz"))
    print(
        "| set | records | precision / recall / F1 | works lost | missed | pairs FP / FN | queue, true | CPU s | MB |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    total: Counter[str] = Counter()
    for name in names:
        folder = chosen.shared / name
        began = time.process_time()
        records = read_set(folder)
        read = time.process_time()
        found = find_duplicates(records)
        done = time.process_time()
        result = _score(scorer, folder, found, chosen.errors)
        true = _true_in_queue(found, read_truth(folder))
        _row(name, records, result, found, true, read - began, done - read)
        total.update(
            {
                "FP": result["records_removed"]["FP"],
                "FN": result["records_removed"]["FN"],
                "TP": result["records_removed"]["TP"],
                "queue": len(found.doubtful),
                "true": true,
                "n": len(records),
            }
        )
        if chosen.kinds:
            for kind, count in result["special"].items():
                print(f"    {kind}: merged {count['merged']} of {count['pairs']}")
        if chosen.errors:
            _errors(records, result)
        if chosen.doubtful:
            _doubtful(records, found, read_truth(folder), chosen.doubtful)
        for seed in range(chosen.shuffles):
            _shuffle(records, found, seed)
    print(
        f"\nall: works lost {total['FP']}, missed {total['FN']}, removed {total['TP']}; queue {total['queue']} pairs "
        f"({100 * total['queue'] / total['n']:.2f} % of {total['n']} records), {total['true']} true"
    )


def _score(scorer: ModuleType, folder: Path, found: Duplicates, errors: int) -> dict[str, Any]:
    result: dict[str, Any] = scorer.score(str(folder), [list(c) for c in found.clusters], errors=errors)
    return result


def _true_in_queue(found: Duplicates, truth: dict[str, str]) -> int:
    return sum(truth.get(p.a, p.a) == truth.get(p.b, p.b) for p in found.doubtful)


def _row(
    name: str,
    records: dict[str, Record],
    result: dict[str, Any],
    found: Duplicates,
    true: int,
    read: float,
    spent: float,
) -> None:
    r, p = result["records_removed"], result["pairs"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {name} | {len(records)} | {r['precision']:.4f} / {r['recall']:.4f} / {r['f1']:.4f} | {r['FP']} | {r['FN']} "
        "| "
        f"{p['FP']} / {p['FN']} | {len(found.doubtful)}, {true} | {read:.1f} + {spent:.1f} | {memory:.0f} |",
        flush=True,
    )


def _errors(records: dict[str, Record], result: dict[str, Any]) -> None:
    for name in ("fp_pairs", "fn_pairs"):
        for a, b in result.get(name, []):
            verdict = compare(records[a], records[b])
            print(f"  {name} {a} {b}: {verdict.relation.value} {verdict.rule}: {verdict.why}")
            for identity in (a, b):
                _show(records[identity])


def _doubtful(records: dict[str, Record], found: Duplicates, truth: dict[str, str], most: int) -> None:
    rules: Counter[tuple[str, bool]] = Counter()
    for number, pair in enumerate(found.doubtful):
        a, b, verdict = pair.a, pair.b, pair.verdict
        same = truth.get(a, a) == truth.get(b, b)
        rules[verdict.rule, same] += 1
        if number < most:
            print(f"  {'TRUE ' if same else 'false'} {verdict.rule} {verdict.rank:.2f} {verdict.why}")
            _show(records[a])
            _show(records[b])
    for (rule, same), count in sorted(rules.items()):
        print(f"    {rule}: {count} {'true' if same else 'false'}")


def _show(r: Record) -> None:
    author = r.authors[0].name if r.authors else ""
    abstract = r.abstract[0].text if r.abstract else ""
    print(
        f"      {r.title[:120]} | {author} ({len(r.authors)}) | {r.date.year} {r.journal[:40]} v{r.volume} i{r.issue} "
        f"p{r.pages} {r.doi} {r.pmid} {r.source} {','.join(r.publication_types)} | {abstract[:40]!r}"
    )


def _shuffle(records: dict[str, Record], found: Duplicates, seed: int) -> None:
    ids = list(records)
    random.Random(seed).shuffle(ids)
    again = find_duplicates({identity: records[identity] for identity in ids})
    print(f"    shuffle {seed}: {'same' if again == found else 'OTHER RESULT'}")


if __name__ == "__main__":
    main()
