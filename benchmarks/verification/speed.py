"""How long lists take through the product: identifiers in batches, citations as text, and the same list again.

    python benchmarks/verification/speed.py identifiers [--count 1000] [--latency 0.3]
    python benchmarks/verification/speed.py texts [--count 100] [--latency 0.3]

The records of the reference world are multiplied under identifiers and titles of their own. The services answer on
loopback after `--latency` seconds; the client keeps the public limits in real time (a contact address is set, no keys).
Printed: seconds and requests of the first check, of a second check of the same references, and of the same list brought
again; all in a temporary folder.
"""

from __future__ import annotations

import argparse
import copy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verification.evidence import claimed_record, load_module
from benchmarks.verification.http_path import SHARED, WorldServer, new_project, operations, set_up

MARKS = ("alpine", "boreal", "coastal", "deltaic", "fluvial", "glacial", "highland", "insular", "karst", "lacustrine")


def multiplied(records: list[Any], count: int) -> list[Any]:
    """`count` records with DOI and PMID, made from these: each copy has its own identifiers and a word in its title."""
    usable = [r for r in records if r.get("doi") and r.get("pmid") and r.get("ra") == "crossref"]
    made = []
    for number in range(count):
        copy_of, turn = copy.deepcopy(usable[number % len(usable)]), number // len(usable)
        if turn:
            copy_of["id"] = f"r{90000 + number}"
            copy_of["doi"] = f"{copy_of['doi']}.{turn}"
            copy_of["pmid"] = str(30000000 + number)
            copy_of["title"] = f"{copy_of['title'].rstrip('.')} in {MARKS[turn % len(MARKS)]} regions"
        made.append(copy_of)
    return made


def main() -> None:
    """Run one of the two and print the line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=("identifiers", "texts"))
    options.add_argument("--count", type=int)
    options.add_argument("--latency", type=float, default=0.3)
    options.add_argument("--shared", type=Path, default=SHARED)
    chosen = options.parse_args()
    texts = chosen.what == "texts"
    count = chosen.count or (100 if texts else 1000)
    benchmark = load_module(chosen.shared, "make_cases")
    wire = load_module(chosen.shared, "world_http")
    records = multiplied(benchmark.load_jsonl(chosen.shared / "records.jsonl"), count)
    server = WorldServer(benchmark.World(records), wire)
    server.latency = chosen.latency
    references = [benchmark.base_ref(record) for record in records]
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder, server.address, 1, email="benchmark@example.org")
        measure(server, benchmark, references, texts)
        from django.db import connections

        connections.close_all()
    server.close()


def measure(server: WorldServer, benchmark: Any, references: list[Any], texts: bool) -> None:
    """First check, second check, the same list again."""
    from django.contrib.auth import get_user_model
    from django.db.models import Count

    from litapp.jobs.models import StepState
    from litapp.verification.models import Verification
    from litapp.verification.services.requests import Claim, claims_request
    from litapp.verification.services.work import check_now

    project = new_project()
    get_user_model()
    if texts:
        for reference in references:
            reference["doi"] = reference["pmid"] = reference["arxiv"] = ""
        claims = [Claim(text=benchmark.to_vancouver(reference)) for reference in references]
    else:
        claims = [Claim(claimed_record(reference)) for reference in references]

    def timed(name: str, ids: list[int]) -> None:
        server.requests.clear()
        began, cpu = time.perf_counter(), time.process_time()
        check_now(verification_ids=ids)
        spent, used = time.perf_counter() - began, time.process_time() - cpu
        verdicts = dict(Verification.objects.filter(pk__in=ids).values_list("status").annotate(Count("pk")))
        print(
            f"{name}: {spent:.1f} s ({used:.1f} s of processor, the services' included), "
            f"{sum(server.requests.values())} requests {dict(server.requests)}, {verdicts}"
        )

    ids = [row.pk for row in claims_request(project=project, claims=claims)]
    timed("first check", ids)
    operations()
    Verification.objects.filter(pk__in=ids).update(state=StepState.QUEUED)
    timed("second check", ids)
    timed("same list again", [row.pk for row in claims_request(project=project, claims=claims)])


if __name__ == "__main__":
    main()
