"""What a person may see of other people's decisions: the one place that every page, count and file asks.

While a stage is secret (blind, or in its calibration round, and not closed) a screener sees nothing that depends on
another person's vote. Leads see what the votes come to, on the pages made for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litapp.projects.models import Membership, Project
from litapp.projects.permissions import Right, may
from searches.models import ScreeningStage, Stage

HIDDEN_VERBS = ("screening.", "reference.", "candidates.", "note.", "label.", "export.")
"""Beginnings of the verbs of events that tell, or follow from, decisions: others' are not shown while secret."""
WHY_HIDDEN = (
    "Screening is blind: what the team decided, and what follows from it, is shown when a lead closes the stage or "
    "lifts the blinding."
)


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
    `outcomes`: the person may know what the votes of all come to."""

    person: Any
    stage: ScreeningStage
    own: bool
    outcomes: bool


def viewer_of(membership: Membership, stage: str = Stage.TITLE, stages: Stages | None = None) -> Viewer:
    """What the member sees of a stage. One query where `stages` is not given."""
    known = stages or stages_of(membership.project)
    row = known[stage]
    own = row.own_votes and row.closed_at is None
    return Viewer(membership.user, row, own, not row.secret or may(membership, Right.SETTLE))


def sees_outcomes(membership: Membership) -> bool:
    """Whether the member may see what depends on everybody's votes: references, conflicts, PRISMA numbers, progress
    of the team, their exports. Leads always; others unless a stage is secret now."""
    return may(membership, Right.SETTLE) or not stages_of(membership.project).secret
