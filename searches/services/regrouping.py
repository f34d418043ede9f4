"""Writes groups down: candidates made, merged, parted and brought up to date; records linked; keys and pairs kept.

In the caller's transaction, which holds the project's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection

from litapp.core.plan import SearchPlan
from litapp.core.records import Record
from litapp.jobs.bulk_rows import insert_rows
from litapp.projects.models import Project
from litapp.verification.models import Priority
from litapp.verification.services.requests import verifications_renew, verifications_request
from searches.models import BlockKey, Candidate, CandidateSource, RecordPair, RetrievalHit, SearchPlanVersion
from searches.services.derived import DERIVED_FIELDS
from searches.services.doubtful_queue import requeue
from searches.services.grouping import Group, Node
from searches.services.merging import merge_candidates, part_candidate
from searches.services.neighbourhood import Neighbourhood, chunks
from searches.services.prisma_moves import note_moves
from searches.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Regrouped:
    """How many candidates are new, changed, and merged into another."""

    new: int = 0
    changed: int = 0
    merged: int = 0


@dataclass(slots=True)
class Work:
    """The groups that change, with the plans that found them. `version` is the plan whose run brought the newcomers."""

    groups: list[Group]
    plans: dict[Group, dict[int, SearchPlan]]
    fresh: set[Group] = field(default_factory=set)
    """Groups that this version did not find before, and those of which something new is said."""

    @classmethod
    def of(cls, near: Neighbourhood, version: SearchPlanVersion | None) -> Work:
        """Read what the changes need; writes nothing."""
        touched = [group for group in near.groups() if _is_touched(group, near)]
        near.bench.load(node.source_record_id for group in touched for node in group.current())
        plans = plans_of(near.project_id, touched, newest=version is None)
        fresh = {group for group in touched if group.says_something_new() or _moves(group, near)}
        for group in touched:
            if version is not None and group.new_nodes() and version.pk not in plans[group]:
                plans[group][version.pk] = version.plan_content
                fresh.add(group)
        return cls(touched, plans, fresh)

    def derive(self, bench: Workbench) -> None:
        """Work out the columns of all that changes."""
        for group in self.fresh:
            bench.derived(group, self.plans[group])


def regroup(
    *,
    project: Project,
    near: Neighbourhood,
    version: SearchPlanVersion | None = None,
    after: timedelta | None = None,
    actor: Any = None,
) -> Regrouped:
    """Make the groups of `near` the project's candidates. `after` holds their checks back; `actor` is the person whose
    answer it is."""
    work = Work.of(near, version)
    new = [group for group in work.groups if group.candidate_id is None]
    known = [group for group in work.groups if group.candidate_id is not None]
    for group in known:
        if near.merged_into(_id(group)) is not None:
            part_candidate(project=project, candidate_id=_id(group), actor=actor)
    _create(project, new, work, near.bench, after)
    merged = 0
    for group in known:
        for absorbed in group.standing_for:
            if near.merged_into(absorbed) != group.candidate_id:
                merge_candidates(project=project, kept_id=_id(group), absorbed_id=absorbed, actor=actor)
                merged += 1
    _move(project, work.groups, set(new))
    _link(project, work.groups)
    changed = _update([group for group in known if group in work.fresh], work, near.bench, after)
    _store_keys(project.pk, near.keyed, near.bench)
    _store_pairs(project.pk, near)
    requeue(project_id=project.pk, candidate_ids=_to_requeue(near, work.groups))
    return Regrouped(len(new), changed, merged)


def _id(group: Group) -> int:
    assert group.candidate_id is not None
    return group.candidate_id


def _is_touched(group: Group, near: Neighbourhood) -> bool:
    return group.is_touched() or _moves(group, near)


def _moves(group: Group, near: Neighbourhood) -> bool:
    """A candidate is merged into this one, or this one parted from another."""
    pk = group.candidate_id
    if pk is None or near.merged_into(pk) is not None:
        return True
    return any(near.merged_into(other) != pk for other in group.standing_for)


def plans_of(project_id: int, groups: Sequence[Group], *, newest: bool = True) -> dict[Group, dict[int, SearchPlan]]:
    """The plan versions whose runs found each group, as far as its records are linked.

    With `newest`, what no run found (an import brought it) stands beside the project's newest approved version.
    """
    group_of = {node.source_record_id: group for group in groups for node in group.nodes if not node.is_new}
    found: dict[Group, set[int]] = {group: set() for group in groups}
    for chunk in chunks(sorted(group_of)):
        hits = RetrievalHit.objects.filter(source_record__in=chunk, step__run__project=project_id)
        for record_id, version_id in hits.values_list("source_record_id", "step__run__version_id").distinct():
            found[group_of[record_id]].add(version_id)
    if newest and not all(found.values()):
        approved = SearchPlanVersion.objects.filter(plan__project=project_id, approved_at__isnull=False)
        latest = approved.order_by("-approved_at", "-pk").values_list("pk", flat=True).first()
        found = {group: versions or ({latest} if latest is not None else set()) for group, versions in found.items()}
    wanted = set().union(*found.values())
    contents = {row.pk: row.plan_content for row in SearchPlanVersion.objects.filter(pk__in=wanted)}
    return {group: {pk: contents[pk] for pk in sorted(versions)} for group, versions in found.items()}


def _create(project: Project, groups: Sequence[Group], work: Work, bench: Workbench, after: timedelta | None) -> None:
    """New candidates, each with its check queued."""
    derived = [bench.derived(group, work.plans[group]) for group in groups]
    checks = verifications_request(
        project=project,
        records=[(record, group.returned_by()) for group, (record, _) in zip(groups, derived, strict=True)],
        priority=Priority.RETRIEVED,
        after=after,
    )
    candidates = insert_rows(
        [
            Candidate(project=project, verification=check, **values)
            for check, (_, values) in zip(checks, derived, strict=True)
        ]
    )
    for group, candidate in zip(groups, candidates, strict=True):
        group.candidate_id = candidate.pk


def _move(project: Project, groups: Sequence[Group], new: set[Group]) -> None:
    """Linked records go to the candidate of their group, with the reason they are there. In a new candidate they are at
    home."""
    moved: list[CandidateSource] = []
    places: list[tuple[int, int, int | None]] = []
    for group in groups:
        for node in group.nodes:
            if node.is_new:
                continue
            home = group.candidate_id if group in new else node.home_id or node.candidate_id
            now = (group.candidate_id, home, node.rule, node.why)
            if now != (node.candidate_id, node.home_id, *node.stored):
                moved.append(
                    CandidateSource(
                        pk=node.link_id, candidate_id=_id(group), home_id=home, rule=node.rule, why=node.why
                    )
                )
                places.append((node.source_record_id, node.candidate_id or _id(group), group.candidate_id))
    CandidateSource.objects.bulk_update(moved, ["candidate", "home", "rule", "why"], batch_size=200)
    note_moves(project_id=project.pk, moves=places)


def _link(project: Project, groups: Sequence[Group]) -> None:
    """Link new records to their candidates, where they are at home."""
    pairs = [(group, node) for group in groups for node in group.new_nodes()]
    links = insert_rows(
        [
            CandidateSource(
                candidate_id=_id(group),
                home_id=_id(group),
                project=project,
                source_record_id=node.source_record_id,
                source=node.source,
                rule=node.rule,
                why=node.why,
                entry=node.entry,
            )
            for group, node in pairs
        ]
    )
    for (group, node), link in zip(pairs, links, strict=True):
        node.link_id, node.candidate_id = link.pk, group.candidate_id


def _update(groups: Sequence[Group], work: Work, bench: Workbench, after: timedelta | None) -> int:
    """Bring existing candidates up to date; returns how many changed."""
    rows = Candidate.objects.in_bulk([_id(group) for group in groups])
    changed: list[tuple[Candidate, Record, list[str]]] = []
    for group in groups:
        row = rows[_id(group)]
        record, columns = bench.derived(group, work.plans[group])
        if set_columns(row, columns):
            changed.append((row, record, group.returned_by()))
    if changed:
        Candidate.objects.bulk_create(
            [row for row, _, _ in changed],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=list(DERIVED_FIELDS),
        )
    renew_checks(changed, after=after)
    return len(changed)


def set_columns(row: Candidate, columns: Mapping[str, Any]) -> bool:
    """Set the columns; True if any of them changed."""
    different = [name for name, value in columns.items() if getattr(row, name) != value]
    for name in different:
        setattr(row, name, columns[name])
    return bool(different)


def renew_checks(rows: Sequence[tuple[Candidate, Record, list[str]]], *, after: timedelta | None = None) -> None:
    """Tell the candidates' verifications what is to be checked now, and whose records it is made of."""
    changes = [(row.verification_id, record, by) for row, record, by in rows if row.verification_id is not None]
    verifications_renew(changes=changes, after=after)


def _store_keys(project_id: int, nodes: Iterable[Node], bench: Workbench) -> None:
    """Plain SQL: about nine short rows a record, for which making model instances takes most of the time."""
    rows = [
        (project_id, node.link_id, key) for node in nodes for key in sorted(bench.member(node.source_record_id).keys)
    ]
    if rows:
        table = connection.ops.quote_name(BlockKey._meta.db_table)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {table} (project_id, link_id, key) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",  # noqa: S608
                rows,
            )


def _store_pairs(project_id: int, near: Neighbourhood) -> None:
    RecordPair.objects.bulk_create(
        (
            RecordPair(
                project_id=project_id,
                a_id=min(pair.a.link_id or 0, pair.b.link_id or 0),
                b_id=max(pair.a.link_id or 0, pair.b.link_id or 0),
                relation=pair.verdict.relation.value,
                rule=pair.verdict.rule[:60],
                why=pair.verdict.why[:300],
                rank=pair.verdict.rank,
            )
            for pair in near.found
        ),
        batch_size=1000,
        ignore_conflicts=True,
    )


def _to_requeue(near: Neighbourhood, groups: Iterable[Group]) -> set[int]:
    """Candidates whose place in the queue of doubtful pairs may have changed.

    That is every group made anew from records that were here, however small it is now: a newcomer may have parted it.
    """
    compared = {node.candidate_id for pair in near.found for node in (pair.a, pair.b)}
    remade = {
        group.candidate_id for group in groups if len(group.nodes) > 1 or len(group.new_nodes()) < len(group.nodes)
    }
    return {pk for pk in compared | remade | near.asked_candidates() if pk is not None}
