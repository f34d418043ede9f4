"""Merges two candidates that turned out to be the same paper. Decisions of both are kept; the latest one counts."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import BlockKey, Candidate, CandidateSource, ScreeningDecision
from searches.services.listeners import tell_listeners


def merge_candidates(*, project: Project, kept_id: int, absorbed_id: int) -> None:
    """Move everything of `absorbed_id` to `kept_id`, in the caller's transaction; the caller derives the columns anew.

    The absorbed row stays, marked with `merged_into`, and is shown nowhere. Both versions rise, so that a decision on
    a page that shows the old state is refused.
    """
    rows = Candidate.objects.select_for_update().in_bulk([kept_id, absorbed_id])
    kept, absorbed = rows[kept_id], rows[absorbed_id]
    CandidateSource.objects.filter(candidate=absorbed).update(candidate=kept)
    _move_keys(kept, absorbed)
    _move_decisions(kept, absorbed)
    Candidate.objects.filter(merged_into=absorbed).update(merged_into=kept)
    before = {"kept": kept.decision, "absorbed": absorbed.decision}
    latest = absorbed if _decided_later(absorbed, kept) else kept
    changes = {"decision": latest.decision, "decided_by": latest.decided_by, "decided_at": latest.decided_at}
    Candidate.objects.filter(pk=kept.pk).update(version=F("version") + 1, **changes)
    Candidate.objects.filter(pk=absorbed.pk).update(version=F("version") + 1, merged_into=kept)
    record_event(
        project=project,
        actor=None,
        verb="candidates.merged",
        subject=f"candidate:{kept.pk}",
        payload={"absorbed": absorbed.pk, "title": absorbed.title, "decisions": before, "counts": latest.decision},
    )
    if before["kept"] or before["absorbed"]:
        tell_listeners(project=project, candidate_ids=[kept.pk, absorbed.pk])


def _decided_later(one: Candidate, other: Candidate) -> bool:
    if not one.decision or one.decided_at is None:
        return False
    return not other.decision or other.decided_at is None or one.decided_at > other.decided_at


def _move_keys(kept: Candidate, absorbed: Candidate) -> None:
    known = BlockKey.objects.filter(candidate=kept, key=OuterRef("key"))
    BlockKey.objects.filter(~Exists(known), candidate=absorbed).update(candidate=kept)
    BlockKey.objects.filter(candidate=absorbed).delete()


def _move_decisions(kept: Candidate, absorbed: Candidate) -> None:
    """Decisions move along. Where one bulk decided both, the kept candidate has that decision already."""
    known = ScreeningDecision.objects.filter(candidate=kept, request_id=OuterRef("request_id"))
    ScreeningDecision.objects.filter(~Exists(known), candidate=absorbed).update(candidate=kept)
