"""Derives from the log of decisions what stands: votes, the state of each record at each stage, final decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from litapp.core.screening import UNDECIDED, Entry, Outcome, State, final_decision, outcome, standing, votes_of
from litapp.projects.models import Project
from searches.blinding import Stages, stages_of
from searches.models import Candidate, ScreeningDecision, Stage, StageRecord, Vote
from searches.services.listeners import tell_listeners

CHUNK = 500
DERIVED = ["state", "decision", "entry", "votes"]


@dataclass(frozen=True, slots=True)
class Row(Entry):
    """An entry with when it was made; `order` is its key in the database."""

    created_at: datetime | None = None


Log = dict[tuple[int, str], list[Row]]
"""(candidate, stage) -> its entries, all of them, in order."""


def read_log(candidate_ids: Sequence[int]) -> Log:
    """The entries on these candidates. One query."""
    log: Log = defaultdict(list)
    rows = ScreeningDecision.objects.filter(candidate_id__in=candidate_ids).order_by("pk")
    for candidate_id, stage, pk, reviewer, decision, request, undoes, resolution, at in rows.values_list(
        "candidate_id", "stage", "pk", "reviewer_id", "decision", "request_id", "undoes", "resolution", "created_at"
    ):
        log[candidate_id, stage].append(Row(pk, reviewer, decision, request, undoes, resolution, at))
    return log


def settle(*, project: Project, candidate_ids: Iterable[int], stages: Stages | None = None) -> list[int]:
    """Bring the derived rows and columns of these candidates in line with the log, in the caller's transaction;
    return those whose final decision changed (whoever calls tells the listeners)."""
    known = stages or stages_of(project)
    changed: list[int] = []
    for ids in _chunks(sorted(set(candidate_ids))):
        changed += _settle(project, ids, known)
    return changed


def _settle(project: Project, ids: Sequence[int], stages: Stages) -> list[int]:
    log = read_log(ids)
    records = {(row.candidate_id, row.stage): row for row in StageRecord.objects.filter(candidate_id__in=ids)}
    results: dict[tuple[int, str], Outcome] = {}
    for stage in (Stage.TITLE.value, Stage.FULLTEXT.value):
        row = stages[stage]
        for pk in ids:
            record = records.get((pk, stage))
            needed = (record.needed if record else 0) or row.screeners
            results[pk, stage] = outcome(standing(log.get((pk, stage), ())), needed)
    alone = {stage for stage in Stage.values if stages[stage].own_votes}
    if alone:
        _write_votes(project, ids, log, alone)
    _write_records(project, results, records, alone)
    return _write_candidates(ids, results, uses_fulltext=stages.uses_fulltext)


def _write_votes(project: Project, ids: Sequence[int], log: Log, alone: set[str]) -> None:
    """The vote of every person who ever decided on a record, where each votes alone."""
    rows = []
    for (pk, stage), entries in log.items():
        if stage not in alone:
            continue
        votes = votes_of(standing(entries))
        versions: dict[Any, int] = defaultdict(int)
        for entry in entries:
            versions[entry.reviewer] += not entry.resolution
        for reviewer, version in versions.items():
            vote = votes.get(reviewer)
            stands = vote is not None and bool(vote.decision)
            rows.append(
                Vote(
                    project=project,
                    stage=stage,
                    candidate_id=pk,
                    reviewer_id=reviewer,
                    decision=vote.decision if vote else UNDECIDED,
                    entry_id=vote.order if vote and stands else None,
                    version=version,
                    decided_at=getattr(vote, "created_at", None) if stands else None,
                )
            )
    known = Vote.objects.filter(candidate_id__in=ids, stage__in=alone)
    written = {(row.candidate_id, row.stage, row.reviewer_id) for row in rows}
    gone = [
        pk for pk, *key in known.values_list("pk", "candidate_id", "stage", "reviewer_id") if tuple(key) not in written
    ]  # decisions that went back to their own candidate when a merge was parted
    Vote.objects.filter(pk__in=gone).delete()
    Vote.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["candidate", "stage", "reviewer"],
        update_fields=["decision", "entry", "version", "decided_at"],
        batch_size=CHUNK,
    )


def _write_records(
    project: Project,
    results: dict[tuple[int, str], Outcome],
    records: dict[tuple[int, str], StageRecord],
    alone: set[str],
) -> None:
    rows = []
    for (pk, stage), result in results.items():
        known = records.get((pk, stage))
        if known is None and (stage not in alone or not result.state):
            continue
        rows.append(
            StageRecord(
                project=project,
                stage=stage,
                candidate_id=pk,
                state=result.state.value,
                decision=result.decision,
                entry_id=result.by.order if result.by else None,
                votes=result.votes,
            )
        )
    StageRecord.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["candidate", "stage"],
        update_fields=DERIVED,
        batch_size=CHUNK,
    )


def _write_candidates(ids: Sequence[int], results: dict[tuple[int, str], Outcome], *, uses_fulltext: bool) -> list[int]:
    """The columns of the candidates; those with the same values in one statement. Versions stay: what others voted
    must not show in what a screener posts."""
    before = {
        pk: rest
        for pk, *rest in Candidate.objects.filter(pk__in=ids).values_list(
            "pk", "decision", "fulltext", "final", "decided_by_id", "decided_at"
        )
    }
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    changed = []
    for pk in before:
        title, fulltext = results[pk, Stage.TITLE.value], results[pk, Stage.FULLTEXT.value]
        final = final_decision(title.decision, fulltext.decision, uses_fulltext=uses_fulltext)
        by = title.by if title.decision and isinstance(title.by, Row) else None
        values = (
            title.decision, fulltext.decision, final, by.reviewer if by else None, by.created_at if by else None
        )  # fmt: skip
        if list(values) != before[pk]:
            groups[values].append(pk)
        if final != before[pk][2]:
            changed.append(pk)
    for (decision, fulltext_decision, final, decided_by, decided_at), pks in groups.items():
        Candidate.objects.filter(pk__in=pks).update(
            decision=decision, fulltext=fulltext_decision, final=final, decided_by=decided_by, decided_at=decided_at
        )
    return changed


def forget(candidate_ids: Sequence[int]) -> None:
    """Take the derived rows from candidates whose decisions went to another one that they were merged into."""
    Vote.objects.filter(candidate_id__in=candidate_ids).delete()
    StageRecord.objects.filter(candidate_id__in=candidate_ids).update(
        state=State.OPEN, decision=UNDECIDED, entry=None, votes=0
    )


@transaction.atomic
def rebuild(*, project: Project) -> int:
    """Derive everything of a project anew from its log; the number of records looked at. Raises nothing: the result
    is a function of the log, the stages and `StageRecord.needed`."""
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    decided = ScreeningDecision.objects.filter(project=project).order_by().values_list("candidate_id", flat=True)
    set_apart = StageRecord.objects.filter(project=project).order_by().values_list("candidate_id", flat=True)
    marked = Candidate.objects.filter(project=project).exclude(decision="", fulltext="", final="")
    standing_rows = Candidate.objects.filter(project=project, merged_into=None)
    ids = {*decided.distinct(), *set_apart.distinct(), *marked.values_list("pk", flat=True)}
    ids &= set(standing_rows.values_list("pk", flat=True))
    stages = stages_of(project)
    changed = settle(project=project, candidate_ids=ids, stages=stages)
    if changed:
        tell_listeners(project=project, candidate_ids=changed)
    return len(ids)


def _chunks(values: Sequence[int]) -> Iterator[Sequence[int]]:
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
