"""What a person may see of other people's decisions: the one place that every page, count and file asks.

While a stage is secret (blind, or in its calibration round, and not closed) a screener sees nothing that depends on
another person's vote. Leads see what the votes come to, on the pages made for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from litapp.projects.models import Event, Membership, Project
from litapp.projects.permissions import Right, may
from searches.models import ScreeningStage, Stage

TOLD_TO_ALL = (
    "project.",
    "invitation.",
    "member.",
    "plan.",
    "run.",
    "abstracts.",
    "records.",
    "import.",
    "record.",
    "duplicates.",
    "study.",
    "criteria.",
    "screening.set_up",
    "screening.unblinded",
    "screening.closed",
    "screening.reopened",
    "screening.pilot_",
    "screening.assigned",
    "list.check",
    "list.recheck",
)
"""Beginnings of the verbs of events that tell nothing of decisions: shown to all while screening is secret."""
FOLLOWS = ("reference.", "candidates.", "screening.resolved", "matrix.", "fulltext.", "flow.", "prisma.", "ranking.")
"""Beginnings of verbs that follow from decisions of several people: not even shown to the person who set them off."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Both stages of a project as they are set."""

    title: ScreeningStage
    fulltext: ScreeningStage

    def __getitem__(self, stage: str) -> ScreeningStage:
        return self.fulltext if stage == Stage.FULLTEXT else self.title

    @property
    def uses_fulltext(self) -> bool:
        return self.fulltext.in_use

    @property
    def secret(self) -> bool:
        """Something is hidden from screeners now."""
        return self.title.secret or (self.fulltext.in_use and self.fulltext.secret)


def stages_of(project: Project) -> Stages:
    """The project's stages; what was never set is the default (one screener, seen by all, no full-text stage)."""
    rows = {row.stage: row for row in ScreeningStage.objects.filter(project=project)}
    title = rows.get(Stage.TITLE) or ScreeningStage(project=project, stage=Stage.TITLE)
    fulltext = rows.get(Stage.FULLTEXT) or ScreeningStage(project=project, stage=Stage.FULLTEXT, in_use=False)
    return Stages(title, fulltext)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at which stage. `own`: the decisions shown are the person's own votes (else the records' outcomes);
    `outcomes`: the person may know what the votes of all come to; `waits`: full texts, while the titles' outcomes are
    secret: which records come there would tell them."""

    person: Any
    stage: ScreeningStage
    own: bool
    outcomes: bool
    waits: bool = False


def viewer_of(membership: Membership, stage: str = Stage.TITLE, stages: Stages | None = None) -> Viewer:
    """What the member sees of a stage. One query where `stages` is not given."""
    known = stages or stages_of(membership.project)
    row = known[stage]
    own = row.own_votes and row.closed_at is None
    waits = stage == Stage.FULLTEXT and known.title.secret
    return Viewer(membership.user, row, own, not row.secret or may(membership, Right.SETTLE), waits)


def sees_outcomes(membership: Membership) -> bool:
    """Whether the member may see what depends on everybody's votes: references, conflicts, PRISMA numbers, progress
    of the team, their exports. Leads always; others unless a stage is secret now."""
    return may(membership, Right.SETTLE) or not stages_of(membership.project).secret


def events_shown(membership: Membership, events: QuerySet[Event]) -> QuerySet[Event]:
    """Of the log what the member may see: while a stage is secret, of others only what tells nothing of decisions."""
    if sees_outcomes(membership):
        return events
    harmless, follows = Q(pk=None), Q(pk=None)
    for verb in TOLD_TO_ALL:
        harmless |= Q(verb__startswith=verb)
    for verb in FOLLOWS:
        follows |= Q(verb__startswith=verb)
    return events.filter(harmless | (Q(actor=membership.user) & ~follows))
