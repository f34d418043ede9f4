"""Where a candidate comes from: each source record with the query, rank and archived answer that brought it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, Q

from litapp.ledger.models import SourceRecord
from litapp.projects.people import name_of
from litapp.verification.presentation import source_label
from searches.blinding import Stages
from searches.imported import BroughtBy
from searches.models import Candidate, CandidateSource, Decision, RetrievalHit, ScreeningDecision, Stage

FIELD_LABELS = {
    "title": "Title",
    "original_title": "Original title",
    "authors": "Authors",
    "journal": "Journal",
    "journal_abbreviation": "Journal, abbreviated",
    "date": "Date",
    "years": "Years",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "abstract": "Abstract",
    "mesh": "MeSH headings",
    "keywords": "Keywords",
    "publication_types": "Publication types",
    "identifiers": "Identifiers",
    "issns": "ISSN",
    "languages": "Languages",
    "notices": "Notices (retraction, correction …)",
    "publisher": "Publisher",
    "url": "Address",
}
"""Fields of a record in reading order; others follow under their own name."""


@dataclass(frozen=True, slots=True)
class Returned:
    """One source record of a candidate: what the source called it, why it is the same paper, and its hits."""

    source: str
    record: SourceRecord
    why: str
    hits: Sequence[RetrievalHit]
    brought: BroughtBy | None = None


def returned_records(candidate: Candidate, brought: Sequence[BroughtBy] = ()) -> list[Returned]:
    """Every source record of the candidate, oldest first; `brought` are the imports behind it. Two queries."""
    imports = {one.source_record_id: one for one in reversed(brought)}
    hits = RetrievalHit.objects.filter(step__run__project=candidate.project_id).select_related("step__run")
    links = (
        CandidateSource.objects.filter(candidate=candidate)
        .select_related("source_record__answer")
        .prefetch_related(Prefetch("source_record__hits", queryset=hits.order_by("step_id", "rank")))
        .order_by("source_record_id")
    )
    return [
        Returned(
            source=source_label(link.source),
            record=link.source_record,
            why=link.why or link.rule.replace("_", " "),
            hits=list(link.source_record.hits.all()),
            brought=imports.get(link.source_record_id),
        )
        for link in links
    ]


@dataclass(frozen=True, slots=True)
class FieldOrigin:
    """One field of the merged record and the source its value was taken from."""

    label: str
    source: str


def field_provenance(candidate: Candidate) -> list[FieldOrigin]:
    """The source of each field, in reading order."""
    names = [*FIELD_LABELS, *sorted(set(candidate.provenance) - set(FIELD_LABELS))]
    return [
        FieldOrigin(FIELD_LABELS.get(name, name.replace("_", " ").capitalize()), _sources(candidate.provenance[name]))
        for name in names
        if candidate.provenance.get(name)
    ]


def _sources(value: object) -> str:
    keys = value if isinstance(value, list) else [value]
    return ", ".join(source_label(str(key)) for key in keys)


@dataclass(frozen=True, slots=True)
class Decided:
    """One entry of the decision timeline, told as a sentence without its subject."""

    entry: ScreeningDecision
    person: str
    text: str
    undoable: bool = False
    """The viewer's own, and it still counts."""


def decision_timeline(candidate: Candidate, person: Any, stages: Stages) -> list[Decided]:
    """What was decided on the candidate, newest first; of stages that are secret now only the person's own votes."""
    entries = ScreeningDecision.objects.filter(candidate=candidate).select_related("reviewer", "criteria_version")
    for stage in Stage.values:
        if stages[stage].secret:
            entries = entries.exclude(~Q(reviewer=person) | Q(resolution=True), stage=stage)
    rows = list(entries.order_by("-pk"))
    taken_back = {entry.undoes for entry in rows if entry.undoes}
    return [
        Decided(
            entry,
            name_of(entry.reviewer),
            _told(entry),
            entry.reviewer_id == person.pk and not entry.undoes and entry.request_id not in taken_back,
        )
        for entry in rows
    ]


def _told(entry: ScreeningDecision) -> str:
    now, before = Decision(entry.decision).label.lower(), Decision(entry.previous).label.lower()
    where = " at full text" if entry.stage == Stage.FULLTEXT else ""
    if entry.undoes:
        return f"took a decision{where} back: {before} became {now}"
    if entry.resolution:
        return f"settled the conflict{where}: “{now}”"
    return f"decided “{now}”{where}" + (f", was “{before}”" if entry.previous else "")
