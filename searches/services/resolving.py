"""The conflict room: a lead sees both votes with their reasons and settles what they differ on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.blinding import stages_of
from searches.models import Candidate, Decision, ScreeningDecision, Stage, StageRecord, StateChoices, Vote
from searches.querysets import CandidateQuerySet
from searches.services.listeners import tell_listeners
from searches.services.outcomes import settle
from searches.services.refusals import DecisionRefused, StageClosed
from searches.services.rules import reason_of


class NoConflict(DecisionRefused):
    """The record is in no conflict (any more): a vote changed, or another lead was faster."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A conflict that was settled. `applied` is False where the same request had been applied already."""

    candidate_id: int
    decision: str
    applied: bool = True


def conflicts(project: Project, stage: str) -> CandidateQuerySet:
    """The records whose votes differ, in the order of their finding."""
    states = StageRecord.objects.filter(project=project, stage=stage, state=StateChoices.CONFLICT)
    return Candidate.objects.listed(project).filter(pk__in=states.values("candidate_id")).order_by("pk")


def votes_on(candidate: Candidate, stage: str) -> list[Vote]:
    """The votes that stand, in the order of the persons' arrival in the log, with reason and person. One query."""
    votes = Vote.objects.filter(candidate=candidate, stage=stage).exclude(decision="")
    return list(votes.select_related("reviewer", "entry__criterion", "entry__criteria_version").order_by("entry_id"))


def resolve(
    *,
    project: Project,
    candidate_id: int,
    actor: Any,
    decision: str,
    request_id: UUID,
    seen: str,
    stage: str = Stage.TITLE,
    criterion_id: int | None = None,
    criteria: int | None = None,
    reason: str = "",
) -> Resolved:
    """Settle a conflict; the votes stay as they are. `seen` names the votes that the lead had before them
    (`seen_of`): where one changed since, NoConflict is raised. The same `request_id` again changes nothing.

    An exclusion without a criterion takes the one that the excluding vote gave. Raises DecisionRefused.
    """
    given = (reason, criterion_id, criteria)
    value, where = Decision(decision).value, Stage(stage).value
    try:
        return _resolve(project, candidate_id, actor, value, request_id, seen, where, given)
    except IntegrityError:  # the same request, at the same moment
        return _resolve(project, candidate_id, actor, value, request_id, seen, where, given)


@transaction.atomic
def _resolve(
    project: Project,
    candidate_id: int,
    actor: Any,
    decision: str,
    request_id: UUID,
    seen: str,
    stage: str,
    given: tuple[str, int | None, int | None],
) -> Resolved:
    candidate = Candidate.objects.select_for_update().get(pk=candidate_id, project=project)
    applied = ScreeningDecision.objects.filter(project=project, request_id=request_id, reviewer=actor).first()
    if applied is not None:
        return Resolved(applied.candidate_id, applied.decision, applied=False)
    if not decision:
        raise DecisionRefused("A conflict is settled by include, exclude or maybe.")
    stages = stages_of(project)
    if stages[stage].pilot_open:
        raise StageClosed("Conflicts of a calibration round are settled after it is locked.")
    record = StageRecord.objects.filter(candidate=candidate, stage=stage).first()
    votes = votes_on(candidate, stage)
    if record is None or record.state != StateChoices.CONFLICT or seen != seen_of(votes):
        raise NoConflict("The votes on this record changed, or another lead settled it. Look at it again.")
    words, criterion_id, criteria = given
    if decision == Decision.EXCLUDE and criterion_id is None and not words:
        gave = next((vote.entry for vote in votes if vote.entry and vote.entry.criterion_id), None)
        criterion_id = gave.criterion_id if gave else None
        words = next((vote.entry.reason for vote in votes if vote.entry and vote.entry.reason), "")
    reason = reason_of(project, stage, decision, words, criterion_id, criteria)
    ScreeningDecision.objects.create(
        candidate=candidate,
        project=project,
        stage=stage,
        reviewer=actor,
        decision=decision,
        resolution=True,
        reason=reason.text,
        criterion_id=reason.criterion_id,
        criteria_version_id=reason.version_id,
        request_id=request_id,
    )
    changed = settle(project=project, candidate_ids=[candidate.pk], stages=stages)
    if changed:
        tell_listeners(project=project, candidate_ids=changed)
    payload = {"stage": stage, "decision": decision, "reason": reason.text, "request": request_id}
    payload["votes"] = {str(vote.reviewer_id): vote.decision for vote in votes}
    record_event(
        project=project, actor=actor, verb="screening.resolved", subject=f"candidate:{candidate.pk}", payload=payload
    )
    return Resolved(candidate.pk, decision)


def seen_of(votes: list[Vote]) -> str:
    """Names a state of the votes: the entries that stand."""
    return "-".join(str(vote.entry_id) for vote in votes)
