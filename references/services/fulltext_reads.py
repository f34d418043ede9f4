"""Reads on full texts: how each reference stands, what proves it, and the text of a copy section by section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, Value, When

from litapp.core.fulltext_jats import NotJats, Section, read_jats
from litapp.core.fulltext_proposals import Paper, Proposal, propose
from litapp.jobs.models import OPEN_STATES, StepState
from litapp.ledger.services.bodies import read_body
from litapp.projects.models import Project
from references.models import CopyState, FullText, FullTextCopy, Reference, ReferenceQuerySet
from references.services.fulltext_pdf import pdf_reading
from searches.models import ReportRetrieval, RetrievalOutcome
from searches.querysets import RETRACTED_STATES

STATES: Mapping[str, str] = MappingProxyType(
    {
        "found": "Full text here",
        "asked": "To be looked at",
        "searching": "Being looked for",
        "not_retrieved": "Not retrieved",
        "undecided": "Nothing found, not decided",
        "stopped": "Stopped",
        "none": "Not looked for",
    }
)
"""How a reference's full text stands, and what the page says; each reference is in exactly one."""
MOST_PROPOSED_FROM = 2_000
"""References that the proposals are made from; the first ones by key where the list is longer."""


def with_states(references: ReferenceQuerySet) -> Any:
    """The references with `full_text_state`, a key of STATES."""
    copies = FullTextCopy.objects.filter(reference=OuterRef("pk"))
    searches = FullText.objects.filter(reference=OuterRef("pk"))
    ended = ReportRetrieval.objects.filter(candidate=OuterRef("candidate_id"))
    return references.annotate(
        full_text_state=Case(
            When(Exists(copies.filter(state=CopyState.ACCEPTED)), then=Value("found")),
            When(Exists(copies.filter(state=CopyState.ASKED)), then=Value("asked")),
            When(Exists(searches.filter(state__in=OPEN_STATES)), then=Value("searching")),
            When(Exists(ended.filter(outcome=RetrievalOutcome.NOT_RETRIEVED)), then=Value("not_retrieved")),
            When(Exists(searches.filter(state__in=(StepState.CANCELLED, StepState.FAILED))), then=Value("stopped")),
            When(Exists(searches), then=Value("undecided")),
            default=Value("none"),
            output_field=CharField(),
        )
    )


def state_counts(project: Project) -> dict[str, int]:
    """How many references stand in each state of STATES, and "all"."""
    rows = with_states(Reference.objects.current().filter(project=project)).order_by()
    counts = dict(rows.values_list("full_text_state").annotate(n=Count("pk")))
    return {"all": sum(counts.values()), **{name: counts.get(name, 0) for name in STATES}}


def with_full_text(project: Project) -> set[int]:
    """Ids of the references whose full text is here."""
    rows = FullTextCopy.objects.filter(project=project, state=CopyState.ACCEPTED, reference__isnull=False)
    return set(rows.values_list("reference_id", flat=True))


def best_copies(reference_ids: Iterable[int]) -> dict[int, FullTextCopy]:
    """The copy to read of each reference: text in XML before PDF, the first that came."""
    rows = FullTextCopy.objects.filter(reference__in=list(reference_ids), state=CopyState.ACCEPTED)
    found: dict[int, FullTextCopy] = {}
    for row in sorted(rows, key=lambda one: (one.kind != FullTextCopy.Kind.XML, one.pk)):
        if row.reference_id is not None:
            found.setdefault(row.reference_id, row)
    return found


def sections_of(copy: FullTextCopy) -> list[Section]:
    """The text of a copy: JATS by sections, a PDF by pages ("Page 3"). Empty for scanned pages.

    Raises DamagedBody when the bytes are missing or changed.
    """
    body = read_body(copy.sha256)
    if copy.kind == FullTextCopy.Kind.XML:
        try:
            return list(read_jats(body).sections)
        except NotJats:
            return []
    texts = pdf_reading(body, whole=True).texts
    return [Section((f"Page {number}",), text.strip()) for number, text in enumerate(texts, start=1) if text.strip()]


def waiting_copies(project: Project) -> Any:
    """Files about which a person has to answer, the oldest first. A doubtful file that was fetched is no question any
    more once its paper is here; one that a person brought always is."""
    here = FullTextCopy.objects.filter(reference=OuterRef("reference_id"), state=CopyState.ACCEPTED)
    rows = (
        FullTextCopy.objects.filter(project=project, state=CopyState.ASKED)
        .filter(Q(reference=None) | Q(reference__removed_at=None))
        .exclude(~Q(source="upload") & Exists(here))
    )
    return rows.select_related("reference__candidate", "brought_by", "answer").order_by("pk")


@dataclass(frozen=True, slots=True)
class Proposed:
    """The proposals by reference, and how many references they were made from."""

    by_reference: dict[int, Proposal]
    of: int


def proposals(project: Project) -> Proposed:
    """Five to ten references to read in full first, by rule. See `core.fulltext_proposals`."""
    rows = Reference.objects.current().filter(project=project).select_related("candidate__verification").order_by("key")
    papers = [_paper(row) for row in rows[:MOST_PROPOSED_FROM]]
    return Proposed({one.key: one for one in propose(papers)}, len(papers))


def _paper(row: Reference) -> Paper:
    record, verification = row.candidate.merged_record, row.candidate.verification
    return Paper(
        key=row.pk,
        title=record.title,
        types=record.publication_types,
        sections=tuple((part.label or part.category, part.text) for part in record.abstract),
        fit=row.candidate.fit,
        retracted=verification is not None and verification.publication_state in RETRACTED_STATES,
    )
