"""What a source can do, as small protocols, and the values that pass between floors."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Budget, Outcome, Request
from litapp.core.records import Identifier, Record


class SourceError(Exception):
    """A request that gave no usable answer. Never "zero results".

    `outcome` says the kind; `message` is for a clinician (no raw error of a foreign host); `hint` is the next step;
    `retry_at` when the source may be asked again (None = unknown); `answer_id` the archived evidence;
    `code` a stable name of the case for programs ("" = none), e.g. "cursor_expired", "bad_key", "switched_off".
    """

    def __init__(
        self,
        source: str,
        outcome: Outcome,
        message: str,
        *,
        hint: str = "",
        retry_at: datetime | None = None,
        answer_id: int | None = None,
        code: str = "",
    ) -> None:
        super().__init__(f"{source}: {message}")
        self.source, self.outcome, self.message, self.hint = source, outcome, message, hint
        self.retry_at, self.answer_id, self.code = retry_at, answer_id, code

    @property
    def permanent(self) -> bool:
        """True when asking again cannot help."""
        return self.outcome is Outcome.PERMANENT


class Deferred(SourceError):
    """The source may be asked again only later than a worker should wait (`retry_at` is set)."""


@dataclass(frozen=True, slots=True)
class Classification:
    """What one answer means (`parse.classify` of each source).

    `retry_after` is seconds, or a time, before which the source wants no further request (None = it did not say).
    `whole_source` is False where only this kind of call is held back (OpenAlex budget) and the source itself is well.
    `repeats` limits how often the client repeats the request in place (None = as `providers.retry` says).
    """

    outcome: Outcome
    message: str = ""
    retry_after: float | datetime | None = None
    hint: str = ""
    code: str = ""
    whole_source: bool = True
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is added when a request is sent and is never stored: headers, and parameters (form fields for a POST)."""

    headers: tuple[tuple[str, str], ...] = ()
    params: tuple[tuple[str, str], ...] = ()


class Loss(StrEnum):
    """How a source's query differs from the plan's."""

    WIDER = "wider"
    NARROWER = "narrower"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class QueryNote:
    """One thing the person must know of the query sent: kind of loss (or "" for information) and a sentence."""

    text: str
    loss: Loss | None = None


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """The exact query for one source: `text` as shown and stored, `params` as sent."""

    source: str
    text: str
    params: tuple[tuple[str, str], ...] = ()
    notes: tuple[QueryNote, ...] = ()


@dataclass(frozen=True, slots=True)
class CountResult:
    """How many records a source reports. `exact` is False where the number is no count (Crossref query.*)."""

    total: int
    exact: bool
    answer_id: int | None
    translation: str = ""
    dropped_words: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A record at its rank (1-based within source and query), read from `answer_id`, entry number `position`."""

    record: Record
    rank: int
    answer_id: int
    position: int


@dataclass(frozen=True, slots=True)
class Page:
    """One step of a search. `cursor` is what `fetch_page` wants next; None = finished.

    `total` is what the source reports (None = it does not say). `empty_records` = null or non-object entries;
    `invalid_records` = entries without title; both are counted, shown and never used. `capped` = the source cannot give
    more than it gave here, although it reports more.
    """

    hits: tuple[Hit, ...]
    cursor: dict[str, object] | None
    total: int | None = None
    empty_records: int = 0
    invalid_records: int = 0
    capped: bool = False
    missing: tuple[str, ...] = ()
    """Identifiers the search named but the record call did not return (deleted PMIDs)."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LookupResult:
    """Answer to a batch look-up: what was found per asked identifier, and which the source does not know.

    `found` maps the asked identifier to the record read and the answer it came from; `absent` = the source answered and
    does not have it; identifiers in neither were not decided (see `failures`).
    """

    found: dict[Identifier, tuple[Record, int]] = field(default_factory=dict)
    absent: dict[Identifier, int] = field(default_factory=dict)
    failures: dict[Identifier, SourceError] = field(default_factory=dict)


class Client(Protocol):
    """The polite client (`providers.http.PoliteClient`): gate, breaker, archive, retries, classification."""

    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        """Send (or reuse) one request. Returns an answer whose outcome is OK, EMPTY or NOT_FOUND.

        Raises Deferred when the source must be left alone for longer than ten seconds, SourceError otherwise.
        """


@runtime_checkable
class Search(Protocol):
    """A source that can be searched."""

    source: str

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """The query as this source takes it, with every loss named. Pure."""

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        """Ask for the number of hits only."""

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        """Fetch the next page. `cursor` is {} at first; `limit` = how many more records are wanted in all."""


@runtime_checkable
class HoldsPubMed(Protocol):
    """A source with a copy of PubMed's records that can be searched for these alone. They are named as its own."""

    source: str

    def compile_in_place_of_pubmed(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        """The query over PubMed's records as this source takes it. Pure. Raises SourceError (PERMANENT)."""


@runtime_checkable
class Lookup(Protocol):
    """A source that can be asked for records by identifier, in its largest batches."""

    source: str
    lookup_schemes: tuple[str, ...]

    def lookup(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Look up identifiers of `lookup_schemes`; every one asked is in exactly one of found, absent, failures."""


NOT_LISTED = "not_listed"
"""Code of the failure of an identifier that a batch left out, where only a question of its own would make it absent."""


@runtime_checkable
class BatchedLookup(Protocol):
    """A source whose batches leave out what they do not have, and that can be asked in batches only."""

    source: str

    def lookup_listed(
        self, client: Client, identifiers: list[Identifier], *, max_age_seconds: float | None = None
    ) -> LookupResult:
        """Like `Lookup.lookup`, but what a batch leaves out is a failure with the code NOT_LISTED."""


@runtime_checkable
class WholeCitationMatch(Protocol):
    """A source that takes a citation as it was written. What comes back is a candidate, never a confirmation."""

    source: str

    def match_citation(
        self, client: Client, citation: str, *, max_age_seconds: float | None = None
    ) -> tuple[list[Record], list[int]]:
        """Up to five closest records and the ids of the answers they were read from. Raises SourceError."""


@runtime_checkable
class CitationMatch(Protocol):
    """A source that can be searched for one citation. What comes back is a candidate, never a confirmation."""

    source: str

    def match(
        self,
        client: Client,
        title: str,
        *,
        author: str = "",
        year: int | None = None,
        journal: str = "",
        max_age_seconds: float | None = None,
    ) -> tuple[list[Record], list[int]]:
        """Up to five closest records and the ids of the answers they were read from. Raises SourceError."""


@dataclass(frozen=True, slots=True)
class LinkedRecords:
    """Papers that cite one, or are cited by it, as a source lists them.

    `total` is what the source reports (None = it does not say); `unreadable` = entries without a title, counted and
    not used. `known` is False where the source does not have the paper that was asked about.
    """

    records: tuple[Record, ...]
    answer_ids: tuple[int, ...]
    total: int | None = None
    unreadable: int = 0
    known: bool = True


@runtime_checkable
class CitationLinks(Protocol):
    """A source that knows which papers cite one, and which it cites."""

    source: str

    def citations(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers that cite it, at most `limit`. Raises SourceError."""

    def references(self, client: Client, identifier: Identifier, limit: int) -> LinkedRecords:
        """Papers it cites, at most `limit`, in its own order. Raises SourceError."""


@dataclass(frozen=True, slots=True)
class AgencyAnswer:
    """Who registered a DOI. `agency` "" with `error` None = no such DOI anywhere; `error` set = it could not be asked.

    `answer_id` names the evidence.
    """

    agency: str = ""
    answer_id: int | None = None
    error: SourceError | None = None

    @property
    def registered(self) -> bool:
        """An agency is named: the DOI exists."""
        return bool(self.agency)

    @property
    def absent(self) -> bool:
        """The registry of all agencies answered, and no such DOI exists."""
        return not self.agency and self.error is None


@runtime_checkable
class RegistrationAgencies(Protocol):
    """A source that knows the registration agency of every DOI: it tells "not at Crossref" from "does not exist"."""

    source: str

    def registration_agencies(
        self, client: Client, dois: list[str], *, max_age_seconds: float | None = None
    ) -> dict[str, AgencyAnswer]:
        """An answer for every DOI asked, keyed as asked. Never raises SourceError: failures are in the answers."""


@dataclass(frozen=True, slots=True)
class OpenLocation:
    """One place where a paper can be read without payment.

    `version` is submittedVersion, acceptedVersion or publishedVersion; `host` publisher or repository; `licence` and
    `pdf_url` may be empty although the place is open.
    """

    url: str
    pdf_url: str = ""
    landing_url: str = ""
    version: str = ""
    host: str = ""
    licence: str = ""
    repository: str = ""
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """What is known of a DOI's open copies. `status`: gold, hybrid, bronze, green, closed or "" (not said)."""

    doi: str
    is_open: bool
    status: str = ""
    locations: tuple[OpenLocation, ...] = ()
    title: str = ""
    year: int | None = None
    kind: str = ""
    """The publication type as the source gives it ("journal-article"; "component" is a figure, not a paper)."""


@runtime_checkable
class OpenAccessLocations(Protocol):
    """A source that knows where a paper can be read without payment."""

    source: str

    def open_access(
        self, client: Client, doi: str, *, max_age_seconds: float | None = None
    ) -> tuple[OpenAccess | None, int]:
        """Open copies of a DOI (None = the source does not know the DOI), and the answer. Raises SourceError."""


@runtime_checkable
class Metered(Protocol):
    """A source whose calls cost units of a budget that starts anew after a while (OpenAlex: credits a day)."""

    unit: str
    """The name of its units, in the plural."""

    def search_cost(self, records: int) -> int:
        """Units that fetching so many records of one query costs. Pure."""

    def published_budget(self, status: int, headers: dict[str, str], body: bytes, now: datetime) -> Budget | None:
        """What an answer says of the units left; None where it says nothing that can be trusted. Pure."""


@runtime_checkable
class LimitsConcurrency(Protocol):
    """A source whose answers say how many requests may be open at once."""

    def published_concurrency(self, headers: dict[str, str]) -> int | None:
        """The number in an answer's headers; None where there is none. Pure."""


@runtime_checkable
class Related(Protocol):
    """A source that names papers related to one."""

    source: str

    def related(self, client: Client, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
        """Related records, best first, and the answers. Raises SourceError."""
