"""Further questions that only some sources answer: what is asked, and the typed answers. See `providers.answering`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from litapp.core.records import Identifier, Record
from litapp.providers.base import Client, SourceError


@dataclass(frozen=True, slots=True)
class MeshHeadingFound:
    """A MeSH heading as NLM's vocabulary has it. `name` is the preferred term, `entry_terms` others that lead to it.

    `kind` is NLM's word ("descriptor", "qualifier", "supplementary-record" …). `tree_numbers` place it in the tree
    (several places are usual; supplementary records have none). `exact` = what was asked is its name or an entry term.
    """

    ui: str
    name: str
    kind: str = ""
    tree_numbers: tuple[str, ...] = ()
    entry_terms: tuple[str, ...] = ()
    scope: str = ""
    qualifiers: tuple[str, ...] = ()
    introduced: str = ""
    exact: bool = False


@runtime_checkable
class Headings(Protocol):
    """A source that knows a vocabulary of subject headings."""

    def find_headings(
        self, client: Client, words: str, *, limit: int = 10, max_age_seconds: float | None = None
    ) -> tuple[list[MeshHeadingFound], list[int]]:
        """Headings for these words, exact ones first, and the answers. [] = the vocabulary has none. Raises
        SourceError."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """What a source thinks was meant. `corrected` "" = it has no other spelling to offer."""

    asked: str
    corrected: str
    answer_id: int


@runtime_checkable
class SpellingCheck(Protocol):
    """A source that proposes other spellings."""

    def spelling(self, client: Client, words: str, *, max_age_seconds: float | None = None) -> Spelling:
        """The source's proposal. Raises SourceError."""


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where a citation says a paper stands. Journal or year must be there."""

    journal: str = ""
    year: str = ""
    volume: str = ""
    first_page: str = ""
    author: str = ""


class PlaceVerdict(StrEnum):
    """What the source made of a place. None of them confirms the citation."""

    CANDIDATE = "candidate"
    AMBIGUOUS = "ambiguous"
    NOTHING = "nothing"
    NOT_ANSWERED = "not_answered"


@dataclass(frozen=True, slots=True)
class PlaceMatch:
    """Papers that a source holds for the one at a place: candidates only, fetched and compared with what was asked.

    `differs` names, for each record, the parts of the place that the record itself contradicts ("year", "author" …);
    the sources ignore such differences when they match. `reason` is the source's own word for finding nothing.
    """

    verdict: PlaceVerdict
    records: tuple[Record, ...] = ()
    differs: tuple[tuple[str, ...], ...] = ()
    reason: str = ""
    answer_ids: tuple[int, ...] = ()


@runtime_checkable
class PlaceSearch(Protocol):
    """A source that finds papers by journal, year, volume and page."""

    def find_places(
        self, client: Client, places: Sequence[CitedPlace], *, max_age_seconds: float | None = None
    ) -> list[PlaceMatch]:
        """One match for each place, in order. Raises SourceError."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The other identifiers of one paper, and the answer that states them."""

    identifiers: tuple[Identifier, ...]
    answer_id: int


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """Every identifier asked is in exactly one of the three. `unknown` = the converter does not hold the paper (PubMed
    Central: it is not in PMC); that never means that the paper does not exist."""

    converted: dict[Identifier, Conversion] = field(default_factory=dict)
    unknown: dict[Identifier, int] = field(default_factory=dict)
    failures: dict[Identifier, SourceError] = field(default_factory=dict)


@runtime_checkable
class IdConversion(Protocol):
    """A source that translates between PMID, PMCID and DOI."""

    def convert(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> ConversionResult:
        """Translate. Never raises SourceError: failures are in the result."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a paper that speaks about what was asked, word for word as the source has it.

    `sentences` are its sentences where the source marks them; `kind` is title, abstract or body; `section` the heading
    it stands under ("" = none given). `identifiers` name the paper; `licence` and `disclaimer` are the source's.
    """

    text: str
    sentences: tuple[str, ...] = ()
    kind: str = ""
    section: str = ""
    paper_title: str = ""
    authors: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    score: float | None = None
    licence: str = ""
    disclaimer: str = ""
    answer_id: int = 0
    position: int = 0


@runtime_checkable
class Passages(Protocol):
    """A source that finds passages within papers."""

    def passages(
        self,
        client: Client,
        words: str,
        *,
        limit: int = 10,
        within: Sequence[Identifier] = (),
        max_age_seconds: float | None = None,
    ) -> tuple[list[Passage], list[int]]:
        """Passages, best first, in all papers or `within` some; and the answers. Raises SourceError."""
