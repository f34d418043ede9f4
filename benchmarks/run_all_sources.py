"""How near a run of many queries over all searchable sources comes to what the slowest source's pace allows.

    python benchmarks/run_all_sources.py CORPUS.sqlite3 [--queries 25] [--records 5000] [--clock 1] [--profile FILE]

It starts the sandbox and a worker process and runs one approved plan with `--queries` one-word queries, at most
`--records` records a source in all, with (made-up) keys and a contact address, so that the paces of key holders count.
A source's own time is its requests times the interval at which the gate lets them go; `least` is the number of requests
per 1,000 records that the source's largest batches permit. `--profile` writes the worker's profile (cProfile).
Checks begin after the run and are not part of it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run_pipeline import ROOT, memory, processor, set_up

QUESTION = "How near is a run to what its sources allow?"
WORDS = (
    "patients", "treatment", "study", "clinical", "cells", "risk", "infection", "children", "disease",
    "therapy", "cancer", "health", "effects", "blood", "analysis", "protein", "outcomes", "surgery",
    "levels", "diagnosis", "response", "acute", "model", "activity", "care", "review", "women",
    "age",
)  # fmt: skip
LEAST = {
    "pubmed": 1000 / 200 + 0.1,
    "crossref": 1.0,
    "openalex": 10.0,
    "semanticscholar": 10.0,
    "europepmc": 1.0,
    "arxiv": 0.5,
    "biorxiv": 1.0,
}
"""Requests per 1,000 records: PubMed 200 a record call and 9,999 numbers a search; Crossref and Europe PMC 1,000 a
page; OpenAlex and Semantic Scholar's search by likeness 100; arXiv 2,000. Each query takes one request at least."""
KEYS = {
    "LITAPP_NCBI_KEY": "bench-ncbi", "LITAPP_OPENALEX_KEY": "bench-openalex", "LITAPP_S2_KEY": "bench-s2",
    "LITAPP_CONTACT_EMAIL": "bench@clinic.test",
}  # fmt: skip


def run(corpus: Path, queries: int, records: int, clock: int, profile: str) -> None:
    """Run the plan and print the tables."""
    from django.contrib.auth.models import User

    from litapp.core.plan import Caps, PlanQuery, SearchPlan
    from litapp.projects.services.projects import project_create
    from litapp.providers.policies import policy_for
    from litapp.providers.registry import answering, search_keys
    from litapp.sandbox.server import start_sandbox
    from searches.models import Candidate, RetrievalRun
    from searches.services.plans import plan_approve, plan_create
    from searches.services.runs import run_start

    sandbox = start_sandbox(corpus, clock=float(clock))
    os.environ["LITAPP_SANDBOX_URL"], os.environ["LITAPP_SANDBOX_CLOCK"] = sandbox.url, str(clock)
    person = User.objects.create_user("bench", "bench@example.org", "a long pass phrase")
    project = project_create(actor=person, name="Benchmark")
    lines = tuple(PlanQuery(f"{word}[tiab]", word, word) for word in WORDS[:queries])
    plan = SearchPlan(QUESTION, search_keys(), lines, caps=Caps(per_source=records))
    version = plan_create(project=project, actor=person, title="", content=plan)
    version = plan_approve(version=version, actor=person, content_hash=version.content_hash)
    made = run_start(version=version, actor=person, request_id=uuid4())
    command = [sys.executable, *(["-m", "cProfile", "-o", profile] if profile else []), "manage.py", "worker"]
    worker = subprocess.Popen(command, cwd=ROOT, env=os.environ)
    try:
        while RetrievalRun.objects.get(pk=made.pk).is_open:
            time.sleep(0.2)
            if worker.poll() is not None:
                raise SystemExit("The worker ended.")
        used, peak = processor(worker.pid), memory(worker.pid, "VmHWM")
        made.refresh_from_db()
        steps = list(made.steps.all())
        begun, ended = min(step.started_at for step in steps if step.started_at), made.finished_at
        wall = (ended - begun).total_seconds() if ended else 0.0
        refused = Counter(line.source for line in sandbox.sandbox.log() if line.status == 429)
        head = f"{'source':16} {'fetched':>8} {'requests':>9} {'429':>4} {'per 1,000':>10}"
        print(f"{head} {'least':>6} {'own time':>9} {'took':>7}")
        own: dict[str, float] = {}
        for key in search_keys():
            mine = [step for step in steps if step.source == key]
            fetched = sum(step.fetched for step in mine)
            number = sum(len(step.answers.all()) for step in mine)
            asked = answering(key)
            policy = policy_for(asked, has_key=asked != "crossref", has_email=True)  # Crossref's key is bought
            own[asked] = own.get(asked, 0.0) + number * policy.interval("search") / clock
            ends = [step.finished_at for step in mine if step.finished_at]
            took = (max(ends) - made.started_at).total_seconds()
            rate = number * 1000 / max(fetched, 1)
            told = f"{key:16} {fetched:8,} {number:9,} {refused[key]:4} {rate:10.1f}"
            print(f"{told} {LEAST[key]:6.1f} {own[asked]:8.1f}s {took:6.1f}s")
        slowest, seconds = max(own.items(), key=lambda item: item[1])
        found = Candidate.objects.listed(project).count()
        print(f"run {made.state}: {sum(s.fetched for s in steps):,} records, {found:,} candidates in {wall:.1f} s")
        print(f"= {wall / seconds:.2f} x what the pace of {slowest} allows ({seconds:.1f} s); clock {clock}")
        print(f"worker: {used:.1f} s of processor, {peak:.0f} MB at most; load {os.getloadavg()[0]:.1f}")
        for reason in made.reasons[:5]:
            print(reason)
    finally:
        worker.send_signal(signal.SIGINT)
        worker.wait(timeout=120)
        sandbox.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--queries", type=int, default=25)
    parser.add_argument("--records", type=int, default=5_000)
    parser.add_argument("--clock", type=int, default=1)
    parser.add_argument("--profile", default="")
    options = parser.parse_args()
    os.environ.update(KEYS)
    with tempfile.TemporaryDirectory(prefix="litledger-bench-") as folder:
        set_up(folder)
        run(options.corpus, options.queries, options.records, options.clock, options.profile)


if __name__ == "__main__":
    main()
