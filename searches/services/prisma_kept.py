"""Keeps the flow of a large project as long as its log says the same: counting 100,000 records anew takes seconds.

What is kept is named by the state of everything that the flow is read from; any change gives another name, so that an
old flow is never found again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime

from django.core.cache import cache
from django.db.models import Count, Max, Sum

from litapp.core.prisma.flow import PrismaFlow
from litapp.projects.models import Event, Project
from searches.models import (
    CandidateSource,
    RecordImport,
    RecordMove,
    ReportOutcome,
    RetrievalStep,
    ScreeningDecision,
    ScreeningStage,
)

LARGE = 3000
"""Records from which on a flow is kept; fewer are counted in a moment."""
HOURS = 6
VERSION = 1
"""Rises when the flow is counted otherwise, or its form changes."""


def kept_flow(project: Project, until: datetime | None, count: Callable[[], PrismaFlow]) -> PrismaFlow:
    """The flow that was counted from the same log for the same time; else `count()`."""
    records = CandidateSource.objects.filter(project=project).aggregate(n=Count("pk"), last=Max("pk"))
    if records["n"] < LARGE:
        return count()
    name = _name(project, until, records)
    found = cache.get(name)
    if isinstance(found, PrismaFlow):
        return found
    counted = count()
    cache.set(name, counted, timeout=HOURS * 3600)
    return counted


def _name(project: Project, until: datetime | None, records: dict[str, int]) -> str:
    """Names project, time, and the state of the log: the last event (its hash holds all before it), and what is written
    without an event of its own."""
    last = Event.objects.filter(project=project).order_by("-sequence").values_list("hash", flat=True).first()
    state = [
        VERSION,
        project.pk,
        until.isoformat() if until else "",
        last,
        records,
        ScreeningDecision.objects.filter(project=project).aggregate(n=Max("pk")),
        RecordMove.objects.filter(project=project).aggregate(n=Max("pk")),
        ReportOutcome.objects.filter(project=project).aggregate(n=Max("pk")),
        ScreeningStage.objects.filter(project=project).aggregate(n=Sum("version")),
        RetrievalStep.objects.filter(run__project=project).aggregate(
            n=Count("pk"), done=Sum("done"), got=Sum("fetched")
        ),
        RecordImport.objects.filter(project=project).aggregate(
            n=Count("pk"), done=Sum("done"), undone=Max("undone_at")
        ),
    ]
    return "prisma-" + hashlib.sha256(repr(state).encode()).hexdigest()
