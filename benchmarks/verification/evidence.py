"""The reference world of the verification benchmark as evidence: what each source would answer, as records.

No HTTP and no Django: this measures the engine (litapp.core.verification) alone. What is simplified is said in
docs/measurements-matching.md.
"""

from __future__ import annotations

import html
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from litapp.core.identifiers import BadIdentifier, arxiv_from_doi, normalise_arxiv, normalise_doi, normalise_pmid
from litapp.core.matching import JournalNames
from litapp.core.records import Identifier, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, needs_search, organisation_of

WORLD_NAMES = {"semanticscholar": "s2", "doi.org": "doi"}
"""Our source keys -> the world's, where they differ."""
CSL_TYPES = {
    "article": "article-journal",
    "notice": "article-journal",
    "conference": "paper-conference",
    "preprint": "article",
}
SEARCHED = ("pubmed", "crossref", "openalex", "semanticscholar")


def load_benchmark(folder: Path) -> ModuleType:
    """make_cases.py of the shared folder as a module."""
    spec = importlib.util.spec_from_file_location("make_cases", folder / "make_cases.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "make_cases.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_cases"] = module
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


def _person(author: dict[str, str], *, in_one_piece: bool) -> Person:
    if "family" not in author:
        return Person(literal=author["literal"])
    if in_one_piece:
        return Person(literal=f"{author.get('given', '')} {author['family']}".strip())
    return Person(family=author["family"], given=author.get("given", ""))


def _notices(served: dict[str, Any], source: str) -> tuple[Notice, ...]:
    kind = {
        "retracted": NoticeKind.RETRACTION,
        "partial_retraction": NoticeKind.PARTIAL_RETRACTION,
        "concern": NoticeKind.CONCERN,
    }.get(served.get("status") or "")
    stated_by = set(served.get("status_sources") or ())
    if kind is None:
        return ()
    if source == "crossref" and stated_by & {"crossref", "retractionwatch"}:
        return (Notice(kind, doi="10.9999/notice." + served["id"]),)
    if source == "pubmed" and ("pubmed" in stated_by or kind is NoticeKind.CONCERN):
        return (Notice(kind),)
    if source == "openalex" and "openalex" in stated_by and kind is NoticeKind.RETRACTION:
        return (Notice(kind),)
    return ()


def served_record(served: dict[str, Any], source: str) -> Record:
    """What `source` serves, with what it really lacks left out (OpenAlex and Semantic Scholar: names in one piece, one
    year, no abbreviation)."""
    index = source in ("openalex", "semanticscholar")
    both = {"crossref", "pubmed"}
    years = {served.get("year_online") or served["year"]} if source == "openalex" else {served["year"]}
    if source in both and served.get("year_online"):
        years.add(served["year_online"])
    journal = html.unescape(served.get("journal") or "")
    keeps = {"pubmed": {"doi", "pmid"}, "crossref": {"doi"}, "datacite": {"doi"}, "arxiv": {"arxiv"}}
    wanted = keeps.get(source, {"doi", "pmid", "arxiv"})
    return Record(
        source=source,
        source_id=served["id"],
        title=served["title"] or "",
        authors=tuple(_person(a, in_one_piece=index or source == "arxiv") for a in served["authors"]),
        journal=journal,
        journal_abbreviation=(served.get("journal_abbr") or "") if source in both else "",
        journal_alternatives=tuple(served.get("journal_alternates") or ()),
        volume=served.get("volume") or "",
        issue=(served.get("issue") or "") if source != "semanticscholar" else "",
        pages=served.get("pages") or "",
        date=PartialDate(year=served["year"]),
        years=tuple(sorted(year for year in years if year)),
        identifiers=tuple(i for i in _identifiers(served) if i.scheme.value in wanted),
        notices=_notices(served, source),
        is_notice=served.get("status") == "notice",
        is_preprint=served.get("type") == "preprint" or journal.lower() == "arxiv",
    )


class Sources:
    """Answers as the sources give them in the world's present state."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.requests = 0

    def _found(self, source: str, how: Asked, question: str, outcome: Answered, **more: Any) -> Found:
        return Found(source, organisation_of(source), how, question, outcome, **more)

    def look_up(self, source: str, scheme: str, value: str) -> Found:
        """One identifier at one source."""
        self.requests += 1
        name = WORLD_NAMES.get(source, source)
        more: dict[str, Any] = {"scheme": scheme}
        try:
            served = self.world.lookup(name, scheme, value)
        except ConnectionError:
            more["message"] = "did not answer"
            return self._found(source, Asked.IDENTIFIER, value, Answered.FAILED, **more)
        if served is None:
            return self._found(source, Asked.IDENTIFIER, value, Answered.ABSENT, **more)
        more["record"] = served_record(served, source)
        return self._found(source, Asked.IDENTIFIER, value, Answered.FOUND, **more)

    def handle(self, doi: str) -> Found:
        """Is the DOI registered at all (doi.org)."""
        self.requests += 1
        if not self.world.up("doi"):
            return self._found(
                "doi.org", Asked.IDENTIFIER, doi, Answered.FAILED, scheme="doi", message="did not answer"
            )
        outcome = Answered.FOUND if self.world.doi_exists(doi) else Answered.ABSENT
        return self._found("doi.org", Asked.IDENTIFIER, doi, outcome, scheme="doi")

    def search(self, source: str, title: str) -> Iterator[Found]:
        """Search one source for a title: the five closest records."""
        self.requests += 1
        try:
            hits = self.world.search(WORLD_NAMES.get(source, source), title)
        except ConnectionError:
            yield self._found(source, Asked.SEARCH, title, Answered.FAILED, message="did not answer")
            return
        for served in hits:
            yield self._found(source, Asked.SEARCH, title, Answered.FOUND, record=served_record(served, source))
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
