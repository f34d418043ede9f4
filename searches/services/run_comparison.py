"""What changed between two runs of a plan: new, gone, changed, newly retracted papers. Reads only.

A paper that a source was not asked for to the end this time is not "gone": nobody can say. In the same way a paper is
new only where the earlier run had read its source to the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from litapp.core.records import NoticeKind, Record, record_from_dict
from litapp.jobs.models import StepState
from litapp.ledger.models import SourceRecord
from searches.models import Candidate, CandidateSource, RetrievalHit, RetrievalRun, RetrievalStep
from searches.services.outcome import unexplained
from searches.services.run_papers import CHUNK

MOST_CHANGES = 500
"""Changed records that are told field by field; the rest are counted."""
RETRACTING = frozenset({NoticeKind.RETRACTION, NoticeKind.PARTIAL_RETRACTION, NoticeKind.WITHDRAWAL})
UNTOLD_FIELDS = frozenset({"source", "source_id"})


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """An entry that its source states otherwise now: `fields` are the names of those that differ."""

    candidate_id: int
    source: str
    source_id: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewlyRetracted:
    """A paper of both runs that a source calls retracted (or withdrawn) now and none did before."""

    candidate_id: int
    kind: str
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidates by id. `new` and `gone` are certain; `perhaps_new` and `perhaps_gone` are not, because a source was
    not read to the end in the other run (`gaps` say which). `changed_more` = changed records beyond those told."""

    earlier: RetrievalRun
    later: RetrievalRun
    new: frozenset[int]
    perhaps_new: frozenset[int]
    gone: frozenset[int]
    perhaps_gone: frozenset[int]
    both: int
    changed: tuple[ChangedRecord, ...] = ()
    changed_more: int = 0
    retracted: tuple[NewlyRetracted, ...] = ()
    gaps: tuple[str, ...] = field(default=())

    @property
    def same_plan(self) -> bool:
        """Whether both runs are of the same version of the plan."""
        return self.earlier.version_id == self.later.version_id


class NotComparable(ValueError):
    """The two runs cannot be compared. The message says why."""


def earlier_runs(run: RetrievalRun) -> list[RetrievalRun]:
    """Finished runs of the same plan that began before this one, newest first; replays are left out."""
    runs = RetrievalRun.objects.of_project(run.project).filter(
        version__plan=run.version.plan_id, replay_of=None, started_at__lt=run.started_at
    )
    return [other for other in runs.order_by("-started_at") if not other.is_open and other.pk != run.pk]


def compare_runs(*, earlier: RetrievalRun, later: RetrievalRun) -> Comparison:
    """Compare two finished runs of one plan. Raises NotComparable."""
    if earlier.version.plan_id != later.version.plan_id:
        raise NotComparable("These runs are of two different plans. Compare runs of one plan.")
    if earlier.is_open or later.is_open:
        raise NotComparable("One of these runs is still going on. Compare them when both are over.")
    before, after = _Found(earlier), _Found(later)
    same = earlier.version_id == later.version_id
    new, gone = after.candidates - before.candidates, before.candidates - after.candidates
    perhaps_new = {pk for pk in new if not before.was_asked(after.steps_of[pk], after, same)}
    perhaps_gone = {pk for pk in gone if not after.was_asked(before.steps_of[pk], before, same)}
    changed, more = _changes(before, after)
    return Comparison(
        earlier=earlier,
        later=later,
        new=frozenset(new - perhaps_new),
        perhaps_new=frozenset(perhaps_new),
        gone=frozenset(gone - perhaps_gone),
        perhaps_gone=frozenset(perhaps_gone),
        both=len(before.candidates & after.candidates),
        changed=changed,
        changed_more=more,
        retracted=_newly_retracted(before, after),
        gaps=(*before.gaps(), *after.gaps()),
    )


class _Found:
    """What a run found: candidates, the steps that found each, and the records by what their source calls them."""

    def __init__(self, run: RetrievalRun) -> None:
        self.run = run
        self.steps = {step.pk: step for step in run.steps.all()}
        self.steps_of: dict[int, set[int]] = {}
        self.entries: dict[tuple[str, str], tuple[str, int, int]] = {}
        candidate_of = dict(
            CandidateSource.objects.filter(
                project=run.project_id, source_record__hits__step__run=run, candidate__merged_into=None
            ).values_list("source_record_id", "candidate_id")
        )
        rows = RetrievalHit.objects.filter(step__run=run).order_by("pk")
        for step_id, record_id, key, source_id, sha256 in rows.values_list(
            "step_id",
            "source_record_id",
            "source_record__source",
            "source_record__source_id",
            "source_record__sha256",
        ).iterator(chunk_size=2000):
            if record_id not in candidate_of:
                continue
            candidate = candidate_of[record_id]
            self.steps_of.setdefault(candidate, set()).add(step_id)
            self.entries[key, source_id] = (sha256, record_id, candidate)

    @property
    def candidates(self) -> set[int]:
        return set(self.steps_of)

    def was_asked(self, steps: Iterable[int], other: _Found, same: bool) -> bool:
        """Whether this run read to its end what found a paper in the `other` run: it would have found it, too."""
        return all(self._read_to_the_end(other.steps[pk], same) for pk in steps)

    def _read_to_the_end(self, step: RetrievalStep, same: bool) -> bool:
        """This run's counterpart of the other's step: the same query at the source; of another version, all of it."""
        ours = [own for own in self.steps.values() if own.source == step.source]
        if same:
            ours = [own for own in ours if own.query_index == step.query_index]
        return bool(ours) and all(is_whole(own) for own in ours)

    def gaps(self) -> list[str]:
        """Which sources this run did not read to the end."""
        return [
            f"Run {self.run.pk} did not read {step.source} (query {step.query_index + 1}) to the end"
            f"{f': {reason}' if (reason := step.capped or step.message) else '.'}"
            for step in self.steps.values()
            if not is_whole(step)
        ]


def is_whole(step: RetrievalStep) -> bool:
    """Whether the step read all that its source has for the query: what it does not hold, the source did not give."""
    ended = step.state in (StepState.DONE, StepState.PARTIAL) and step.exhausted
    return ended and not step.capped and not unexplained(step)


def _records(ids: Iterable[int]) -> dict[int, Record]:
    wanted = list(ids)
    found: dict[int, Record] = {}
    for start in range(0, len(wanted), CHUNK):
        rows = SourceRecord.objects.filter(pk__in=wanted[start : start + CHUNK])
        found |= {pk: record_from_dict(data) for pk, data in rows.values_list("pk", "data")}
    return found


def _changes(before: _Found, after: _Found) -> tuple[tuple[ChangedRecord, ...], int]:
    """Entries of both runs that their source states otherwise now."""
    differing = sorted(
        key
        for key, (sha256, _, _) in after.entries.items()
        if key in before.entries and before.entries[key][0] != sha256
    )
    told = differing[:MOST_CHANGES]
    old = _records(before.entries[key][1] for key in told)
    new = _records(after.entries[key][1] for key in told)
    changes = []
    for key in told:
        one, other = old[before.entries[key][1]], new[after.entries[key][1]]
        names = tuple(
            name
            for name in Record.__dataclass_fields__
            if name not in UNTOLD_FIELDS and getattr(one, name) != getattr(other, name)
        )
        changes.append(ChangedRecord(after.entries[key][2], *key, names))
    return tuple(changes), len(differing) - len(told)


def _newly_retracted(before: _Found, after: _Found) -> tuple[NewlyRetracted, ...]:
    known = {one.candidate_id for one in _retracted(before)}
    found: dict[int, NewlyRetracted] = {}
    for one in _retracted(after):
        if one.candidate_id in before.steps_of and one.candidate_id not in known:
            found.setdefault(one.candidate_id, one)
    return tuple(found[pk] for pk in sorted(found))


def _retracted(found: _Found) -> list[NewlyRetracted]:
    """Every statement of a run's records that the paper was retracted or withdrawn; notices themselves are none."""
    of_record = {record_id: candidate for _, record_id, candidate in found.entries.values()}
    rows = SourceRecord.objects.filter(hits__step__run=found.run, data__has_key="notices").distinct()
    told = []
    for pk, data in rows.order_by("pk").values_list("pk", "data"):
        record = record_from_dict(data)
        if pk not in of_record or record.is_notice:
            continue
        told += [
            NewlyRetracted(of_record[pk], notice.kind.value, record.source, notice.date)
            for notice in record.notices
            if notice.kind in RETRACTING
        ]
    return told


def titles_of(ids: Iterable[int]) -> list[Candidate]:
    """The candidates of these ids as lists show them, best fit first."""
    wanted = sorted(ids)
    rows: list[Candidate] = []
    for start in range(0, len(wanted), CHUNK):
        rows += Candidate.objects.filter(pk__in=wanted[start : start + CHUNK]).for_list()
    return sorted(rows, key=lambda row: (-row.fit, row.pk))
