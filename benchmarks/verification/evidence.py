"""The reference world of the verification benchmark as evidence: what each source would answer, as records.

No HTTP and no Django: this measures the engine (litapp.core.verification) alone. What is simplified is said in
docs/measurements-matching.md.
"""

from __future__ import annotations

import html
import importlib.util
import random
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from litapp.core.formats.pubmedxml import iter_pubmed_records
from litapp.core.identifiers import BadIdentifier, arxiv_from_doi, normalise_arxiv, normalise_doi, normalise_pmid
from litapp.core.matching import JournalNames
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, needs_search, organisation_of
from litapp.providers.crossref import works as crossref
from litapp.providers.openalex import works as openalex
from litapp.providers.semanticscholar import papers as semanticscholar

WORLD_NAMES = {"semanticscholar": "s2", "doiorg": "doi"}
"""Our source keys -> the world's, where they differ."""
CSL_TYPES = {
    "article": "article-journal",
    "notice": "article-journal",
    "conference": "paper-conference",
    "preprint": "article",
}
SEARCHED = ("pubmed", "crossref", "openalex", "semanticscholar")


def load_module(folder: Path, name: str) -> ModuleType:
    """make_cases.py or world_http.py of the shared folder as a module."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_journals(folder: Path) -> JournalNames:
    """The CC0 abbreviation lists of JabRef, as far as the folder has them."""
    import csv

    rows: list[list[str]] = []
    for path in sorted(folder.glob("jabref_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += [row[:2] for row in csv.reader(file)]
    return JournalNames.from_names(rows)


def _identifiers(reference: dict[str, Any]) -> tuple[Identifier, ...]:
    found = []
    for name, scheme, normalise in (
        ("doi", Scheme.DOI, normalise_doi),
        ("pmid", Scheme.PMID, normalise_pmid),
        ("arxiv", Scheme.ARXIV, normalise_arxiv),
    ):
        text = reference.get(name)
        if text:
            try:
                found.append(Identifier(scheme, normalise(text)))
            except BadIdentifier as error:
                print(f"unreadable {name}: {error}", file=sys.stderr)
    return tuple(found)


def claimed_record(reference: dict[str, Any]) -> Record:
    """A case's reference as an importer would hand it on."""
    return Record(
        source="list",
        source_id="",
        title=reference["title"],
        authors=tuple(
            Person(family=a.get("family", ""), given=a.get("given", ""), literal=a.get("literal", ""))
            for a in reference["authors"]
        ),
        authors_complete=not reference["authors_truncated"],
        journal=reference["journal"],
        volume=reference["volume"],
        issue=reference["issue"],
        pages=reference["pages"],
        date=PartialDate(year=reference["year"]),
        csl_type=CSL_TYPES.get(reference["type"], reference["type"]),
        identifiers=_identifiers(reference),
    )


def served_record(served: dict[str, Any], source: str, wire: ModuleType) -> Record:
    """What `source` serves: the answer that `wire` (world_http.py) writes, read by our own parser of that source.

    DataCite and arXiv have no parser yet: their records are made from the world's values.
    """
    if source == "crossref":
        return crossref.record_of(wire.crossref(served))
    if source == "openalex":
        return openalex.record_of(wire.openalex(served))
    if source == "semanticscholar":
        return semanticscholar.record_of(wire.s2(served))
    if source == "pubmed":
        return next(iter_pubmed_records(wire.pubmed_xml([served])[2]))
    journal = html.unescape(served.get("journal") or "")
    wanted = {"datacite": Scheme.DOI, "arxiv": Scheme.ARXIV}[source]
    return Record(
        source=source,
        source_id=served["id"],
        title=served["title"] or "",
        authors=tuple(
            Person(family=a.get("family", ""), given=a.get("given", ""), literal=a.get("literal", ""))
            for a in served["authors"]
        ),
        journal=journal,
        date=PartialDate(year=served["year"]),
        years=(served["year"],),
        identifiers=tuple(i for i in _identifiers(served) if i.scheme is wanted),
        is_preprint=journal.lower() == "arxiv",
    )


class Sources:
    """Answers as the sources give them in the world's present state."""

    def __init__(self, world: Any, wire: ModuleType, *, failing: float = 0.0) -> None:
        self.world = world
        self.wire = wire
        self.failing = failing
        self.chance = random.Random(20261130)
        self.requests = 0

    def _found(self, source: str, how: Asked, question: str, outcome: Answered, **more: Any) -> Found:
        return Found(source, organisation_of(source), how, question, outcome, **more)

    def _fails(self) -> bool:
        self.requests += 1
        return self.failing > 0 and self.chance.random() < self.failing

    def look_up(self, source: str, scheme: str, value: str) -> Found:
        """One identifier at one source."""
        name = WORLD_NAMES.get(source, source)
        more: dict[str, Any] = {"scheme": scheme}
        try:
            if self._fails():
                raise ConnectionError(name)
            served = self.world.lookup(name, scheme, value)
        except ConnectionError:
            more["message"] = "did not answer"
            return self._found(source, Asked.IDENTIFIER, value, Answered.FAILED, **more)
        if served is None:
            return self._found(source, Asked.IDENTIFIER, value, Answered.ABSENT, **more)
        more["record"] = served_record(served, source, self.wire)
        return self._found(source, Asked.IDENTIFIER, value, Answered.FOUND, **more)

    def handle(self, doi: str) -> Found:
        """Is the DOI registered at all (doi.org)."""
        if self._fails() or not self.world.up("doi"):
            return self._found("doiorg", Asked.IDENTIFIER, doi, Answered.FAILED, scheme="doi", message="did not answer")
        outcome = Answered.FOUND if self.world.doi_exists(doi) else Answered.ABSENT
        return self._found("doiorg", Asked.IDENTIFIER, doi, outcome, scheme="doi")

    def search(self, source: str, title: str) -> Iterator[Found]:
        """Search one source for a title: the five closest records."""
        try:
            if self._fails():
                raise ConnectionError(source)
            hits = self.world.search(WORLD_NAMES.get(source, source), title)
        except ConnectionError:
            yield self._found(source, Asked.SEARCH, title, Answered.FAILED, message="did not answer")
            return
        for served in hits:
            yield self._found(
                source, Asked.SEARCH, title, Answered.FOUND, record=served_record(served, source, self.wire)
            )
        if not hits:
            yield self._found(source, Asked.SEARCH, title, Answered.ABSENT)

    def by_identifiers(self, claimed: Record) -> Iterator[Found]:
        """Every claimed identifier at its owner, and at the two indexes."""
        for identifier in claimed.identifiers:
            value = identifier.value
            if identifier.scheme is Scheme.PMID:
                yield self.look_up("pubmed", "pmid", value)
            elif identifier.scheme is Scheme.DOI:
                at_crossref = self.look_up("crossref", "doi", value)
                yield at_crossref
                if at_crossref.record is None:
                    yield self.look_up("datacite", "doi", value)
                    yield self.handle(value)
                if arxiv := arxiv_from_doi(value):
                    yield self.look_up("arxiv", "arxiv", arxiv)
            elif identifier.scheme is Scheme.ARXIV:
                yield self.look_up("arxiv", "arxiv", value)
                yield self.look_up("datacite", "doi", f"10.48550/arxiv.{value}")
        for source in ("openalex", "semanticscholar"):
            yield from self._at_index(source, claimed.identifiers)

    def _at_index(self, source: str, identifiers: Iterable[Identifier]) -> Iterator[Found]:
        asked = {i.scheme: i.value for i in identifiers}
        schemes = (Scheme.DOI, Scheme.PMID, Scheme.ARXIV)
        scheme = next((s for s in schemes if s in asked), None)
        if scheme is not None and not (source == "openalex" and scheme is Scheme.ARXIV):
            yield self.look_up(source, scheme.value, asked[scheme])

    def evidence(self, claimed: Record, journals: JournalNames) -> tuple[Found, ...]:
        """Identifiers first; the title is searched only when none of them names the work."""
        found = list(self.by_identifiers(claimed))
        if needs_search(claimed, found, journals=journals):
            title = re.sub(r"\s+", " ", claimed.title)
            for source in SEARCHED:
                found += self.search(source, title)
        return tuple(found)
