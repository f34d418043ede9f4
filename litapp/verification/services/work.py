"""Background work: leases a batch of verifications, gathers the evidence, stores checks and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from litapp.core.records import Record, record_from_dict
from litapp.core.verification import CheckResult, PublicationStatus, check_record, judge, publication_status
from litapp.core.verification.rules import RULES_VERSION
from litapp.jobs.models import LEASE, StepState
from litapp.jobs.services import claim_many, enqueue
from litapp.jobs.worker import Repeated
from litapp.verification.models import Check, VerdictStatus, Verification
from litapp.verification.services.evidence import Evidence, gather
from litapp.verification.services.requests import KIND

BATCH = 200
"""Records in one batch: one efetch of PubMed's 200, four Crossref lists of 50, two OpenAlex lists of 100."""
ROUNDS_FOR_SILENT_SOURCES = 4
"""How often a record is asked about again because a source could not be reached; then its verdict stands as it is."""
LONGEST_WAIT = timedelta(hours=1)
KEEP_LEASE_EVERY = 20.0
"""Seconds between renewals of the lease while sources are asked."""


class VerificationWork:
    """The kind "verification" of `settings.STEP_KINDS`. There is one key, "": any batch will do."""

    def due(self) -> Iterable[str]:
        """[""] when at least one verification may be claimed."""
        return [""] if Verification.objects.claimable().exists() else []

    def run(self, key: str) -> None:
        """Claim and finish batches until none is left."""
        while batch := claim_batch():
            verify_batch(batch)


def check_now(*, verification_ids: Iterable[int]) -> None:
    """One round for these verifications in this process, for callers that wait. Those of them that a worker holds, or
    that wait for a silent source, are left to it."""
    wanted = list(verification_ids)
    while batch := claim_batch(among=wanted):
        verify_batch(batch)


def claim_batch(size: int = BATCH, among: Sequence[int] | None = None) -> list[Verification]:
    """Lease up to `size` verifications (of those in `among`, if given), the most urgent first; [] for none."""
    queue = Verification.objects.claimable().order_by("priority", "id")
    if among is not None:
        queue = queue.filter(pk__in=among)
    first = queue.first()
    if first is None:
        return []
    alike = queue.filter(ask_afresh=first.ask_afresh, ask_afresh_at=first.ask_afresh_at)
    places = alike.values_list("pk", flat=True)[:size]
    token = claim_many(Verification.objects.all(), places)
    return list(Verification.objects.filter(lease_token=token).order_by("priority", "id")) if token else []


def verify_batch(batch: Sequence[Verification]) -> None:
    """Gather evidence for a leased batch (network, no transaction) and store the outcome (one transaction).

    Rows whose lease was lost meanwhile are left alone: whoever holds them now will store.
    """
    records = [record_from_dict(row.record) for row in batch]
    token = batch[0].lease_token
    keeper = Repeated(lambda: _keep_lease(token), KEEP_LEASE_EVERY, "lease-of-checks")
    keeper.start()
    try:
        evidence = gather(records, afresh=batch[0].ask_afresh)
    finally:
        keeper.stop()
    now = timezone.now()
    with transaction.atomic():
        held = {
            row.pk: row
            for row in Verification.objects.select_for_update().filter(
                pk__in=[v.pk for v in batch], lease_token=token, state=StepState.RUNNING
            )
        }
        for place, row in enumerate(batch):
            if row.pk in held:
                _store(held[row.pk], records[place], place, evidence, now)
    if any(row.state == StepState.WAITING for row in held.values()):
        enqueue(KIND, "", delay=_soonest(held.values(), now))


def _keep_lease(token: str) -> None:
    Verification.objects.filter(lease_token=token, state=StepState.RUNNING).update(lease_until=timezone.now() + LEASE)


def _soonest(rows: Iterable[Verification], now: datetime) -> float:
    moments = [row.not_before for row in rows if row.not_before]
    return max(1.0, (min(moments) - now).total_seconds()) if moments else 1.0


def _store(row: Verification, record: Record, place: int, evidence: Evidence, now: datetime) -> None:
    """Append a round of checks to `row` and set what they say together."""
    found = evidence.found.get(place, [])
    checks = check_record(record, row.returned_by, found)
    row.round += 1
    _store_checks(row, checks)
    apply_verdict(row, checks, now)
    apply_publication_status(row, publication_status(record, found, (record,)))
    row.silent = evidence.silent.get(place, {})
    row.ask_afresh = False
    row.lease_token, row.leased_by, row.lease_until = "", "", None
    again = evidence.retry_at.get(place)
    if again and row.failures < ROUNDS_FOR_SILENT_SOURCES:
        row.failures += 1
        row.state = StepState.WAITING
        row.not_before = min(max(again, now + timedelta(seconds=30 * row.failures)), now + LONGEST_WAIT)
        row.finished_at = None
    else:
        row.state, row.not_before, row.finished_at = StepState.DONE, None, now
    row.save()


def _store_checks(row: Verification, checks: Sequence[CheckResult]) -> None:
    made = Check.objects.bulk_create(
        Check(
            verification=row,
            round=row.round,
            position=position,
            rule=check.rule,
            source=check.source,
            outcome=check.outcome.value,
            reason=check.reason,
            kind=check.kind.value,
            wrong=list(check.wrong),
            independent=check.independent,
            fields=[
                {"field": f.field, "ours": f.ours, "theirs": f.theirs, "verdict": f.verdict.value, "why": f.why}
                for f in check.fields
            ],
            asked_at=check.asked_at,
        )
        for position, check in enumerate(checks)
    )
    links = Check.answers.through
    links.objects.bulk_create(
        links(check_id=row_check.pk, sourceanswer_id=answer_id)
        for row_check, check in zip(made, checks, strict=True)
        for answer_id in sorted(set(check.answer_ids))
    )


def apply_verdict(row: Verification, checks: Iterable[CheckResult], now: datetime) -> None:
    """Set the verdict's columns from checks. A verdict by hand stays; the reasons below it are kept up to date."""
    verdict = judge(checks)
    if not row.manual_at:
        row.status = VerdictStatus(verdict.status.value)
    row.kind, row.reasons, row.wrong = verdict.kind.value, list(verdict.reasons), list(verdict.wrong)
    row.passed, row.asked = verdict.passed, verdict.total
    row.verified_by = list(verdict.verified_by)
    row.verified_on = verdict.verified_on.date() if verdict.verified_on and row.status == "verified" else None
    row.checked_at, row.rules_version = now, RULES_VERSION


def apply_publication_status(row: Verification, status: PublicationStatus) -> None:
    """Set what became of the paper. A notice once seen is not unsaid because a source was silent this time."""
    if status.state or set(status.asked) >= set(row.state_asked_of):
        row.publication_state = status.state.value
        row.notice_doi, row.notice_pmid, row.notice_date = status.notice_doi, status.notice_pmid, status.date
    row.state_asked_of = sorted({*row.state_asked_of, *status.asked})
