"""Which records a person may decide on at a stage, and which reasons a decision may carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from litapp.projects.models import Project
from searches.blinding import Stages
from searches.models import (
    Assignment,
    Candidate,
    CriteriaVersion,
    Criterion,
    Decision,
    ScreeningStage,
    Sharing,
    Stage,
    StageRecord,
    Vote,
)
from searches.services.refusals import NotYours, ReasonMissing, StageClosed

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Reason:
    """Why it was decided so: in words, and the criterion with the version of the list that it was taken from."""

    text: str = ""
    criterion_id: int | None = None
    version_id: int | None = None
    number: int | None = None


def reason_of(
    project: Project, stage: str, decision: str, words: str, criterion_id: int | None, criteria: int | None
) -> Reason:
    """The reason of a decision. Raises ReasonMissing for an exclusion at full text without one; ValueError for a
    criterion or version of another project."""
    versions = CriteriaVersion.objects.filter(project=project)
    version = versions.filter(number=criteria).first() if criteria is not None else versions.order_by("-number").first()
    if criteria is not None and version is None:
        raise ValueError(f"There is no version {criteria} of the criteria in this project.")
    criterion = None
    if criterion_id is not None and decision == Decision.EXCLUDE:
        criterion = Criterion.objects.filter(project=project, pk=criterion_id).first()
        if criterion is None:
            raise ValueError(f"There is no criterion {criterion_id} in this project.")
    if stage == Stage.FULLTEXT and decision == Decision.EXCLUDE and criterion is None:
        if version is not None and version.content:
            raise ReasonMissing("At full text an exclusion needs a reason: choose the first criterion that fails.")
        if not words.strip():
            raise ReasonMissing("At full text an exclusion needs a reason. A lead can write the list of criteria.")
    text = _text_of(criterion, version) if criterion else words.strip()[:300]
    return Reason(
        text, criterion.pk if criterion else None, version.pk if version else None, version.number if version else None
    )


def _text_of(criterion: Criterion, version: CriteriaVersion | None) -> str:
    """The criterion as the person read it: in the version that was before them."""
    for entry in version.content if version else ():
        if entry["id"] == criterion.pk:
            return str(entry["text"])
    return criterion.text


def check_stage(stages: Stages, stage: str) -> None:
    """Raises StageClosed where the stage takes no votes at all."""
    row = stages[stage]
    if not row.in_use:
        raise StageClosed("This project has no full-text stage. A lead can switch it on.")
    if row.closed_at is not None:
        raise StageClosed("A lead closed this stage: what was decided stands. It can be opened again.")
    if stage == Stage.FULLTEXT and stages.title.secret:
        raise StageClosed(
            "Full texts are screened after titles and abstracts: a lead closes that stage, or lifts its blinding."
        )


def check_record(stages: Stages, stage: str, candidate: Candidate, person: Any) -> None:
    """Raises StageClosed or NotYours where the person may not decide on this record at the stage now."""
    check_stage(stages, stage)
    row = stages[stage]
    if stage == Stage.FULLTEXT and candidate.decision != Decision.INCLUDE:
        raise StageClosed("This record was not included by its title and abstract, so it has no full-text stage.")
    if not (row.own_votes or row.pilot_started_at or row.sharing == Sharing.ASSIGNED):
        return
    record = StageRecord.objects.filter(candidate=candidate, stage=stage).first()
    votes = Vote.objects.filter(candidate=candidate, stage=stage).exclude(decision="")
    mine = set(votes.filter(reviewer=person).values_list("candidate_id", flat=True))
    others = votes.exclude(reviewer=person).count()
    assigned = Assignment.objects.filter(candidate=candidate, stage=stage, reviewer=person).exists()
    _check(row, record, voted=bool(mine), others=others, assigned=assigned)


def _check(row: ScreeningStage, record: StageRecord | None, *, voted: bool, others: int, assigned: bool) -> None:
    pilot = bool(record and record.pilot)
    if pilot and not row.pilot_open:
        raise StageClosed("The calibration round is locked: its votes stand; leads settle what screeners differ on.")
    if row.pilot_open and not pilot:
        raise NotYours("A calibration round is going on: only its records are screened now.")
    if (row.sharing == Sharing.ASSIGNED or pilot) and not assigned:
        raise NotYours("This record is not assigned to you.")
    if not pilot and row.screeners > 1 and not voted and others >= row.screeners:
        raise NotYours("This record has its screeners already; your decision is not needed.")


def votable(
    project: Project, stages: Stages, stage: str, person: Any, wanted: Sequence[int], decision: str
) -> list[tuple[int, str, int | None]]:
    """Of these records (id, what stands, verification) those the person may give `decision` to, and that do not have
    it yet. Raises StageClosed where the stage takes no votes."""
    check_stage(stages, stage)
    row = stages[stage]
    found: list[tuple[int, str, int | None]] = []
    column = "fulltext" if stage == Stage.FULLTEXT else "decision"
    for start in range(0, len(wanted), CHUNK):
        rows = Candidate.objects.listed(project).filter(pk__in=wanted[start : start + CHUNK]).order_by("pk")
        if stage == Stage.FULLTEXT:
            rows = rows.filter(decision=Decision.INCLUDE)
        known = list(rows.values_list("pk", column, "verification_id"))
        if row.own_votes or row.pilot_started_at or row.sharing == Sharing.ASSIGNED:
            known = _with_own_votes(row, person, known)
        found += [entry for entry in known if entry[1] != decision]
    return found


def _with_own_votes(
    row: ScreeningStage, person: Any, known: Sequence[tuple[int, str, int | None]]
) -> list[tuple[int, str, int | None]]:
    ids = [pk for pk, _, _ in known]
    votes = Vote.objects.filter(candidate_id__in=ids, stage=row.stage).exclude(decision="")
    mine = dict(votes.filter(reviewer=person).values_list("candidate_id", "decision"))
    counted = votes.order_by().values("candidate_id").annotate(n=Count("pk", filter=~Q(reviewer=person)))
    others = dict(counted.values_list("candidate_id", "n"))
    records = {one.candidate_id: one for one in StageRecord.objects.filter(candidate_id__in=ids, stage=row.stage)}
    assigned = set(
        Assignment.objects.filter(candidate_id__in=ids, stage=row.stage, reviewer=person).values_list(
            "candidate_id", flat=True
        )
    )
    allowed = []
    for pk, stands, check in known:
        try:
            _check(row, records.get(pk), voted=pk in mine, others=others.get(pk, 0), assigned=pk in assigned)
        except (NotYours, StageClosed):
            continue
        allowed.append((pk, mine.get(pk, "") if row.own_votes else stands, check))
    return allowed
