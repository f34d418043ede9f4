"""Candidates as one person sees them: with the person's own vote where each screens alone, else as they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.query import QuerySet

from litapp.projects.models import Membership, Project
from searches.blinding import Viewer
from searches.models import (
    Assignment,
    Candidate,
    CandidateLabel,
    Decision,
    Sharing,
    Stage,
    StageRecord,
    StateChoices,
    Vote,
)
from searches.querysets import CandidateQuerySet

UNDECIDED = "undecided"


def column_of(viewer: Viewer | None) -> str:
    """The candidates' column that holds what stands at the viewer's stage."""
    return "fulltext" if viewer is not None and viewer.stage.stage == Stage.FULLTEXT else "decision"


def own_votes(viewer: Viewer) -> QuerySet[Vote]:
    """The person's votes on the candidate of the outer query."""
    return Vote.objects.filter(candidate=OuterRef("pk"), stage=viewer.stage.stage, reviewer=viewer.person).exclude(
        decision=""
    )


def decided_as(rows: CandidateQuerySet, decision: str, viewer: Viewer | None = None) -> CandidateQuerySet:
    """Those that the viewer sees with this decision ("undecided" or a value of Decision); others match nothing."""
    if not decision:
        return rows
    if viewer is None or not viewer.own:
        return rows.filter(**{column_of(viewer): "" if decision == UNDECIDED else decision})
    mine = own_votes(viewer)
    return rows.filter(~Exists(mine) if decision == UNDECIDED else Exists(mine.filter(decision=decision)))


def with_seen(rows: CandidateQuerySet, viewer: Viewer | None = None) -> QuerySet[Any]:
    """The same rows with `seen`: the decision that the viewer sees."""
    if viewer is None or not viewer.own:
        return rows.annotate(seen=F(column_of(viewer)))
    return rows.annotate(seen=Coalesce(Subquery(own_votes(viewer).values("decision")[:1]), Value("")))


def at_stage(rows: CandidateQuerySet, viewer: Viewer) -> CandidateQuerySet:
    """The records of the viewer's stage: full texts are those of the included, once that is no secret."""
    if viewer.waits:
        return rows.none()
    return rows.filter(decision=Decision.INCLUDE) if viewer.stage.stage == Stage.FULLTEXT else rows


def work_of(rows: CandidateQuerySet, viewer: Viewer) -> CandidateQuerySet:
    """The records that the person is to screen at the stage, decided or not."""
    stage = viewer.stage
    rows = at_stage(rows, viewer)
    records = StageRecord.objects.filter(candidate=OuterRef("pk"), stage=stage.stage)
    mine = Assignment.objects.filter(candidate=OuterRef("pk"), stage=stage.stage, reviewer=viewer.person)
    if stage.pilot_open:
        return rows.filter(Exists(mine.filter(how=Assignment.How.PILOT)))
    if stage.sharing == Sharing.ASSIGNED:
        rows = rows.filter(Exists(mine))
    if viewer.own:
        full = records.filter(votes__gte=stage.screeners)
        rows = rows.filter(Q(Exists(own_votes(viewer))) | ~Exists(full))
    return rows


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records a person has to screen at a stage, and how many of them are decided for that person."""

    total: int
    decided: int

    @property
    def undecided(self) -> int:
        return self.total - self.decided


def tally(project: Project, viewer: Viewer) -> Tally:
    """The person's work at the stage. Counted from indexes alone, so that a page of a big project can show it: where
    each screens alone, records of the list, less those that have their votes without this person's; decided are the
    person's votes. At most four queries."""
    listed = Candidate.objects.listed(project)
    stage = viewer.stage
    simple = stage.stage == Stage.TITLE and not stage.pilot_open and stage.sharing == Sharing.EVERYONE
    if not viewer.own or not simple:
        rows = work_of(listed, viewer)
        total = rows.count()
        return Tally(total, total - decided_as(rows, UNDECIDED, viewer).count())
    mine = Vote.objects.filter(project=project, stage=stage.stage, reviewer=viewer.person).exclude(decision="")
    gone = Candidate.objects.filter(project=project, merged_into=None, withdrawn_at__isnull=False).values("pk")
    own = Vote.objects.filter(candidate=OuterRef("candidate"), stage=stage.stage, reviewer=viewer.person)
    full = StageRecord.objects.filter(project=project, stage=stage.stage, votes__gte=stage.screeners)
    complete = full.exclude(candidate__in=gone).filter(~Exists(own.exclude(decision=""))).count()
    return Tally(listed.count() - complete, mine.count() - mine.filter(candidate__in=gone).count())


def tally_of(membership: Membership, viewer: Viewer) -> Tally:
    """The same for a member, counted once per request: navigation and page show it both."""
    known: dict[str, Tally] = membership.__dict__.setdefault("screening_tally", {})
    if viewer.stage.stage not in known:
        known[viewer.stage.stage] = tally(membership.project, viewer)
    return known[viewer.stage.stage]


def dressed(candidates: Iterable[Candidate], viewer: Viewer) -> list[Candidate]:
    """The candidates as the viewer sees them: decision, who, when, and the version that a decision is made on. For
    showing only, never saved. One query where each screens alone."""
    rows = list(candidates)
    if not viewer.own:
        if viewer.stage.stage == Stage.FULLTEXT:
            for row in rows:
                row.decision, row.decided_by, row.decided_at = row.fulltext, None, None
        return rows
    votes = {
        vote.candidate_id: vote
        for vote in Vote.objects.filter(
            candidate__in=[row.pk for row in rows], stage=viewer.stage.stage, reviewer=viewer.person
        )
    }
    for row in rows:
        vote = votes.get(row.pk)
        row.decision = vote.decision if vote else ""
        row.decided_by = viewer.person if vote and vote.decision else None
        row.decided_at = vote.decided_at if vote else None
        if vote and "version" in row.__dict__:
            row.version += vote.version
    return rows


def in_state(rows: CandidateQuerySet, state: str, viewer: Viewer) -> CandidateQuerySet:
    """Those in a state of the stage ("conflict", "partly", "agreed", "resolved"); nothing is narrowed for a viewer
    who may not know it, nor by a word that is no state."""
    if not state or not viewer.outcomes or state not in StateChoices.values:
        return rows
    records = StageRecord.objects.filter(candidate=OuterRef("pk"), stage=viewer.stage.stage, state=state)
    return rows.filter(Exists(records))


def with_label(rows: CandidateQuerySet, name: str, viewer: Viewer) -> CandidateQuerySet:
    """Those that carry a label; while the stage is secret only labels that the person put there count."""
    if not name:
        return rows
    used = CandidateLabel.objects.filter(candidate=OuterRef("pk"), label__name=name)
    return rows.filter(Exists(used.filter(person=viewer.person) if viewer.stage.secret else used))


def states(viewer: Viewer) -> dict[str, int]:
    """How many records are in each state of the stage; empty for a viewer who may not know."""
    if not viewer.outcomes or viewer.stage.pk is None:
        return {}
    rows = StageRecord.objects.filter(
        project=viewer.stage.project_id, stage=viewer.stage.stage, candidate__merged_into=None,
        candidate__withdrawn_at=None,
    )  # fmt: skip
    return dict(rows.order_by().values("state").annotate(n=Count("pk")).values_list("state", "n"))
