"""Reads a project's log as the events from which the PRISMA flow is counted, at any time. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Min

from litapp.core.prisma import events as e
from litapp.core.prisma.events import Event, Method, Where
from litapp.core.prisma.methods import method_of
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
    ScreeningDecision,
    ScreeningStage,
    Stage,
    StageRecord,
)
from searches.services.grouping import SUPPLEMENT

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
    ]


def _entries(project: Project, until: datetime) -> list[tuple[datetime, str, str, dict[str, Any]]]:
    rows = LogEntry.objects.filter(project=project, verb__in=_MERGES, created_at__lte=until).order_by("sequence")
    return list(rows.values_list("created_at", "verb", "subject", "payload"))


def _number(subject: str) -> int:
    digits = subject.rpartition(":")[2]
    return int(digits) if digits.isdigit() else 0


# Records


def _found(project: Project, until: datetime, told: list[tuple[datetime, str, str, dict[str, Any]]]) -> Iterator[Event]:
    origins = _origins(project, until)
    later, last = _moves(project, until)
    links = CandidateSource.objects.filter(project=project).exclude(rule=SUPPLEMENT).order_by()
    listed = {pk for _, verb, _, payload in told if verb == "list.taken" for pk in payload.get("candidates", ())}
    here: set[int] = set()
    for record, candidate, home, source, stored, placed in links.values_list(
        "source_record_id", "candidate_id", "home_id", "source", "source_record__created_at", "home__created_at"
    ).iterator(chunk_size=5000):
        here.add(record)
        known = origins.get(record)
        if known is None:
            place = (
                CHECKED_LIST if {candidate, home} & listed else Where(Method.WEBSITE, f"{source_label(source)}, single")
            )
            known = [_Origin(max(stored, placed or stored), place)]
        origin = next((one for one in known if one.stands(until)), None)
        if origin is not None:
            yield e.Found(origin.at, record, later.get(record, candidate), origin.where)
    for record, known in origins.items():
        origin = next((one for one in known if one.stands(until)), None)
        if record in here or origin is None:
            continue
        paper = later.get(record)
        if paper is None and record not in last and origin.until is not None:
            paper = _withdrawn_to(record)
        if paper is not None:
            yield e.Found(origin.at, record, paper, origin.where)


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


def _origins(project: Project, until: datetime) -> dict[int, list[_Origin]]:
    """What identified each record by `until`: runs first, then imports in their order."""
    found: dict[int, list[_Origin]] = {}
    hits = RetrievalHit.objects.filter(step__run__project=project, step__run__started_at__lte=until).order_by()
    by_record = hits.values("source_record_id", "step__source", stored=F("source_record__created_at"))
    for row in by_record.annotate(asked=Min("step__run__started_at")).iterator(chunk_size=5000):
        place = Where(Method.DATABASE, source_label(row["step__source"]))
        found.setdefault(row["source_record_id"], []).append(_Origin(max(row["stored"], row["asked"]), place))
    places = _import_places(project, until)
    entries = ImportedEntry.objects.filter(record_import__in=list(places)).exclude(source_record=None).order_by("pk")
    for record, brought, stored in entries.values_list(
        "source_record_id", "record_import_id", "source_record__created_at"
    ).iterator(chunk_size=5000):
        row, place = places[brought]
        at = max(row.created_at, stored)
        found.setdefault(record, []).append(_Origin(at, place, row.undone_at))
    return found


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
    at = dict(begun.values_list("stage", "pilot_started_at"))
    rows = StageRecord.objects.filter(project=project, stage__in=at, needed__gt=0).order_by("pk")
    for candidate, stage, needed in rows.values_list("candidate_id", "stage", "needed"):
        yield e.VotesNeeded(at[stage], candidate, stage == Stage.FULLTEXT, needed)


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
