"""How fast and how big the engine is: a project of 10,000 candidates, and a run against the sandbox at real limits.

    python benchmarks/run_pipeline.py candidates [--count 10000]
    python benchmarks/run_pipeline.py run CORPUS.sqlite3 --query 'BOOLEAN' --plain 'WORDS' [--cap N] [--clock 1]

`candidates` absorbs invented records of two sources page by page and measures the pages and services that people wait
for, through Django without a network: median and 95th percentile in milliseconds, number of queries, memory.
`run` starts the sandbox and a worker process, runs a plan on four sources and compares its wall time with the time the
slowest source needs for its own requests at its allowed rate; memory is the worker's peak.
Both work in a temporary folder (or the database of LITAPP_DATABASE_URL) and print a table. Times depend on what else
the machine does: the load is printed with them.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

STEMS = "cardio neuro hepato nephro derma pulmo gastro onco endo immuno osteo haemato psycho rhino myo"
ENDS = "logy pathy graphy tomy itis osis emia ectomy plasty scopy metry gram genic lytic trophy"
WORDS = [stem + end for stem in STEMS.split() for end in ENDS.split()]
PAGE = 200


def set_up(folder: str) -> None:
    """Django on a fresh database in `folder`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "litapp.settings")
    os.environ["LITAPP_DATA_DIR"] = folder
    os.environ.setdefault("LITAPP_LOG_LEVEL", "ERROR")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def memory(process: int | str = "self", field: str = "VmRSS") -> float:
    """Memory of a process in MB (Linux): VmRSS now, VmHWM at most."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def invented(number: int, source: str) -> Any:
    """Record `number` of `source`: the same paper for the same number, with abstract and MeSH where PubMed has them."""
    from litapp.core.records import AbstractSection, Identifier, MeshHeading, PartialDate, Person, Record, Scheme

    chance = random.Random(number)
    title = " ".join(chance.choices(WORDS, k=11)).capitalize()
    people = tuple(Person(chance.choice(WORDS).capitalize(), "Ann B") for _ in range(chance.randint(1, 12)))
    year = chance.randint(1990, 2024)
    abstract = tuple(
        AbstractSection(" ".join(chance.choices(WORDS, k=45)), label)
        for label in ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSION")
    )
    mesh = tuple(MeshHeading(chance.choice(WORDS), f"D{n}") for n in range(8))
    medical = source == "pubmed"
    identifiers = [Identifier(Scheme.DOI, f"10.1000/bench.{number}")]
    if medical:
        identifiers.append(Identifier(Scheme.PMID, str(10_000_000 + number)))
    return Record(
        source, f"{source}-{number}", title=title, authors=people, journal=f"Journal of {chance.choice(WORDS)}",
        volume=str(number % 90), pages=f"{number}-{number + 8}", date=PartialDate(year), years=(year,),
        abstract=abstract if medical or number % 2 else (), mesh=mesh if medical else (),
        identifiers=tuple(identifiers),
    )  # fmt: skip


def processor(process: int) -> float:
    """Seconds of processor time a process used so far (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Times:
    """Wall time and this process's own time of each turn. On a busy machine the second says what a quiet one takes."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.own: list[float] = []

    @contextmanager
    def turn(self) -> Iterator[None]:
        wall, own = time.perf_counter(), time.process_time()
        yield
        self.wall.append(time.perf_counter() - wall)
        self.own.append(time.process_time() - own)

    def __str__(self) -> str:
        return f"{_percentiles(self.wall)} {_percentiles(self.own)}"


def _percentiles(times: list[float]) -> str:
    """Median and 95th percentile, in milliseconds."""
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return f"{statistics.median(ordered) * 1000:8.1f} {p95 * 1000:8.1f}"


def measured(name: str, work: Callable[[], Any], times: int = 40) -> None:
    """Run `work` often and print how long it takes and how many queries it makes (of the last time)."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    work()
    took = Times()
    for _ in range(times):
        with took.turn():
            work()
    with CaptureQueriesContext(connection) as queries:
        work()
    print(f"{name:44} {took} {len(queries):6}", flush=True)


def approved_run(question: str, boolean: str, plain: str, sources: tuple[str, ...], cap: int | None) -> Any:
    """A person, a project, an approved plan, a started run."""
    from django.contrib.auth.models import User

    from litapp.core.plan import Caps, PlanQuery, SearchPlan
    from litapp.projects.services.projects import project_create
    from searches.services.plans import plan_approve, plan_create
    from searches.services.runs import run_start

    person = User.objects.create_user("bench", "bench@example.org", "a long pass phrase")
    project = project_create(actor=person, name="Benchmark")
    plan = SearchPlan(question, sources, (PlanQuery(boolean, plain),), caps=Caps(per_source=cap))
    version = plan_create(project=project, actor=person, title="", content=plan)
    version = plan_approve(version=version, actor=person, content_hash=version.content_hash)
    return run_start(version=version, actor=person, request_id=uuid4())


def fill(run: Any, count: int) -> None:
    """Absorb `count` papers of PubMed and half of them again from OpenAlex."""
    from django.utils import timezone

    from litapp.ledger.models import SourceAnswer
    from litapp.providers.base import Hit, Page
    from searches.services.candidates import absorb_hits, think_ahead

    for source, first, last in (("pubmed", 0, count), ("openalex", 0, count // 2)):
        step = run.steps.select_related("run__version", "run__project").get(source=source)
        thinking, locked = Times(), Times()
        for start in range(first, last, PAGE):
            answer = SourceAnswer.objects.create(
                source=source, method="GET", url="/", request_key="k", status=200, outcome="ok",
                received_at=timezone.now(),
            )  # fmt: skip
            hits = tuple(Hit(invented(start + n, source), start + n + 1, answer.pk, n) for n in range(PAGE))
            page = Page(hits, {})
            with thinking.turn():
                bench = think_ahead(step=step, page=page)
            with locked.turn():
                absorb_hits(step=step, page=page, bench=bench)
        print(f"absorb {PAGE} of {source:9} without the lock      {thinking}")
        print(f"absorb {PAGE} of {source:9} under the lock        {locked}", flush=True)


def candidates(count: int) -> None:
    """A big project, and what people wait for in it."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from searches.models import Candidate
    from searches.querysets import CandidateFilter
    from searches.services.screening import decide, decide_many, undo

    run = approved_run(
        "Does cardiology help?", f"{WORDS[0]} AND {WORDS[20]}", f"{WORDS[0]}", ("pubmed", "openalex"), None
    )
    print(f"{f'load {os.getloadavg()[0]:.1f}':44} {'median':>8} {'p95':>8} {'own':>8} {'own p95':>8} queries")
    fill(run, count)
    project, person = run.project, User.objects.get()
    listed = Candidate.objects.listed(project)
    print(f"candidates: {listed.count():,}; memory {memory():.0f} MB")
    for name, wanted, order in (
        ("list", CandidateFilter(), "fit"),
        ("list by title", CandidateFilter(), "title"),
        ("list by verdict", CandidateFilter(), "verdict"),
        ("list of one source", CandidateFilter(source="openalex"), "fit"),
        ("list with two words of text", CandidateFilter(text=f"{WORDS[3]} {WORDS[40]}"), "fit"),
        (
            "list of verdict, decision, years",
            CandidateFilter("unchecked", "undecided", year_from=2000, year_to=2010),
            "-year",
        ),
    ):
        rows = listed.filtered(wanted).sorted_by(order)
        measured(f"service: {name}, 50 rows and count", lambda rows=rows: (list(rows.for_list()[:50]), rows.count()))
    measured("service: facets", listed.facets)
    middle = list(listed.queue()[: count // 2])[-1]
    measured("service: next card", lambda: listed.queue().after(middle).for_card().first())
    ids = iter(listed.queue().values_list("pk", "version")[: count // 4])

    def decision(word: str = "include") -> None:
        pk, version = next(ids)
        decide(project=project, candidate_id=pk, actor=person, decision=word, version=version, request_id=uuid4())

    measured("service: include", decision)
    measured("service: exclude", lambda: decision("exclude"))
    measured("service: undo", lambda: undo(project=project, actor=person))
    everything = list(listed.values_list("pk", flat=True))
    for name, work in (
        ("exclude all", lambda: decide_many(project=project, actor=person, candidate_ids=everything, decision="exclude",
                                            request_id=uuid4())),
        ("undo of it", lambda: undo(project=project, actor=person)),
        ("include all", lambda: decide_many(project=project, actor=person, candidate_ids=everything, decision="include",
                                            request_id=uuid4())),
        ("undo of it", lambda: undo(project=project, actor=person)),
    ):  # fmt: skip
        took = Times()
        with took.turn():
            work()
        print(f"{f'service: bulk of {len(everything):,}, {name}':44} {took}", flush=True)
    client = Client(raise_request_exception=True, SERVER_NAME="127.0.0.1")
    client.force_login(person)
    pages = {
        "page: candidate list": reverse("searches:candidates", args=[project.pk]),
        "page: list, filtered and sorted": reverse("searches:candidates", args=[project.pk])
        + f"?q={WORDS[3]}&decision=undecided&sort=-year&source=pubmed",
        "page: screening": reverse("searches:screen", args=[project.pk]),
        "page: next card": reverse("searches:screen_next", args=[project.pk]),
    }
    for name, address in pages.items():
        measured(name, lambda address=address: answered(client.get(address)))
    queue: Iterator[tuple[int, int]] = iter(listed.queue().values_list("pk", "version")[:500])

    def post() -> None:
        pk, version = next(queue)
        address = reverse("searches:decide", args=[project.pk, pk])
        values = {"decision": "exclude", "version": version, "request_id": str(uuid4())}
        answered(client.post(address, values, headers={"HX-Request": "true"}))

    measured("page: decision round trip", post)
    print(f"memory at the end: {memory():.0f} MB, at most {memory(field='VmHWM'):.0f} MB")


def answered(response: Any) -> None:
    """The page came."""
    if response.status_code not in (200, 302):
        raise SystemExit(f"{response.request['PATH_INFO']}: {response.status_code}")


def run_at_real_limits(corpus: Path, boolean: str, plain: str, cap: int | None, clock: float) -> None:
    """A run of four sources by a real worker, against the sandbox."""
    from litapp.providers.policies import policy_for
    from litapp.sandbox.server import start_sandbox
    from searches.models import Candidate, RetrievalRun

    sandbox = start_sandbox(corpus, clock=clock)
    os.environ["LITAPP_SANDBOX_URL"], os.environ["LITAPP_SANDBOX_CLOCK"] = sandbox.url, str(round(clock))
    sources = ("pubmed", "crossref", "openalex", "semanticscholar")
    run = approved_run("Which papers?", boolean, plain, sources, cap)
    worker = subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, env=os.environ)
    peak = 0.0
    try:
        while RetrievalRun.objects.get(pk=run.pk).is_open:
            peak = max(peak, memory(worker.pid, "VmHWM"))
            time.sleep(0.2)
        used = processor(worker.pid)
        run.refresh_from_db()
        wall = (run.finished_at - min(step.started_at for step in run.steps.all())).total_seconds()
        print(f"{'source':16} {'state':8} {'fetched':>8} {'requests':>9} {'seconds':>8} {'own time':>9}")
        slowest = 0.0
        for step in run.steps.all():
            requests = [line for line in sandbox.sandbox.log() if line.source == step.source]
            policy = policy_for(step.source, has_key=False, has_email=False)
            pages = -(-step.fetched // policy.page_size) + (step.source == "pubmed")
            own = pages * policy.interval("search") / clock
            slowest = max(slowest, own)
            took = (step.finished_at - step.started_at).total_seconds()
            print(f"{step.source:16} {step.state:8} {step.fetched:8,} {len(requests):9,} {took:8.1f} {own:9.1f}")
        found = Candidate.objects.listed(run.project).count()
        print(f"run {run.state}: {found:,} candidates in {wall:.1f} s = {wall / max(slowest, 0.001):.2f} x the slowest")
        while run.project.verifications.exclude(state__in=["done", "failed"]).exists():
            peak = max(peak, memory(worker.pid, "VmHWM"))
            time.sleep(0.5)
        print(f"worker: {used:.1f} s of processor until the run ended, {processor(worker.pid):.1f} s with all checks")
        print(f"worker memory at most {peak:.0f} MB; load {os.getloadavg()[0]:.1f}")
    finally:
        worker.send_signal(signal.SIGINT)
        worker.wait(timeout=60)
        sandbox.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    big = parts.add_parser("candidates")
    big.add_argument("--count", type=int, default=10_000)
    real = parts.add_parser("run")
    real.add_argument("corpus", type=Path)
    real.add_argument("--query", required=True)
    real.add_argument("--plain", required=True)
    real.add_argument("--cap", type=int)
    real.add_argument("--clock", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="litledger-bench-") as folder:
        set_up(folder)
        if options.part == "candidates":
            candidates(options.count)
        else:
            run_at_real_limits(options.corpus, options.query, options.plain, options.cap, options.clock)


if __name__ == "__main__":
    main()
