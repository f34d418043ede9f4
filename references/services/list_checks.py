"""Begins, cancels, resumes and repeats the check of a list of references that a person brought."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.formats.importers import UnreadableFile
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import enqueue
from litapp.ledger.services.bodies import BodyTooLarge, open_body, write_stream
from litapp.ledger.services.brought import brought_answer
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Priority, Verification
from litapp.verification.services.requests import KIND as VERIFICATION_KIND
from references.models import ReferenceListCheck
from references.services.list_reading import read_list

KIND = "reference_list"
LARGEST = 20 * 1024 * 1024
"""Bytes of a text or file."""


class ListProblem(ValueError):
    """Nothing was begun, or nothing changed. The message says why and what can be done."""


def list_check_request(
    *, project: Project, actor: Any, request_id: UUID, chunks: Iterable[bytes], name: str = "", title: str = ""
) -> ReferenceListCheck:
    """Keep the text or file in the ledger and check it in the background; the same `request_id` gives the same check.

    `name` is the file's ("" for pasted text). Raises ListProblem for what is too large, empty, or no list.
    """
    made = ReferenceListCheck.objects.filter(request_id=request_id, project=project).first()
    if made is not None:
        return made
    try:
        sha256, size = write_stream(chunks, largest=LARGEST)
    except BodyTooLarge as error:
        raise ListProblem(f"This is larger than {LARGEST // 1024**2} MB. Bring the reference section alone.") from error
    try:
        with open_body(sha256) as stream:
            reading = read_list(stream, name=name)
    except UnreadableFile as error:
        raise ListProblem(f"{error.message} {error.next_step}".strip()) from error
    label = (title or name or f"Pasted {timezone.now():%Y-%m-%d %H:%M}").replace("\x00", "")[:200]
    fields = {"format": reading.format[:60], "encoding": reading.encoding[:60], "notes": list(reading.warnings)}
    try:
        return _create(project, actor, request_id, sha256, size, name[-255:], label, fields)
    except IntegrityError:  # the other click of a double click was faster
        return ReferenceListCheck.objects.get(request_id=request_id, project=project)


@transaction.atomic
def _create(
    project: Project, actor: Any, number: UUID, sha256: str, size: int, name: str, title: str, fields: dict[str, Any]
) -> ReferenceListCheck:
    answer = brought_answer(operation="list", label=name or title, sha256=sha256, size=size)
    row = ReferenceListCheck.objects.create(
        project=project, requested_by=actor, request_id=number, answer=answer, title=title, file_name=name, **fields
    )
    record_event(
        project=project, actor=actor, verb="list.check_started", subject=f"list:{row.pk}",
        payload={"title": title, "file": name, "sha256": sha256, "format": row.format},
    )  # fmt: skip
    enqueue(KIND, str(row.pk))
    return row


@transaction.atomic
def list_cancel(*, list_check: ReferenceListCheck, actor: Any) -> ReferenceListCheck:
    """Stop: nothing more is read or asked; verdicts that are there stay. Raises ListProblem when it has ended."""
    row = ReferenceListCheck.objects.select_for_update().get(pk=list_check.pk)
    if not row.is_open:
        raise ListProblem("This check has ended; there is nothing to cancel.")
    row.cancel_requested_at = timezone.now()
    if row.state != StepState.RUNNING:
        row.state, row.finished_at, row.message = StepState.CANCELLED, timezone.now(), "Cancelled."
    row.save()
    _verifications(row).filter(state__in=OPEN_STATES).update(
        state=StepState.CANCELLED, lease_token="", not_before=None, finished_at=timezone.now()
    )
    record_event(
        project=row.project, actor=actor, verb="list.check_cancelled", subject=f"list:{row.pk}",
        payload={"read": row.done},
    )  # fmt: skip
    return row


@transaction.atomic
def list_resume(*, list_check: ReferenceListCheck, actor: Any) -> ReferenceListCheck:
    """Go on behind the last piece that was read and with every check that was stopped. Raises ListProblem."""
    row = ReferenceListCheck.objects.select_for_update().get(pk=list_check.pk)
    if not row.can_resume:
        raise ListProblem("Nothing is left to do in this list.")
    _queue(row)
    _verifications(row).filter(state=StepState.CANCELLED).update(**_AGAIN)
    enqueue(VERIFICATION_KIND, "")
    record_event(project=row.project, actor=actor, verb="list.check_resumed", subject=f"list:{row.pk}", payload={})
    return row


@transaction.atomic
def list_recheck(*, list_check: ReferenceListCheck, actor: Any) -> ReferenceListCheck:
    """Ask the sources anew about every entry, past stored answers. Raises ListProblem while it is being checked."""
    row = ReferenceListCheck.objects.select_for_update().get(pk=list_check.pk)
    if row.is_open or row.read_at is None:
        raise ListProblem("This list is still being checked. Wait until it is through, or cancel it.")
    asked = _verifications(row).update(ask_afresh=True, ask_afresh_at=[], priority=Priority.ASKED, **_AGAIN)
    _queue(row)
    enqueue(VERIFICATION_KIND, "")
    record_event(
        project=row.project, actor=actor, verb="list.rechecked", subject=f"list:{row.pk}", payload={"entries": asked}
    )
    return row


_AGAIN: dict[str, Any] = {
    "state": StepState.QUEUED, "lease_token": "", "leased_by": "", "not_before": None, "finished_at": None,
    "failures": 0,
}  # fmt: skip


def _verifications(row: ReferenceListCheck) -> Any:
    return Verification.objects.filter(list_entry__list_check=row)


def _queue(row: ReferenceListCheck) -> None:
    row.state, row.attempts, row.failures, row.finished_at = StepState.QUEUED, 0, 0, None
    row.message, row.hint, row.not_before, row.lease_token = "", "", None, ""
    row.cancel_requested_at = None
    row.save()
    enqueue(KIND, str(row.pk))


def is_sandbox_list(row: ReferenceListCheck) -> bool:
    """Whether its verdicts rest on sandbox data."""
    return row.project.sandbox or bool(settings.SANDBOX_URL)
