"""The lines of a strategy that a seed paper must pass, and terms of the seeds that the strategy lacks. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from litapp.core.citations import TITLE_STOP_WORDS
from litapp.core.markup import plain_text
from litapp.core.normalise import title_key
from litapp.core.plan import Filters, Preprints
from litapp.core.querylang.ast import And, Node, Not, Or
from litapp.core.querylang.printer import print_pubmed
from litapp.core.querylang.words import query_terms
from litapp.core.records import Record
from searches.services.related import CHECK_TAGS


class Role(StrEnum):
    """What a line does. NEEDED: a paper must match it. EXCLUDED: it must not. LIMIT: a limit of the plan."""

    NEEDED = "needed"
    EXCLUDED = "excluded"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, `number` from 1. `text` is what PubMed is asked; of a limit, its words for the person, and `limit` is
    the limit alone."""

    number: int
    role: Role
    text: str
    limit: Filters = field(default_factory=Filters)
    terms: tuple[str, ...] = ()
    """The alternatives within the line (joined by OR), as PubMed is asked for them."""


def lines_of(tree: Node, filters: Filters) -> list[Line]:
    """The lines of a query. It finds a paper exactly where every needed line and limit does, and no excluded one."""
    found = [
        Line(number, role, print_pubmed(node), terms=_alternatives(node))
        for number, (role, node) in enumerate(_parts(tree), start=1)
    ]
    for name, limit in _limits(filters):
        found.append(Line(len(found) + 1, Role.LIMIT, name, limit=limit))
    return found


def _parts(node: Node) -> Iterable[tuple[Role, Node]]:
    if isinstance(node, Not):
        yield from _parts(node.keep)
        yield Role.EXCLUDED, node.drop
    elif isinstance(node, And):
        for child in node.children:
            yield from _parts(child)
    else:
        yield Role.NEEDED, node


def _alternatives(node: Node) -> tuple[str, ...]:
    return tuple(print_pubmed(child) for child in node.children) if isinstance(node, Or) else (print_pubmed(node),)


def _joined(parts: Sequence[tuple[Role, Node]]) -> str:
    """The query that these parts make; "" where nothing is needed any more."""
    needed = [node for role, node in parts if role is Role.NEEDED]
    if not needed:
        return ""
    tree: Node = And(tuple(needed)) if len(needed) > 1 else needed[0]
    for role, node in parts:
        if role is Role.EXCLUDED:
            tree = Not(tree, node)
    return print_pubmed(tree)


def query_without(tree: Node, numbers: Iterable[int]) -> str:
    """The query without several lines (numbers of `lines_of`); "" where nothing would be left."""
    gone = set(numbers)
    return _joined([part for number, part in enumerate(_parts(tree), start=1) if number not in gone])


def query_with_term(tree: Node, number: int, term: str) -> str:
    """The query in which line `number` also takes `term` (PubMed syntax)."""
    texts = [
        (role, f"({print_pubmed(node)} OR {term})" if at == number else f"({print_pubmed(node)})")
        for at, (role, node) in enumerate(_parts(tree), start=1)
    ]
    needed = " AND ".join(text for role, text in texts if role is Role.NEEDED)
    return "".join([needed, *(f" NOT {text}" for role, text in texts if role is Role.EXCLUDED)])


def _limits(filters: Filters) -> list[tuple[str, Filters]]:
    found: list[tuple[str, Filters]] = []
    if filters.year_from is not None or filters.year_to is not None:
        name = f"Years {filters.year_from or 'any'} to {filters.year_to or 'now'}"
        found.append((name, Filters(year_from=filters.year_from, year_to=filters.year_to)))
    if filters.languages:
        found.append((f"Languages: {', '.join(filters.languages)}", Filters(languages=filters.languages)))
    if filters.publication_types:
        kinds = ", ".join(filters.publication_types)
        found.append((f"Publication types: {kinds}", Filters(publication_types=filters.publication_types)))
    if filters.preprints is not Preprints.INCLUDED:
        word = "No preprints" if filters.preprints is Preprints.EXCLUDED else "Preprints only"
        found.append((word, Filters(preprints=filters.preprints)))
    return found


@dataclass(frozen=True, slots=True)
class ProposedTerm:
    """A term of the seeds that the strategy does not have: `query` as PubMed takes it, and in how many seeds it is."""

    text: str
    query: str
    where: str
    seeds: tuple[str, ...]


MOST_TERMS = 16


def proposed_terms(tree: Node, records: Sequence[Record]) -> list[ProposedTerm]:
    """MeSH headings, and words side by side of titles and abstracts, those in most seeds first."""
    there = {title_key(term.heading) for term in query_terms(tree)}
    headings: dict[str, list[str]] = {}
    major: Counter[str] = Counter()
    phrases: dict[str, list[str]] = {}
    in_titles: set[str] = set()
    for record in records:
        for heading in record.mesh:
            if heading.descriptor not in CHECK_TAGS and title_key(heading.descriptor) not in there:
                headings.setdefault(heading.descriptor, []).append(record.pmid)
                major[heading.descriptor] += heading.major
        titles = set(_phrases(plain_text(record.title)))
        in_titles |= titles
        for phrase in titles | set(_phrases(plain_text(record.abstract_text))):
            if title_key(phrase) not in there:
                phrases.setdefault(phrase, []).append(record.pmid)
    found = [
        (len(set(seeds)) + 0.5 * (major[name] > 0), ProposedTerm(name, f'"{name}"[Mesh]', "MeSH", _each(seeds)))
        for name, seeds in headings.items()
    ]
    found += [
        (
            len(set(seeds)) + 0.25 * (phrase in in_titles),
            ProposedTerm(phrase, f'"{phrase}"[tiab]', "title" if phrase in in_titles else "abstract", _each(seeds)),
        )
        for phrase, seeds in phrases.items()
        if phrase in in_titles or len(set(seeds)) > 1
    ]
    found.sort(key=lambda one: (-one[0], one[1].where, one[1].text))
    return [term for _, term in found[:MOST_TERMS]]


def _each(seeds: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(seeds))


_STOP = TITLE_STOP_WORDS | frozenset(
    {
        *("study", "studies", "patients", "patient", "results", "methods", "conclusion", "conclusions", "background"),
        *("objective", "using", "used", "compared", "associated", "between", "among", "during", "after", "before"),
        *("were", "was", "are", "is", "be", "been", "has", "have", "had", "this", "that", "these", "those", "their"),
        *("its", "our", "we", "which", "who", "can", "may", "not", "no", "all", "both", "than", "there", "it", "also"),
    }
)


def _phrases(text: str) -> list[str]:
    """Two words side by side that are both words of a subject, in lower case, within a sentence."""
    found = []
    for piece in re.split(r"[.,;:()\[\]?!/]", text.lower()):
        words = re.findall(r"[^\W\d_][\w'’-]+", piece)
        found += [
            f"{first} {second}"
            for first, second in pairwise(words)
            if first not in _STOP and second not in _STOP and len(first) > 2 and len(second) > 2
        ]
    return found
