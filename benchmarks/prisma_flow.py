"""The PRISMA flow of a large project: reading the log, counting, the page.

    python benchmarks/prisma_flow.py [--papers 50000]

Two records a paper, one decision on 99 of 100 papers. Records are invented; all in a temporary folder. Printed: seconds
of three rounds, and the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def make_project(papers: int) -> Any:
    """A project with one run that returned two records of each paper, screened but for one paper in 100."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from litapp.core.plan import PlanQuery, plan_hash, plan_to_dict
    from litapp.core.plan import SearchPlan as Content
    from litapp.ledger.models import SourceAnswer, SourceRecord
    from litapp.projects.services.projects import project_create
    from searches import models as m

    person = User.objects.create_user("lead")
    project = project_create(actor=person, name="Benchmark")
    content = Content("q", ("pubmed",), (PlanQuery("a[ti]", "a"),))
    plan = m.SearchPlan.objects.create(project=project, title="Plan", created_by=person)
    version = m.SearchPlanVersion.objects.create(
        plan=plan, number=1, content=plan_to_dict(content), content_hash=plan_hash(content), created_by=person
    )
    run = m.RetrievalRun.objects.create(
        project=project, version=version, started_by=person, request_id=uuid4(), state=m.RunState.SUCCESS
    )
    step = m.RetrievalStep.objects.create(
        run=run, source="pubmed", query_index=0, query_text="a[ti]", started_at=timezone.now()
    )
    answer = SourceAnswer.objects.create(
        source="pubmed", method="GET", url="https://source.example", status=200, request_key="0", outcome="ok",
        received_at=timezone.now(),
    )  # fmt: skip
    records = SourceRecord.objects.bulk_create(
        (
            SourceRecord(answer=answer, position=n, source="pubmed", source_id=str(n), data={}, sha256="0")
            for n in range(2 * papers)
        ),
        batch_size=5000,
    )
    rows = m.Candidate.objects.bulk_create(
        (m.Candidate(project=project, record={}, title=f"Paper {n}") for n in range(papers)), batch_size=2000
    )
    m.CandidateSource.objects.bulk_create(
        (
            m.CandidateSource(
                candidate=rows[n // 2], home=rows[n // 2], project=project, source_record=record, source="pubmed"
            )
            for n, record in enumerate(records)
        ),
        batch_size=5000,
    )
    m.RetrievalHit.objects.bulk_create(
        (m.RetrievalHit(step=step, rank=n, source_record=record) for n, record in enumerate(records, start=1)),
        batch_size=5000,
    )
    m.ScreeningDecision.objects.bulk_create(
        (
            m.ScreeningDecision(
                candidate=row,
                project=project,
                reviewer=person,
                decision="include" if n % 20 == 0 else "exclude",
                reason="Wrong population",
                request_id=uuid4(),
            )
            for n, row in enumerate(rows)
            if n % 100
        ),
        batch_size=5000,
    )
    return project


def main() -> None:
    """Make the project and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=50_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(LITAPP_DATA_DIR=folder, DJANGO_SETTINGS_MODULE="litapp.settings", LITAPP_LOG_LEVEL="ERROR")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        measure(wanted.papers)


def measure(papers: int) -> None:
    """Print the seconds of each part."""
    from django.test import Client
    from django.utils import timezone

    from litapp.core.prisma.flow import flow
    from searches.services.prisma_log import prisma_events

    project = make_project(papers)
    browser = Client()
    browser.force_login(project.created_by)
    browser.get("/projects/", HTTP_HOST="localhost")  # loads the views
    for _ in range(3):
        begun = time.monotonic()
        events = prisma_events(project, timezone.now())
        read = time.monotonic()
        flow(events)
        counted = time.monotonic()
        answer = browser.get(f"/projects/{project.pk}/prisma/", HTTP_HOST="localhost")
        shown = time.monotonic()
        print(
            f"{2 * papers:,} records, {papers:,} papers: log read {read - begun:.2f} s, "
            f"counted {counted - read:.2f} s, "
            f"page {shown - counted:.2f} s ({answer.status_code}), load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
