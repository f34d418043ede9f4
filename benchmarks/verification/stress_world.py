"""A world of real records (PubMed, Crossref, OpenAlex, Semantic Scholar) for the stress benchmark: works, searches.

Each work is one real record of one source. The other sources that would hold it serve a copy of it, with the
differences they are known for (no brackets round a translated title, names in one piece, fewer fields).
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from litapp.core.formats.pubmedxml import iter_pubmed_records
from litapp.core.identifiers import BadIdentifier, normalise_doi
from litapp.core.matching import JournalNames
from litapp.core.normalise import title_key
from litapp.core.records import Identifier, Person, Record, Scheme
from litapp.core.verification import Answered, Asked, Found, needs_search, organisation_of
from litapp.providers.crossref import works as crossref
from litapp.providers.openalex import works as openalex
from litapp.providers.semanticscholar import papers as semanticscholar

SEARCHED = ("pubmed", "crossref", "openalex", "semanticscholar")
HITS = 5
TOO_COMMON = 1200


@dataclass(frozen=True, slots=True)
class RealWork:
    """A paper: the record as its source has it, and the copies that the sources serve (by source key)."""

    record: Record
    served: dict[str, Record]


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def real_records(corpus: Path) -> Iterator[Record]:
    """All records of the corpus that have a title and authors or a group."""
    for path in sorted((corpus / "pubmed").glob("*.xml.gz")):
        yield from iter_pubmed_records(gzip.decompress(path.read_bytes()))
    for folder, file, reader in (
        ("crossref", "works.jsonl.gz", crossref.record_of),
        ("openalex", "works.jsonl.gz", openalex.record_of),
        ("s2", "papers.jsonl.gz", semanticscholar.record_of),
    ):
        for line in _lines(corpus / folder / file):
            yield reader(line)


def in_one_piece(person: Person) -> Person:
    """A name as OpenAlex and Semantic Scholar print it: given name first, in one piece."""
    if person.literal or not person.family:
        return person
    return Person(literal=f"{person.given} {person.family}".strip())


def _without_brackets(title: str) -> str:
    return re.sub(r"\A\[(.*)\]\.?\Z", r"\1", title.strip())


def _copies(record: Record, chance: random.Random) -> dict[str, Record]:
    served = {record.source: record}
    ids = {identifier.scheme: identifier for identifier in record.identifiers}
    printed = record.original_title or _without_brackets(record.title)
    plain = replace(record, title=printed, original_title="", languages=(), is_notice=record.is_notice)
    if Scheme.PMID in ids:
        served.setdefault("pubmed", replace(record, source="pubmed", source_id=ids[Scheme.PMID].value))
    if Scheme.DOI in ids:
        served.setdefault("crossref", replace(plain, source="crossref", source_id=ids[Scheme.DOI].value))
    names = tuple(map(in_one_piece, record.authors))
    if chance.random() < 0.9:
        served.setdefault("openalex", replace(plain, source="openalex", authors=names))
    if chance.random() < 0.8:
        served.setdefault(
            "semanticscholar", replace(plain, source="semanticscholar", authors=names, issue="", volume="")
        )
    return served


class RealWorld:
    """All works, by identifier and by the words of their titles."""

    def __init__(self, corpus: Path, *, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.works: list[RealWork] = []
        self.by_identifier: dict[Identifier, RealWork] = {}
        seen: set[str] = set()
        for record in real_records(corpus):
            key = f"{title_key(record.title)} {record.year}"
            if not record.title or not (record.authors or record.journal) or key in seen:
                continue
            seen.add(key)
            work = RealWork(record, _copies(record, chance))
            self.works.append(work)
            for identifier in record.identifiers:
                if identifier.scheme in (Scheme.DOI, Scheme.PMID):
                    self.by_identifier.setdefault(identifier, work)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, work in enumerate(self.works):
            for word in set(title_key(f"{work.record.title} {work.record.original_title}").split()):
                self._places[word].append(place)
        self.journals = sorted({work.record.journal for work in self.works if work.record.journal})

    def closest(self, text: str) -> list[RealWork]:
        """The works whose titles share most of their rare words with the text."""
        score: Counter[int] = Counter()
        for word in set(title_key(text).split()):
            places = self._places.get(word, ())
            if len(places) <= TOO_COMMON:
                for place in places:
                    score[place] += math.log(len(self.works) / (1 + len(places)))
        best = sorted(score, key=lambda p: (-score[p] / math.sqrt(8 + len(self.works[p].record.title.split())), p))
        return [self.works[place] for place in best[:HITS]]

    def look_up(self, identifier: Identifier) -> Iterator[Found]:
        """One identifier at its owner and at the two indexes; a DOI nobody has also at doi.org."""
        work = self.by_identifier.get(identifier)
        owner = "pubmed" if identifier.scheme is Scheme.PMID else "crossref"
        for source in (owner, "openalex", "semanticscholar"):
            record = work.served.get(source) if work else None
            yield _found(source, Asked.IDENTIFIER, identifier.value, record, scheme=identifier.scheme.value)
        if owner == "crossref" and work is None:
            yield _found("datacite", Asked.IDENTIFIER, identifier.value, None, scheme="doi")
            yield _found("doiorg", Asked.IDENTIFIER, identifier.value, None, scheme="doi")

    def search(self, text: str, sources: Iterable[str] = SEARCHED) -> Iterator[Found]:
        """A search at each source."""
        hits = self.closest(text)
        for source in sources:
            records = [work.served[source] for work in hits if source in work.served]
            for record in records or [None]:
                yield _found(source, Asked.SEARCH, text, record)

    def evidence(self, claimed: Record, journals: JournalNames) -> list[Found]:
        """What the sources say of a reference: its identifiers, and searches where none of them names the paper."""
        found = [f for i in claimed.identifiers if i.scheme in (Scheme.DOI, Scheme.PMID) for f in self.look_up(i)]
        if needs_search(claimed, found, journals=journals):
            found += self.search(claimed.title)
        return found


def _found(source: str, how: Asked, question: str, record: Record | None, **more: Any) -> Found:
    outcome = Answered.FOUND if record is not None else Answered.ABSENT
    return Found(source, organisation_of(source), how, question, outcome, record=record, **more)


def doi_of(text: str) -> Identifier | None:
    """A DOI as identifier; None where it is none."""
    try:
        return Identifier(Scheme.DOI, normalise_doi(text))
    except BadIdentifier:
        return None
