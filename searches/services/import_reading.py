"""Reads an imported file page by page: each entry read or skipped, each record in the ledger and in a candidate."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

from django.db import transaction

from litapp.core.formats.importers import Entry, UnreadableFile
from litapp.core.records import Record
from litapp.jobs import services as jobs
from litapp.jobs.bulk_rows import insert_rows
from litapp.jobs.models import StepState
from litapp.jobs.turns import writers_turn
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.bodies import DamagedBody, body_path, check_body
from litapp.ledger.services.records import record_row, store_rows
from searches.models import ImportedEntry, RecordImport
from searches.services.candidates import absorb_brought, think_ahead_brought
from searches.services.grouping import Member
from searches.services.import_pages import EntryPage, entry_pages
from searches.services.import_state import end_import, stop_reason
from searches.services.import_undo import revive_decisions

TEXT_KEPT = 4_000
"""Characters kept of an entry that was skipped; the whole stands in the file."""
LACKING = ("title", "authors", "year", "abstract", "identifier")
"""What is counted as lacking in the records read."""


def read_pages(row: RecordImport, token: str) -> None:
    """Read on behind the last page that was written, to the end of the file or until it is cancelled."""
    try:
        check_body(row.sha256)
    except DamagedBody as error:
        end_import(row, token, StepState.FAILED, str(error), "Undo this import and import the file again.")
        return
    path = body_path(row.sha256)
    pages = entry_pages(path=path, name=row.file_name, sha256=row.sha256, size=row.size, done=row.done)
    try:
        with closing(pages):
            for page in pages:
                if sentence := stop_reason(row):
                    end_import(row, token, StepState.CANCELLED, sentence, "Resume it to read the rest, or undo it.")
                    return
                row = _save(row, token, page)
    except UnreadableFile as error:
        what = "The rest of the file" if row.done else "The file"
        where = f"{what} could not be read{f' from line {error.line:,}' if error.line else ''}: "
        state = StepState.PARTIAL if row.done else StepState.FAILED
        end_import(row, token, state, f"{where}{error.message}", error.next_step)
        return
    end_import(row, token, StepState.DONE)


def _save(row: RecordImport, token: str, page: EntryPage) -> RecordImport:
    """Ledger, candidates, entries and counts of one page in one transaction, only while the lease holds."""
    members: list[Member] = []
    rows: list[SourceRecord] = []
    entries: list[ImportedEntry] = []
    dropped, lacking = Counter(row.dropped), Counter(row.lacking)
    for one in page.entries:
        entry, stored = one.entry, None
        if one.member is not None:
            stored = record_row(row.answer_id, one.number - 1, one.member.record, one.data)
            members.append(one.member)
            rows.append(stored)
            dropped.update({text.partition(":")[0].strip()[:60] for text in entry.dropped})
            lacking.update(lacking_of(one.member.record))
        entries.append(entry_row(row, one.number, entry, stored))
    records = [member.record for member in members]
    bench = think_ahead_brought(project=row.project, rows=rows, records=records, members=members)
    read, skipped = row.read + len(rows), row.skipped + len(entries) - len(rows)
    with writers_turn(), transaction.atomic():
        store_rows(rows)
        insert_rows(entries)
        absorb_brought(project=row.project, rows=rows, records=records, bench=bench, hold=True)
        revive_decisions(row, entries)
        jobs.renew(
            RecordImport.objects.all(),
            row.pk,
            token,
            done=read + skipped,
            read=read,
            skipped=skipped,
            bytes_read=min(page.position, row.size),
            dropped=dict(dropped),
            lacking=dict(lacking),
            attempts=0,
            failures=0,
        )
    row.read, row.skipped, row.done = read, skipped, read + skipped
    row.dropped, row.lacking = dict(dropped), dict(lacking)
    return row


def entry_row(row: RecordImport, number: int, entry: Entry, stored: SourceRecord | None) -> ImportedEntry:
    """The row of an entry of a file; `stored` is its record, None where it gave none."""
    problem = ""
    if entry.problem is not None:
        problem = f"{entry.problem.message} {entry.problem.next_step}".strip()
    return ImportedEntry(
        record_import=row,
        number=number,
        first_line=entry.first_line,
        last_line=entry.last_line,
        problem=problem if stored is None else "",
        text=entry.text[:TEXT_KEPT].replace("\x00", "") if stored is None else "",
        title=(entry.record.title if entry.record is not None else "")[:300],
        source_record=stored,
        dropped=list(entry.dropped),
        claimed=dict(entry.claimed),
        warnings=list(entry.warnings),
    )


def lacking_of(record: Record) -> set[str]:
    """Which of LACKING the record does not have."""
    there = {
        "title": bool(record.title),
        "authors": bool(record.authors),
        "year": record.year is not None,
        "abstract": bool(record.abstract),
        "identifier": bool(record.identifiers),
    }
    return {name for name in LACKING if not there[name]}
