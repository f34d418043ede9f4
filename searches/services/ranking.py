"""Prioritised screening is switched on and off, and what it learns from: whose labels, and what they are now."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from litapp.core.ranking.model import ModelSettings, settings_dict
from litapp.core.ranking.question import question_parts
from litapp.jobs.services import enqueue
from litapp.projects.models import Membership, Project
from litapp.projects.permissions import Right, may
from litapp.projects.services.events import record_event
from searches.blinding import stages_of
from searches.models import Candidate, Decision, Ranking, SearchPlan, Stage, Vote

KIND = "ranking"
CONTROL_SHARE = 0.05
"""Share of the records in the control stream, where the project chooses none."""
SHARES = (0.0, 0.02, 0.05, 0.1)
RELEVANT = frozenset({Decision.INCLUDE.value, Decision.MAYBE.value})
"""Decisions at title and abstract that keep a record: what the ranking looks for."""


def ranking_of(project: Project) -> Ranking | None:
    """The project's ranking while it is in use."""
    return Ranking.objects.filter(project=project, in_use=True).first()


@transaction.atomic
def ranking_start(*, project: Project, actor: Any, control_share: float = CONTROL_SHARE) -> Ranking:
    """Switch prioritised screening on. The first time seed, model, settings, question and control share are frozen;
    switched on again it goes on with those. Raises ValueError for a share that is not offered."""
    if control_share not in SHARES:
        raise ValueError("Choose one of the shares offered.")
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    ranking = Ranking.objects.filter(project=project).first()
    if ranking is not None and ranking.in_use:
        return ranking
    if ranking is None:
        ranking = Ranking(
            project=project,
            seed=secrets.randbelow(2**31),
            settings=settings_dict(ModelSettings()),
            question=questions_of(project),
            control_share=control_share,
            started_by=actor,
        )
    ranking.in_use = True
    ranking.save()
    record_event(
        project=project, actor=actor, verb="ranking.started", subject=f"ranking:{ranking.pk}",
        payload={
            "seed": ranking.seed, "settings": ranking.settings, "question": ranking.question,
            "control_share": ranking.control_share,
        },
    )  # fmt: skip
    for key in keys_of(ranking):
        enqueue(KIND, key)
    return ranking


@transaction.atomic
def ranking_stop(*, project: Project, actor: Any) -> None:
    """Switch it off: the queue has its other orders. Places and samples stay. Nothing where it is off."""
    if Ranking.objects.filter(project=project, in_use=True).update(in_use=False):
        record_event(project=project, actor=actor, verb="ranking.stopped")


def questions_of(project: Project) -> list[str]:
    """What the project's plans ask for: of each plan the latest approved version, or the latest where none is."""
    parts: dict[str, None] = {}
    for plan in SearchPlan.objects.filter(project=project).order_by("pk"):
        version = plan.versions.order_by("-number").exclude(approved_at=None).first()
        version = version or plan.versions.order_by("-number").first()
        if version is not None:
            parts |= dict.fromkeys(question_parts(version.plan_content))
    return list(parts)


def keys_of(ranking: Ranking) -> Iterable[str]:
    """The orders that the project needs now: one for each screener where each screens alone, else one for all."""
    return [f"{ranking.pk}:{person or 0}" for person in people_of(ranking.project)]


def people_of(project: Project) -> list[int | None]:
    """Whose labels are learned from, each alone; [None] = everybody's outcomes together."""
    stage = stages_of(project).title
    if not stage.own_votes or stage.closed_at is not None:
        return [None]
    members = Membership.objects.filter(project=project).select_related("user").order_by("user")
    return [member.user_id for member in members if may(member, Right.SCREEN)]


def labels_of(project: Project, person: int | None) -> dict[int, bool]:
    """Candidate -> relevant, of what was decided at title and abstract, in the order in which it was decided: the
    person's own votes, or the outcomes."""
    listed = {"candidate__project": project, "candidate__merged_into": None, "candidate__withdrawn_at": None}
    if person is not None:
        votes = Vote.objects.filter(stage=Stage.TITLE, reviewer=person, **listed).exclude(decision="")
        rows = list(votes.order_by("decided_at", "candidate").values_list("candidate", "decision"))
    else:
        decided = Candidate.objects.listed(project).exclude(decision="").order_by("decided_at", "pk")
        rows = list(decided.values_list("pk", "decision"))
    return {pk: decision in RELEVANT for pk, decision in rows}


def label_counts(project: Project, person: int | None) -> tuple[int, int]:
    """How many of `labels_of` are relevant and irrelevant. One query."""
    if person is not None:
        votes = Vote.objects.filter(
            project=project, stage=Stage.TITLE, reviewer=person,
            candidate__merged_into=None, candidate__withdrawn_at=None,
        ).exclude(decision="")  # fmt: skip
        decisions = list(votes.order_by().values_list("decision", flat=True))
    else:
        decided = Candidate.objects.listed(project).exclude(decision="").order_by()
        decisions = list(decided.values_list("decision", flat=True))
    relevant = sum(decision in RELEVANT for decision in decisions)
    return relevant, len(decisions) - relevant
