"""Who screens which record: by share, by label, and what happens to open work when a member leaves."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.blinding import stages_of
from searches.models import Assignment, Candidate, Decision, Label, ScreeningStage, Stage, StageRecord, Vote
from searches.services.stages import StageProblem, screeners_of

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Share:
    """A person's part of the work at a stage: records given to them, and how many of these have their vote."""

    person: User
    assigned: int
    voted: int

    @property
    def left(self) -> int:
        return self.assigned - self.voted


@transaction.atomic
def assign_by_share(*, project: Project, actor: Any, stage: str, shares: dict[int, int]) -> int:
    """Give every record that has too few screeners to people in proportion to `shares` (user id -> weight); how many
    were given. Who has a vote or a record already keeps it. Raises StageProblem."""
    row = _locked(project, stage)
    people = _people(project, shares)
    if len(people) < row.screeners:
        raise StageProblem(f"A record needs {row.screeners} screeners: give a share to as many people.")
    open_ids = _open_records(project, row)
    return _give(project, actor, row, open_ids, people, Assignment.How.SHARE, {})


@transaction.atomic
def assign_by_label(*, project: Project, actor: Any, stage: str, label: Label, people: Sequence[int]) -> int:
    """Give the records that carry a label to these people (in turn, where they are more than a record needs)."""
    row = _locked(project, stage)
    weights = _people(project, dict.fromkeys(people, 1))
    labelled = set(label.used.values_list("candidate_id", flat=True))
    open_ids = [pk for pk in _open_records(project, row) if pk in labelled]
    return _give(project, actor, row, open_ids, weights, Assignment.How.LABEL, {"label": label.name})


@transaction.atomic
def member_left(*, project: Project, person: Any, actor: Any) -> int:
    """Re-route the open work of somebody who left: records they have not voted on go to the others; their votes stay
    with their name. In the calibration round the record simply needs one vote fewer. How many were re-routed."""
    moved = 0
    for stage in Stage.values:
        row = _locked(project, stage)
        theirs = Assignment.objects.filter(project=project, stage=stage, reviewer=person)
        voted = Vote.objects.filter(project=project, stage=stage, reviewer=person).exclude(decision="")
        open_work = theirs.exclude(candidate_id__in=voted.values("candidate_id"))
        pilot = list(open_work.filter(how=Assignment.How.PILOT).values_list("candidate_id", flat=True))
        ids = list(open_work.exclude(how=Assignment.How.PILOT).values_list("candidate_id", flat=True))
        open_work.delete()
        wanted = set(_open_records(project, row))
        ids = [pk for pk in ids if pk in wanted]
        _shrink_pilot(project, stage, pilot)
        left = [one for one in screeners_of(project) if one.pk != getattr(person, "pk", person)]
        if ids and left:
            moved += _give(project, actor, row, ids, {one.pk: 1 for one in left}, Assignment.How.REROUTED, {})
    return moved


def shares_of(project: Project, stage: str) -> list[Share]:
    """Each person's part, those who left included while work or votes name them. Three queries."""
    assigned = dict(
        Assignment.objects.filter(project=project, stage=stage)
        .order_by()
        .values("reviewer")
        .annotate(n=Count("pk"))
        .values_list("reviewer", "n")
    )
    votes = Vote.objects.filter(project=project, stage=stage).exclude(decision="").order_by()
    voted = dict(votes.values("reviewer").annotate(n=Count("pk")).values_list("reviewer", "n"))
    here = {person.pk for person in screeners_of(project)}
    people = User.objects.filter(pk__in={*assigned, *voted, *here}).order_by("first_name", "pk")
    return [Share(person, assigned.get(person.pk, 0), voted.get(person.pk, 0)) for person in people]


def without_screeners(project: Project, stage: str) -> int:
    """Open records that too few people are to screen; they wait in nobody's queue."""
    return len(_open_records(project, stages_of(project)[stage]))


def _locked(project: Project, stage: str) -> ScreeningStage:
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    return stages_of(project)[Stage(stage).value]


def _people(project: Project, shares: dict[int, int]) -> dict[int, int]:
    """The people with a share. Raises StageProblem where there is none, or who may not screen."""
    known = {person.pk for person in screeners_of(project)}
    people = {pk: weight for pk, weight in shares.items() if weight > 0}
    if not people or not set(people) <= known:
        raise StageProblem("Choose members who may screen, each with a share above 0.")
    return people


def _open_records(project: Project, row: ScreeningStage) -> list[int]:
    """Records without an outcome whose screeners (assigned, or who voted) are fewer than they need."""
    rows = Candidate.objects.listed(project)
    rows = (
        rows.filter(decision=Decision.INCLUDE, fulltext="") if row.stage == Stage.FULLTEXT else rows.filter(decision="")
    )
    people: dict[int, set[int]] = {}
    for model in (Assignment.objects.all(), Vote.objects.exclude(decision="")):
        pairs = model.filter(project=project, stage=row.stage).values_list("candidate_id", "reviewer_id")
        for pk, person in pairs:
            people.setdefault(pk, set()).add(person)
    return [pk for pk in rows.order_by("pk").values_list("pk", flat=True) if len(people.get(pk, ())) < row.screeners]


def _give(
    project: Project,
    actor: Any,
    row: ScreeningStage,
    ids: Sequence[int],
    people: dict[int, int],
    how: Assignment.How,
    told: dict[str, Any],
) -> int:
    """Fill up each record's screeners, always with whoever is furthest behind their share; ties by a hash of the
    record, so that pairs of people are mixed."""
    taken: dict[int, set[int]] = {pk: set() for pk in ids}
    for model in (Assignment.objects.all(), Vote.objects.exclude(decision="")):
        for start in range(0, len(ids), CHUNK):
            rows = model.filter(stage=row.stage, candidate_id__in=ids[start : start + CHUNK])
            for pk, person in rows.values_list("candidate_id", "reviewer_id"):
                taken[pk].add(person)
    given: Counter[int] = Counter()
    new = []
    for pk in ids:
        for _ in range(row.screeners - len(taken[pk])):
            free = [person for person in people if person not in taken[pk]]
            if not free:
                break
            person = min(free, key=lambda one: (given[one] / people[one], _mix(pk, one)))
            given[person] += 1
            taken[pk].add(person)
            new.append(Assignment(project=project, stage=row.stage, candidate_id=pk, reviewer_id=person, how=how))
    Assignment.objects.bulk_create(new, ignore_conflicts=True, batch_size=CHUNK)
    if new:
        payload = {"stage": row.stage, "how": how.label, "records": {str(k): v for k, v in given.items()}, **told}
        record_event(project=project, actor=actor, verb="screening.assigned", payload=payload)
    return len(new)


def _mix(candidate: int, person: int) -> str:
    return hashlib.sha256(f"{candidate} {person}".encode()).hexdigest()


def _shrink_pilot(project: Project, stage: str, ids: Sequence[int]) -> None:
    from searches.services.outcomes import settle  # late: outcomes tell listeners of the floors above

    if not ids:
        return
    for record in StageRecord.objects.filter(candidate_id__in=ids, stage=stage, pilot=True):
        record.needed = max(1, record.needed - 1)
        record.save(update_fields=["needed"])
    settle(project=project, candidate_ids=ids)
