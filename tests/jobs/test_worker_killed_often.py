"""25 queries over all searchable sources, and the worker killed with -9 ten times: every count exact, nothing asked
twice."""

from __future__ import annotations

from pathlib import Path

from litapp.providers.registry import search_keys
from litapp.sandbox.server import start_sandbox
from tests.jobs.installations import installation
from tests.jobs.invented_corpus import make_invented_corpus
from tests.jobs.test_worker_killed import run_to_its_end
from tests.searches.stand_in import OUTCOMES, SUBJECTS, TOPICS

KILLS = 10
PAPERS = 70
CLOCK = 40
QUERIES = (*TOPICS, *SUBJECTS, *OUTCOMES)
"""One word each; no two find the same papers, so no request of one query is also one of another."""
START = f"""
from uuid import uuid4
from django.contrib.auth.models import User
from litapp.core.plan import SearchPlan, PlanQuery
from litapp.projects.models import Project
from litapp.providers.registry import search_keys
from searches.services.plans import plan_create, plan_approve
from searches.services.runs import run_start
user = User.objects.create(username="u")
project = Project.objects.create(name="p", created_by=user)
queries = tuple(PlanQuery(word + "[tiab]", word) for word in {QUERIES!r})
version = plan_create(project=project, actor=user, title="", content=SearchPlan("Which?", search_keys(), queries))
version = plan_approve(version=version, actor=user, content_hash=version.content_hash)
answer = run_start(version=version, actor=user, request_id=uuid4()).pk
"""
PICTURE = """
from django.db.models import Count
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Event, Project
from litapp.projects.services.events import verify_chain
from searches.models import Candidate, CandidateSource, RetrievalHit, RetrievalRun
run = RetrievalRun.objects.get()
listed = Candidate.objects.listed(run.project).exclude(pmid="").order_by()
good = SourceAnswer.objects.filter(outcome__in=["ok", "empty", "not_found"])
answer = {
    "run": [run.state, run.reasons],
    "steps": run.steps.count(),
    "not done": list(run.steps.exclude(state="done").values_list("source", "query_index", "state", "message")),
    "miscounted": [
        [step.source, step.query_index, step.reported, step.fetched, step.hits.count()]
        for step in run.steps.all()
        if not step.reported == step.fetched == step.done == step.hits.count()
    ],
    "found": {key: run.steps.filter(source=key, fetched__gt=0).exists()
              for key in set(run.steps.values_list("source", flat=True))},
    "doubled in a step": RetrievalHit.objects.filter(duplicate_in_source=True).count(),
    "asked twice": list(good.values("source", "request_key").annotate(n=Count("pk")).filter(n__gt=1)
                        .values_list("source", "n")),
    "unlinked": SourceRecord.objects.filter(candidates=None).count(),
    "linked twice": CandidateSource.objects.count() - SourceRecord.objects.count(),
    "papers of PubMed": [listed.count(), listed.values("pmid").distinct().count()],
    "finished": Event.objects.filter(verb="run.finished").count(),
    "log intact": verify_chain(Project.objects.get()).intact,
}
"""


def test_ten_kills_leave_every_count_exact(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    sandbox = start_sandbox(make_invented_corpus(tmp_path, PAPERS), clock=float(CLOCK))
    try:
        with installation("sqlite", tmp_path / "data") as place:
            place.extra = {
                "LITAPP_SANDBOX_URL": sandbox.url,
                "LITAPP_SANDBOX_CLOCK": str(CLOCK),
                "LITAPP_LOG_LEVEL": "ERROR",
                "LITAPP_CONTACT_EMAIL": "librarian@clinic.test",
            }
            with place.observed() as ask:
                killed = run_to_its_end(place, ask, kills=KILLS, seed=3, begin=START, with_checks=False)
                picture = ask(PICTURE)
    finally:
        sandbox.stop()
    assert killed == KILLS
    found = picture.pop("found")
    assert set(found) == set(search_keys())
    assert [key for key in ("pubmed", "crossref", "openalex", "semanticscholar", "europepmc") if not found[key]] == []
    assert picture == {
        "run": ["success", []],
        "steps": len(QUERIES) * len(search_keys()),
        "not done": [],
        "miscounted": [],
        "doubled in a step": 0,
        "asked twice": [],
        "unlinked": 0,
        "linked twice": 0,
        "papers of PubMed": [PAPERS, PAPERS],
        "finished": 1,
        "log intact": True,
    }
