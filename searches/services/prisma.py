"""The PRISMA flow of a project, at any date, counted from its log: for pages, files and documents. Reads, but for the
method of an import, which a person chooses."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from litapp.core.prisma.events import METHOD_WORDS, Method
from litapp.core.prisma.flow import FlowNumber, PrismaFlow, flow
from litapp.core.prisma.methods import method_of
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import CandidateSource, ImportMethod, RecordImport, RecordMove
from searches.services.prisma_kept import kept_flow
from searches.services.prisma_log import prisma_events

CHUNK = 500
MANY = 10_000
"""Records from which on all places are read at once."""


def project_flow(project: Project, until: datetime | None = None) -> PrismaFlow:
    """The flow as it stood at `until` (None = now). Raises FlowError where the numbers contradict each other: then no
    number may be shown."""

    def count() -> PrismaFlow:
        at = until or timezone.now()
        return replace(flow(prisma_events(project, at), at), until=until)

    return kept_flow(project, until, count)


def papers_behind(project: Project, number: FlowNumber, part: str = "") -> list[int]:
    """The candidates behind a number, or behind a part of it, each once; of records the candidates they are in now.
    Raises KeyError for a part that the number does not have."""
    ids = number.ids
    if part:
        ids = {one.name: one.ids for one in number.parts}[part]
    if not number.of_records:
        return sorted(set(ids))
    if len(ids) > MANY:
        placed = dict(CandidateSource.objects.filter(project=project).values_list("source_record_id", "candidate_id"))
        moves = RecordMove.objects.filter(project=project).order_by("pk")
        placed = dict(moves.values_list("source_record_id", "left_id")) | placed
        return sorted({placed[record] for record in ids if record in placed})
    found: set[int] = set()
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        links = CandidateSource.objects.filter(project=project, source_record__in=chunk)
        placed = dict(links.values_list("source_record_id", "candidate_id"))
        found.update(placed.values())
        gone = [record for record in chunk if record not in placed]
        if gone:
            moves = RecordMove.objects.filter(project=project, source_record__in=gone).order_by("pk")
            found.update(dict(moves.values_list("source_record_id", "left_id")).values())
    return sorted(found)


def method_of_import(row: RecordImport) -> Method:
    """Under which box its records count: as a person said last, else as its database's name says."""
    chosen = ImportMethod.objects.filter(record_import=row).order_by("-pk").values_list("method", flat=True).first()
    return Method(chosen) if chosen else method_of(row.database)


@transaction.atomic
def import_method_set(*, record_import: RecordImport, actor: Any, method: str) -> bool:
    """Say under which box of PRISMA an import's records were identified. False where it is counted there already.
    Raises ValueError for an unknown method."""
    chosen = Method(method)
    row = RecordImport.objects.select_for_update(no_key=True).get(pk=record_import.pk)
    if method_of_import(row) is chosen:
        return False
    ImportMethod.objects.create(record_import=row, method=chosen.value, chosen_by=actor)
    record_event(
        project=row.project,
        actor=actor,
        verb="import.method_set",
        subject=f"import:{row.pk}",
        payload={"method": METHOD_WORDS[chosen], "database": row.database},
    )
    return True
