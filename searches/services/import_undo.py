"""Takes an import back: its records leave their candidates; what others found, and every decision, stays."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from litapp.jobs import services as jobs
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.turns import writers_turn
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Verification
from searches.models import (
    Candidate,
    CandidateSource,
    ImportedEntry,
    RecordImport,
    RetrievalHit,
    ScreeningDecision,
)
from searches.services.candidates import rebuild_candidate, withdraw_links
from searches.services.grouping import SUPPLEMENT
from searches.services.listeners import tell_listeners
from searches.services.merging import merge_candidates

PAGE = 300
"""Records that are taken back in one transaction."""


def undo_pages(row: RecordImport, token: str) -> None:
    """Take the records back page by page; then nothing of the import counts any more."""
    while True:
        with writers_turn(), transaction.atomic():
            jobs.renew(RecordImport.objects.all(), row.pk, token, attempts=0)
            left = _undo_page(row)
            if not left:
                _finish(row, token)
                return


def _finish(row: RecordImport, token: str) -> None:
    """The last page is taken back. In the caller's transaction."""
    now = timezone.now()
    jobs.finish(RecordImport.objects.all(), row.pk, token, state=StepState.CANCELLED, message="Undone.", undone_at=now)
    withdrawn = ImportedEntry.objects.filter(record_import=row).exclude(withdrawn=None)
    record_event(
        project=row.project, actor=row.undone_by, verb="import.undone", subject=f"import:{row.pk}",
        payload={"records": row.read, "candidates_withdrawn": withdrawn.values("withdrawn").distinct().count()},
    )  # fmt: skip


def links_of(record_import: RecordImport) -> QuerySet[CandidateSource]:
    """The records of candidates that are there because of this import and of nothing else.

    A record that a run found too, that another import brought, or that was asked for as an abstract, is not among them.
    """
    ours = ImportedEntry.objects.filter(record_import=record_import, source_record=OuterRef("source_record"))
    others = ImportedEntry.objects.filter(
        source_record=OuterRef("source_record"),
        record_import__project=record_import.project_id,
        record_import__undone_at=None,
    ).exclude(record_import=record_import)
    found = RetrievalHit.objects.filter(
        source_record=OuterRef("source_record"), step__run__project=record_import.project_id
    )
    links = CandidateSource.objects.filter(Exists(ours), project=record_import.project_id).exclude(rule=SUPPLEMENT)
    return links.filter(~Exists(others), ~Exists(found))


def _undo_page(record_import: RecordImport) -> int:
    """Take back the next records, in the caller's transaction. Returns how many; 0 = nothing is left."""
    project = Project.objects.select_for_update(no_key=True).get(pk=record_import.project_id)
    page = list(links_of(record_import).order_by("pk").values_list("pk", "candidate_id", "source_record_id")[:PAGE])
    if not page:
        return 0
    withdraw_links(project=project, link_ids=[link for link, _, _ in page])
    touched = {candidate for _, candidate, _ in page}
    found = CandidateSource.objects.filter(candidate=OuterRef("pk")).exclude(rule=SUPPLEMENT)
    bare = list(Candidate.objects.filter(~Exists(found), pk__in=touched).values_list("pk", flat=True))
    _withdraw(project, bare)
    candidate_of = {record: candidate for _, candidate, record in page}
    entries = list(ImportedEntry.objects.filter(record_import=record_import, source_record__in=list(candidate_of)))
    for entry in entries:
        candidate = candidate_of[entry.source_record_id or 0]
        entry.withdrawn_id = candidate if candidate in bare else None
    ImportedEntry.objects.bulk_update(entries, ["withdrawn"])
    for left in Candidate.objects.filter(pk__in=touched - set(bare), merged_into=None):
        rebuild_candidate(candidate=left)
    return len(page)


def _withdraw(project: Project, candidate_ids: Sequence[int]) -> None:
    """Show these candidates nowhere: nothing that found them is left. Their decisions stay with them."""
    if not candidate_ids:
        return
    rows = Candidate.objects.filter(pk__in=candidate_ids)
    rows.update(withdrawn_at=timezone.now(), version=F("version") + 1)
    Verification.objects.filter(candidate__in=candidate_ids, state__in=OPEN_STATES).update(
        state=StepState.CANCELLED, lease_token="", leased_by="", lease_until=None, not_before=None
    )
    tell_listeners(project=project, candidate_ids=list(candidate_ids))


def revive_decisions(record_import: RecordImport, entries: Sequence[ImportedEntry]) -> None:
    """Where the same file was imported before and undone, what was decided on its papers then counts again.

    In the caller's transaction, after the entries were absorbed.
    """
    numbers = [entry.number for entry in entries if entry.source_record_id]
    earlier = ImportedEntry.objects.filter(
        record_import__project=record_import.project_id,
        record_import__sha256=record_import.sha256,
        record_import__undone_at__isnull=False,
        number__in=numbers,
        withdrawn__withdrawn_at__isnull=False,
        withdrawn__merged_into=None,
    ).filter(Exists(ScreeningDecision.objects.filter(candidate=OuterRef("withdrawn"))))
    before = {entry.number: entry.withdrawn_id for entry in earlier.order_by("pk")}
    if not before:
        return
    records = {entry.source_record_id: before[entry.number] for entry in entries if entry.number in before}
    links = CandidateSource.objects.filter(project=record_import.project_id, source_record__in=list(records))
    done: set[int] = set()
    for record, now in list(links.values_list("source_record_id", "candidate_id")):
        old = records[record]
        if old is not None and old != now and old not in done:
            merge_candidates(project=record_import.project, kept_id=now, absorbed_id=old)
            done.add(old)
