"""Writes down what the PRISMA flow cannot read later: where a record was before, how the search for a report stood."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from searches.models import Candidate, RecordMove, ReportOutcome


def note_moves(*, project_id: int, moves: Iterable[tuple[int, int, int | None]]) -> None:
    """Records (id, candidate they leave, candidate they come to or None), in the caller's transaction. A record that
    stays where it is is no move."""
    RecordMove.objects.bulk_create(
        (
            RecordMove(project_id=project_id, source_record_id=record, left_id=left, came_to_id=came_to)
            for record, left, came_to in moves
            if left != came_to
        ),
        batch_size=1000,
    )


def note_report(*, candidate: Candidate, not_retrieved: bool, reason: str = "", actor: Any = None) -> None:
    """How the search for the candidate's report stands from now on, in the caller's transaction. The same again adds
    nothing."""
    last = ReportOutcome.objects.filter(candidate=candidate).order_by("-pk").first()
    told = reason[:200] if not_retrieved else ""
    before = (last.not_retrieved, last.reason) if last else (False, "")
    if before != (not_retrieved, told):
        ReportOutcome.objects.create(
            project_id=candidate.project_id,
            candidate=candidate,
            not_retrieved=not_retrieved,
            reason=told,
            actor=actor,
        )
