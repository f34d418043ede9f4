"""Screening of a big project by a team: lists, filters and text search at 100,000 records, decisions at 50,000.

    python benchmarks/screening.py lists [--count 100000]
    python benchmarks/screening.py decisions [--count 50000] [--people 4] [--each 100]

`lists` measures whole pages through Django without a network, as a lead and as a screener of a blind project of two.
`decisions` measures one decision with the answer that holds the next record, first alone, then with several people
deciding at once, each in a process of its own, in a blind project. Records are invented; both work in a temporary
folder (or the database of LITAPP_DATABASE_URL). Median, 95th percentile, and the load of the machine are printed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
VOCABULARY = 12_000
TURNS = 30


def make_project(count: int) -> Any:
    """A project with `count` candidates, a lead and four screeners; two screeners per record, blind."""
    from django.contrib.auth.models import User
    from run_pipeline import invented

    from litapp.projects.models import Membership
    from litapp.projects.services.projects import project_create
    from searches.models import Candidate
    from searches.services.stages import Settings, stage_set

    lead = User.objects.create_user("lead")
    project = project_create(actor=lead, name="Benchmark")
    for number in range(4):
        screener = User.objects.create_user(f"screener{number}")
        Membership.objects.create(project=project, user=screener, role="screener")
    begun = time.monotonic()
    for start in range(0, count, 2000):
        rows = []
        for number in range(start, min(count, start + 2000)):
            rows.append(Candidate(project=project, **columns(invented(number, "pubmed"), number)))
        Candidate.objects.bulk_create(rows)
    stage_set(project=project, actor=lead, stage="title", wanted=Settings(screeners=2, blind=True))
    print(f"{count:,} candidates written in {time.monotonic() - begun:.0f} s", flush=True)
    return project


def columns(record: Any, number: int) -> dict[str, Any]:
    """A candidate's columns, as they are derived from its record."""
    from litapp.core.records import record_to_dict
    from searches.services.derived import search_text

    chance = random.Random(number)
    return {
        "record": record_to_dict(record),
        "sources": [record.source],
        "title": record.title,
        "first_author": record.authors[0].name,
        "last_author": record.authors[-1].name,
        "journal": record.journal,
        "year": record.year,
        "pmid": record.pmid,
        "doi": record.doi,
        "has_abstract": True,
        "title_key": record.title.lower()[:300],
        "author_key": record.authors[0].name.lower(),
        "search_text": search_text(record) + " " + " ".join(f"word{chance.randrange(VOCABULARY)}" for _ in range(40)),
        "fit": chance.choice((1, 1, 1, 2, 2, 3)),
        "fit_reason": "1 of 2 query blocks found.",
    }


def measured(name: str, work: Callable[[], Any], turns: int = TURNS) -> None:
    """Median and 95th percentile of a piece of work, after one turn that does not count."""
    work()
    times, own = [], []
    for _ in range(turns):
        begun, cpu = time.perf_counter(), time.process_time()
        work()
        times.append(1000 * (time.perf_counter() - begun))
        own.append(1000 * (time.process_time() - cpu))
    print(line(name, times), line("", own).strip(), flush=True)


def line(name: str, times: list[float]) -> str:
    times = sorted(times)
    return f"{name:58} {statistics.median(times):8.0f} {times[int(0.95 * (len(times) - 1))]:8.0f} {len(times):6}"


def client_of(name: str) -> Any:
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(raise_request_exception=True, SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(username=name))
    return client


def lists(count: int) -> None:
    """Pages of the list."""
    from django.contrib.auth.models import User
    from run_pipeline import WORDS, answered

    from searches.models import Candidate
    from searches.services.screening import decide_many

    project = make_project(count)
    ids = list(Candidate.objects.filter(project=project).values_list("pk", flat=True))
    for name, part, word in (("screener0", ids[: count // 10], "exclude"), ("screener1", ids[: count // 8], "include")):
        for start in range(0, len(part), 10_000):
            decide_many(
                project=project, actor=User.objects.get(username=name), candidate_ids=part[start : start + 10_000],
                decision=word, request_id=uuid4(),
            )  # fmt: skip
    print(f"load {os.getloadavg()[0]:.1f}; milliseconds: median, 95th percentile, turns; the same of processor time")
    base = f"/projects/{project.pk}"
    pages = {
        "list": f"{base}/candidates/",
        "list, page 1,000": f"{base}/candidates/?page=1000",
        "list by title": f"{base}/candidates/?sort=title",
        "list by year, newest first": f"{base}/candidates/?sort=-year",
        "list of the undecided": f"{base}/candidates/?decision=undecided",
        "list of the excluded": f"{base}/candidates/?decision=exclude",
        "list of three years, best fit": f"{base}/candidates/?year_from=2000&year_to=2003&fit=3",
        "text: a rare word": f"{base}/candidates/?q=word77",
        "text: a frequent word": f"{base}/candidates/?q={WORDS[3]}",
        "text: two frequent words": f"{base}/candidates/?q={WORDS[3]}+{WORDS[40]}",
        "text: a beginning, by year": f"{base}/candidates/?q=cardio&sort=-year",
        "screening page": f"{base}/screen/",
        "screening page of a search": f"{base}/screen/?q={WORDS[3]}+{WORDS[40]}",
        "overview": f"{base}/",
    }
    for who in ("lead", "screener0"):
        client = client_of(who)
        for name, address in pages.items():
            measured(f"{who}: {name}", lambda client=client, address=address: answered(client.get(address)))


def decisions(count: int, people: int, each: int) -> None:
    """Decisions alone, then of several people at once."""
    project = make_project(count)
    print(f"load {os.getloadavg()[0]:.1f}; milliseconds: median, 95th percentile, decisions")
    print(line("one person", decide_some(project.pk, "screener0", each)), flush=True)
    commands = [
        [sys.executable, __file__, "one", str(project.pk), f"screener{number % 4}", str(each)]
        for number in range(people)
    ]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    times = [float(text) for worker in workers for text in worker.communicate()[0].split()]
    print(line(f"{people} people at once", times), flush=True)


def decide_some(project: int, who: str, each: int) -> list[float]:
    """Decide record after record as the page's script does: each answer holds the next."""
    from run_pipeline import answered

    client, times = client_of(who), []
    client.get(f"/projects/{project}/candidates/?page=2")
    page = client.get(f"/projects/{project}/screen/").content.decode()
    for number in range(each):
        record, version = re.search(r'data-record="(\d+)"', page), re.search(r'name="version" value="(\d+)"', page)
        assert record
        assert version
        values = {
            "decision": ("exclude", "exclude", "include", "maybe")[number % 4],
            "version": version[1],
            "request_id": str(uuid4()),
        }
        begun = time.perf_counter()
        address = f"/projects/{project}/candidates/{record[1]}/decide/"
        response = client.post(address, values, headers={"HX-Request": "true"})
        times.append(1000 * (time.perf_counter() - begun))
        if response.status_code != 409:  # two others were faster: the answer holds the next record
            answered(response)
        page = response.content.decode()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    of_lists = modes.add_parser("lists")
    of_lists.add_argument("--count", type=int, default=100_000)
    of_decisions = modes.add_parser("decisions")
    of_decisions.add_argument("--count", type=int, default=50_000)
    of_decisions.add_argument("--people", type=int, default=4)
    of_decisions.add_argument("--each", type=int, default=100)
    one = modes.add_parser("one", help="one of several people; started by `decisions`")
    one.add_argument("project", type=int)
    one.add_argument("who")
    one.add_argument("each", type=int)
    given = parser.parse_args()
    if given.mode == "one":
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "litapp.settings")
        import django

        django.setup()
        print(*decide_some(given.project, given.who, given.each))
        return
    from run_pipeline import set_up

    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        if given.mode == "lists":
            lists(given.count)
        else:
            decisions(given.count, given.people, given.each)


if __name__ == "__main__":
    main()
