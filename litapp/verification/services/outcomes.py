"""What a round of checks came to, and storing it: checks, verdict, what became of the paper, the nearest papers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from litapp.core.records import Record, record_to_dict
from litapp.core.verification import (
    Answered,
    CheckResult,
    Found,
    PublicationStatus,
    check_record,
    judge,
    nearest,
    publication_status,
)
from litapp.core.verification.rules import RULES_VERSION
from litapp.core.verification.witness import Work, witnesses
from litapp.jobs.models import StepState
from litapp.verification.journal_names import journal_names
from litapp.verification.models import Check, PublicationState, StatusNotice, VerdictStatus, Verification
from litapp.verification.services.evidence import Gathering
from litapp.verification.services.retraction_list import RetractionList

ROUNDS_FOR_SILENT_SOURCES = 4
"""How often a record is asked about again because a source could not be reached; then its verdict stands as it is."""
LONGEST_WAIT = timedelta(hours=1)
NOTICED_STATES = (
    PublicationState.RETRACTED,
    PublicationState.PARTLY_RETRACTED,
    PublicationState.WITHDRAWN,
    PublicationState.CONCERN,
)
"""What a project is told of when it happens to one of its references."""
STORED_FIELDS = (
    "record", "status", "kind", "reasons", "wrong", "passed", "asked", "verified_by", "verified_on", "checked_at",
    "rules_version", "publication_state", "notice_doi", "notice_pmid", "notice_date", "state_asked_of", "silent",
    "ask_afresh", "ask_afresh_at", "matched", "suggestions", "evidence_hash", "round", "state", "failures",
    "not_before", "finished_at", "lease_token", "leased_by", "lease_until",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the evidence of one reference says. `checks` is None where it is the evidence of the round before."""

    evidence_hash: str
    silent: dict[str, str]
    retry_at: datetime | None
    checks: tuple[CheckResult, ...] | None = None
    claimed: Record | None = None
    status: PublicationStatus | None = None
    matched: Record | None = None
    suggestions: tuple[Found, ...] = ()


def outcome_of(row: Verification, place: int, gathering: Gathering, retractions: RetractionList) -> Outcome:
    """Compare and judge what was gathered about `row`. Pure but for the list of journal names."""
    evidence = gathering.evidence
    found = evidence.found.get(place, [])
    digest = _evidence_hash(row, found, retractions)
    silent, retry_at = evidence.silent.get(place, {}), evidence.retry_at.get(place)
    if row.round and row.evidence_hash == digest and row.checked_at:
        return Outcome(digest, silent, retry_at)
    claimed, journals = gathering.claimed(place), journal_names()
    checks = check_record(claimed, row.returned_by, found, journals=journals)
    seen = witnesses(claimed, found, journals)
    of_the_work = [w for w in seen if w.work is Work.SAME] or [w for w in seen if w.work is Work.REWORDED]
    matched = of_the_work[0].record if of_the_work else None
    listed = retractions.evidence(claimed, matched)
    return Outcome(
        digest,
        silent,
        retry_at,
        checks,
        claimed,
        publication_status(claimed, [*found, *listed], (claimed,)),
        matched,
        () if any(w.work is Work.SAME for w in seen) else nearest(claimed, found, journals=journals),
    )


def _evidence_hash(row: Verification, found: Sequence[Found], retractions: RetractionList) -> str:
    """Which answers there are; of failures only that and why, not which attempt it was."""
    decided = (Answered.FOUND, Answered.ABSENT)
    answers = sorted(
        {
            (f.source, f.how.value, f.scheme, f.question, f.outcome.value, f.message, f.answer_id or 0)
            if f.outcome in decided
            else (f.source, f.how.value, f.scheme, f.question, f.outcome.value, f.message, 0)
            for f in found
        }
    )
    text = json.dumps([RULES_VERSION, row.record_hash, row.returned_by, retractions.version, answers])
    return hashlib.sha256(text.encode()).hexdigest()


def store_outcomes(outcomes: Sequence[tuple[Verification, Outcome]], now: datetime) -> None:
    """Store rounds of checks and what they say together. In the caller's transaction, which holds the rows."""
    made: list[tuple[Check, tuple[int, ...]]] = []
    notices: list[StatusNotice] = []
    for row, outcome in outcomes:
        if outcome.checks is None:
            row.checked_at = now
        else:
            notices += _apply(row, outcome, now)
            made += [
                (_check_row(row, position, check), check.answer_ids) for position, check in enumerate(outcome.checks)
            ]
        _settle(row, outcome, now)
    rows = Check.objects.bulk_create([check for check, _ in made], batch_size=500)
    links = Check.answers.through
    links.objects.bulk_create(
        [
            links(check_id=stored.pk, sourceanswer_id=answer_id)
            for stored, (_, answers) in zip(rows, made, strict=True)
            for answer_id in sorted(set(answers))
        ],
        batch_size=1000,
    )
    Verification.objects.bulk_update([row for row, _ in outcomes], STORED_FIELDS, batch_size=100)
    StatusNotice.objects.bulk_create(notices)


def _apply(row: Verification, outcome: Outcome, now: datetime) -> list[StatusNotice]:
    """Set the columns of a new round; the notices that it gives rise to."""
    earlier, first = row.publication_state, not row.round
    row.round += 1
    row.evidence_hash = outcome.evidence_hash
    apply_verdict(row, outcome.checks or (), now)
    if outcome.status is not None:
        apply_publication_status(row, outcome.status)
    if row.from_text and outcome.claimed is not None:
        row.record = record_to_dict(outcome.claimed)
    row.matched = record_to_dict(outcome.matched) if outcome.matched else {}
    row.suggestions = [
        {"source": found.source, "record": record_to_dict(found.record), "answer_id": found.answer_id}
        for found in outcome.suggestions
        if found.record is not None
    ]
    if first or row.publication_state == earlier or row.publication_state not in NOTICED_STATES:
        return []
    return [
        StatusNotice(project_id=row.project_id, verification=row, state=row.publication_state, earlier_state=earlier)
    ]


def _settle(row: Verification, outcome: Outcome, now: datetime) -> None:
    """End the row's turn: done, or waiting for a source that was silent."""
    row.silent, row.ask_afresh, row.ask_afresh_at = outcome.silent, False, []
    row.lease_token, row.leased_by, row.lease_until = "", "", None
    if outcome.retry_at and row.failures < ROUNDS_FOR_SILENT_SOURCES:
        row.failures += 1
        row.state, row.finished_at = StepState.WAITING, None
        row.not_before = min(max(outcome.retry_at, now + timedelta(seconds=30 * row.failures)), now + LONGEST_WAIT)
    else:
        row.state, row.not_before, row.finished_at = StepState.DONE, None, now


def _check_row(row: Verification, position: int, check: CheckResult) -> Check:
    fields: list[dict[str, Any]] = [
        {"field": f.field, "ours": f.ours, "theirs": f.theirs, "verdict": f.verdict.value, "why": f.why}
        for f in check.fields
    ]
    return Check(
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
        fields=fields,
        asked_at=check.asked_at,
    )


def apply_verdict(row: Verification, checks: Sequence[CheckResult], now: datetime) -> None:
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
