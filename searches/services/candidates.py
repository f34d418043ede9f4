"""Turns hits into source records and candidates: each paper once, whatever found it. Doing it twice changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction

from litapp.core.plan import SearchPlan
from litapp.core.records import Record
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.records import store_rows
from litapp.projects.models import Project
from litapp.providers.base import Hit, Page
from litapp.verification.models import Priority
from litapp.verification.services.requests import verifications_renew, verifications_request
from searches.models import BlockKey, Candidate, CandidateSource, RetrievalHit, RetrievalStep, SearchPlanVersion
from searches.services.derived import DERIVED_FIELDS
from searches.services.grouping import Group, Grouping, Member
from searches.services.merging import merge_candidates
from searches.services.workbench import Workbench

CHECKS_BEGIN_WITHIN = timedelta(minutes=5)
"""Records are checked when the run that brought them ends, but no later than this: a run may wait for hours."""
CHUNK = 500
"""Values in one SQL list."""


@dataclass(frozen=True, slots=True)
class Absorbed:
    """What a page brought: new hits, new candidates, candidates that changed, candidates merged into another, and how
    many hits the step has now."""

    hits: int
    candidates_new: int
    candidates_changed: int
    candidates_merged: int
    hits_of_step: int


def think_ahead(*, step: RetrievalStep, page: Page) -> Workbench:
    """Work out, on what is there now and without locking anything, what `absorb_hits` is going to need."""
    bench = Workbench()
    hits = list(page.hits)
    rows = bench.rows_of(hits)
    members = bench.newcomers(rows, [hit.record for hit in hits])
    grouping = Grouping(_groups_near(step.run.project_id, members, bench), bench.judge)
    for member in members:
        grouping.add(member)
    version = step.run.version
    touched = [group for group in grouping.groups if group.new_members()]
    plans = _plans_of([group.candidate_id for group in touched if group.candidate_id is not None])
    for group in touched:
        found_by = plans.get(group.candidate_id or 0, {})
        if group.changed or version.pk not in found_by:
            bench.derived(group, {**found_by, version.pk: version.plan_content})
    return bench


@transaction.atomic
def absorb_hits(*, step: RetrievalStep, page: Page, bench: Workbench | None = None) -> Absorbed:
    """Store the page's hits and put each record into its candidate. `bench` comes from `think_ahead`.

    Absorbs of one project follow each other (the project's row is the lock), so that two sources that bring the same
    paper at the same moment make one candidate.
    """
    bench = bench or Workbench()
    project = Project.objects.select_for_update(no_key=True).get(pk=step.run.project_id)
    hits = list(page.hits)
    records = [hit.record for hit in hits]
    rows = store_rows(bench.rows_of(hits))
    new_hits = _store_ranks(step, hits, rows)
    made, changed, merged = _absorb(
        project, _unlinked(project, records, rows, bench), step.run.version, bench, hold=True
    )
    return Absorbed(
        hits=new_hits,
        candidates_new=made,
        candidates_changed=changed,
        candidates_merged=merged,
        hits_of_step=RetrievalHit.objects.filter(step=step).count(),
    )


def think_ahead_brought(*, project: Project, rows: Sequence[SourceRecord], records: Sequence[Record]) -> Workbench:
    """The same for `absorb_brought`: `rows` are those of the ledger, stored or to be stored, of `records`."""
    bench = Workbench()
    members = bench.newcomers(rows, records)
    grouping = Grouping(_groups_near(project.pk, members, bench), bench.judge)
    for member in members:
        grouping.add(member)
    touched = [group for group in grouping.groups if group.new_members()]
    plans = _plans_of([group.candidate_id for group in touched if group.candidate_id is not None])
    for group in touched:
        if group.changed:
            bench.derived(group, plans.get(group.candidate_id or 0, {}))
    return bench


@transaction.atomic
def absorb_brought(
    *,
    project: Project,
    rows: Sequence[SourceRecord],
    records: Sequence[Record] | None = None,
    bench: Workbench | None = None,
    hold: bool = False,
) -> list[int]:
    """Put stored records that a person brought into candidates, without a run. Returns the candidates, in their order.

    `records` are those of the rows (None = read them), `bench` comes from `think_ahead_brought`. With `hold` the checks
    wait for `release_held`, as those of a run do.
    """
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    bench = bench or Workbench()
    given = [row.record for row in rows] if records is None else records
    _absorb(locked, _unlinked(locked, given, rows, bench), None, bench, hold=hold)
    at: dict[int, int] = {}
    ids = [row.pk for row in rows]
    for start in range(0, len(ids), CHUNK):
        links = CandidateSource.objects.filter(project=locked, source_record__in=ids[start : start + CHUNK])
        at.update(links.values_list("source_record_id", "candidate_id"))
    return [at[pk] for pk in ids]


def _absorb(
    project: Project,
    members: Sequence[Member],
    version: SearchPlanVersion | None,
    bench: Workbench,
    *,
    hold: bool,
) -> tuple[int, int, int]:
    """Group the members with what is there; returns how many candidates are new, changed, merged into another."""
    grouping = Grouping(_groups_near(project.pk, members, bench), bench.judge)
    for member in members:
        grouping.add(member)
    touched = [group for group in grouping.groups if group.new_members()]
    known = [group for group in touched if group.candidate_id is not None]
    after = CHECKS_BEGIN_WITHIN if hold else None
    made = _create(project, [group for group in touched if group.candidate_id is None], version, bench, after)
    changed, merged = _update(project, known, version, bench, after)
    _link(project, touched)
    return made, changed, merged


@transaction.atomic
def rebuild_candidate(*, candidate: Candidate) -> Candidate:
    """Derive every column of a candidate anew from its source records in the ledger; decisions stay."""
    Project.objects.select_for_update(no_key=True).get(pk=candidate.project_id)
    row = Candidate.objects.get(pk=candidate.pk)
    bench = Workbench()
    group = _groups(row.project_id, [row.pk], bench)[0]
    record, columns = bench.derived(group, _plans_of([row.pk]).get(row.pk, {}))
    _set(row, columns)
    row.save(update_fields=list(DERIVED_FIELDS))
    BlockKey.objects.filter(candidate=row).delete()
    _store_keys(row.project_id, [(row.pk, group.members)])
    _renew([(row, record, group.returned_by())])
    return row


def _store_ranks(step: RetrievalStep, hits: Sequence[Hit], rows: Sequence[SourceRecord]) -> int:
    """Write the hits at their ranks and return how many are new.

    A rank that is taken by the same entry was written before. Taken by another one (the source's list changed while it
    was read again from its start), an entry not yet in the step gets a rank behind all others.
    """
    ours = RetrievalHit.objects.filter(step=step)
    at_rank = dict(ours.filter(rank__in=[h.rank for h in hits]).values_list("rank", "source_record__source_id"))
    ids = [row.source_id for row in rows if row.source_id]
    seen = set(ours.filter(source_record__source_id__in=ids).values_list("source_record__source_id", flat=True))
    last = ours.order_by("-rank").values_list("rank", flat=True).first() or 0
    last = max([last, *(hit.rank for hit in hits)])
    new: list[RetrievalHit] = []
    for hit, row in zip(hits, rows, strict=True):
        rank = hit.rank
        if rank in at_rank:
            if at_rank[rank] == row.source_id or row.source_id in seen:
                continue
            last += 1
            rank = last
        duplicate = bool(row.source_id) and row.source_id in seen
        new.append(RetrievalHit(step=step, rank=rank, source_record=row, duplicate_in_source=duplicate))
        at_rank[rank] = row.source_id
        seen.add(row.source_id)
    RetrievalHit.objects.bulk_create(new)
    return len(new)


def _unlinked(
    project: Project, records: Sequence[Record], rows: Sequence[SourceRecord], bench: Workbench
) -> list[Member]:
    """The records that belong to no candidate of the project yet, each once."""
    linked = set(
        CandidateSource.objects.filter(project=project, source_record__in=[row.pk for row in rows]).values_list(
            "source_record_id", flat=True
        )
    )
    return [member for member in bench.newcomers(rows, records) if member.source_record_id not in linked]


def _groups_near(project_id: int, members: Sequence[Member], bench: Workbench) -> list[Group]:
    """The groups of the project that any of these records might belong to."""
    ids: set[int] = set()
    by_source: dict[str, list[str]] = {}
    for member in members:
        by_source.setdefault(member.record.source, []).append(member.record.source_id[:200])
    for source, source_ids in by_source.items():
        same = CandidateSource.objects.filter(
            project_id=project_id, source_record__source=source, source_record__source_id__in=source_ids
        )
        ids.update(same.values_list("candidate_id", flat=True))
    keys = sorted({key[:200] for member in members for key in member.keys})
    for start in range(0, len(keys), CHUNK):
        near = BlockKey.objects.filter(project_id=project_id, key__in=keys[start : start + CHUNK])
        ids.update(near.values_list("candidate_id", flat=True))
    return _groups(project_id, sorted(ids), bench)


def _groups(project_id: int, candidate_ids: Sequence[int], bench: Workbench) -> list[Group]:
    """The candidates as groups of their source records; those not on the bench yet are read."""
    groups = {pk: Group(pk) for pk in candidate_ids}
    pairs: list[tuple[int, int, str]] = []
    for start in range(0, len(candidate_ids), CHUNK):
        links = CandidateSource.objects.filter(
            project_id=project_id, candidate_id__in=candidate_ids[start : start + CHUNK]
        )
        pairs += links.order_by("source_record_id").values_list("candidate_id", "source_record_id", "rule")
    unknown = bench.unknown(record_id for _, record_id, _ in pairs)
    for start in range(0, len(unknown), CHUNK):
        stored = SourceRecord.objects.filter(pk__in=unknown[start : start + CHUNK])
        for record_id, data, sha256 in stored.values_list("pk", "data", "sha256"):
            bench.put(record_id, data, sha256)
    for candidate_id, record_id, rule in pairs:
        member = bench.member(record_id)
        member.rule = rule
        groups[candidate_id].members.append(member)
    return [group for group in groups.values() if group.members]


def _create(
    project: Project,
    groups: Sequence[Group],
    version: SearchPlanVersion | None,
    bench: Workbench,
    after: timedelta | None,
) -> int:
    """New candidates, each with its check queued."""
    plan = {version.pk: version.plan_content} if version else {}
    derived = [bench.derived(group, plan) for group in groups]
    checks = verifications_request(
        project=project,
        records=[(record, values["sources"]) for record, values in derived],
        priority=Priority.RETRIEVED,
        after=after,
    )
    candidates = Candidate.objects.bulk_create(
        Candidate(project=project, verification=check, **values)
        for check, (_, values) in zip(checks, derived, strict=True)
    )
    for group, candidate in zip(groups, candidates, strict=True):
        group.candidate_id = candidate.pk
    return len(candidates)


def _update(
    project: Project,
    groups: Sequence[Group],
    version: SearchPlanVersion | None,
    bench: Workbench,
    after: timedelta | None,
) -> tuple[int, int]:
    """Bring existing candidates up to date; returns how many changed and how many were merged into another."""
    merged = 0
    for group in groups:
        for absorbed in group.absorbed:
            merge_candidates(project=project, kept_id=_id(group), absorbed_id=absorbed)
            merged += 1
    ids = [_id(group) for group in groups]
    rows, found_by = Candidate.objects.in_bulk(ids), _plans_of(ids)
    changed: list[tuple[Candidate, Record, list[str]]] = []
    for group in groups:
        row, plans = rows[_id(group)], found_by.get(_id(group), {})
        if not group.changed and (version is None or version.pk in plans):
            continue
        if version is not None:
            plans.setdefault(version.pk, version.plan_content)
        record, columns = bench.derived(group, plans)
        if _set(row, columns):
            changed.append((row, record, group.returned_by()))
    if changed:
        Candidate.objects.bulk_create(
            [row for row, _, _ in changed],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=list(DERIVED_FIELDS),
        )
    _renew(changed, after=after)
    return len(changed), merged


def _id(group: Group) -> int:
    assert group.candidate_id is not None
    return group.candidate_id


def _set(row: Candidate, columns: dict[str, Any]) -> bool:
    """Set the columns; True if any of them changed."""
    different = [name for name, value in columns.items() if getattr(row, name) != value]
    for name in different:
        setattr(row, name, columns[name])
    return bool(different)


def _renew(rows: Sequence[tuple[Candidate, Record, list[str]]], *, after: timedelta | None = None) -> None:
    """Tell the candidates' verifications what is to be checked now, and whose records it is made of."""
    changes = [(row.verification_id, record, by) for row, record, by in rows if row.verification_id is not None]
    verifications_renew(changes=changes, after=after)


def _plans_of(candidate_ids: Sequence[int]) -> dict[int, dict[int, SearchPlan]]:
    """The plan versions whose runs found each candidate: candidate -> version -> content."""
    found: dict[int, set[int]] = {}
    for start in range(0, len(candidate_ids), CHUNK):
        links = CandidateSource.objects.filter(candidate_id__in=candidate_ids[start : start + CHUNK])
        pairs = links.values_list("candidate_id", "source_record__hits__step__run__version_id").distinct()
        for candidate_id, version_id in pairs:
            if version_id is not None:
                found.setdefault(candidate_id, set()).add(version_id)
    wanted = set().union(*found.values()) if found else set()
    contents = {row.pk: row.plan_content for row in SearchPlanVersion.objects.filter(pk__in=wanted)}
    return {candidate_id: {pk: contents[pk] for pk in sorted(versions)} for candidate_id, versions in found.items()}


def _link(project: Project, groups: Sequence[Group]) -> None:
    """Link new members to their candidates, and store the keys under which these are found."""
    CandidateSource.objects.bulk_create(
        CandidateSource(
            candidate_id=_id(group),
            project=project,
            source_record_id=member.source_record_id,
            source=member.record.source,
            rule=member.rule,
            why=member.why,
        )
        for group in groups
        for member in group.new_members()
    )
    _store_keys(project.pk, [(_id(group), group.new_members()) for group in groups])


def _store_keys(project_id: int, members_of: Iterable[tuple[int, Iterable[Member]]]) -> None:
    BlockKey.objects.bulk_create(
        (
            BlockKey(project_id=project_id, candidate_id=candidate_id, key=key)
            for candidate_id, members in members_of
            for key in sorted({key[:200] for member in members for key in member.keys})
        ),
        ignore_conflicts=True,
        batch_size=2000,
    )
