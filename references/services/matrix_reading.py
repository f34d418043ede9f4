"""Reads of the literature matrix: columns, rows with their cells, what the rules offer, and what each row rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from litapp.core.matrix import COLUMN_LABELS, Column, Place, Span, Suggestion, quote_stands, suggestions
from litapp.core.records import AbstractSection, Record
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Project
from references.models import CellState, CopyState, FullTextCopy, MatrixCell, OwnColumn, Reference
from searches.models import CandidateSource
from searches.models_passages import StoredPassage

OWN = "own-"
TITLE = "title"
"""Kind of a passage that is the paper's title: nothing to read beyond it."""


class Basis(StrEnum):
    """What there is to read of a reference. The matrix and the summary count them."""

    FULL_TEXT = "full text"
    PASSAGES = "abstract and passages"
    ABSTRACT = "abstract only"
    NONE = "no abstract"


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """One column: `key` in addresses ("design", "own-12"), what it is called, and the project's own column or None."""

    key: str
    label: str
    own: OwnColumn | None = None

    @property
    def standard(self) -> Column | None:
        """The column of every matrix, or None for one of the project's own."""
        return None if self.own else Column(self.key)

    @property
    def needs_quote(self) -> bool:
        """Whether a value must rest on words of a source: relevance and a project's own columns are a person's word."""
        return self.own is None and self.key != Column.RELEVANCE


@dataclass(frozen=True, slots=True)
class Offer:
    """A suggestion with the record, or the stored passage, that says it."""

    suggestion: Suggestion
    record: SourceRecord | None
    passage: StoredPassage | None = None

    @property
    def source(self) -> str:
        """Key of the source that returned it."""
        told = self.record or self.passage
        return told.source if told else ""


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell as a page shows it; `cell` is None where nobody has looked yet. `offers` are quotes to accept."""

    head: ColumnHead
    cell: MatrixCell | None
    offers: tuple[Offer, ...] = ()

    @property
    def state(self) -> str:
        return self.cell.state if self.cell else CellState.EMPTY

    @property
    def version(self) -> int:
        return self.cell.version if self.cell else 0


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One reference with its cells in the order of the columns."""

    reference: Reference
    basis: Basis
    cells: tuple[CellView, ...]


def columns_of(project: Project) -> list[ColumnHead]:
    """The columns of the project's matrix: those of every matrix, then its own."""
    own = OwnColumn.objects.filter(project=project, removed_at=None)
    heads = [ColumnHead(str(key), COLUMN_LABELS[key]) for key in Column]
    return heads + [ColumnHead(f"{OWN}{column.pk}", column.name, column) for column in own]


def column_named(project: Project, key: str) -> ColumnHead | None:
    """The column with this key, or None."""
    return next((head for head in columns_of(project) if head.key == key), None)


def rows_of(
    project: Project, references: Sequence[Reference], heads: Sequence[ColumnHead], *, with_offers: bool = True
) -> list[MatrixRow]:
    """The rows of these references. Six queries at most, whatever their number."""
    cells = cells_of(references)
    records = records_of([reference.candidate_id for reference in references]) if with_offers else {}
    passages = StoredPassage.objects.of(reference.candidate_id for reference in references) if with_offers else {}
    basis = basis_of(references)
    rows = []
    for reference in references:
        own = reference.candidate_id
        offered = offers_of(records.get(own, ()), passages.get(own, ())) if with_offers else {}
        views = tuple(
            CellView(head, cells.get((reference.pk, head.key)), tuple(offered.get(head.key, ()))) for head in heads
        )
        rows.append(MatrixRow(reference, basis[reference.pk], views))
    return rows


def cells_of(references: Iterable[Reference]) -> dict[tuple[int, str], MatrixCell]:
    """(reference, column key) -> cell, of all columns."""
    wanted = [reference.pk for reference in references]
    found = MatrixCell.objects.filter(reference__in=wanted).select_related(
        "person", "checked_by", "source_record", "full_text", "passage"
    )
    return {(cell.reference_id, key_of(cell)): cell for cell in found.select_related("person", "checked_by", "own")}


def key_of(cell: MatrixCell) -> str:
    """The key of the cell's column."""
    return f"{OWN}{cell.own_id}" if cell.own_id else cell.column


def records_of(candidate_ids: Iterable[int]) -> dict[int, list[SourceRecord]]:
    """The source records behind each candidate: PubMed's first, then in the order they came. One query."""
    links = CandidateSource.objects.filter(candidate__in=list(candidate_ids)).select_related("source_record")
    found: dict[int, list[SourceRecord]] = {}
    for link in links.order_by("candidate", "pk"):
        found.setdefault(link.candidate_id, []).append(link.source_record)
    for records in found.values():
        records.sort(key=lambda one: one.source != "pubmed")
    return found


def offers_of(records: Sequence[SourceRecord], passages: Sequence[StoredPassage] = ()) -> dict[str, list[Offer]]:
    """Column key -> what the rules offer, from every record of the paper, then from its passages; the same words are
    offered once."""
    offered: dict[str, list[Offer]] = {}
    seen: set[tuple[str, str, str]] = set()
    offers = [Offer(one, row) for row in records for one in suggestions(row.record)]
    offers += [Offer(one, None, passage) for passage in passages for one in _of_passage(passage)]
    for offer in offers:
        one = offer.suggestion
        told = (one.column, one.value, " ".join(one.quote.split()))
        if told not in seen:
            seen.add(told)
            offered.setdefault(one.column, []).append(offer)
    return offered


def _of_passage(passage: StoredPassage) -> list[Suggestion]:
    """What the rules read in a passage as they would in a section of an abstract. A title offers nothing."""
    if passage.kind == TITLE:
        return []
    read = Record(source=passage.source, source_id="", abstract=(AbstractSection(passage.text, passage.section),))
    told = [one for one in suggestions(read) if one.place is Place.ABSTRACT]
    return [replace(one, place=Place.PASSAGE, label=passage.section) for one in told]


def basis_of(references: Iterable[Reference]) -> Mapping[int, Basis]:
    """Reference -> what there is to read of it. Two queries. Passages without any abstract count as "no abstract": the
    words of the four kinds stay true."""
    wanted = list(references)
    kinds = StoredPassage.objects.kinds_of(one.candidate_id for one in wanted)
    full = set(
        FullTextCopy.objects.filter(reference__in=wanted, state=CopyState.ACCEPTED).values_list("reference", flat=True)
    )

    def basis(reference: Reference) -> Basis:
        if reference.pk in full:
            return Basis.FULL_TEXT
        told = kinds.get(reference.candidate_id, set()) - {TITLE}
        if told and (reference.candidate.has_abstract or "abstract" in told):
            return Basis.PASSAGES
        return Basis.ABSTRACT if reference.candidate.has_abstract else Basis.NONE

    return MappingProxyType({reference.pk: basis(reference) for reference in wanted})


def basis_counts(basis: Mapping[int, Basis]) -> list[tuple[Basis, int]]:
    """How many references rest on what, all four kinds, in their order."""
    counts = Counter(basis.values())
    return [(one, counts[one]) for one in Basis]


def cell_quote_stands(cell: MatrixCell) -> bool:
    """Whether the stored record still says the cell's quote at its place, or the copy it stands in is still the
    reference's full text, or the stored passage says it at its place. True where no source is named."""
    if cell.full_text is not None:
        return cell.full_text.state == CopyState.ACCEPTED and cell.full_text.reference_id == cell.reference_id
    if cell.passage is not None:
        owners = (cell.passage.candidate_id, cell.passage.candidate.merged_into_id)
        return cell.reference.candidate_id in owners and cell.passage.text[cell.start : cell.end] == cell.quote
    if cell.source_record is None:
        return True
    span = None
    if cell.section is not None and cell.start is not None and cell.end is not None:
        span = Span(cell.section, cell.start, cell.end)
    return quote_stands(cell.source_record.record, cell.quote, Place(cell.place), span)
