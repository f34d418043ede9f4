"""Loads PubMed files into a corpus and searches it with published strategies: records, seconds, memory, counts.

    python benchmarks/sandbox_load.py [FILE…] [--mesh FILE] [--queries FOLDER]

Without files it reads ../shared/corpus/pubmed. Prints Markdown for docs/measurements.md.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from litapp.core.querylang import QuerySyntaxError, leaves, parse
from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.corpus.store import Corpus
from litapp.sandbox.tiny import MESH

SHARED = Path(__file__).resolve().parents[2] / "shared"


def main() -> None:
    """Measure loading, then every PubMed string of the query folder (cold leaves, then again)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--mesh", type=Path, default=MESH)
    parser.add_argument("--queries", type=Path, default=SHARED / "queries")
    options = parser.parse_args()
    files = options.files or sorted((SHARED / "corpus/pubmed").glob("*.xml.gz"))
    if not files:
        sys.exit("No files to load.")
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.db"
        measure_load(corpus, files, options.mesh)
        measure_searches(corpus, options.queries)


def measure_load(corpus: Path, files: list[Path], mesh: Path) -> None:
    """Print what loading takes."""
    started, busy = time.monotonic(), time.process_time()
    loaded = load_files(corpus, files, mesh=mesh)
    seconds, busy = time.monotonic() - started, time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    packed = sum(path.stat().st_size for path in files) / 1e6
    print("| load | |\n|---|---|")
    print(f"| files | {len(files)}, {packed:.0f} MB packed |")
    print(f"| articles | {loaded.articles:,} ({loaded.replaced} replaced, {loaded.skipped} skipped) |")
    print(f"| wall time, processor time | {seconds:.0f} s, {busy:.0f} s ({loaded.articles / busy:,.0f} articles/s) |")
    print(f"| peak memory | {memory:.0f} MB |")
    print(f"| corpus file | {corpus.stat().st_size / 1e6:.0f} MB |\n")


def measure_searches(path: Path, queries: Path) -> None:
    """Print hits and times of each strategy that can be read."""
    corpus = Corpus(path)
    evaluator = Evaluator(corpus)
    print("| strategy | terms | hits | first, ms | again, ms |\n|---|---|---|---|---|")
    for text_file in sorted([*queries.glob("*/pubmed*.txt"), *queries.glob("nlm-clinical-queries/*.txt")]):
        try:
            tree = parse(text_file.read_text(encoding="utf-8"))
        except QuerySyntaxError:
            continue
        times = []
        for _ in range(2):
            started = time.perf_counter()
            found = evaluator.find(tree)
            times.append((time.perf_counter() - started) * 1000)
        name = f"{text_file.parent.name}/{text_file.stem}"
        print(f"| {name} | {sum(1 for _ in leaves(tree))} | {found.count:,} | {times[0]:.1f} | {times[1]:.1f} |")
    corpus.close()


if __name__ == "__main__":
    main()
