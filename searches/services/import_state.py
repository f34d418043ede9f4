"""How an import ends, and why it stops before: its state, its line in the log, and the checks that waited for it."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from litapp.jobs import services as jobs
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.projects.services.events import record_event
from litapp.verification.services.requests import release_held
from searches.models import RecordImport, RetrievalRun, RunState


def stop_reason(row: RecordImport) -> str:
    """Why the import is to stop before its next page; "" = go on."""
    now = (
        RecordImport.objects.select_related("project").only("cancel_requested_at", "project__deleted_at").get(pk=row.pk)
    )
    if now.cancel_requested_at is not None:
        return "Cancelled."
    return "The project was deleted." if now.project.deleted_at is not None else ""


def end_import(row: RecordImport, token: str, state: StepState, message: str = "", hint: str = "") -> None:
    """End the reading, log it, and let the checks begin unless somebody else of the project still brings records."""
    with transaction.atomic():
        jobs.finish(RecordImport.objects.all(), row.pk, token, state=state, message=message, hint=hint)
        working = RetrievalRun.objects.filter(project=row.project_id, state=RunState.RUNNING).exists()
        others = RecordImport.objects.filter(project=row.project_id, state__in=OPEN_STATES).exclude(pk=row.pk)
        if not working and not others.exists():
            release_held(project=row.project)
        payload: dict[str, Any] = {"state": state.value, "records": row.done, "read": row.read, "skipped": row.skipped}
        if message:
            payload["message"] = message
        record_event(
            project=row.project, actor=None, verb="import.finished", subject=f"import:{row.pk}", payload=payload
        )
