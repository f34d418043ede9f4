"""Related papers: similar articles, recommendations, references and citations of a paper, merged and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from litapp.core.identifiers import parse_identifier
from litapp.core.records import Identifier, Record, Scheme
from litapp.projects.models import Project
from litapp.providers.registry import source
from searches.models import FoundPaper, Mode, PaperSearch
from searches.services.mode_asking import (
    Heard,
    Question,
    ask_all,
    links_question,
    lookup_question,
    related_question,
)
from searches.services.mode_papers import Paper, live_identifiers, papers_of, without
from searches.services.mode_searches import SearchProblem, search_begin
from searches.services.mode_standing import standing_candidates
from searches.services.mode_work import Found, Progress

SIMILAR, RECOMMENDED, REFERENCES, CITATIONS = "similar", "recommended", "references", "citations"
LISTED = 30
"""Papers that a source is asked to call related."""
LINKED = 100
"""References, or citations, that are read of one source."""
MOST_KEPT = 150
"""Papers of one search that are kept; what is left out is told."""
WEIGHTS = {SIMILAR: 1.0, RECOMMENDED: 1.0, REFERENCES: 0.8, CITATIONS: 0.8}
CHECK_TAGS = frozenset(
    {
        *("Humans", "Animals", "Male", "Female", "Adult", "Aged", "Middle Aged", "Young Adult", "Adolescent", "Child"),
        *("Child, Preschool", "Infant", "Infant, Newborn", "Aged, 80 and over", "Pregnancy", "Mice", "Rats"),
        *("Retrospective Studies", "Prospective Studies", "Treatment Outcome", "Follow-Up Studies", "Time Factors"),
    }
)
"""MeSH headings that most papers share: no reason to call two papers related."""


def related_begin(*, project: Project, actor: Any, request_id: UUID, text: str) -> PaperSearch:
    """Begin to look for papers related to one. Raises SearchProblem for a text that is no PMID, DOI or PMCID."""
    identifier = parse_identifier(text.strip())
    if identifier is None or identifier.scheme not in (Scheme.PMID, Scheme.DOI, Scheme.PMCID):
        raise SearchProblem(
            "This is no PMID, DOI or PMCID. Give one paper, for example 32678530 or 10.1056/NEJMoa2021436."
        )
    label = f"{identifier.scheme.value.upper()} {identifier.value}"
    return search_begin(
        project=project, actor=actor, request_id=request_id, mode=Mode.RELATED, title=f"Related to {label}",
        question={"scheme": identifier.scheme.value, "value": identifier.value},
    )  # fmt: skip


def asked_identifier(search: PaperSearch) -> Identifier:
    """The paper the search begins with."""
    return Identifier(Scheme(search.question["scheme"]), str(search.question["value"]))


def related_find(search: PaperSearch, progress: Progress) -> Found:
    """The paper itself, then what is related to it; links are asked of Semantic Scholar where Europe PMC has none."""
    identifier = asked_identifier(search)
    heard = ask_all(_about(identifier))
    progress(len(heard), len(heard) + 4)
    known = [record for one in heard for record, _ in one.returned.records]
    start = known[0] if known else None
    named = _named(identifier, start)
    related = ask_all(_first(named), lambda done: progress(len(heard) + done, len(heard) + 4))
    missing = [one.question.way for one in related if one.question.source == "europepmc" and not one.returned.records]
    related += ask_all([_links("semanticscholar", way, named) for way in missing])
    every = papers_of(related)
    others = without(every, start) if start is not None else every
    papers = ranked([paper for paper in others if paper.live], start)
    result = {
        "start": _told(start, heard) if start is not None else {},
        "without_identifier": len(others) - len(papers),
        "left_out": max(0, len(papers) - MOST_KEPT),
    }
    return Found([*heard, *related], papers[:MOST_KEPT], result)


def _about(identifier: Identifier) -> list[Question]:
    label = f"{identifier.scheme.value.upper()} {identifier.value}"
    keys = ("pubmed", "crossref") if identifier.scheme is Scheme.DOI else ("pubmed",)
    if identifier.scheme is Scheme.PMCID:
        keys = ("europepmc",)
    return [lookup_question(key, "itself", f"the paper itself ({label})", [identifier]) for key in keys]


def _named(identifier: Identifier, start: Record | None) -> dict[str, Identifier]:
    """Which identifier each source is asked with: its own kind, where the paper has one."""
    ours = {one.scheme: one for one in (start.identifiers if start else ())} | {identifier.scheme: identifier}
    pmid, doi = ours.get(Scheme.PMID), ours.get(Scheme.DOI)
    return {
        "pubmed": pmid or doi or identifier,
        "europepmc": pmid or doi or identifier,
        "semanticscholar": doi or pmid or identifier,
    }


def _first(named: dict[str, Identifier]) -> list[Question]:
    return [
        related_question("pubmed", SIMILAR, "similar articles", named["pubmed"], LISTED),
        related_question("semanticscholar", RECOMMENDED, "recommended papers", named["semanticscholar"], LISTED),
        _links("europepmc", REFERENCES, named),
        _links("europepmc", CITATIONS, named),
    ]


def _links(key: str, way: str, named: dict[str, Identifier]) -> Question:
    what = "papers it cites" if way == REFERENCES else "papers that cite it"
    return links_question(key, way, what, named[key], LINKED)


def _told(start: Record, heard: Sequence[Heard]) -> dict[str, Any]:
    """The first paper for the page: title, and the archived answer it was read from."""
    answer = next(answer for one in heard for record, answer in one.returned.records if record == start)
    return {
        "title": start.title,
        "year": start.year,
        "journal": start.journal,
        "pmid": start.pmid,
        "doi": start.doi,
        "source": start.source,
        "answer": answer,
    }


def ranked(papers: Sequence[Paper], start: Record | None) -> list[Paper]:
    """The papers, those that most ways lead to first (reciprocal ranks), each with sentences that say why."""
    ours = {heading.descriptor for heading in start.mesh} - CHECK_TAGS if start else set()
    scored = []
    for place, paper in enumerate(papers):
        score, why = 0.0, []
        for name, weight in WEIGHTS.items():
            ways = [way for way in paper.ways if way.name == name]
            if ways:
                score += weight / (10 + min(way.rank for way in ways))
                why.append(_sentence(name, [source(way.source).label for way in ways], ways[0].rank, ways[0].of))
        theirs = {heading.descriptor for record, _ in paper.records for heading in record.mesh}
        shared = sorted(ours & theirs)
        if shared:
            score += 0.01 * min(len(shared), 5)
            more = f" and {len(shared) - 4} more" if len(shared) > 4 else ""
            why.append(f"Shares MeSH headings: {', '.join(shared[:4])}{more}.")
        paper.why = why
        scored.append((-score, place, paper))
    return [paper for *_, paper in sorted(scored, key=lambda one: one[:2])]


def _sentence(name: str, labels: Sequence[str], rank: int, of: int) -> str:
    who = " and ".join(dict.fromkeys(labels))
    if name == SIMILAR:
        return f"{who} calls it similar (place {rank} of {of})."
    if name == RECOMMENDED:
        return f"{who} recommends it (place {rank} of {of})."
    return f"It is cited by the paper ({who})." if name == REFERENCES else f"It cites the paper ({who})."


@dataclass(frozen=True, slots=True)
class RelatedRow:
    """A related paper on the page: its record, and the candidate of the project it is by now (None = none)."""

    paper: FoundPaper
    record: Record
    candidate_id: int | None


def rows_of(search: PaperSearch, papers: Sequence[FoundPaper]) -> list[RelatedRow]:
    """The papers with what they are in the project now, not what they were when they were found."""
    listed = [list(paper.records.all()) for paper in papers]
    at = standing_candidates(search.project, listed)
    return [RelatedRow(paper, paper.record, now) for paper, now in zip(papers, at, strict=True)]


def identifier_of(record: Record) -> str:
    """The identifier by which related papers of a record are asked for; "" = it has none."""
    found = [one for one in live_identifiers(record) if one.scheme is not Scheme.ARXIV]
    return found[0].value if found else ""
