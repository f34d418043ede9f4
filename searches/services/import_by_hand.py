"""Adds one record by hand or by its address (a guideline, say): kept as typed, checked from zero, labelled as such."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from litapp.core.brought import BROUGHT, brought_record
from litapp.core.records import Identifier, PartialDate, Person, Record
from litapp.jobs.models import StepState
from litapp.ledger.services.bodies import write_body
from litapp.ledger.services.records import store_records
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import ImportedEntry, ImportKind, RecordImport
from searches.services.candidates import absorb_brought
from searches.services.import_reading import lacking_of
from searches.services.imports import Begun, ImportDetails, create_import

BY_HAND_DATABASE = "Added by hand"
"""What PRISMA counts these records under: other methods, no database."""
ADDED_BY_HAND = "added_by_hand"
"""`Record.warnings` of a record that a person typed."""


@dataclass(frozen=True, slots=True)
class TypedRecord:
    """What a person typed. `accessed_on` = the day on which `url` was read; `csl_type` is a type of CSL."""

    title: str
    authors: tuple[Person, ...] = ()
    year: int | None = None
    csl_type: str = "report"
    published_in: str = ""
    publisher: str = ""
    url: str = ""
    accessed_on: date | None = None
    identifiers: tuple[Identifier, ...] = ()

    def record(self) -> Record:
        """The record: these fields and nothing else."""
        return Record(
            source=BROUGHT,
            source_id="",
            title=self.title,
            authors=self.authors,
            date=PartialDate(self.year) if self.year else PartialDate(),
            years=(self.year,) if self.year else (),
            csl_type=self.csl_type,
            journal=self.published_in,
            publisher=self.publisher,
            url=self.url,
            identifiers=self.identifiers,
            warnings=(ADDED_BY_HAND,),
        )


def record_add(*, project: Project, actor: Any, request_id: UUID, typed: TypedRecord) -> Begun:
    """Add the record to the project's candidates. The very same record again adds nothing."""
    if made := RecordImport.objects.filter(request_id=request_id, project=project).first():
        return Begun(made)
    body = json.dumps(asdict(typed), sort_keys=True, ensure_ascii=False, indent=2, default=str).encode()
    sha256 = write_body(body)
    if before := RecordImport.objects.filter(project=project, sha256=sha256, undone_at=None).first():
        return Begun(before, before=True)
    try:
        return Begun(_add(project, actor, request_id, typed, sha256, len(body)))
    except IntegrityError:  # the other click of a double click was faster
        before = RecordImport.objects.filter(project=project, sha256=sha256, undone_at=None).first()
        if before is None:
            raise
        return Begun(before, before=before.request_id != request_id)


@transaction.atomic
def _add(project: Project, actor: Any, request_id: UUID, typed: TypedRecord, sha256: str, size: int) -> RecordImport:
    record = brought_record(typed.record(), sha256=sha256, number=1)
    row = create_import(
        project=project,
        actor=actor,
        request_id=request_id,
        details=ImportDetails(BY_HAND_DATABASE),
        kind=ImportKind.BY_HAND,
        sha256=sha256,
        size=size,
        operation="record",
        format="Typed",
        encoding="UTF-8",
        url=typed.url,
        accessed_on=typed.accessed_on,
        state=StepState.DONE,
        total=1,
        done=1,
        read=1,
        bytes_read=size,
        lacking=dict.fromkeys(sorted(lacking_of(record)), 1),
        finished_at=timezone.now(),
    )
    [stored] = store_records(answer_id=row.answer_id, records=[(0, record)])
    ImportedEntry.objects.create(record_import=row, number=1, title=record.title[:300], source_record=stored)
    [candidate] = absorb_brought(project=project, rows=[stored])
    record_event(
        project=project,
        actor=actor,
        verb="record.added",
        subject=f"candidate:{candidate}",
        payload={"title": record.title, "url": typed.url, "accessed_on": str(typed.accessed_on or "")},
    )
    return row
