"""Stand-in sources for the tests of searches: pages from a list, through a real archive, failing as told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from litapp.core.plan import Filters, PlanQuery
from litapp.core.ports import Answer, Outcome, Request
from litapp.core.records import (
    AbstractSection,
    Identifier,
    PartialDate,
    Person,
    Record,
    Scheme,
    record_from_dict,
    record_to_dict,
)
from litapp.ledger.services.archive import DatabaseArchive
from litapp.ledger.services.clients import SourceState
from litapp.providers.base import Client, CompiledQuery, CountResult, Hit, Page, SourceError

FAMILIES = ("Horby", "Lim", "Emberson", "Mafham", "Bell", "Linsell", "Staplin", "Brightling", "Ustianowski", "Elmahi")
SUBJECTS = ("mice", "adults", "infants", "nurses", "athletes", "veterans", "farmers", "rats", "students", "twins")
TOPICS = ("dexamethasone", "vaccination", "ventilation", "azithromycin", "tocilizumab", "aspirin", "colchicine")
OUTCOMES = ("mortality", "bleeding", "fatigue", "hypertension", "fractures", "depression", "anaemia", "sepsis")
WORDS = ("amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "ivory", "jasper", "kestrel", "lotus")


def paper(number: int, source: str = "pubmed", **changes: Any) -> Record:
    """Paper number `number` as `source` states it: an invented one, with its own title, authors and identifiers."""
    topic, subject = TOPICS[number % 7], SUBJECTS[number % 10]
    marker = " ".join(WORDS[(number // 12**k) % 12] for k in range(3))
    identifiers = [Identifier(Scheme.DOI, f"10.1000/study.{number}")]
    if source in ("pubmed", "semanticscholar"):
        identifiers.append(Identifier(Scheme.PMID, str(1_000_000 + number)))
    values: dict[str, Any] = {
        "source": source,
        "source_id": str(1_000_000 + number) if source == "pubmed" else f"{source}-{number}",
        "title": f"Effect of {topic} on {OUTCOMES[number % 8]} in {subject}: the {marker} trial",
        "authors": (Person(FAMILIES[number % 10], "Anna B"), Person(FAMILIES[(number // 10) % 10], "Carl D")),
        "journal": "Journal of Trials",
        "volume": str(number),
        "pages": f"{number}-{number + 7}",
        "date": PartialDate(2000 + number % 25),
        "years": (2000 + number % 25,),
        "abstract": (AbstractSection(f"We studied {topic} in {subject}.", "METHODS"),) if source == "pubmed" else (),
        "identifiers": tuple(identifiers),
    }
    return Record(**{**values, **changes})


def papers(count: int, source: str = "pubmed", start: int = 1) -> list[Record]:
    return [paper(number, source) for number in range(start, start + count)]


@dataclass
class StandIn:
    """One source. `records` in rank order; `page_size` a page. `faults` are raised (or called) one per request, None =
    answer properly. `reported` overrides the total (None in `totals` hides it)."""

    source: str
    records: Sequence[Record] = ()
    page_size: int = 10
    faults: list[Any] = field(default_factory=list)
    reported: int | None = None
    tells_total: bool = True
    capped_at: int | None = None
    change_page: Callable[[Page], Page] = field(default=lambda page: page)
    state: SourceState = field(default_factory=lambda: SourceState(True))
    sent: list[str] = field(default_factory=list)
    reused: int = 0

    # the provider
    def compile(self, query: PlanQuery, filters: Filters) -> CompiledQuery:
        text = query.boolean if self.source == "pubmed" else query.plain
        return CompiledQuery(self.source, text, (("q", text),))

    def count(self, client: Client, query: CompiledQuery) -> CountResult:
        answer = client.send(Request(self.source, "GET", "/count", query.params, operation="count"))
        return CountResult(json.loads(answer.body)["total"], self.source != "crossref", answer.answer_id)

    def fetch_page(self, client: Client, query: CompiledQuery, cursor: dict[str, object], limit: int) -> Page:
        start = int(str(cursor.get("start", 0)))
        size = min(self.page_size, limit)
        params = (*query.params, ("start", str(start)), ("size", str(size)))
        answer = client.send(Request(self.source, "GET", "/search", params, operation="search"))
        body = json.loads(answer.body)
        hits = tuple(
            Hit(record_from_dict(data), start + place + 1, answer.answer_id or 0, place)
            for place, data in enumerate(body["records"])
        )
        end = start + len(hits)
        most = len(self.records) if self.capped_at is None else min(self.capped_at, len(self.records))
        following: dict[str, object] | None = {"start": end} if end < most and hits else None
        page = Page(
            hits,
            following,
            total=body["total"] if self.tells_total else None,
            capped=following is None and most < len(self.records),
        )
        return self.change_page(page)

    # the client
    def send(self, request: Request, *, max_age_seconds: float | None = None) -> Answer:
        archive = DatabaseArchive({self.source: f"https://{self.source}.example"})
        kept = archive.find(request, max_age_seconds)
        if kept is not None:
            self.reused += 1
            return kept
        params = dict(request.params)
        self.sent.append(f"{request.path}?{params.get('start', '')}")
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, BaseException):
            raise fault
        if callable(fault):
            fault()
        total = len(self.records) if self.reported is None else self.reported
        start, size = int(params.get("start", 0)), int(params.get("size", 0))
        shown = [record_to_dict(record) for record in self.records[start : start + size][: self.capped_at]]
        body = json.dumps({"total": total, "records": shown}).encode()
        return archive.store(
            request, status=200, headers={}, body=body, outcome=Outcome.OK, elapsed_seconds=0, attempt=1, error=""
        )


def trouble(source: str = "pubmed", outcome: Outcome = Outcome.TRANSIENT, **more: Any) -> SourceError:
    return SourceError(source, outcome, f"{source} has a problem.", hint="Try later.", **more)


def without_total(page: Page) -> Page:
    return replace(page, total=None)
