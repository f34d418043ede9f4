"""Writes and reads how the search for full texts stands: sought, retrieved, not retrieved and why (PRISMA)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils import timezone

from searches.models import Candidate, NotRetrieved
from searches.models_fulltext import ReportRetrieval, RetrievalOutcome
from searches.services.prisma_moves import note_report


@dataclass(frozen=True, slots=True)
class MissingReport:
    """A report that was sought and not retrieved. `reason` is a code of `core.fulltext_reasons`, `sentence` what
    it says, `because` what it rests on; `by_rule` where no person decided."""

    candidate_id: int
    title: str
    reason: str
    sentence: str
    because: str
    at: datetime
    by_rule: bool


@dataclass(frozen=True, slots=True)
class RetrievalCounts:
    """`sought` counts all three: retrieved, not retrieved, and those not decided yet (`open`)."""

    sought: int
    retrieved: int
    not_retrieved: int
    open: int
    reasons: dict[str, int]


def retrieval_note(
    *, candidate: Candidate, outcome: RetrievalOutcome, actor: Any, reason: str = "", because: str = ""
) -> ReportRetrieval:
    """Write how it stands. In the caller's transaction. Raises IntegrityError for a reason where none belongs."""
    row, _ = ReportRetrieval.objects.update_or_create(
        candidate=candidate,
        defaults={
            "project_id": candidate.project_id, "outcome": outcome, "reason": reason, "because": because,
            "actor": actor, "at": timezone.now(),
        },
    )  # fmt: skip
    lost = row.outcome == RetrievalOutcome.NOT_RETRIEVED
    words = dict(NotRetrieved.choices).get(row.reason, row.reason)
    note_report(candidate=candidate, not_retrieved=lost, reason=str(words), actor=actor)
    return row


def not_retrieved(project: Any) -> list[MissingReport]:
    """Reports of the project's candidates that were sought and not retrieved, by title. Reads."""
    rows = _rows(project).filter(outcome=RetrievalOutcome.NOT_RETRIEVED).select_related("candidate")
    return [
        MissingReport(
            row.candidate_id, row.candidate.title, row.reason, row.get_reason_display(), row.because, row.at,
            row.actor_id is None,
        )
        for row in rows.order_by("candidate__title", "pk")
    ]  # fmt: skip


def retrieval_counts(project: Any) -> RetrievalCounts:
    """How many reports were sought, and how it ended. Two queries."""
    rows = _rows(project)
    by_outcome = dict(rows.values_list("outcome").annotate(n=Count("pk")))
    reasons = dict(
        rows.filter(outcome=RetrievalOutcome.NOT_RETRIEVED).values_list("reason").annotate(n=Count("pk"))
    )  # fmt: skip
    return RetrievalCounts(
        sought=sum(by_outcome.values()),
        retrieved=by_outcome.get(RetrievalOutcome.RETRIEVED, 0),
        not_retrieved=by_outcome.get(RetrievalOutcome.NOT_RETRIEVED, 0),
        open=by_outcome.get(RetrievalOutcome.SOUGHT, 0),
        reasons=reasons,
    )


def _rows(project: Any) -> Any:
    return ReportRetrieval.objects.filter(
        project=project, candidate__merged_into=None, candidate__withdrawn_at=None
    ).order_by()
