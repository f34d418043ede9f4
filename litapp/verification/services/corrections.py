"""Accepting the right value beside a wrong one, or the paper that was meant, in a reference that a person brought."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import transaction

from litapp.core.matching import Agreement
from litapp.core.matching.fields import compare_records
from litapp.core.records import Record, record_from_dict, record_to_dict
from litapp.core.verification import corrections
from litapp.projects.services.events import record_event
from litapp.verification.journal_names import journal_names
from litapp.verification.models import Verification
from litapp.verification.services.reading import check_values
from litapp.verification.services.requests import claim_renew

ACCEPTED_FIELDS = ("title", "authors", "year", "journal", "volume", "issue", "pages")
"""Fields whose value is taken over; another identifier is another reference, and is chosen among the nearest papers."""


class CorrectionRefused(ValueError):
    """A correction that cannot be taken over. The message says why, for the person."""


@transaction.atomic
def correction_accept(*, verification: Verification, field: str, actor: Any) -> Verification:
    """Put the source's value of `field` into the reference, keep both values in the project's history, check again.

    Raises CorrectionRefused for a record that a source returned (it is as the source states it), for a field that the
    last round does not find wrong, and where the work's record is not known.
    """
    row = Verification.objects.select_for_update().get(pk=verification.pk)
    if row.returned_by:
        raise CorrectionRefused("This record stands as its source returned it and is not changed here.")
    offered = next((one for one in corrections(check_values(row)) if one.field == field), None)
    if offered is None or field not in ACCEPTED_FIELDS or not row.matched:
        raise CorrectionRefused("The last check offers no other value for this field. Reload the page.")
    before, source = record_from_dict(row.record), record_from_dict(row.matched)
    beside = compare_records(before, source, journals=journal_names()).field(field)
    if beside.verdict is not Agreement.DIFFERS:
        raise CorrectionRefused("The sources disagree about this field. Look at the evidence and correct it by hand.")
    record = _with_field(before, field, source)
    record_event(
        project=row.project,
        actor=actor,
        verb="verification.corrected",
        subject=f"verification:{row.pk}",
        payload={"field": field, "before": beside.ours, "after": beside.theirs, "source": source.source},
    )
    claim_renew(verification=row, record=record)
    return row


@transaction.atomic
def nearest_accept(*, verification: Verification, source: str, source_id: str, actor: Any) -> Verification:
    """Take one of the nearest papers, as its source states it, for the reference that a person brought; check again.

    What stood there before stays in the project's history. Raises CorrectionRefused for a record that a source
    returned, and for a paper that the last round did not offer.
    """
    row = Verification.objects.select_for_update().get(pk=verification.pk)
    if row.returned_by:
        raise CorrectionRefused("This record stands as its source returned it and is not changed here.")
    offered = (record_from_dict(one["record"]) for one in row.suggestions if one["source"] == source)
    chosen = next((record for record in offered if record.source_id == source_id), None)
    if chosen is None:
        raise CorrectionRefused("The last check does not offer this paper. Reload the page.")
    before = record_from_dict(row.record)
    record_event(
        project=row.project,
        actor=actor,
        verb="verification.corrected",
        subject=f"verification:{row.pk}",
        payload={
            "field": "paper",
            "before": before.title or row.text[:300],
            "after": chosen.title,
            "source": source,
            "id": source_id,
        },
    )
    claim_renew(verification=row, record=replace(chosen, source=before.source, source_id=before.source_id))
    return row


def _with_field(record: Record, field: str, source: Record) -> Record:
    """`record` with the source's statement of one field."""
    if field == "year":
        return replace(record, date=source.date, years=source.years)
    if field == "authors":
        return replace(record, authors=source.authors, authors_complete=source.authors_complete)
    if field == "journal":
        return replace(
            record,
            journal=source.journal,
            journal_abbreviation=source.journal_abbreviation,
            journal_alternatives=source.journal_alternatives,
            issns=source.issns,
        )
    changed: Record = replace(record, **{field: record_to_dict(source).get(field, "")})
    return changed
