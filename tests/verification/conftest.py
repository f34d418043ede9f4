"""Stand-in sources for the tests of verification: they answer from a dict, or fail as told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from django.utils import timezone

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Project
from litapp.providers.base import AgencyAnswer, LookupResult, SourceError
from litapp.verification.services import asking
from litapp.verification.services.requests import CHECK_SOURCES
from tests.projects.conftest import make_person


def paper(source: str = "pubmed", **changes: object) -> Record:
    """A record of one real trial as `source` states it."""
    values: dict[str, object] = {
        "source": source,
        "source_id": "32678530",
        "title": "Dexamethasone in Hospitalized Patients with Covid-19",
        "authors": (Person("Horby", "Peter"), Person("Lim", "Wei Shen"), Person("Emberson", "Jonathan R")),
        "authors_complete": False,
        "journal": "The New England journal of medicine",
        "journal_abbreviation": "N Engl J Med",
        "volume": "384",
        "issue": "8",
        "pages": "693-704",
        "date": PartialDate(2021, 2, 25),
        "years": (2020, 2021),
        "identifiers": (Identifier(Scheme.DOI, "10.1056/nejmoa2021436"), Identifier(Scheme.PMID, "32678530")),
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


@dataclass
class StandIn:
    """One source: `records` by identifier value, or `error` for every question; counts what it was asked."""

    key: str
    records: dict[str, Record] = field(default_factory=dict)
    error: SourceError | None = None
    usable: bool = True
    asked: list[list[Identifier]] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    agencies: dict[str, str] = field(default_factory=dict)
    answer_id: int = 0

    @property
    def source(self) -> str:
        return self.key

    def lookup(self, client: object, identifiers: list[Identifier], **options: object) -> LookupResult:
        self.asked.append(list(identifiers))
        if self.error:
            return LookupResult(failures=dict.fromkeys(identifiers, self.error))
        found = {i: (self.records[i.value], self.answer_id) for i in identifiers if i.value in self.records}
        return LookupResult(found=found, absent={i: self.answer_id for i in identifiers if i not in found})

    def match(self, client: object, title: str, **options: object) -> tuple[list[Record], list[int]]:
        self.searched.append(title)
        if self.error:
            raise self.error
        return list(dict.fromkeys(r for r in self.records.values() if r.title == title)), [self.answer_id]

    def match_citation(self, client: object, citation: str, **options: object) -> tuple[list[Record], list[int]]:
        self.searched.append(citation)
        if self.error:
            raise self.error
        return list(dict.fromkeys(r for r in self.records.values() if r.title.lower() in citation.lower())), [
            self.answer_id
        ]

    def registration_agencies(self, client: object, dois: list[str], **options: object) -> dict[str, AgencyAnswer]:
        """`agencies` says who registered a DOI; any other does not exist."""
        self.asked.append([Identifier(Scheme.DOI, doi) for doi in dois])
        if self.error:
            return dict.fromkeys(dois, AgencyAnswer(error=self.error))
        return {doi: AgencyAnswer(self.agencies.get(doi, ""), self.answer_id) for doi in dois}


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="Steroids", created_by=make_person())


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, StandIn]:
    """The sources as stand-ins; all of them know nothing until a test gives them records."""
    sources = {key: StandIn(key) for key in CHECK_SOURCES}
    for source in sources.values():
        source.answer_id = SourceAnswer.objects.create(
            source=source.key,
            method="GET",
            url=f"{source.key}/lookup",
            request_key="0" * 64,
            status=200,
            outcome=Outcome.OK,
            received_at=timezone.now(),
        ).pk

    def state(key: str) -> SourceState:
        return SourceState(sources[key].usable, "" if sources[key].usable else f"{key} is switched off here.", "")

    for name in ("lookup_provider", "match_provider", "agencies_provider"):
        monkeypatch.setattr(asking, name, lambda key: sources[key])
    monkeypatch.setattr(asking, "client_for", lambda key: None)
    monkeypatch.setattr(asking, "source_state", state)
    return sources


@pytest.fixture
def fails() -> Callable[..., SourceError]:
    """Makes the error of a source that could not be asked."""

    def make(key: str, outcome: Outcome = Outcome.RATE_LIMITED, retry_at: datetime | None = None) -> SourceError:
        return SourceError(key, outcome, f"{key} is busy.", hint="Try later.", retry_at=retry_at)

    return make
