"""What a verification found, for pages and reports: verdict, right values, nearest papers, evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, IntegerField, Q, Value, When

from litapp.core.matching.verdicts import Agreement, FieldVerdict, WordDiff
from litapp.core.matching.words import diff_words
from litapp.core.records import Record, record_from_dict
from litapp.core.verification import CheckResult, Kind, Result, corrections
from litapp.providers.causes import words_of
from litapp.verification.models import Check, PublicationState, VerdictStatus, Verification
from litapp.verification.presentation import source_label


@dataclass(frozen=True, slots=True)
class ToldCorrection:
    """A wrong field, the right value beside it, who states it, and the words that differ."""

    field: str
    ours: str
    theirs: str
    source: str
    source_label: str
    why: str
    words: tuple[WordDiff, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One of the nearest real papers ("did you mean"): offered, never substituted."""

    record: Record
    source: str
    source_label: str
    answer_id: int | None


@dataclass(frozen=True, slots=True)
class FindingCheck:
    """One check behind the verdict. `answer_ids` name the archived answers."""

    rule: str
    source: str
    source_label: str
    outcome: str
    reason: str
    answer_ids: tuple[int, ...]
    asked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Everything to be said of one reference.

    `finished` is False before the first round. `verdict` is verified, suspect, unverified or manual; `kind` "identity"
    or "details" for a suspect one. `state` is "" or what became of the paper; `state_asked_of` who was asked for it.
    `record` is the reference as it was read; `matched` the most authoritative record found for it (None = none).
    `unanswered` are the sources that could not be asked, with the reason in words.
    """

    verification_id: int
    text: str
    record: Record
    finished: bool
    verdict: str
    kind: str
    reasons: tuple[str, ...]
    wrong: tuple[str, ...]
    verified_by: tuple[str, ...]
    state: str
    state_label: str
    state_date: str
    notice_doi: str
    notice_pmid: str
    state_asked_of: tuple[str, ...]
    matched: Record | None
    corrections: tuple[ToldCorrection, ...]
    suggestions: tuple[Suggestion, ...]
    checks: tuple[FindingCheck, ...]
    unanswered: tuple[tuple[str, str], ...]


def findings_of(verifications: Iterable[Verification]) -> list[Finding]:
    """One finding for each, in the order given; two queries for the checks of all."""
    rows = list(verifications)
    behind: defaultdict[int, list[Check]] = defaultdict(list)
    rounds = {row.pk: row.round for row in rows}
    for check in Check.objects.filter(verification_id__in=rounds).prefetch_related("answers"):
        if check.round == rounds[check.verification_id]:
            behind[check.verification_id].append(check)
    return [_finding(row, behind[row.pk]) for row in rows]


def _finding(row: Verification, checks: list[Check]) -> Finding:
    return Finding(
        verification_id=row.pk,
        text=row.text,
        record=record_from_dict(row.record),
        finished=row.checked_at is not None,
        verdict=row.status,
        kind=row.kind,
        reasons=tuple(row.reasons),
        wrong=tuple(row.wrong),
        verified_by=tuple(row.verified_by),
        state=row.publication_state,
        state_label=PublicationState(row.publication_state).label if row.publication_state else "",
        state_date=row.notice_date,
        notice_doi=row.notice_doi,
        notice_pmid=row.notice_pmid,
        state_asked_of=tuple(row.state_asked_of),
        matched=record_from_dict(row.matched) if row.matched else None,
        corrections=tuple(
            ToldCorrection(
                c.field, c.ours, c.theirs, c.source, source_label(c.source), c.why, diff_words(c.ours, c.theirs)
            )
            for c in corrections(map(check_value, checks))
        ),
        suggestions=tuple(
            Suggestion(record_from_dict(s["record"]), s["source"], source_label(s["source"]), s.get("answer_id"))
            for s in row.suggestions
        ),
        checks=tuple(
            FindingCheck(
                check.rule,
                check.source,
                source_label(check.source) if check.source else "",
                check.outcome,
                check.reason,
                tuple(answer.pk for answer in check.answers.all()),
                check.asked_at,
            )
            for check in checks
        ),
        unanswered=tuple((source, words_of(cause)) for source, cause in row.silent.items()),
    )


def check_value(check: Check) -> CheckResult:
    """A stored check as the value the engine made; its answers should be prefetched."""
    return CheckResult(
        rule=check.rule,
        source=check.source,
        outcome=Result(check.outcome),
        reason=check.reason,
        kind=Kind(check.kind),
        fields=tuple(
            FieldVerdict(f["field"], f["ours"], f["theirs"], Agreement(f["verdict"]), f["why"]) for f in check.fields
        ),
        wrong=tuple(check.wrong),
        independent=check.independent,
        answer_ids=tuple(answer.pk for answer in check.answers.all()),
        asked_at=check.asked_at,
    )


GRAVE_STATES = (PublicationState.RETRACTED, PublicationState.PARTLY_RETRACTED, PublicationState.WITHDRAWN)


def worst_first() -> Case:
    """To order by: not existing, retracted, wrong details, of concern, undecided, by hand, verified; unchecked last."""
    suspect = Q(status=VerdictStatus.SUSPECT)
    order = (
        Q(checked_at=None),
        suspect & Q(kind="identity"),
        Q(publication_state__in=GRAVE_STATES),
        suspect,
        Q(publication_state=PublicationState.CONCERN),
        Q(status=VerdictStatus.UNVERIFIED),
        Q(status=VerdictStatus.MANUAL),
    )
    unchecked, *graded = order
    return Case(
        When(unchecked, then=Value(len(order))),
        *(When(group, then=Value(place)) for place, group in enumerate(graded)),
        default=Value(len(graded)),
        output_field=IntegerField(),
    )
