"""Reads a project's log as the events from which the PRISMA flow is counted, at any time. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from litapp.core.prisma import events as e
from litapp.core.prisma.events import Event, Method, Where
from litapp.core.prisma.methods import method_of
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Event as LogEntry
from litapp.projects.models import Project
from litapp.verification.presentation import source_label
from searches.models import (
    CandidateSource,
    CriteriaVersion,
    ImportedEntry,
    ImportMethod,
    NotRetrieved,
    RecordImport,
    RecordMove,
    ReportOutcome,
    ReportRetrieval,
    RetrievalHit,
    RetrievalOutcome,
    RetrievalStep,
    ScreeningDecision,
    ScreeningStage,
    Stage,
    StageRecord,
    StoppingSample,
)
from searches.services.grouping import SUPPLEMENT

CHUNK = 500
A_MOMENT = timedelta(seconds=1)
BEGINNING = datetime.min.replace(tzinfo=UTC)
CHECKED_LIST = Where(Method.CITATIONS, "Checked reference list")
_MERGES = ("candidates.merged", "candidates.parted", "study.joined", "study.left", "list.taken", "screening.set_up",
           "screening.not_retrieved")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Origin:
    """What identified a record, from when on; `until` = its import was undone then."""

    at: datetime
    where: Where
    until: datetime | None = None

    def stands(self, at: datetime) -> bool:
        return self.at <= at and (self.until is None or self.until > at)


def prisma_events(project: Project, until: datetime) -> list[Event]:
    """The events up to and with `until`. A dozen queries, whatever the number of records."""
    told = _entries(project, until)
    return [
        *_stages(project, told),
        *_found(project, until, told),
        *_papers(told),
        *_decisions(project, until),
        *_votes_needed(project, until),
        *_reports(project, until, told),
        *_stops(project, until),
    ]


def _entries(project: Project, until: datetime) -> list[tuple[datetime, str, str, dict[str, Any]]]:
    rows = LogEntry.objects.filter(project=project, verb__in=_MERGES, created_at__lte=until).order_by("sequence")
    return list(rows.values_list("created_at", "verb", "subject", "payload"))


def _number(subject: str) -> int:
    digits = subject.rpartition(":")[2]
    return int(digits) if digits.isdigit() else 0


# Records


def _found(project: Project, until: datetime, told: list[tuple[datetime, str, str, dict[str, Any]]]) -> Iterator[Event]:
    origins, named = _origins(project, until)
    later, last = _moves(project, until)
    links = CandidateSource.objects.filter(project=project).exclude(rule=SUPPLEMENT).order_by()
    here: dict[int, int] = dict(links.values_list("source_record_id", "candidate_id").iterator(chunk_size=5000))
    alone = [record for record in here if record not in named]
    origins |= _without_search(project, alone, told)
    for record, candidate in here.items():
        origin = _standing(origins.get(record, ()), until)
        if origin is not None:
            yield e.Found(origin.at, record, later.get(record, candidate) if later else candidate, origin.where)
    for record in origins.keys() - here.keys():
        origin = _standing(origins[record], until)
        if origin is None:
            continue
        paper = later.get(record)
        if paper is None and record not in last and origin.until is not None:
            paper = _withdrawn_to(record)
        if paper is not None:
            yield e.Found(origin.at, record, paper, origin.where)


def _standing(origins: Sequence[_Origin], until: datetime) -> _Origin | None:
    """The first that identifies the record at that time."""
    for origin in origins:
        if origin.stands(until):
            return origin
    return None


def _without_search(
    project: Project, records: list[int], told: list[tuple[datetime, str, str, dict[str, Any]]]
) -> dict[int, list[_Origin]]:
    """Records that neither a run nor an import names: taken from a checked list, or looked up one by one."""
    listed = {pk for _, verb, _, payload in told if verb == "list.taken" for pk in payload.get("candidates", ())}
    found: dict[int, list[_Origin]] = {}
    for start in range(0, len(records), CHUNK):
        links = CandidateSource.objects.filter(project=project, source_record__in=records[start : start + CHUNK])
        for record, candidate, home, source, stored, placed in links.values_list(
            "source_record_id", "candidate_id", "home_id", "source", "source_record__created_at", "home__created_at"
        ):
            single = Where(Method.WEBSITE, f"{source_label(source)}, single")
            place = CHECKED_LIST if {candidate, home} & listed else single
            found[record] = [_Origin(max(stored, placed or stored), place)]
    return found


def _withdrawn_to(record: int) -> int:
    """The candidate of a record that an undone import brought before moves were written down; else one of its own."""
    known = ImportedEntry.objects.filter(source_record=record).exclude(withdrawn=None)
    return known.values_list("withdrawn_id", flat=True).first() or -record


def _moves(project: Project, until: datetime) -> tuple[dict[int, int], set[int]]:
    """Record -> the candidate that it left first after `until`: there it was then; and all records that ever moved."""
    later: dict[int, int] = {}
    moved: set[int] = set()
    rows = RecordMove.objects.filter(project=project).order_by("pk")
    for record, left, at in rows.values_list("source_record_id", "left_id", "created_at").iterator(chunk_size=5000):
        moved.add(record)
        if at > until:
            later.setdefault(record, left)
    return later, moved


def _origins(project: Project, until: datetime) -> tuple[dict[int, list[_Origin]], set[int]]:
    """What identified each record by `until`: runs first, then imports in their order; and all records that a run or
    an import names at any time."""
    late = _stored_after(project, until)
    asked: dict[int, _Origin] = {}
    steps = RetrievalStep.objects.filter(run__project=project).select_related("run")
    by_step = {
        step.pk: _Origin(step.started_at or step.run.started_at, Where(Method.DATABASE, source_label(step.source)))
        for step in steps
    }
    hits = RetrievalHit.objects.filter(step__run__project=project).order_by()
    for record, step in hits.values_list("source_record_id", "step_id").iterator(chunk_size=5000):
        origin, known = by_step[step], asked.get(record)
        if record not in late and (known is None or origin.at < known.at):
            asked[record] = origin
    found = {record: [origin] for record, origin in asked.items() if origin.at <= until}
    named = set(asked) | late
    places = _import_places(project, until)
    entries = ImportedEntry.objects.filter(record_import__project=project).exclude(source_record=None).order_by("pk")
    for record, brought in entries.values_list("source_record_id", "record_import_id").iterator(chunk_size=5000):
        named.add(record)
        if record not in late and brought in places:
            list_or_file, place = places[brought]
            origin = _Origin(list_or_file.created_at, place, list_or_file.undone_at)
            found.setdefault(record, []).append(origin)
    return found, named


def _stored_after(project: Project, until: datetime) -> set[int]:
    """Records that came after `until`, in a run or import that had begun before. None where `until` is now."""
    if until >= timezone.now() - A_MOMENT:
        return set()
    rows = SourceRecord.objects.filter(created_at__gt=until)
    of_runs = rows.filter(hits__step__run__project=project, hits__step__run__started_at__lte=until)
    of_imports = rows.filter(
        imported_entries__record_import__project=project, imported_entries__record_import__created_at__lte=until
    )
    return {*of_runs.values_list("pk", flat=True), *of_imports.values_list("pk", flat=True)}


def _import_places(project: Project, until: datetime) -> dict[int, tuple[RecordImport, Where]]:
    rows = RecordImport.objects.filter(project=project, created_at__lte=until)
    chosen = dict(
        ImportMethod.objects.filter(record_import__project=project, created_at__lte=until)
        .order_by("pk")
        .values_list("record_import_id", "method")
    )
    return {
        row.pk: (row, Where(Method(chosen[row.pk]) if row.pk in chosen else method_of(row.database), row.database))
        for row in rows
    }


# Papers, stages, decisions


def _papers(told: Iterable[tuple[datetime, str, str, dict[str, Any]]]) -> Iterator[Event]:
    for at, verb, subject, payload in told:
        pk = _number(subject)
        if verb == "candidates.merged":
            yield e.Merged(at, pk, payload["absorbed"])
        elif verb == "candidates.parted":
            yield e.Parted(at, pk)
        elif verb == "study.joined":
            yield e.Joined(at, pk, tuple(payload["candidates"]))
        elif verb == "study.left":
            yield e.Left(at, pk, tuple(payload["candidates"]))


def _stages(project: Project, told: Iterable[tuple[datetime, str, str, dict[str, Any]]]) -> Iterator[Event]:
    """How the project was screened. Rows that no event tells of were there from the beginning."""
    settings = [(at, payload) for at, verb, _, payload in told if verb == "screening.set_up"]
    ever = LogEntry.objects.filter(project=project, verb="screening.set_up")
    known = set(ever.values_list("payload__stage", flat=True))
    votes = {Stage.TITLE.value: 1, Stage.FULLTEXT.value: 1}
    uses_fulltext = False
    for row in ScreeningStage.objects.filter(project=project).exclude(stage__in=known):
        votes[row.stage] = row.screeners
        uses_fulltext |= row.stage == Stage.FULLTEXT and row.in_use
    yield e.StagesSet(BEGINNING, votes[Stage.TITLE], votes[Stage.FULLTEXT], uses_fulltext)
    for at, payload in settings:
        votes[payload["stage"]] = payload["screeners"]
        if payload["stage"] == Stage.FULLTEXT:
            uses_fulltext = payload["in_use"]
        yield e.StagesSet(at, votes[Stage.TITLE], votes[Stage.FULLTEXT], uses_fulltext)


def _decisions(project: Project, until: datetime) -> Iterator[Event]:
    words = {
        (version, entry["id"]): entry.get("prisma_text") or entry["text"]
        for version, content in CriteriaVersion.objects.filter(project=project).values_list("pk", "content")
        for entry in content
    }
    rows = ScreeningDecision.objects.filter(project=project, created_at__lte=until).order_by("pk")
    for pk, candidate, made_on, stage, reviewer, decision, reason, criterion, version, request, undoes, ruling, at in (
        rows.values_list(
            "pk", "candidate_id", "made_on_id", "stage", "reviewer_id", "decision", "reason", "criterion_id",
            "criteria_version_id", "request_id", "undoes", "resolution", "created_at",
        ).iterator(chunk_size=5000)
    ):  # fmt: skip
        told = words.get((version, criterion), reason) if criterion else reason
        yield e.Decided(
            at, pk, made_on or candidate, stage == Stage.FULLTEXT, reviewer, decision, told, request, undoes, ruling
        )


def _votes_needed(project: Project, until: datetime) -> Iterator[Event]:
    """Records of a calibration round need the votes of all who take part, from its beginning on."""
    begun = ScreeningStage.objects.filter(project=project, pilot_started_at__lte=until)
    at = {row.stage: row.pilot_started_at or BEGINNING for row in begun}
    rows = StageRecord.objects.filter(project=project, stage__in=at, needed__gt=0).order_by("pk")
    for candidate, stage, needed in rows.values_list("candidate_id", "stage", "needed"):
        yield e.VotesNeeded(at[stage], candidate, stage == Stage.FULLTEXT, needed)


def _stops(project: Project, until: datetime) -> Iterator[Event]:
    """Accepted stopping certificates of prioritised screening."""
    rows = StoppingSample.objects.filter(ranking__project=project, accepted_at__lte=until).order_by("accepted_at")
    for row in rows.select_related("ranking"):
        tool = f"LitLedger's ranking ({row.ranking.model_name}), stopped for a recall of {row.target:.0%}"
        yield e.Stopped(row.accepted_at or until, tool)


# Reports


def reason_words(code: str) -> str:
    """How the flow names a reason of "not retrieved"."""
    return dict(NotRetrieved.choices).get(code, code) if code else ""


def _reports(
    project: Project, until: datetime, told: Iterable[tuple[datetime, str, str, dict[str, Any]]]
) -> Iterator[Event]:
    """How the search for each report stood: as written down since, else as the row says."""
    rows = ReportOutcome.objects.filter(project=project).order_by("pk")
    written: set[int] = set()
    for candidate, lost, reason, at in rows.values_list("candidate_id", "not_retrieved", "reason", "created_at"):
        written.add(candidate)
        if at <= until:
            yield e.Retrieval(at, candidate, lost, reason)
    older = ReportRetrieval.objects.filter(
        project=project, outcome=RetrievalOutcome.NOT_RETRIEVED, at__lte=until
    ).exclude(candidate__in=written)
    for candidate, reason, at in older.values_list("candidate_id", "reason", "at"):
        yield e.Retrieval(at, candidate, True, reason_words(reason))
    for at, verb, subject, payload in told:
        if verb == "screening.not_retrieved":
            code = str(payload.get("reason") or payload.get("not_retrieved") or "")
            yield e.Retrieval(at, _number(subject), bool(code), reason_words(code))
