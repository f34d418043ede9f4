"""The papers of one run: its records joined by the rules alone, without regard to any other run.

So what is said of a run (bundle, replay, comparison) depends on the run alone and stays the same for ever. Abstracts
that were asked for afterwards join the papers they were asked for; they are no hits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from litapp.core.dedupe import MergedRecord, merge_records
from litapp.core.records import Record, record_from_dict
from litapp.ledger.models import SourceRecord
from searches.models import AbstractLookup, CandidateSource, RetrievalHit, RetrievalRun
from searches.services.grouping import SUPPLEMENT, Group, Member, Node, node_of, papers_among

CHUNK = 500
"""Values in one SQL list."""


@dataclass(frozen=True, slots=True)
class RunHit:
    """A hit: `record` is the place of its record in `RunPapers.records`."""

    step_id: int
    source: str
    query_index: int
    label: str
    rank: int
    duplicate_in_source: bool
    record: int


@dataclass(slots=True)
class RunRecord:
    """A source record of the run. `asked_with` and `supplement_of` (a place in the same list) are set for one that no
    search found."""

    source_record_id: int
    answer_id: int
    position: int
    sha256: str
    record: Record
    asked_with: str = ""
    supplement_of: int | None = None


@dataclass(slots=True)
class RunPaper:
    """A paper: places of its records in order of arrival; `rule` and `why` of each say how it came in."""

    members: list[Node]
    records: list[RunRecord]
    """Those of the whole run."""

    @property
    def places(self) -> list[int]:
        return sorted(member.source_record_id for member in self.members)

    def merged(self) -> MergedRecord:
        """One record of what its sources said last."""
        current = Group(None, self.members).current()
        return merge_records([self.records[node.source_record_id].record for node in current])


@dataclass(slots=True)
class RunPapers:
    """`hits` in order of arrival, `records` each once, `papers` in order of their first record."""

    hits: list[RunHit] = field(default_factory=list)
    records: list[RunRecord] = field(default_factory=list)
    papers: list[RunPaper] = field(default_factory=list)

    def partition(self) -> frozenset[frozenset[tuple[str, str, str]]]:
        """The papers as sets of (source, its number, hash of the record): equal for runs that found the same."""
        named = [(one.record.source, one.record.source_id, one.sha256) for one in self.records]
        return frozenset(frozenset(named[place] for place in paper.places) for paper in self.papers)


def papers_of_run(run: RetrievalRun, *, supplements: bool = False) -> RunPapers:
    """Read the run's hits and join their records; with `supplements`, also the abstracts asked for afterwards."""
    found = RunPapers()
    place_of: dict[int, int] = {}
    for step_id, source, query, label, rank, duplicate, record_id in _hit_rows(run):
        place = place_of.setdefault(record_id, len(place_of))
        found.hits.append(RunHit(step_id, source, query, label, rank, duplicate, place))
    found.records = list(_records(list(place_of)))
    groups = papers_among([Member(place, one.record) for place, one in enumerate(found.records)])
    found.papers = [RunPaper(group.nodes, found.records) for group in groups]
    if supplements:
        _add_supplements(run, found)
    found.papers.sort(key=lambda paper: paper.places[0])
    return found


def _hit_rows(run: RetrievalRun) -> Iterator[tuple[int, str, int, str, int, bool, int]]:
    rows = RetrievalHit.objects.filter(step__run=run).order_by("pk")
    yield from rows.values_list(
        "step_id",
        "step__source",
        "step__query_index",
        "step__query_label",
        "rank",
        "duplicate_in_source",
        "source_record_id",
    ).iterator(chunk_size=2000)


def _records(ids: list[int]) -> Iterator[RunRecord]:
    """The records in the order of `ids`."""
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        rows = {
            row[0]: row
            for row in SourceRecord.objects.filter(pk__in=part).values_list(
                "pk", "answer_id", "position", "sha256", "data"
            )
        }
        for pk in part:
            _, answer_id, position, sha256, data = rows[pk]
            yield RunRecord(pk, answer_id, position, sha256, record_from_dict(data))


def _add_supplements(run: RetrievalRun, found: RunPapers) -> None:
    """Put each abstract that was asked for into the paper whose record carries the identifier it was asked with."""
    place_of = {one.source_record_id: place for place, one in enumerate(found.records)}
    paper_of = {place: paper for paper in found.papers for place in paper.places}
    ours = CandidateSource.objects.filter(
        project=run.project_id, source_record__hits__step__run=run, candidate__source_records__rule=SUPPLEMENT
    )
    by_candidate: dict[int, list[int]] = {}
    for candidate_id, record_id in ours.values_list("candidate_id", "source_record_id").distinct():
        by_candidate.setdefault(candidate_id, []).append(place_of[record_id])
    candidates = ours.values("candidate_id")
    links = CandidateSource.objects.filter(project=run.project_id, rule=SUPPLEMENT, candidate__in=candidates)
    asked = {
        record_id: f"{scheme}:{value}"
        for record_id, scheme, value in AbstractLookup.objects.filter(
            outcome=AbstractLookup.Outcome.FILLED, candidate__project=run.project_id
        ).values_list("source_record_id", "scheme", "identifier")
    }
    rows = list(links.order_by("pk").values_list("source_record_id", "candidate_id"))
    added = [(record_id, candidate_id) for record_id, candidate_id in rows if record_id not in place_of]
    for one, (record_id, candidate_id) in zip(_records([pk for pk, _ in added]), added, strict=True):
        one.asked_with = asked.get(record_id, "")
        one.supplement_of = _carrier(found, sorted(by_candidate[candidate_id]), one.asked_with)
        place = len(found.records)
        found.records.append(one)
        node = node_of(Member(place, one.record))
        node.rule, node.why = SUPPLEMENT, f"Asked for by {one.asked_with}."
        paper_of[one.supplement_of].members.append(node)


def _carrier(found: RunPapers, places: list[int], asked_with: str) -> int:
    """The first of the records that carries the identifier; the first of all where none does any more."""
    for place in places:
        if any(f"{i.scheme.value}:{i.value}" == asked_with for i in found.records[place].record.identifiers):
            return place
    return places[0]
