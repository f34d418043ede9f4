"""Asking for verifications: of new records, of changed ones, again, first, or settled by a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from litapp.core.brought import BROUGHT
from litapp.core.records import Record, record_to_dict
from litapp.core.verification.freetext import read_citation
from litapp.jobs.bulk_rows import insert_rows
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.jobs.services import enqueue
from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from litapp.verification.models import Priority, VerdictStatus, Verification

KIND = "verification"
CHECK_SOURCES = (
    "pubmed", "crossref", "openalex", "semanticscholar", "europepmc", "arxiv", "biorxiv", "datacite", "doiorg",
)  # fmt: skip
"""The sources a check can ask, in the order they are offered."""
STATUS_SOURCES = ["crossref", "openalex", "pubmed"]
"""Sources that say what became of a paper; they are asked in their batches."""
FRESH_ENOUGH = timedelta(days=1)
"""How old the last word on what became of a paper may be when it is included or exported."""
NOT_CITED_FIELDS = ("abstract", "mesh", "keywords", "url", "warnings", "publisher", "source", "source_id", "comments")
"""Fields that no check compares: a change in them needs no new check."""


class ManualVerdictError(ValueError):
    """A verdict by hand without a reason, or on a record that is still being checked for the first time."""


def record_hash(record: Record) -> str:
    """sha256 (hex) of what a check compares: equal for records that differ only in abstract, MeSH and the like."""
    data = {name: value for name, value in record_to_dict(record).items() if name not in NOT_CITED_FIELDS}
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Claim:
    """One reference to be checked: a parsed `record`, or (record None) a citation as `text` whose fields are looked for
    with the help of what the sources answer. A parsed record may carry the text it was read from as well.

    `returned_by` are the sources that returned the record; empty for a reference that a person brought.
    """

    record: Record | None = None
    text: str = ""
    returned_by: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """True for a citation that is to be matched as text."""
        return self.record is None


def text_hash(text: str) -> str:
    """sha256 (hex) of a citation's text, equal for texts that differ in spacing only."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


@transaction.atomic
def claims_request(
    *,
    project: Project,
    claims: Sequence[Claim],
    priority: Priority = Priority.ASKED,
    after: timedelta | None = None,
) -> list[Verification]:
    """Queue the check of each reference; the rows come in the order given, one for each.

    A reference that a person confirmed by hand in this project, and that has not changed since, keeps that word.
    `after` holds the checks back, so that they do not take the sources' pace from a retrieval that goes on: they begin
    with `release_held`, when a person includes the record, or after this time.
    Raises ValueError for a claim with neither record nor text.
    """
    held = {"state": StepState.WAITING, "not_before": timezone.now() + after} if after else {}
    rows = []
    for claim in claims:
        if claim.record is None and not claim.text.strip():
            raise ValueError("a claim needs a record or a text")
        record = claim.record or read_citation(claim.text)
        rows.append(
            Verification(
                project=project,
                text=claim.text,
                from_text=claim.is_text,
                record=record_to_dict(record),
                record_hash=text_hash(claim.text) if claim.is_text else record_hash(record),
                returned_by=sorted(set(claim.returned_by) - {BROUGHT}),
                priority=priority,
                **held,
            )
        )
    _keep_manual(project, rows)
    made = insert_rows(rows)
    if made and not after:
        enqueue(KIND, "")
    return made


def _keep_manual(project: Project, rows: Sequence[Verification]) -> None:
    """Words of people about the same references, unchanged, in the same project: the latest one counts."""
    by_hand = Verification.objects.filter(project=project, status=VerdictStatus.MANUAL).order_by("manual_at")
    said = {row.record_hash: row for row in by_hand}
    for row in rows:
        if kept := said.get(row.record_hash):
            row.status, row.manual_by, row.manual_at = VerdictStatus.MANUAL, kept.manual_by, kept.manual_at
            row.manual_reason = kept.manual_reason


def verifications_request(
    *,
    project: Project,
    records: Sequence[tuple[Record, Iterable[str]]],
    priority: Priority = Priority.RETRIEVED,
    after: timedelta | None = None,
) -> list[Verification]:
    """`claims_request` for records with the sources that returned them."""
    claims = [Claim(record, returned_by=tuple(sorted(set(returned_by)))) for record, returned_by in records]
    return claims_request(project=project, claims=claims, priority=priority, after=after)


def claim_renew(*, verification: Verification, record: Record) -> None:
    """Check a brought reference anew as `record`. One that came as text is a record from then on; its text stays.

    Within the caller's transaction, which holds the row.
    """
    verification.from_text = False
    _renew(verification, record, verification.returned_by, None)
    verification.priority = Priority.ASKED
    verification.save()
    enqueue(KIND, "")


def release_held(*, project: Project) -> int:
    """Let the project's held checks begin; returns how many."""
    released = _held(Verification.objects.filter(project=project)).update(state=StepState.QUEUED, not_before=None)
    if released:
        enqueue(KIND, "")
    return released


def _held(rows: QuerySet[Verification]) -> QuerySet[Verification]:
    """Those that wait because they were held back, not because a source was silent."""
    return rows.filter(state=StepState.WAITING, failures=0)


def verification_request(
    *, project: Project, record: Record, returned_by: Iterable[str], priority: Priority = Priority.RETRIEVED
) -> Verification:
    """Queue the check of one record. `returned_by` is empty for a reference that a person brought."""
    return verifications_request(project=project, records=[(record, returned_by)], priority=priority)[0]


def verification_renew(*, verification_id: int, record: Record, returned_by: Iterable[str]) -> bool:
    """Tell that the record, or the sources that returned it, changed. True if it is to be checked again.

    A changed record loses its verdict until it is checked (a verdict by hand too: the person judged another record);
    only more sources behind the same record keep the verdict while they are checked.
    """
    return bool(verifications_renew(changes=[(verification_id, record, returned_by)]))


@transaction.atomic
def verifications_renew(*, changes: Sequence[tuple[int, Record, Iterable[str]]], after: timedelta | None = None) -> int:
    """The same for many (verification, record, sources) at once; returns how many are to be checked again.

    `after` holds them back as `verifications_request` does; what a person waits for is not held.
    """
    rows = Verification.objects.select_for_update().in_bulk([verification_id for verification_id, _, _ in changes])
    until = timezone.now() + after if after else None
    changed = [rows[pk] for pk, record, returned_by in changes if _renew(rows[pk], record, returned_by, until)]
    if changed:
        Verification.objects.bulk_create(
            changed, update_conflicts=True, unique_fields=["id"], update_fields=list(_RENEWED_FIELDS)
        )
        enqueue(KIND, "")
    return len(changed)


_RENEWED_FIELDS = (
    "record", "record_hash", "returned_by", "status", "kind", "reasons", "wrong", "verified_by", "passed", "asked",
    "checked_at", "verified_on", "manual_by", "manual_reason", "manual_at", "state", "lease_token", "leased_by",
    "not_before", "finished_at", "failures",
)  # fmt: skip


def _renew(verification: Verification, record: Record, returned_by: Iterable[str], until: datetime | None) -> bool:
    digest, sources = record_hash(record), sorted(set(returned_by) - {BROUGHT})
    if digest == verification.record_hash and sources == verification.returned_by:
        return False
    if digest != verification.record_hash:
        _forget_verdict(verification)
    verification.record, verification.record_hash, verification.returned_by = record_to_dict(record), digest, sources
    held_until = (
        verification.not_before if verification.state == StepState.WAITING and not verification.failures else None
    )
    _queue_again(verification)
    if until is not None and verification.priority >= Priority.RETRIEVED:
        verification.state, verification.not_before = StepState.WAITING, min(until, held_until or until)
    return True


def prioritise(*, verification_ids: Iterable[int], priority: Priority = Priority.INCLUDED) -> int:
    """Move waiting checks forward (never back); returns how many moved. Of finished ones whose last word is older than
    a day, what became of the paper is asked again."""
    everything = Verification.objects.filter(pk__in=list(verification_ids), priority__gt=priority)
    finished = list(everything.exclude(state__in=OPEN_STATES).values_list("pk", flat=True))
    Verification.objects.filter(pk__in=finished).update(priority=priority)
    statuses_request(verifications=Verification.objects.filter(pk__in=finished))
    rows = everything.filter(state__in=OPEN_STATES)
    moved = _held(rows).update(priority=priority, state=StepState.QUEUED, not_before=None)
    moved += rows.update(priority=priority)
    if moved:
        enqueue(KIND, "")
    return moved


def statuses_request(*, verifications: QuerySet[Verification], older_than: timedelta = FRESH_ENOUGH) -> int:
    """Ask again what became of these papers, where the last word is older; returns how many are asked about.

    Checks that are under way are left alone. Stored answers of other sources are still good.
    """
    old = verifications.filter(state=StepState.DONE, checked_at__lt=timezone.now() - older_than)
    queued = Verification.objects.filter(pk__in=list(old.values_list("pk", flat=True))).update(
        state=StepState.QUEUED, ask_afresh=True, ask_afresh_at=STATUS_SOURCES, failures=0, finished_at=None
    )
    if queued:
        enqueue(KIND, "")
    return queued


@transaction.atomic
def recheck(*, verification: Verification, actor: Any, sources: Iterable[str] = ()) -> Verification:
    """Check again now, asking `sources` (none named = all) anew; stored answers of the others are still good.

    Raises ValueError for a source that no check can ask.
    """
    chosen = sorted(set(sources))
    if strange := [key for key in chosen if key not in CHECK_SOURCES]:
        raise ValueError(f"{strange[0]} is not a source that checks can ask.")
    row = Verification.objects.select_for_update().get(pk=verification.pk)
    row.ask_afresh, row.ask_afresh_at, row.priority = True, chosen, Priority.ASKED
    _queue_again(row)
    row.save()
    record_event(
        project=row.project,
        actor=actor,
        verb="verification.rechecked",
        subject=f"verification:{row.pk}",
        payload={"sources": chosen} if chosen else {},
    )
    enqueue(KIND, "")
    return row


@transaction.atomic
def set_manual(*, verification: Verification, actor: Any, reason: str) -> Verification:
    """A person vouches for the record, with name and reason. It stays "manual", never "verified".

    Raises ManualVerdictError without a reason.
    """
    if not reason.strip():
        raise ManualVerdictError("Say why you confirm this record by hand; the reason stands beside the badge.")
    row = Verification.objects.select_for_update().get(pk=verification.pk)
    row.manual_by, row.manual_reason, row.manual_at = actor, reason.strip(), timezone.now()
    row.status = VerdictStatus.MANUAL
    row.save(update_fields=["manual_by", "manual_reason", "manual_at", "status"])
    record_event(
        project=row.project,
        actor=actor,
        verb="verification.manual",
        subject=f"verification:{row.pk}",
        payload={"reason": row.manual_reason},
    )
    return row


def _queue_again(verification: Verification) -> None:
    verification.state, verification.lease_token, verification.leased_by = StepState.QUEUED, "", ""
    verification.not_before, verification.finished_at = None, None
    verification.failures = 0


def _forget_verdict(verification: Verification) -> None:
    verification.status, verification.kind = VerdictStatus.UNVERIFIED, ""
    verification.reasons, verification.wrong, verification.verified_by = [], [], []
    verification.passed = verification.asked = 0
    verification.checked_at = verification.verified_on = None
    verification.manual_by, verification.manual_reason, verification.manual_at = None, "", None


def waiting_count(project: Project) -> int:
    """How many records of the project wait for their check."""
    return Verification.objects.filter(project=project, state__in=OPEN_STATES).count()
