"""Ours beside bib-dedupe and deduplicate-it on the same sets, in one run: works lost, duplicates missed, CPU, memory.

    python -m venv PEERS && PEERS/bin/pip install bib-dedupe deduplicate-it
    python benchmarks/dedupe/peers.py --peers PEERS/bin/python [--shared FOLDER] [SET ...]

Each runs in a process of its own; CPU seconds (user + system) and peak memory are those of that process, reading
included. Default sets: those under 8,000 records.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.dedupe.run import SHARED, load_scorer
from benchmarks.dedupe.sets import read_set
from litapp.core.dedupe import find_duplicates

HERE = Path(__file__).resolve()
SMALL = ("api_variants_a", "copper", "cytology_screening", "diabetes", "neuroimaging", "respiratory")


def main() -> None:
    """Print a row for each set and program."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sets", nargs="*", default=list(SMALL))
    options.add_argument("--shared", type=Path, default=SHARED)
    options.add_argument("--peers", type=Path)
    options.add_argument("--ours", nargs=2, type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.ours:
        folder, out = chosen.ours
        out.write_text(json.dumps([list(members) for members in find_duplicates(read_set(folder)).clusters]))
        return
    if chosen.peers is None:
        options.error("--peers is missing: the interpreter of the environment that has the peers")
    scorer = load_scorer(chosen.shared)
    print("| set | program | precision / recall / F1 | works lost | missed | CPU s | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in chosen.sets:
        folder = chosen.shared / name
        peer = [str(chosen.peers), str(HERE.parent / "peer.py")]
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "predicted.json"
            _row(scorer, folder, "LitLedger", [sys.executable, str(HERE), "--ours", str(folder), str(out)], out)
            for program in ("bib-dedupe", "deduplicate-it"):
                _row(scorer, folder, program, [*peer, program, str(folder), str(out)], out)


def _row(scorer: object, folder: Path, program: str, command: list[str], out: Path) -> None:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print(f"| {folder.name} | {program} | failed with code {child.returncode} | | | | |")
        return
    result = scorer.score(str(folder), json.loads(out.read_text()))["records_removed"]  # type: ignore[attr-defined]
    print(
        f"| {folder.name} | {program} | {result['precision']:.4f} / {result['recall']:.4f} / {result['f1']:.4f} | "
        f"{result['FP']} | {result['FN']} | {used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss / 1024:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
