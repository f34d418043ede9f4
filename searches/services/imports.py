"""Begins, cancels, resumes and undoes imports: what a person brought from a search that was run elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.formats.importers import UnreadableFile, read_file
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import enqueue
from litapp.ledger.services.bodies import BodyTooLarge, open_body, write_stream
from litapp.ledger.services.brought import brought_answer
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import ImportKind, RecordImport
from searches.services.import_rows import LIST_FORMATS, list_rows

KIND = "import"
LIST_LARGEST = 4 * 1024 * 1024
"""Bytes of a list of identifiers."""
IDENTIFIER_DATABASE = "List of identifiers"
"""What a list is called where nobody named where it comes from."""


class ImportProblem(ValueError):
    """Nothing was imported. The message says why, and what can be done."""


class ImportNotChanged(Exception):
    """What was asked for does not fit the state the import is in. The message says which, and what can be done."""


@dataclass(frozen=True, slots=True)
class ImportDetails:
    """What PRISMA-S asks of a search. Only the database must be told; "" and None = not told, and named as missing."""

    database: str
    platform: str = ""
    searched_on: date | None = None
    query: str = ""
    count_exported: int | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """An import; `before` = the same file had been imported into this project already, and nothing was added."""

    record_import: RecordImport
    before: bool = False


def import_file(
    *, project: Project, actor: Any, request_id: UUID, details: ImportDetails, name: str, chunks: Iterable[bytes]
) -> Begun:
    """Keep a file and import it in the background; a list of identifiers is resolved row by row.

    The same file again adds nothing: the earlier import is returned.
    Raises ImportProblem for a file that is too large, empty, or of no known format.
    """
    if made := RecordImport.objects.filter(request_id=request_id, project=project).first():
        return Begun(made)
    try:
        sha256, size = write_stream(chunks, largest=settings.IMPORT_LARGEST)
    except BodyTooLarge as error:
        raise ImportProblem(
            f"The file has more than {settings.IMPORT_LARGEST:,} bytes. Export fewer records at a time."
        ) from error
    if not size:
        raise ImportProblem("The file is empty. Export the records again.")
    if before := _standing(project, sha256):
        return _again(before, actor)
    try:
        with open_body(sha256) as stream:
            reading = read_file(stream, name=name)
    except UnreadableFile as error:
        raise ImportProblem(f"{error.message} {error.next_step}".strip()) from error
    notes = list(reading.warnings)
    if reading.query and not details.query:
        notes.append("The query is the one that stands in the file.")
    kind = ImportKind.IDENTIFIERS if reading.format in LIST_FORMATS else ImportKind.FILE
    return _create(
        project=project, actor=actor, request_id=request_id, details=details, kind=kind, sha256=sha256,
        size=size, operation="file", file_name=name[-255:], format=reading.format_label[:60],
        encoding=reading.encoding[:60], notes=notes, query=details.query or reading.query,
    )  # fmt: skip


def import_identifiers(
    *, project: Project, actor: Any, request_id: UUID, details: ImportDetails, text: str, name: str = ""
) -> Begun:
    """Resolve a list of PMIDs, DOIs, PMCIDs and arXiv ids in the background, row by row.

    Raises ImportProblem for a list that is empty or too large.
    """
    if made := RecordImport.objects.filter(request_id=request_id, project=project).first():
        return Begun(made)
    body = text.encode()
    if len(body) > LIST_LARGEST:
        raise ImportProblem(f"The list has more than {LIST_LARGEST:,} bytes. Part it.")
    rows = list_rows(text)
    if not rows:
        raise ImportProblem("The list holds no row. Put one PMID, DOI, PMCID or arXiv id on each line.")
    sha256, size = write_stream([body], largest=LIST_LARGEST)
    if before := _standing(project, sha256):
        return _again(before, actor)
    return _create(
        project=project, actor=actor, request_id=request_id, details=details, kind=ImportKind.IDENTIFIERS,
        sha256=sha256, size=size, operation="list", file_name=name[-255:], format="List of identifiers",
        encoding="UTF-8", query=details.query, total=len(rows),
    )  # fmt: skip


def _standing(project: Project, sha256: str) -> RecordImport | None:
    return RecordImport.objects.filter(project=project, sha256=sha256, undone_at=None).first()


def _again(before: RecordImport, actor: Any) -> Begun:
    """The same bytes a second time: nothing is added, and the log says so."""
    record_event(
        project=before.project, actor=actor, verb="import.repeated", subject=f"import:{before.pk}",
        payload={"sha256": before.sha256, "added": 0},
    )  # fmt: skip
    return Begun(before, before=True)


def _create(
    *,
    project: Project,
    actor: Any,
    request_id: UUID,
    details: ImportDetails,
    kind: ImportKind,
    sha256: str,
    size: int,
    operation: str,
    **fields: Any,
) -> Begun:
    try:
        with transaction.atomic():
            row = create_import(
                project=project, actor=actor, request_id=request_id, details=details, kind=kind, sha256=sha256,
                size=size, operation=operation, **fields,
            )  # fmt: skip
            enqueue(KIND, str(row.pk))
            return Begun(row)
    except IntegrityError:  # the other click of a double click, or another person with the same file, was faster
        made = RecordImport.objects.filter(request_id=request_id, project=project).first()
        if made is not None:
            return Begun(made)
        before = _standing(project, sha256)
        if before is None:
            raise
        return _again(before, actor)


def create_import(
    *,
    project: Project,
    actor: Any,
    request_id: UUID,
    details: ImportDetails,
    kind: ImportKind,
    sha256: str,
    size: int,
    operation: str,
    **fields: Any,
) -> RecordImport:
    """Make the import of archived bytes, and log it. In the caller's transaction, which may raise IntegrityError."""
    answer = brought_answer(
        operation=operation, label=fields.get("file_name") or details.database, sha256=sha256, size=size
    )
    row = RecordImport.objects.create(
        project=project,
        imported_by=actor,
        request_id=request_id,
        kind=kind,
        database=details.database[:120],
        platform=details.platform[:120],
        searched_on=details.searched_on,
        count_exported=details.count_exported,
        answer=answer,
        sha256=sha256,
        size=size,
        **fields,
    )
    record_event(
        project=project, actor=actor, verb="import.started", subject=f"import:{row.pk}",
        payload={
            "database": row.database, "platform": row.platform, "file": row.file_name, "sha256": sha256,
            "format": row.format, "encoding": row.encoding,
        },
    )  # fmt: skip
    return row


@transaction.atomic
def import_describe(*, record_import: RecordImport, actor: Any, details: ImportDetails) -> RecordImport:
    """Correct or complete what PRISMA-S asks of the search; the records stay as they are."""
    row = RecordImport.objects.select_for_update().get(pk=record_import.pk)
    names = ("database", "platform", "searched_on", "query", "count_exported")
    changes = {name: getattr(details, name) for name in names if getattr(row, name) != getattr(details, name)}
    for name, value in changes.items():
        setattr(row, name, value)
    if changes:
        row.save(update_fields=list(changes))
        told = {
            name: value if isinstance(value, int) or value is None else str(value) for name, value in changes.items()
        }
        record_event(
            project=row.project, actor=actor, verb="import.described", subject=f"import:{row.pk}", payload=told
        )
    return row


@transaction.atomic
def import_cancel(*, record_import: RecordImport, actor: Any) -> RecordImport:
    """Stop after the page that is being written; what was read stays. Raises ImportNotChanged when it has ended."""
    row = RecordImport.objects.select_for_update().get(pk=record_import.pk)
    if not row.is_open or row.undo_requested_at is not None:
        raise ImportNotChanged("This import has ended; there is nothing to cancel. It can be undone.")
    row.cancel_requested_at = timezone.now()
    fields = ["cancel_requested_at"]
    if row.state != StepState.RUNNING:
        row.state, row.finished_at, row.message = StepState.CANCELLED, timezone.now(), "Cancelled."
        fields += ["state", "finished_at", "message"]
    row.save(update_fields=fields)
    record_event(
        project=row.project,
        actor=actor,
        verb="import.cancelled",
        subject=f"import:{row.pk}",
        payload={"read": row.read},
    )
    return row


@transaction.atomic
def import_resume(*, record_import: RecordImport, actor: Any) -> RecordImport:
    """Go on behind the last record that was read. Raises ImportNotChanged when nothing is left to read."""
    row = RecordImport.objects.select_for_update().get(pk=record_import.pk)
    if not row.can_resume:
        raise ImportNotChanged("Nothing is left to read in this import.")
    _queue(row)
    row.cancel_requested_at = None
    row.save()
    record_event(
        project=row.project, actor=actor, verb="import.resumed", subject=f"import:{row.pk}", payload={"read": row.read}
    )
    return row


@transaction.atomic
def import_undo(*, record_import: RecordImport, actor: Any) -> RecordImport:
    """Take back every record of the import, in the background. Decisions on what others found stay.

    Raises ImportNotChanged while it is still reading, and when it was undone before.
    """
    row = RecordImport.objects.select_for_update().get(pk=record_import.pk)
    if row.undone_at is not None or row.undo_requested_at is not None:
        raise ImportNotChanged("This import was undone already.")
    if row.state in OPEN_STATES:
        raise ImportNotChanged("This import is still being read. Cancel it first, then undo it.")
    row.undo_requested_at, row.undone_by = timezone.now(), actor
    _queue(row)
    row.save()
    record_event(
        project=row.project,
        actor=actor,
        verb="import.undo_asked",
        subject=f"import:{row.pk}",
        payload={"read": row.read},
    )
    return row


def _queue(row: RecordImport) -> None:
    row.state, row.attempts, row.failures, row.finished_at = StepState.QUEUED, 0, 0, None
    row.message, row.hint, row.not_before, row.lease_token = "", "", None, ""
    enqueue(KIND, str(row.pk))
