"""What became of papers over time: when it is asked for again, and the notices that tell a project of news."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from litapp.jobs.models import StepState
from litapp.jobs.services import enqueue
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import ListedRetraction, Priority, StatusNotice, Verification
from litapp.verification.services.requests import KIND, statuses_request

ASKED_EVERY = timedelta(days=7)
"""How old the last word on a paper in a reference list may get before it is asked for by itself."""


class StatusWork:
    """The kind "status" of `settings.STEP_KINDS`: the schedule. There is one key, ""."""

    def due(self) -> Iterable[str]:
        """[""] when the last word on a paper of some reference list is too old."""
        old = _listed_papers().filter(state=StepState.DONE, checked_at__lt=timezone.now() - ASKED_EVERY)
        return [""] if old.exists() else []

    def run(self, key: str) -> None:
        """Queue them; the checks are made by the kind "verification"."""
        statuses_request(verifications=_listed_papers(), older_than=ASKED_EVERY)


def _listed_papers() -> QuerySet[Verification]:
    """Papers that a person put into a reference list or asked about."""
    return Verification.objects.filter(priority=Priority.INCLUDED)


def statuses_by_list() -> int:
    """Check again the papers of all projects that stand in the loaded list; returns how many."""
    listed = ListedRetraction.objects.all()
    dois = set(listed.exclude(doi="").values_list("doi", flat=True))
    pmids = set(listed.exclude(pmid="").values_list("pmid", flat=True))
    rows = Verification.objects.filter(state=StepState.DONE).only("pk", "record", "matched")
    hit = [
        row.pk
        for row in rows.iterator(chunk_size=500)
        if any(
            one["value"] in (dois if one["scheme"] == "doi" else pmids if one["scheme"] == "pmid" else ())
            for one in (*row.record.get("identifiers", ()), *row.matched.get("identifiers", ()))
        )
    ]
    queued = Verification.objects.filter(pk__in=hit).update(state=StepState.QUEUED, failures=0, finished_at=None)
    if queued:
        enqueue(KIND, "")
    return queued


def notices_open(project: Project) -> QuerySet[StatusNotice]:
    """The notices of the project that nobody has marked as seen, about papers that still carry that state."""
    return project.status_notices.filter(seen_at=None).select_related("verification")


@transaction.atomic
def notice_seen(*, project: Project, notice_id: int, actor: Any) -> StatusNotice:
    """A member has seen the notice: it leaves the pages, and the project's history says who. Raises DoesNotExist."""
    notice = StatusNotice.objects.select_for_update().get(Q(project=project), pk=notice_id)
    if notice.seen_at is None:
        notice.seen_by, notice.seen_at = actor, timezone.now()
        notice.save(update_fields=["seen_by", "seen_at"])
        record_event(
            project=project,
            actor=actor,
            verb="status_notice.seen",
            subject=f"verification:{notice.verification_id}",
            payload={"state": notice.state},
        )
    return notice
