"""A candidate as its record card shows it."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.identifiers import identifier_url
from litapp.core.records import AbstractSection, Identifier, MeshHeading, Person, Record, Scheme
from litapp.projects.people import name_of
from litapp.providers.registry import SOURCES
from litapp.verification.presentation import source_label
from searches.models import Candidate

IDENTIFIER_LABELS = {
    Scheme.DOI: "DOI",
    Scheme.PMID: "PMID",
    Scheme.PMCID: "PMCID",
    Scheme.ARXIV: "arXiv",
    Scheme.OPENALEX: "OpenAlex",
    Scheme.S2: "Semantic Scholar",
}
"""Identifiers of a paper that a card shows, in this order (ISSN and ISBN name the journal or book)."""
ONE_OF = frozenset({Scheme.OPENALEX, Scheme.S2})
"""Schemes under which a source gives one paper several numbers: the first is shown."""
COMMON_TYPES = ("Journal Article", "JournalArticle", "Research Support", "English Abstract")
"""Publication types (or beginnings of them) that tell nothing about the study."""
AUTHORS_SHOWN = 8
SHORT_NAMES = {"semanticscholar": "Sem.\N{NO-BREAK SPACE}Scholar"}
"""Names of sources where there is little room."""
_SOURCE_ORDER = {source.key: place for place, source in enumerate(SOURCES)}


@dataclass(frozen=True, slots=True)
class IdentifierLink:
    """One identifier with the address that it leads to."""

    label: str
    value: str
    url: str


@dataclass(frozen=True, slots=True)
class RecordCard:
    """What the card of one candidate prints; nothing that no source returned."""

    candidate: Candidate
    record: Record
    identifiers: tuple[IdentifierLink, ...]
    sources: tuple[str, ...]
    more_authors: tuple[Person, ...]

    @property
    def authors(self) -> tuple[Person, ...]:
        """The authors shown at once."""
        return self.record.authors[:AUTHORS_SHOWN] if self.more_authors else self.record.authors

    @property
    def where(self) -> str:
        """Year, volume, issue and pages as Vancouver writes them: "2021;384(8):693–704"."""
        record = self.record
        year = str(record.year) if record.year else record.date.text
        volume = record.volume + (f"({record.issue})" if record.issue else "")
        tail = volume + (f":{record.pages.replace('-', '–')}" if record.pages else "")
        return ";".join(part for part in (year, tail) if part)

    @property
    def publication_types(self) -> tuple[str, ...]:
        """The kinds of study, without those that most papers share."""
        return tuple(name for name in self.record.publication_types if not name.startswith(COMMON_TYPES))

    @property
    def decided_by(self) -> str:
        """Name of the person whose decision stands; empty where there is none."""
        return name_of(self.candidate.decided_by) if self.candidate.decision else ""

    @property
    def abstract(self) -> tuple[AbstractSection, ...]:
        return self.record.abstract

    @property
    def mesh(self) -> tuple[MeshHeading, ...]:
        return self.record.mesh


def record_card(candidate: Candidate) -> RecordCard:
    """The card of a candidate. Needs no query of its own (verification and decided_by should be joined)."""
    record = candidate.merged_record
    by_scheme: dict[Scheme, list[Identifier]] = {}
    for identifier in record.identifiers:
        by_scheme.setdefault(identifier.scheme, []).append(identifier)
    return RecordCard(
        candidate=candidate,
        record=record,
        identifiers=tuple(
            IdentifierLink(label, identifier.value, identifier_url(identifier))
            for scheme, label in IDENTIFIER_LABELS.items()
            for identifier in by_scheme.get(scheme, [])[: 1 if scheme in ONE_OF else None]
        ),
        sources=source_names(candidate.sources),
        more_authors=record.authors[AUTHORS_SHOWN:] if len(record.authors) > AUTHORS_SHOWN + 2 else (),
    )


def source_names(keys: list[str], *, short: bool = False) -> tuple[str, ...]:
    """The names of sources for reading, in the order of the registry; `short` for narrow columns."""
    ordered = sorted(keys, key=lambda key: (_SOURCE_ORDER.get(key, len(_SOURCE_ORDER)), key))
    return tuple((SHORT_NAMES.get(key, "") if short else "") or source_label(key) for key in ordered)
