"""Reads of the evidence summary's own parts: topics with their quotes, limits, guidelines, what sentences lack."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.summary import EvidenceSummary, FindingQuote, FindingTopic
from litapp.core.formats.summarytext import numbers_of
from litapp.core.matrix import Column
from litapp.core.matrix.claims import Claim, claims
from litapp.projects.models import Project
from references.models import (
    CellState,
    MatrixCell,
    Reference,
    Scope,
    SentenceDecision,
    SummarySetup,
    SummaryTopic,
    TopicQuote,
)
from references.services.entries import export_content
from references.services.matrix_reading import cell_quote_stands, records_of
from references.services.matrix_table import where_of

LIMITATIONS = "Limitations"
OTHER_FINDINGS = "Findings that stand under no topic"
_GUIDELINE_TYPES = frozenset(
    {"guideline", "practice guideline", "consensus development conference", "consensus development conference, nih",
     "consensus statement", "clinical practice guideline"}
)  # fmt: skip
"""Publication types that call a paper a guideline (NLM's, and those of other sources)."""


@dataclass(frozen=True, slots=True)
class ToldSentence:
    """A sentence of the summary's own texts that lacks something: where it stands, and the decision on it, if any."""

    topic: str
    claim: Claim
    decision: SentenceDecision | None = None


def setup_of(project: Project) -> SummarySetup:
    """The project's setup; an unsaved one where nobody has changed anything."""
    return SummarySetup.objects.filter(project=project).first() or SummarySetup(project=project)


def topics_of(project: Project) -> list[SummaryTopic]:
    """The topics, in their order."""
    return list(SummaryTopic.objects.filter(project=project, removed_at=None))


def quotes_of(topics: Iterable[SummaryTopic]) -> dict[int, list[TopicQuote]]:
    """Topic -> its quotes that still stand: the cell is filled, and its reference is in the list."""
    rows = TopicQuote.objects.filter(
        topic__in=list(topics), cell__state=CellState.FILLED, cell__reference__removed_at=None
    ).select_related("cell__reference", "cell__source_record", "cell__full_text", "cell__passage")
    found: dict[int, list[TopicQuote]] = {}
    for row in rows.order_by("topic", "pk"):
        found.setdefault(row.topic_id, []).append(row)
    return found


def free_findings(project: Project) -> list[MatrixCell]:
    """Key findings of the matrix that stand under no topic yet: filled, checked, with words of a source."""
    placed = TopicQuote.objects.filter(topic__project=project, topic__removed_at=None).values("cell")
    rows = MatrixCell.objects.filter(
        reference__project=project, reference__removed_at=None, column=Column.FINDING, state=CellState.FILLED,
        checked_at__isnull=False,
    )  # fmt: skip
    return list(
        rows.exclude(quote="")
        .exclude(pk__in=placed)
        .select_related("reference", "source_record", "full_text", "passage")
        .order_by("reference__key")
    )


def finding_topics(project: Project, keys: Collection[str]) -> tuple[FindingTopic, ...]:
    """The topics as they go into documents; quotes of references that are not among `keys` stay out."""
    topics = topics_of(project)
    quotes = quotes_of(topics)
    told = [
        FindingTopic(
            topic.title,
            tuple(_quote(row.cell) for row in quotes.get(topic.pk, ()) if row.cell.reference.key in keys),
            topic.text,
            topic.drafted_by,
        )
        for topic in topics
    ]
    rest = tuple(_quote(cell) for cell in free_findings(project) if cell.reference.key in keys)
    if rest:
        told.append(FindingTopic(OTHER_FINDINGS if topics else "Key findings", rest))
    return tuple(told)


def _quote(cell: MatrixCell) -> FindingQuote:
    return FindingQuote(cell.reference.key, cell.quote or cell.value, where_of(cell))


def guidelines_among(entries: Sequence[ExportEntry]) -> tuple[str, ...]:
    """Keys of the entries that a source calls a guideline."""
    return tuple(
        entry.key
        for entry in entries
        if any(kind.casefold() in _GUIDELINE_TYPES for kind in entry.record.publication_types)
    )


def citable_texts(project: Project) -> dict[str, str]:
    """Key -> what may be cited of a reference: titles and abstracts of all its records, and the quotes of its cells."""
    references = list(Reference.objects.filter(project=project).current().values_list("pk", "key", "candidate_id"))
    records = records_of(candidate for _, _, candidate in references)
    quotes: dict[int, list[str]] = {}
    for pk, quote in MatrixCell.objects.filter(
        reference__project=project, state=CellState.FILLED, checked_at__isnull=False
    ).values_list("reference", "quote"):
        quotes.setdefault(pk, []).append(quote)
    return {
        key: "\n".join(
            [
                *(text for row in records.get(candidate, ()) for text in _texts(row.data)),
                *quotes.get(pk, ()),
            ]
        )
        for pk, key, candidate in references
    }


def _texts(data: Mapping[str, object]) -> list[str]:
    sections = data.get("abstract") or ()
    told = (
        [str(part.get("text", "")) for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    )
    return [str(data.get("title", "")), *told]


def told_claims(project: Project) -> list[tuple[str, Claim]]:
    """Every sentence of the topics' and limitations' own texts with what it lacks: (topic, claim)."""
    texts = [(topic.title, topic.text) for topic in topics_of(project)]
    texts.append((LIMITATIONS, setup_of(project).limitations))
    if not any(text.strip() for _, text in texts):
        return []
    sources = citable_texts(project)
    told = []
    for title, text in texts:
        told += [(title, claim) for claim in claims(text, sources)]
    # A limitation is a person's word on the search itself: it needs no reference, but a wrong one is told.
    return [(title, _without_missing_reference(claim) if title == LIMITATIONS else claim) for title, claim in told]


def _without_missing_reference(claim: Claim) -> Claim:
    return Claim(claim.text, claim.keys, (), ()) if not claim.keys and claim.lacks == ("no reference",) else claim


def lacking_sentences(project: Project) -> list[ToldSentence]:
    """The sentences that lack something, with the decisions on them."""
    lacking = [(title, claim) for title, claim in told_claims(project) if claim.lacks]
    decided = {
        one.name: one
        for one in SentenceDecision.objects.filter(
            project=project, name__in=[claim.name for _, claim in lacking]
        ).select_related("decided_by")
    }
    return [ToldSentence(title, claim, decided.get(claim.name)) for title, claim in lacking]


def broken_quotes(project: Project, keys: Collection[str]) -> list[tuple[str, str]]:
    """(key, quote) of filled cells whose quote no stored record of their paper holds."""
    cells = MatrixCell.objects.filter(
        Q(source_record__isnull=False) | Q(full_text__isnull=False) | Q(passage__isnull=False),
        reference__project=project,
        reference__key__in=keys,
        reference__removed_at=None,
    ).select_related("reference", "source_record", "full_text", "passage__candidate")
    rows = list(cells.order_by("reference__key", "pk"))
    own = {
        candidate: {record.pk for record in records}
        for candidate, records in records_of(cell.reference.candidate_id for cell in rows).items()
    }
    return [
        (cell.reference.key, cell.quote)
        for cell in rows
        if not cell_quote_stands(cell)
        or (cell.source_record_id and cell.source_record_id not in own.get(cell.reference.candidate_id, set()))
    ]


def summary_numbers(project: Project) -> tuple[dict[str, int], tuple[ExportEntry, ...]]:
    """(key -> its number in the evidence summary of the whole list as it stands now, the entries)."""
    entries = export_content(project, Scope.ALL).entries
    told = EvidenceSummary(
        project=project.name,
        question="",
        generated_at=project.created_at,
        entries=entries,
        topics=finding_topics(project, {entry.key for entry in entries}),
        guidelines=guidelines_among(entries),
        limitations_text=setup_of(project).limitations,
    )
    return numbers_of(told), entries
