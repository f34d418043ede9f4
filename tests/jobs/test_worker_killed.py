"""The worker is killed with -9 again and again during a run against the sandbox: nothing lost, nothing doubled."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litapp.sandbox.server import start_sandbox
from tests.jobs.installations import Installation, installation
from tests.jobs.invented_corpus import make_invented_corpus

PAPERS, CLOCK = 120, 40
START = """
from uuid import uuid4
from django.contrib.auth.models import User
from litapp.core.plan import SearchPlan, PlanQuery
from litapp.projects.models import Project
from searches.services.plans import plan_create, plan_approve
from searches.services.runs import run_start
user = User.objects.create(username="u")
project = Project.objects.create(name="p", created_by=user)
plan = SearchPlan(
    "Which papers?", ("pubmed", "crossref", "openalex", "semanticscholar"),
    (PlanQuery("trial[tiab]", "trial"), PlanQuery("dexamethasone[tiab]", "dexamethasone")),
)
version = plan_create(project=project, actor=user, title="", content=plan)
version = plan_approve(version=version, actor=user, content_hash=version.content_hash)
answer = run_start(version=version, actor=user, request_id=uuid4()).pk
"""
STATE = """
from litapp.verification.models import Verification
from searches.models import RetrievalRun
run = RetrievalRun.objects.get()
answer = {
    "state": run.state,
    "fetched": sum(run.steps.values_list("fetched", flat=True)),
    "waiting": Verification.objects.open().count(),
    "at work": run.steps.filter(state="running").count() + Verification.objects.filter(state="running").count(),
}
"""
PICTURE = """
from collections import Counter
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Event, Project
from litapp.projects.services.events import verify_chain
from litapp.verification.models import Check, Verification
from searches.models import Candidate, CandidateSource, RetrievalHit, RetrievalRun
run = RetrievalRun.objects.get()
listed = Candidate.objects.listed(run.project)
groups = {}
for candidate, source, source_id in CandidateSource.objects.values_list(
    "candidate_id", "source", "source_record__source_id"
):
    groups.setdefault(candidate, set()).add(f"{source} {source_id}")
answer = {
    "run": [run.state, run.reasons],
    "steps": list(run.steps.values_list(
        "source", "query_index", "state", "reported", "fetched", "done", "capped", "exhausted", "invalid_records"
    )),
    "hits": sorted(map(list, RetrievalHit.objects.values_list(
        "step__source", "step__query_index", "rank", "source_record__source_id", "duplicate_in_source"
    ))),
    "papers": sorted(sorted(group) for group in groups.values()),
    "candidates": sorted(map(list, listed.values_list("title", "doi", "pmid", "year", "fit"))),
    "verdicts": sorted(map(list, listed.values_list("title", "verification__status"))),
    "unlinked": SourceRecord.objects.filter(candidates=None).count(),
    "verifications": Verification.objects.count() - Candidate.objects.exclude(merged_into=None).count(),
    "doubled checks": [n for n in Counter(Check.objects.values_list(
        "verification", "round", "position"
    )).values() if n > 1],
    "finished": Event.objects.filter(verb="run.finished").count(),
    "log intact": verify_chain(Project.objects.get()).intact,
}
"""
ANSWERS = """
from litapp.ledger.models import SourceAnswer
answer = SourceAnswer.objects.filter(operation__in=["search", "records"]).count()
"""


def run_to_its_end(
    place: Installation,
    ask: Callable[[str], Any],
    *,
    kills: int,
    seed: int = 0,
    begin: str = START,
    with_checks: bool = True,
) -> int:
    """Start a run and a worker; kill the worker `kills` times while it works, then let the last one finish (the run,
    and unless told otherwise the checks of its records).

    Returns how often it was killed while there was work to do.
    """
    chance = random.Random(seed)
    ask(begin)
    killed = 0

    def start() -> subprocess.Popen[str]:
        return place.start("manage.py", "worker", "--threads", "6", LITAPP_WORKER_NAME="the worker")

    worker = start()
    end = time.monotonic() + 900  # no measurement: a busy machine may take its time
    try:
        while time.monotonic() < end:
            state = ask(STATE)
            if state["state"] != "running" and not (state["waiting"] and with_checks):
                return killed
            if killed < kills and state["at work"]:
                time.sleep(chance.uniform(0.0, 0.5))
                worker.send_signal(signal.SIGKILL)
                worker.communicate()
                killed += 1
                worker = start()
                wanted = state["fetched"] + 1
                while ask(STATE)["fetched"] < wanted and ask(STATE)["state"] == "running":
                    time.sleep(0.05)
            time.sleep(0.05)
            assert worker.poll() is None, worker.communicate()[1][-3000:]
        raise AssertionError(f"the run did not end: {ask(STATE)}")
    finally:
        worker.send_signal(signal.SIGINT)
        worker.communicate(timeout=60)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def test_killed_again_and_again_a_run_ends_like_an_undisturbed_one(kind: str, tmp_path: Path) -> None:
    sandbox = start_sandbox(make_invented_corpus(tmp_path, PAPERS), clock=float(CLOCK))
    extra = {"LITAPP_SANDBOX_URL": sandbox.url, "LITAPP_SANDBOX_CLOCK": str(CLOCK), "LITAPP_LOG_LEVEL": "ERROR"}
    try:
        pictures, asked = [], 0
        for name, kills in (("calm", 0), ("killed", 5)):
            sandbox.reset()
            (tmp_path / name).mkdir()
            with installation(kind, tmp_path / name) as place:
                place.extra = extra
                with place.observed() as ask:
                    killed = run_to_its_end(place, ask, kills=kills)
                    pictures.append(ask(PICTURE))
                    answers = ask(ANSWERS)
                if kills:
                    assert killed >= 3
                    assert answers <= asked + killed * 8  # each lane repeats at most the request in flight
                else:
                    asked = answers
    finally:
        sandbox.stop()
    calm, disturbed = pictures
    assert calm["run"][0] in ("success", "partial_success")
    assert len(calm["candidates"]) == PAPERS
    assert calm["doubled checks"] == []
    assert calm["log intact"]
    assert calm["finished"] == 1
    assert calm["unlinked"] == 0
    assert disturbed == calm
