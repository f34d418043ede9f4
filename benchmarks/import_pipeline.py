"""How fast a large file is imported, and in how much memory: file to ledger, candidates and report, with progress.

    python benchmarks/import_pipeline.py [--count 100000] [--shared 0.1] [--profile]

Writes a RIS file of invented records (title, authors, journal, abstract of about 1,300 signs, DOI; the share `shared`
of them a second time in other words, as another database exports them), imports it with the service and the work that
the web and the worker use, on a fresh SQLite database, and checks that read + skipped are the records of the file.
Prints records a second, CPU seconds, the process's highest memory, the size of the database, and the longest time
between two signs of progress. Times depend on what else the machine does: the load is printed with them.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(ROOT))

from run_pipeline import WORDS as SHORT  # noqa: E402 - the same invented words
from run_pipeline import memory, set_up  # noqa: E402

WORDS = [*SHORT, *(f"{SHORT[n % 225]}{SHORT[n * 7 // 225 % 225]}" for n in range(20_000))]
"""As many different words as a literature has; else every two titles would share some."""


def ris(number: int, *, again: bool = False) -> str:
    """Record `number` as a database exports it; `again` = as another one does (initials, no DOI, title in capitals)."""
    chance = random.Random(number)
    title = " ".join(chance.choices(WORDS, k=11)).capitalize()
    people = [
        f"{chance.choice(WORDS).capitalize()}, {'A. B.' if again else 'Ann B'}" for _ in range(chance.randint(1, 8))
    ]
    lines = ["TY  - JOUR", f"TI  - {title.title() if again else title}", *(f"AU  - {person}" for person in people)]
    lines += [f"PY  - {chance.randint(1990, 2024)}", f"JO  - Journal of {chance.choice(WORDS).capitalize()}"]
    first = chance.randint(1, 900)
    lines += [f"VL  - {chance.randint(1, 90)}", f"SP  - {first}", f"EP  - {first + 9}"]
    lines += [
        f"AB  - {' '.join(chance.choices(WORDS, k=110))}",
        *(f"KW  - {word}" for word in chance.choices(WORDS, k=6)),
    ]
    if not again:
        lines.append(f"DO  - 10.1000/bench.{number}")
    return "\n".join([*lines, "ER  - ", "", ""])


def write_file(path: Path, count: int, shared: float) -> int:
    """Write `count` records to the file; returns how many papers they are."""
    papers = int(count * (1 - shared))
    with path.open("w") as file:
        for number in range(papers):
            file.write(ris(number))
        for number in range(count - papers):
            file.write(ris(number, again=True))
    return papers


def chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            yield part


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--shared", type=float, default=0.1)
    arguments.add_argument("--profile", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="litledger-import-") as folder:
        set_up(folder)
        run(Path(folder), given.count, given.shared, profile=given.profile)


def run(folder: Path, count: int, shared: float, *, profile: bool) -> None:
    from django.contrib.auth.models import User

    from litapp.projects.services.projects import project_create
    from searches.models import Candidate, RecordImport
    from searches.services import import_reading
    from searches.services.import_work import ImportWork
    from searches.services.imports import ImportDetails, import_file

    file = folder / "export.ris"
    papers = write_file(file, count, shared)
    project = project_create(actor=User.objects.create_user("bench"), name="Bench")
    signs = [time.perf_counter()]
    stop = import_reading.stop_reason

    def seen(row: RecordImport) -> str:
        signs.append(time.perf_counter())
        return stop(row)

    import_reading.stop_reason = seen
    begun, before, cpu = time.perf_counter(), memory(field="VmHWM"), time.process_time()
    row = import_file(
        project=project, actor=project.created_by, request_id=uuid4(), details=ImportDetails("Embase"),
        name=file.name, chunks=chunks(file),
    ).record_import  # fmt: skip
    kept = time.perf_counter() - begun
    watch = cProfile.Profile()
    if profile:
        watch.enable()
    ImportWork().run(str(row.pk))
    watch.disable()
    took, used = time.perf_counter() - begun, time.process_time() - cpu
    row.refresh_from_db()
    assert (row.state, row.read + row.skipped) == ("done", count), (row.state, row.message, row.read, row.skipped)
    found = Candidate.objects.listed(project).count()
    gaps = [later - earlier for earlier, later in pairwise(signs[1:])]
    size = sum(path.stat().st_size for path in folder.glob("litledger.sqlite3*")) / 1e6
    print(
        f"{count:,} records, {file.stat().st_size / 1e6:.0f} MB: {took:.1f} s ({count / took:.0f}/s), CPU {used:.1f} s,"
    )
    print(f"  of it {kept:.1f} s until the file was kept and recognised; longest wait for progress {max(gaps):.1f} s")
    print(f"  memory {memory(field='VmHWM'):.0f} MB at most ({before:.0f} MB before); database {size:.0f} MB")
    print(f"  {found:,} candidates of {papers:,} papers; load {os.getloadavg()[0]:.1f}")
    if profile:
        pstats.Stats(watch).sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    main()
