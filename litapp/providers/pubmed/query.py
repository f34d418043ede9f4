"""PubMed queries: a plan's query with its filters, identifiers and titles as search terms."""

from __future__ import annotations

import re
from collections.abc import Iterable

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.providers.base import CompiledQuery, QueryNote, SourceError

SORT = "relevance"
"""PubMed's "best match": with a cap, the first records are the closest ones, not merely the newest."""
NEWEST_FIRST = "pub_date"
"""By date of publication, where the plan asks for it."""
_LANGUAGE = re.compile(r"[a-z]{3}")


def compile_query(query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The query as PubMed takes it. Raises SourceError (PERMANENT) for one that is empty or whose brackets are open."""
    text = " ".join(query.boolean.split())
    notes: list[QueryNote] = []
    if not text:
        text = " ".join(query.plain.split())
        notes.append(
            QueryNote("There is no Boolean query: PubMed gets the plain words and widens them by its own rules.")
        )
    if not text:
        raise SourceError(
            "pubmed", Outcome.PERMANENT, "There is no query for PubMed.", hint="Write a query.", code="empty_query"
        )
    problem = _open_bracket(text)
    if problem:
        raise SourceError(
            "pubmed", Outcome.PERMANENT, problem, hint="Correct the query before it runs.", code="unbalanced_query"
        )
    limits: list[str] = []
    if filters.year_from is not None or filters.year_to is not None:
        limits.append(f"{filters.year_from or 1000}:{filters.year_to or 3000}[dp]")
    if filters.languages:
        limits.append(_any(_language(name) for name in filters.languages))
    if filters.publication_types:
        limits.append(_any(f'"{_quotable(name)}"[pt]' for name in filters.publication_types))
    if filters.preprints is Preprints.ONLY:
        limits.append("preprint[pt]")
        notes.append(QueryNote("PubMed holds only some preprints (those of work that the NIH paid for, since 2020)."))
    excluded = " NOT preprint[pt]" if filters.preprints is Preprints.EXCLUDED else ""
    term = " AND ".join([f"({text})", *limits]) + excluded if limits or excluded else text
    if filters.newest_first:
        notes.append(QueryNote("PubMed lists the records by date of publication, the newest first."))
    sort = NEWEST_FIRST if filters.newest_first else SORT
    return CompiledQuery("pubmed", term, (("term", term), ("sort", sort)), tuple(notes))


def _any(terms: Iterable[str]) -> str:
    parts = list(terms)
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _quotable(text: str) -> str:
    return " ".join(text.replace('"', " ").split())


def _language(name: str) -> str:
    return f"{name}[la]" if _LANGUAGE.fullmatch(name) else f'"{_quotable(name)}"[la]'


def _open_bracket(text: str) -> str:
    """What is wrong with the brackets and quotation marks of `text`, as a sentence; "" when nothing is."""
    depth, quoted = 0, False
    for sign in text:
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "()":
            depth += 1 if sign == "(" else -1
            if depth < 0:
                return "The query closes a bracket that was never opened."
    if quoted:
        return "The query opens a quotation mark and does not close it."
    if depth:
        return f"The query leaves {depth} bracket{'s' if depth > 1 else ''} open."
    return ""


def dois_term(dois: list[str]) -> str:
    """A term that finds records by DOI. PubMed strips signs, so the DOI of what comes back must be compared."""
    return " OR ".join(f'"{_quotable(doi)}"[doi]' for doi in dois)


def title_term(words: list[str], *, author: str = "") -> str:
    """A term for records with all these words in the title, and this author's family name if given."""
    parts = [f'"{word}"[ti]' if "-" in word else f"{word}[ti]" for word in words]
    family = family_name(author)
    if family:
        parts.append(f'"{family}"[au]')
    return " AND ".join(parts)


def family_name(author: str) -> str:
    """The family name within "Horby, Peter", "Horby P" or "Horby"; other forms are taken as they are."""
    return re.sub(r"\s+(?:[A-Z]\.?[\s-]?){1,4}\Z", "", _quotable(author.split(",")[0]))
