"""Background work on a checked list: reads it page by page, then waits until every entry has its verdict."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.utils import timezone

from litapp.core.brought import brought_record
from litapp.core.formats.importers import UnreadableFile
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost, enqueue
from litapp.ledger.services.bodies import DamagedBody, open_body
from litapp.projects.services.events import record_event
from litapp.verification.services.requests import Claim, claims_request
from references.models import EntryKind, ListEntry, ReferenceListCheck
from references.services.list_checks import KIND
from references.services.list_duplicates import mark_duplicates
from references.services.list_reading import ListItem, read_list

log = logging.getLogger(__name__)
PAGE = 200
"""Pieces that are written in one transaction: the batch of a check."""
LOOK_AGAIN = timedelta(seconds=1)
MOST_ATTEMPTS = 5
"""Claims without progress after which the list is given up: its worker died each time."""
MOST_PIECES = 20_000
"""Pieces of one list; a longer list is read so far, and says so."""


class ListWork:
    """The kind "reference_list" of `settings.STEP_KINDS`; a key is the id of a ReferenceListCheck."""

    def due(self) -> Iterable[str]:
        """Lists that may be worked on now."""
        rows = ReferenceListCheck.objects.all().claimable().order_by("pk")
        return [str(pk) for pk in rows.values_list("pk", flat=True)]

    def run(self, key: str) -> None:
        """Claim the list and do what is due; quietly nothing when it is gone, done or claimed elsewhere."""
        token = jobs.claim(ReferenceListCheck.objects.all(), int(key))
        if token is None:
            return
        try:
            with kept(ReferenceListCheck.objects.all(), token):
                _work(ReferenceListCheck.objects.select_related("project", "answer").get(pk=int(key)), token)
        except LeaseLost:
            log.info("The list %s went to another worker.", key)


def _work(row: ReferenceListCheck, token: str) -> None:
    if row.attempts > MOST_ATTEMPTS:
        _end(row, token, StepState.FAILED, "LitLedger stumbled over this list several times.",
             "What was read is here. Resume it; if it stays so, see the worker's log.")  # fmt: skip
        return
    if row.read_at is None and not _read(row, token):
        return
    _settle(row, token)


def _read(row: ReferenceListCheck, token: str) -> bool:
    """Read on behind the last page that was written; False when it ended before the list did."""
    notes = list(row.notes)
    try:
        with open_body(row.answer.sha256) as stream:
            reading = read_list(stream, name=row.file_name)
            place = row.done
            for page in _pages(islice(reading.items, row.done, None), notes, place):
                if _stopped(row):
                    _end(row, token, StepState.CANCELLED, "Cancelled.", "Resume it to check the rest.")
                    return False
                _save(row, token, place, page)
                place += len(page)
    except (UnreadableFile, DamagedBody) as error:
        told, hint = (error.message, error.next_step) if isinstance(error, UnreadableFile) else (str(error), "")
        _end(row, token, StepState.FAILED, told, hint or "Bring the list again.")
        return False
    now = timezone.now()
    jobs.renew(ReferenceListCheck.objects.all(), row.pk, token, read_at=now, notes=notes, total=place)
    row.read_at = now
    return True


def _pages(items: Iterator[ListItem], notes: list[str], place: int) -> Iterator[list[ListItem]]:
    """The pieces in pages. What ends the reading early becomes a note, and the pieces before it count."""
    page: list[ListItem] = []
    try:
        for item in items:
            if place + len(page) >= MOST_PIECES:
                notes.append(f"The list goes on: only its first {MOST_PIECES:,} pieces were read. Part it.")
                break
            page.append(item)
            if len(page) == PAGE:
                yield page
                place, page = place + len(page), []
    except UnreadableFile as error:
        where = f" from line {error.line:,}" if error.line else ""
        notes.append(f"The rest of the file could not be read{where}: {error.message} {error.next_step}".strip())
    if page:
        yield page


def _save(row: ReferenceListCheck, token: str, place: int, page: list[ListItem]) -> None:
    """Entries with their checks queued, in one transaction, only while the lease holds."""
    with transaction.atomic():
        claims = [_claim(row, place + offset, item) for offset, item in enumerate(page, start=1)]
        made = iter(claims_request(project=row.project, claims=[claim for claim in claims if claim is not None]))
        number = ListEntry.objects.filter(list_check=row).exclude(kind=EntryKind.OTHER).count()
        entries = []
        for offset, (item, claim) in enumerate(zip(page, claims, strict=True), start=1):
            number += item.kind != EntryKind.OTHER
            entries.append(
                ListEntry(
                    list_check=row,
                    place=place + offset,
                    number=number if item.kind != EntryKind.OTHER else 0,
                    kind=item.kind,
                    label=item.label[:40],
                    first_line=item.first_line,
                    last_line=item.last_line,
                    text=item.text,
                    parsed=item.record is not None,
                    problem=item.problem,
                    warnings=list(item.warnings),
                    verification=next(made) if claim is not None else None,
                )
            )
        ListEntry.objects.bulk_create(entries)
        jobs.renew(ReferenceListCheck.objects.all(), row.pk, token, done=place + len(page), attempts=1)


def _claim(row: ReferenceListCheck, number: int, item: ListItem) -> Claim | None:
    if item.kind != EntryKind.REFERENCE:
        return None
    if item.record is None:
        return Claim(text=item.claim)
    return Claim(brought_record(item.record, sha256=row.answer.sha256, number=number), text=item.text)


def _stopped(row: ReferenceListCheck) -> bool:
    now = ReferenceListCheck.objects.select_related("project").get(pk=row.pk)
    return now.cancel_requested_at is not None or now.project.deleted_at is not None


def _settle(row: ReferenceListCheck, token: str) -> None:
    """End the list when every entry has its verdict; look again a moment later otherwise."""
    rows = ReferenceListCheck.objects.all()
    if _stopped(row):
        _end(row, token, StepState.CANCELLED, "Cancelled.", "Resume it to check the rest.")
        return
    entries = ListEntry.objects.filter(list_check=row)
    if entries.unfinished().exists():
        jobs.postpone(rows, row.pk, token, until=timezone.now() + LOOK_AGAIN, attempts=0)
        enqueue(KIND, str(row.pk), delay=LOOK_AGAIN.total_seconds())
        return
    with transaction.atomic():
        mark_duplicates(list_check=row)
        jobs.finish(rows, row.pk, token, state=StepState.DONE, message="", hint="")
        counts = entries.counts()
        record_event(
            project=row.project, actor=None, verb="list.checked", subject=f"list:{row.pk}", payload={"counts": counts}
        )


def _end(row: ReferenceListCheck, token: str, state: StepState, message: str, hint: str) -> None:
    jobs.finish(ReferenceListCheck.objects.all(), row.pk, token, state=state, message=message, hint=hint)
