"""Four processes bring the same papers at the same time, each from its source: every paper is one candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.installations import installation

MAKE = """
from uuid import uuid4
from django.contrib.auth.models import User
from litapp.core.plan import SearchPlan, PlanQuery
from litapp.projects.models import Project
from searches.services.plans import plan_create, plan_approve
from searches.services.runs import run_start
user = User.objects.create(username="u")
project = Project.objects.create(name="p", created_by=user)
plan = SearchPlan("Which?", ("pubmed", "crossref", "openalex", "semanticscholar"), (PlanQuery("a[tiab]", "a"),))
version = plan_create(project=project, actor=user, title="", content=plan)
version = plan_approve(version=version, actor=user, content_hash=version.content_hash)
answer = run_start(version=version, actor=user, request_id=uuid4()).pk
"""
READ = """
from collections import Counter
from litapp.projects.models import Project
from litapp.verification.models import Verification
from searches.models import Candidate, CandidateSource, RetrievalHit
listed = Candidate.objects.listed(Project.objects.get())
answer = {
    "candidates": listed.count(),
    "dois": sorted(Counter(Counter(listed.values_list("doi", flat=True)).values()).items()),
    "sources": sorted(set(map(tuple, listed.values_list("sources", flat=True)))),
    "links": CandidateSource.objects.count(),
    "hits": RetrievalHit.objects.count(),
    "merged": Candidate.objects.exclude(merged_into=None).count(),
    "checks": Verification.objects.count(),
    "told": sorted(set(map(tuple, Verification.objects.values_list("returned_by", flat=True)))),
}
"""
SOURCES = ["crossref", "openalex", "pubmed", "semanticscholar"]


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def test_each_paper_is_one_candidate_whoever_comes_first(kind: str, tmp_path: Path) -> None:
    with installation(kind, tmp_path) as place, place.observed() as ask:
        ask(MAKE)
        workers = [place.start("-m", "tests.searches.absorbing_process", SOURCE=source) for source in SOURCES]
        for worker in workers:
            _, err = worker.communicate(timeout=300)
            assert worker.returncode == 0, err[-2000:]
        assert ask(READ) == {
            "candidates": 120,
            "dois": [[1, 120]],
            "sources": [SOURCES],
            "links": 480,
            "hits": 480,
            "merged": 0,
            "checks": 120,
            "told": [SOURCES],
        }
