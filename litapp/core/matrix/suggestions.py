"""What the rules of the literature matrix offer: a value with the verbatim words of a source that it rests on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.matrix.spans import Span, text_at
from litapp.core.records import Record

RULES_VERSION = 1
"""Rises whenever a rule offers something else for the same record."""


class Column(StrEnum):
    """The columns that every matrix has. Columns of a project's own have numbers."""

    DESIGN = "design"
    POPULATION = "population"
    SIZE = "size"
    METHODS = "methods"
    FINDING = "finding"
    LIMITATION = "limitation"
    RELEVANCE = "relevance"


COLUMN_LABELS = {
    Column.DESIGN: "Design",
    Column.POPULATION: "Population",
    Column.SIZE: "N",
    Column.METHODS: "Methods",
    Column.FINDING: "Key finding",
    Column.LIMITATION: "Limitation",
    Column.RELEVANCE: "Relevance",
}


class Place(StrEnum):
    """Where a quote stands. FULL_TEXT: in a copy that is kept here. PASSAGE: in a stored passage of the paper. PAGE: in
    a document that a person read; its text is not in the ledger."""

    NONE = ""
    ABSTRACT = "abstract"
    PUBLICATION_TYPES = "publication_types"
    MESH = "mesh"
    FULL_TEXT = "full_text"
    PASSAGE = "passage"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A value for a cell that a person may accept.

    `quote` is what the source says, word for word: at `span` of the abstract, or entries of the record's publication
    types or MeSH headings, parted by "; ". `rule` is the rule's name.
    """

    column: Column
    value: str
    quote: str
    place: Place
    rule: str
    span: Span | None = None
    label: str = ""

    @property
    def name(self) -> str:
        """A short name: the same offer on the same record has the same."""
        text = f"{self.column}|{self.rule}|{RULES_VERSION}|{self.place}|{self.span}|{self.value}|{self.quote}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def stands_in(self, record: Record) -> bool:
        """Whether the record says the quote at its place, word for word."""
        return quote_stands(record, self.quote, self.place, self.span)


def quote_stands(record: Record, quote: str, place: Place, span: Span | None) -> bool:
    """Whether `record` says `quote` at this place, word for word. A page of a document is not in any record."""
    if place is Place.ABSTRACT:
        return span is not None and text_at(record, span) == quote
    if place is Place.PUBLICATION_TYPES:
        return set(quote.split("; ")) <= set(record.publication_types)
    if place is Place.MESH:
        return set(quote.split("; ")) <= {heading.descriptor for heading in record.mesh}
    return False
