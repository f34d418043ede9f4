"""Records of several sources as papers, each once, with every way that led to it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from litapp.core.brought import BROUGHT
from litapp.core.dedupe import Relation, compare
from litapp.core.normalise import title_key
from litapp.core.records import Identifier, Record, Scheme
from searches.services.mode_asking import Heard

LIVE_SCHEMES = (Scheme.PMID, Scheme.DOI, Scheme.PMCID, Scheme.ARXIV)
"""Identifiers that lead a reader to the paper."""
AUTHORITY = ("pubmed", "crossref", "europepmc", "openalex", "arxiv", "semanticscholar")
"""Whose record of a paper is shown and checked, the first that there is."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a source came to name a paper: the question's name, and the place in its answer (from 1) out of `of`."""

    source: str
    name: str
    rank: int
    of: int


@dataclass(slots=True)
class Paper:
    """One paper: its records with the answers they were read from, and the ways that led to it."""

    records: list[tuple[Record, int]] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    passage: dict[str, object] = field(default_factory=dict)
    group: str = ""
    label: str = ""
    cut: str = ""

    @property
    def main(self) -> Record:
        """The record of the source with the most authority."""
        return min((record for record, _ in self.records), key=lambda one: _authority(one.source))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that returned it."""
        return tuple(dict.fromkeys(record.source for record, _ in self.records))

    @property
    def live(self) -> bool:
        """A source returned it under an identifier that leads to it."""
        return any(one.scheme in LIVE_SCHEMES for record, _ in self.records for one in record.identifiers)

    def way(self, name: str) -> Way | None:
        """The best of the ways of this name."""
        ways = [way for way in self.ways if way.name == name]
        return min(ways, key=lambda way: way.rank) if ways else None


def _authority(key: str) -> int:
    return AUTHORITY.index(key) if key in AUTHORITY else len(AUTHORITY)


def live_identifiers(record: Record) -> tuple[Identifier, ...]:
    """The record's identifiers that lead a reader to the paper."""
    return tuple(one for one in record.identifiers if one.scheme in LIVE_SCHEMES)


def papers_of(heard: Iterable[Heard]) -> list[Paper]:
    """The papers of all answers, in the order in which they first came; records without a title are left out.

    Two records are one paper where an identifier or the title leads to it and the rules of duplicates agree.
    """
    papers: list[Paper] = []
    known: dict[object, list[Paper]] = {}
    for one in heard:
        of = len(one.returned.records)
        for rank, (record, answer) in enumerate(one.returned.records, start=1):
            if not record.title or record.is_notice or record.source == BROUGHT:
                continue
            keys = [*live_identifiers(record), title_key(record.title)]
            paper = next((p for key in keys for p in known.get(key, ()) if _same(p, record)), None)
            if paper is None:
                paper = Paper()
                papers.append(paper)
            if all(record != other for other, _ in paper.records):
                paper.records.append((record, answer))
            paper.ways.append(Way(one.question.source, one.question.way, rank, of))
            for key in keys:
                near = known.setdefault(key, [])
                if all(paper is not other for other in near):
                    near.append(paper)
    return papers


def _same(paper: Paper, record: Record) -> bool:
    return any(is_one_paper(other, record) for other, _ in paper.records)


def is_one_paper(a: Record, b: Record) -> bool:
    """Whether two records are the same paper by the rules of duplicates."""
    if (a.source, a.source_id) == (b.source, b.source_id) and a.source_id:
        return True
    return compare(a, b).relation is Relation.SAME


def without(papers: Sequence[Paper], record: Record) -> list[Paper]:
    """The papers but the one that `record` is."""
    wanted = set(live_identifiers(record))
    return [
        paper
        for paper in papers
        if not any(wanted & set(live_identifiers(other)) or is_one_paper(other, record) for other, _ in paper.records)
    ]


def slim(record: Record) -> Record:
    """The record as a check needs it: without the abstract."""
    return replace(record, abstract=())
