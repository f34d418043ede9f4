"""Stand-in sources for the tests of the short ways to papers: they answer from lists, or fail as told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.utils import timezone

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Outcome
from litapp.core.records import AbstractSection, Identifier, PartialDate, Person, Record, Scheme
from litapp.jobs import tasks
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.clients import SourceState
from litapp.providers.base import CompiledQuery, CountResult, Hit, LinkedRecords, LookupResult, Page, SourceError
from litapp.providers.questions import Passage
from litapp.verification.services import asking
from litapp.verification.services.requests import CHECK_SOURCES
from searches.models import PaperSearch
from searches.services import mode_asking, pool_queries, quick_cite, seeds, seeds_asking
from searches.services.mode_work import PaperSearchWork
from tests.verification.conftest import StandIn as CheckSource

KEYS = ("pubmed", "crossref", "openalex", "semanticscholar", "europepmc")


def study(number: int, source: str = "pubmed", **changes: Any) -> Record:
    """Invented study `number` as `source` states it."""
    values: dict[str, Any] = {
        "source": source,
        "source_id": f"{source}-{number}",
        "title": f"Deep learning for chest X-ray reading, part {number}",
        "authors": (Person("Smith", "Anna"), Person("Okafor", "Ben")),
        "journal": "Journal of Readings",
        "volume": str(number),
        "pages": f"{number}0-{number}9",
        "date": PartialDate(2023),
        "years": (2023,),
        "identifiers": (
            Identifier(Scheme.DOI, f"10.1000/reading.{number}"), Identifier(Scheme.PMID, str(2_000_000 + number))
        ),
    }  # fmt: skip
    return Record(**{**values, **changes})


def abstract(*sentences: str) -> tuple[AbstractSection, ...]:
    return (AbstractSection(" ".join(sentences), "RESULTS"),)


@dataclass
class Source:
    """One source. `found` maps a piece of a query to the records it finds; "" finds them whatever was asked."""

    key: str
    answer_id: int
    found: dict[str, Sequence[Record]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    similar: Sequence[Record] = ()
    citing: Sequence[Record] = ()
    cited: Sequence[Record] = ()
    said: Sequence[Passage] = ()
    error: SourceError | None = None
    usable: bool = True
    reported: int | None = None
    """The source's own number of hits; None = as many as it gives."""
    asked: list[str] = field(default_factory=list)

    def _hear(self, what: str) -> None:
        self.asked.append(what)
        if self.error:
            raise self.error

    def _records(self, text: str) -> list[Record]:
        return [one for piece, records in self.found.items() if piece in text for one in records]

    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        text = query.boolean or query.plain
        limits = f" {filters.year_from}:{filters.year_to}" if filters.year_from or filters.year_to else ""
        return CompiledQuery(self.key, text + limits, (("q", text + limits),))

    def count(self, client: object, query: CompiledQuery) -> CountResult:
        self._hear(query.text)
        return CountResult(self.counts.get(query.text, len(self._records(query.text))), True, self.answer_id)

    def fetch_page(self, client: object, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        self._hear(query.text)
        records = self._records(query.text)[:limit]
        hits = tuple(Hit(one, rank, self.answer_id, rank - 1) for rank, one in enumerate(records, start=1))
        return Page(hits, None, total=self.reported or len(records))

    def match(self, client: object, title: str, **options: object) -> tuple[list[Record], list[int]]:
        self._hear(title)
        return self._records(title), [self.answer_id]

    def lookup(self, client: object, identifiers: list[Identifier], **options: object) -> LookupResult:
        self._hear(" ".join(one.value for one in identifiers))
        every = {one: record for records in self.found.values() for record in records for one in record.identifiers}
        found = {one: (every[one], self.answer_id) for one in identifiers if one in every}
        return LookupResult(found, {one: self.answer_id for one in identifiers if one not in found})

    def related(self, client: object, identifier: Identifier, limit: int) -> tuple[list[Record], list[int]]:
        self._hear(f"related {identifier.value}")
        return list(self.similar)[:limit], [self.answer_id]

    def citations(self, client: object, identifier: Identifier, limit: int) -> LinkedRecords:
        self._hear(f"citations {identifier.value}")
        return LinkedRecords(tuple(self.citing), (self.answer_id,), len(self.citing))

    def references(self, client: object, identifier: Identifier, limit: int) -> LinkedRecords:
        self._hear(f"references {identifier.value}")
        return LinkedRecords(tuple(self.cited), (self.answer_id,), len(self.cited))

    def passages(self, client: object, words: str, **options: object) -> tuple[list[Passage], list[int]]:
        self._hear(f"passages {words}")
        return list(self.said), [self.answer_id]


@pytest.fixture
def checks(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, CheckSource]:
    """The sources that checks ask, empty: a paper is verified once PubMed, Crossref and OpenAlex know it (`know`)."""
    sources = {key: CheckSource(key) for key in CHECK_SOURCES}
    for key, one in sources.items():
        one.answer_id = _answer(key, "check")
    for name in ("lookup_provider", "match_provider", "agencies_provider"):
        monkeypatch.setattr(asking, name, lambda key: sources[key])
    monkeypatch.setattr(asking, "client_for", lambda key: None)
    monkeypatch.setattr(asking, "source_state", lambda key: SourceState(True))
    return sources


def _answer(key: str, what: str) -> int:
    return SourceAnswer.objects.create(
        source=key, method="GET", url=f"{key}/{what}", request_key="0" * 64, status=200, outcome=Outcome.OK,
        received_at=timezone.now(),
    ).pk  # fmt: skip


@pytest.fixture
def library(checks: dict[str, CheckSource], monkeypatch: pytest.MonkeyPatch) -> dict[str, Source]:
    """The sources as stand-ins, empty."""
    monkeypatch.setattr(tasks, "ring", _no_bell())
    monkeypatch.setattr(mode_asking, "AT_ONCE", 1)
    sources = {key: Source(key, _answer(key, "search")) for key in KEYS}
    for name in ("search_provider", "match_provider", "lookup_provider", "related_provider", "links_provider",
                 "passages_provider"):  # fmt: skip
        monkeypatch.setattr(mode_asking, name, lambda key: sources[key])
    monkeypatch.setattr(mode_asking, "client_for", lambda key: None)
    for module in (pool_queries, quick_cite, seeds, seeds_asking):
        monkeypatch.setattr(module, "search_provider", lambda key: sources[key], raising=False)

    def state(key: str) -> SourceState:
        return SourceState(sources[key].usable, "" if sources[key].usable else f"{key} is switched off here.", "Wait.")

    monkeypatch.setattr(mode_asking, "source_state", state)
    return sources


def _no_bell() -> Callable[..., None]:
    def ring(kind: str, key: str) -> None:
        return None

    ring.schedule = lambda args, delay: None  # type: ignore[attr-defined]
    return ring


def know(checks: dict[str, CheckSource], *records: Record) -> None:
    """PubMed, Crossref and OpenAlex hold these records, each as its own."""
    from dataclasses import replace

    for key in ("pubmed", "crossref", "openalex"):
        for record in records:
            own = replace(record, source=key, source_id=f"{key}-{record.source_id.split('-')[-1]}")
            for one in record.identifiers:
                checks[key].records[one.value] = own
                if one.scheme is Scheme.DOI:
                    checks["doiorg"].agencies[one.value] = "Crossref"


def work(search: PaperSearch) -> PaperSearch:
    """The worker's turn."""
    PaperSearchWork().run(str(search.pk))
    search.refresh_from_db()
    return search
