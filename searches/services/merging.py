"""Merges candidates that turned out to be one paper, and parts them again. Decisions of both are kept; the latest one
counts while they are merged, and each goes back to where it was made when they are parted."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.models import Candidate, CandidateSource, ScreeningDecision
from searches.services.listeners import tell_listeners
from searches.services.outcomes import forget, settle


def merge_candidates(*, project: Project, kept_id: int, absorbed_id: int, actor: Any = None) -> None:
    """Let `kept_id` stand for `absorbed_id`, in the caller's transaction; the caller derives the columns anew.

    The absorbed row stays, marked with `merged_into`, and is shown nowhere. Both versions rise, so that a decision on
    a page that shows the old state is refused.
    """
    rows = Candidate.objects.select_for_update().in_bulk([kept_id, absorbed_id])
    kept, absorbed = rows[kept_id], rows[absorbed_id]
    if absorbed.merged_into_id == kept.pk:
        return
    CandidateSource.objects.filter(candidate=absorbed).update(candidate=kept)
    others = list(Candidate.objects.filter(merged_into=absorbed).values_list("pk", flat=True))
    Candidate.objects.filter(pk__in=others).update(merged_into=kept)
    before = {"kept": kept.decision, "absorbed": absorbed.decision}
    for pk in (absorbed.pk, *others):
        _bring_decisions(pk, kept.pk)
    if not _settle(kept.pk):
        latest = absorbed if _decided_later(absorbed, kept) else kept
        changes = {name: getattr(latest, name) for name in ("decision", "final", "decided_by", "decided_at")}
        Candidate.objects.filter(pk=kept.pk).update(**changes)
    forget([absorbed.pk, *others])
    Candidate.objects.filter(pk__in=[kept.pk, absorbed.pk]).update(version=F("version") + 1)
    Candidate.objects.filter(pk=absorbed.pk).update(merged_into=kept)
    if absorbed.merged_into_id is None:
        counts = Candidate.objects.values_list("decision", flat=True).get(pk=kept.pk)
        record_event(
            project=project,
            actor=actor,
            verb="candidates.merged",
            subject=f"candidate:{kept.pk}",
            payload={"absorbed": absorbed.pk, "title": absorbed.title, "decisions": before, "counts": counts},
        )
    if before["kept"] or before["absorbed"]:
        tell_listeners(project=project, candidate_ids=[kept.pk, absorbed.pk])


def part_candidate(*, project: Project, candidate_id: int, actor: Any = None) -> None:
    """Undo a merge: the candidate stands for itself again, with the decisions that were made on it. In the caller's
    transaction, which moves the records and derives the columns anew."""
    row = Candidate.objects.select_for_update().get(pk=candidate_id)
    if row.merged_into_id is None:
        return
    kept_id = row.merged_into_id
    kept = Candidate.objects.select_for_update().get(pk=kept_id)
    Candidate.objects.filter(pk=row.pk).update(merged_into=None)
    _bring_decisions(row.pk, row.pk)
    theirs = ScreeningDecision.objects.filter(candidate=row.pk).exists()
    _settle(row.pk)
    if not _settle(kept_id) and theirs:  # what counted was decided on the other one
        forget([kept_id])
        Candidate.objects.filter(pk=kept_id).update(
            decision="", fulltext="", final="", decided_by=None, decided_at=None
        )
    Candidate.objects.filter(pk__in=[row.pk, kept_id]).update(version=F("version") + 1)
    now = dict(Candidate.objects.filter(pk__in=[row.pk, kept_id]).values_list("pk", "decision"))
    record_event(
        project=project,
        actor=actor,
        verb="candidates.parted",
        subject=f"candidate:{row.pk}",
        payload={
            "from": kept_id,
            "title": row.title,
            "decisions": {"kept": now[kept_id], "parted": now[row.pk]},
            "counted": kept.decision,
        },
    )
    tell_listeners(project=project, candidate_ids=[row.pk, kept_id])


def _decided_later(one: Candidate, other: Candidate) -> bool:
    if not one.decision or one.decided_at is None:
        return False
    return not other.decision or other.decided_at is None or one.decided_at > other.decided_at


def _bring_decisions(made_on: int, to: int) -> None:
    """Put the decisions made on a candidate where it is now, with what took any of them back since.

    Where one bulk decided both, the kept candidate has that decision already, and the other's stays with it.
    """
    theirs = ScreeningDecision.objects.filter(Q(made_on=made_on) | Q(made_on=None, candidate=made_on))
    if to == made_on:
        moved = set(theirs.filter(made_on=made_on).values_list("request_id", flat=True))
        at = set(theirs.filter(made_on=made_on).values_list("candidate_id", flat=True))
        theirs.filter(made_on=made_on).update(candidate=made_on, made_on=None)
        taken_back = ScreeningDecision.objects.filter(made_on=None, candidate__in=at, undoes__in=moved)
        shared = ScreeningDecision.objects.filter(candidate=OuterRef("candidate"), request_id=OuterRef("undoes"))
        taken_back.filter(~Exists(shared)).update(candidate=made_on)
        return
    known = ScreeningDecision.objects.filter(candidate=to, request_id=OuterRef("request_id"))
    theirs.filter(~Exists(known)).update(candidate=to, made_on=made_on)


def _settle(candidate_id: int) -> bool:
    """Derive anew what stands by a candidate's entries; False where it has none, and nothing was changed."""
    if not ScreeningDecision.objects.filter(candidate=candidate_id).exists():
        return False
    settle(project=Candidate.objects.get(pk=candidate_id).project, candidate_ids=[candidate_id])
    return True
