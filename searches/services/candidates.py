"""Turns hits into source records and candidates: each paper once, whatever found it. Doing it twice changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from litapp.core.records import Record
from litapp.jobs.bulk_rows import insert_rows
from litapp.ledger.models import SourceRecord
from litapp.ledger.services.records import store_rows
from litapp.projects.models import Project
from litapp.providers.base import Hit, Page
from searches.models import Candidate, CandidateSource, RecordPair, RetrievalHit, RetrievalStep, SearchPlanVersion
from searches.services.derived import DERIVED_FIELDS
from searches.services.grouping import SAME_ENTRY, SAME_SOURCE_ID, SUPPLEMENT, Group, Member, node_of
from searches.services.neighbourhood import Neighbourhood, chunks
from searches.services.prisma_moves import note_moves
from searches.services.regrouping import Regrouped, Work, plans_of, regroup, renew_checks, set_columns
from searches.services.workbench import Workbench

CHECKS_BEGIN_WITHIN = timedelta(minutes=5)
"""Records are checked when the run that brought them ends, but no later than this: a run may wait for hours."""


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
    members = bench.newcomers(bench.rows_of(hits), [hit.record for hit in hits])
    _think(step.run.project_id, members, step.run.version, bench)
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
    done = _absorb(project, _unlinked(project, records, rows, bench), step.run.version, bench, hold=True)
    return Absorbed(
        hits=new_hits,
        candidates_new=done.new,
        candidates_changed=done.changed,
        candidates_merged=done.merged,
        hits_of_step=RetrievalHit.objects.filter(step=step).count(),
    )


def think_ahead_brought(
    *, project: Project, rows: Sequence[SourceRecord], records: Sequence[Record], members: Sequence[Member] = ()
) -> Workbench:
    """The same for `absorb_brought`: `rows` are those of the ledger, stored or to be stored, of `records`; `members`
    the members of the rows where they were worked out already."""
    bench = Workbench()
    for row, member in zip(rows, members, strict=False):
        bench.expect(row, member)
    _think(project.pk, bench.newcomers(rows, records), None, bench)
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
    for chunk in chunks([row.pk for row in rows]):
        links = CandidateSource.objects.filter(project=locked, source_record__in=chunk)
        at.update(links.values_list("source_record_id", "candidate_id"))
    return [at[row.pk] for row in rows]


def _think(project_id: int, members: Sequence[Member], version: SearchPlanVersion | None, bench: Workbench) -> None:
    near = Neighbourhood(project_id, bench)
    near.add([node_of(member) for member in members])
    Work.of(near, version).derive(bench)


def _absorb(
    project: Project,
    members: Sequence[Member],
    version: SearchPlanVersion | None,
    bench: Workbench,
    *,
    hold: bool,
) -> Regrouped:
    """Put records that are not linked yet into the project's candidates."""
    if not members:
        return Regrouped()
    near = Neighbourhood(project.pk, bench)
    near.add([node_of(member) for member in members])
    return regroup(project=project, near=near, version=version, after=CHECKS_BEGIN_WITHIN if hold else None)


@transaction.atomic
def withdraw_links(*, project: Project, link_ids: Sequence[int]) -> None:
    """Take records out of the project's candidates, in the caller's transaction. Those that stay are grouped as if
    these had never come; candidates that have no record left are the caller's to deal with."""
    gone = set(link_ids)
    copies, versions, places = set[int](), set[int](), set[int]()
    for chunk in chunks(sorted(gone)):
        led = RecordPair.objects.filter(a__in=chunk)
        copies |= set(led.filter(rule=SAME_ENTRY).values_list("b_id", flat=True)) - gone
        versions |= set(led.filter(rule=SAME_SOURCE_ID).values_list("b_id", flat=True)) - gone
        for ids in CandidateSource.objects.filter(pk__in=chunk).values_list("candidate_id", "home_id"):
            places |= {pk for pk in ids if pk is not None}
    for chunk in chunks(sorted(gone)):
        links = CandidateSource.objects.filter(pk__in=chunk)
        taken = list(links.exclude(rule=SUPPLEMENT).values_list("source_record_id", "candidate_id"))
        note_moves(project_id=project.pk, moves=[(record, left, None) for record, left in taken])
        links.delete()
    left: set[int] = set()
    for chunk in chunks(sorted(places)):
        here = CandidateSource.objects.filter(Q(candidate__in=chunk) | Q(home__in=chunk))
        left |= set(here.values_list("pk", flat=True))
    near = Neighbourhood(project.pk, Workbench())
    near.ask_for(left)
    near.reconnect(copies=sorted(copies), versions=sorted(versions))
    regroup(project=project, near=near)


@transaction.atomic
def rebuild_candidate(*, candidate: Candidate) -> Candidate:
    """Derive every column of a candidate anew from its source records in the ledger; decisions stay."""
    Project.objects.select_for_update(no_key=True).get(pk=candidate.project_id)
    row = Candidate.objects.get(pk=candidate.pk)
    bench = Workbench()
    near = Neighbourhood(row.project_id, bench)
    nodes = near.read(row.source_records.order_by("pk").values_list("pk", flat=True))
    group = Group(row.pk, nodes)
    bench.load(node.source_record_id for node in nodes)
    record, columns = bench.derived(group, plans_of(row.project_id, [group])[group])
    set_columns(row, columns)
    row.save(update_fields=list(DERIVED_FIELDS))
    renew_checks([(row, record, group.returned_by())])
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
    insert_rows(new)
    return len(new)


def _unlinked(
    project: Project, records: Sequence[Record], rows: Sequence[SourceRecord], bench: Workbench
) -> list[Member]:
    """The records that belong to no candidate of the project yet, each once."""
    linked: set[int] = set()
    for chunk in chunks([row.pk for row in rows]):
        links = CandidateSource.objects.filter(project=project, source_record__in=chunk)
        linked.update(links.values_list("source_record_id", flat=True))
    return [member for member in bench.newcomers(rows, records) if member.source_record_id not in linked]
