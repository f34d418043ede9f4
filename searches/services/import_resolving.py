"""Resolves a list of identifiers row by row: each leads to a record that a source returns, or the row says why not.

PMIDs are asked of PubMed, DOIs of Crossref and DataCite, PMCIDs of Europe PMC, arXiv ids of arXiv; what the owner does
not have, of the other sources that can be asked by it. No identifier is ever taken from another one without a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from litapp.core.formats.importers import UnreadableFile
from litapp.core.records import Identifier
from litapp.jobs import services as jobs
from litapp.jobs.models import StepState
from litapp.jobs.turns import writers_turn
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.bodies import DamagedBody, open_body
from litapp.ledger.services.records import store_lookup
from searches.models import ImportedEntry, RecordImport
from searches.services.abstracts import is_same_paper
from searches.services.candidates import absorb_brought, think_ahead_brought
from searches.services.import_rows import IdentifierRow, file_rows, list_rows
from searches.services.import_state import end_import, stop_reason
from searches.services.import_undo import revive_decisions
from searches.services.single_steps import Fetched, fetch_identifiers

PAGE = 200
"""Rows that are asked for together: one call of PubMed's 200."""
WAITS = (30, 120, 300)
"""Seconds before a page is asked for again because a source could not be asked; then its rows say so."""


def resolve_rows(row: RecordImport, token: str) -> None:
    """Resolve on behind the last page that was written, to the end of the list or until it is cancelled."""
    try:
        with open_body(row.sha256) as stream:
            pasted = row.answer.operation == "list"
            rows = list_rows(stream.read().decode()) if pasted else file_rows(stream)
    except (DamagedBody, UnreadableFile) as error:
        end_import(row, token, StepState.FAILED, str(error), "Undo this import and import the list again.")
        return
    while row.done < len(rows):
        if sentence := stop_reason(row):
            end_import(row, token, StepState.CANCELLED, sentence, "Resume it for the rest, or undo it.")
            return
        page = rows[row.done : row.done + PAGE]
        fetched = fetch_identifiers(list(dict.fromkeys(one for typed in page for one in typed.identifiers)))
        if fetched.again and row.failures < len(WAITS):
            jobs.postpone(
                RecordImport.objects.all(),
                row.pk,
                token,
                until=timezone.now() + timedelta(seconds=WAITS[row.failures]),
                failures=row.failures + 1,
                attempts=0,
                message=f"{fetched.failed[min(fetched.again)]} The rows are asked for again.",
            )
            return
        _save(row, token, page, fetched, len(rows))
    unasked = row.entries.filter(problem__startswith=NOT_ASKED).count()
    if unasked:
        told = f"{unasked:,} {'row' if unasked == 1 else 'rows'} could not be asked for. Nothing is known of them."
        end_import(row, token, StepState.PARTIAL, told, "Download the table and import those rows again later.")
    else:
        end_import(row, token, StepState.DONE)


NOT_ASKED = "No source could be asked"
"""How the problem of a row begins of which nothing is known, as opposed to one that the sources do not have."""


def _save(row: RecordImport, token: str, page: Sequence[IdentifierRow], fetched: Fetched, total: int) -> None:
    """Ledger, candidates, rows and counts of one page in one transaction, only while the lease holds."""
    with writers_turn(), transaction.atomic():
        stored: dict[Identifier, SourceRecord] = {
            one: store_lookup(answer_id=answer_id, record=record) for one, (record, answer_id) in fetched.found.items()
        }
        entries = [_entry(row, row.done + place, one, stored, fetched) for place, one in enumerate(page, start=1)]
        taken = {entry.source_record_id for entry in entries}
        distinct = list({found.pk: found for found in stored.values() if found.pk in taken}.values())
        bench = think_ahead_brought(project=row.project, rows=distinct, records=[one.record for one in distinct])
        ImportedEntry.objects.bulk_create(entries)
        absorb_brought(project=row.project, rows=distinct, bench=bench, hold=True)
        revive_decisions(row, entries)
        row.read += sum(entry.source_record_id is not None for entry in entries)
        row.done += len(page)
        row.skipped = row.done - row.read
        jobs.renew(
            RecordImport.objects.all(), row.pk, token, done=row.done, read=row.read, skipped=row.skipped, total=total,
            attempts=0, failures=0, message="",
        )  # fmt: skip
        row.failures = 0


def _entry(
    row: RecordImport,
    number: int,
    typed: IdentifierRow,
    stored: Mapping[Identifier, SourceRecord],
    fetched: Fetched,
) -> ImportedEntry:
    found = next((stored[one] for one in typed.identifiers if one in stored), None)
    problem = _problem(typed, fetched) if found is None else _contradiction(typed, fetched)
    if problem:
        found = None
    first = typed.identifiers[0] if typed.identifiers else None
    return ImportedEntry(
        record_import=row,
        number=number,
        first_line=typed.line,
        last_line=typed.line,
        text=typed.text.replace("\x00", ""),
        scheme=first.scheme.value if first else "",
        identifier=first.value[:300] if first else "",
        title=found.record.title[:300] if found else "",
        source_record=found,
        problem=problem,
    )


def _problem(typed: IdentifierRow, fetched: Fetched) -> str:
    """Why the row leads to no record."""
    if not typed.identifiers:
        return typed.problem
    absent = [fetched.absent[one] for one in typed.identifiers if one in fetched.absent]
    if len(absent) == len(typed.identifiers):
        return " ".join(dict.fromkeys(absent))
    failed = [fetched.failed[one] for one in typed.identifiers if one in fetched.failed]
    return f"{NOT_ASKED}: {' '.join(dict.fromkeys(failed)) or 'it was not asked for.'}"


def _contradiction(typed: IdentifierRow, fetched: Fetched) -> str:
    """The identifiers of one row lead to different papers: then none of them is taken. "" = they do not."""
    found = [(one, fetched.found[one][0]) for one in typed.identifiers if one in fetched.found]
    for one, record in found[1:]:
        if not is_same_paper(found[0][1], record):
            return (
                f"It names two papers: {found[0][0].scheme.value.upper()} {found[0][0].value} and "
                f"{one.scheme.value.upper()} {one.value}. Put the right one on a line of its own."
            )
    return ""
