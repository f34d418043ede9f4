"""Stand-in sources for the tests of verification: they answer from a dict, or fail as told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from litapp.core.ports import Outcome
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.ledger.models import SourceAnswer
from litapp.ledger.services.clients import SourceState
from litapp.projects.models import Project
from litapp.providers.base import LookupResult, SourceError
from litapp.verification.services import evidence
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
    answer_id: int = 0

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
        return [r for r in self.records.values() if r.title == title], [self.answer_id]


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="Steroids", created_by=make_person())


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, StandIn]:
    """The four sources as stand-ins; all of them know nothing until a test gives them records."""
    sources = {key: StandIn(key) for key in ("pubmed", "crossref", "openalex", "semanticscholar")}
    for source in sources.values():
        source.answer_id = SourceAnswer.objects.create(
            source=source.key,
            method="GET",
            url=f"{source.key}/lookup",
            request_key="0" * 64,
            status=200,
            outcome=Outcome.OK,
            received_at=datetime(2026, 11, 30, tzinfo=UTC),
        ).pk

    def state(key: str) -> SourceState:
        return SourceState(sources[key].usable, "" if sources[key].usable else f"{key} is switched off here.", "")

    monkeypatch.setattr(evidence, "lookup_provider", lambda key: sources[key])
    monkeypatch.setattr(evidence, "match_provider", lambda key: sources[key])
    monkeypatch.setattr(evidence, "client_for", lambda key: None)
    monkeypatch.setattr(evidence, "source_state", state)
    return sources


@pytest.fixture
def fails() -> Callable[..., SourceError]:
    """Makes the error of a source that could not be asked."""

    def make(key: str, outcome: Outcome = Outcome.RATE_LIMITED, retry_at: datetime | None = None) -> SourceError:
        return SourceError(key, outcome, f"{key} is busy.", hint="Try later.", retry_at=retry_at)

    return make
