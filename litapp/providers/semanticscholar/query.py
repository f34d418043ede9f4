"""Semantic Scholar queries: plain words, and as many of a plan's filters as its search can apply."""

from __future__ import annotations

import re

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.providers.base import CompiledQuery, Loss, QueryNote, SourceError
from litapp.providers.semanticscholar.request import LONGEST_QUERY

_TYPES = {
    "journal article": "JournalArticle",
    "review": "Review",
    "systematic review": "",
    "meta-analysis": "MetaAnalysis",
    "clinical trial": "ClinicalTrial",
    "case reports": "CaseReport",
    "editorial": "Editorial",
    "letter": "LettersAndComments",
    "news": "News",
    "book": "Book",
    "dataset": "Dataset",
}
_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u2011](?=\w)")


def compile_query(query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The query as Semantic Scholar takes it. Raises SourceError (PERMANENT) without plain words or with too many."""
    words = " ".join(query.plain.split())
    if not words:
        raise SourceError(
            "semanticscholar",
            Outcome.PERMANENT,
            "Semantic Scholar needs a query in plain words; it does not understand Boolean queries.",
            hint="Write the question in plain words, or leave Semantic Scholar out.",
            code="empty_query",
        )
    if len(words) > LONGEST_QUERY:
        raise SourceError(
            "semanticscholar",
            Outcome.PERMANENT,
            f"The plain query has {len(words):,} characters; Semantic Scholar takes at most {LONGEST_QUERY:,}.",
            hint="Shorten the plain query to the words that matter.",
            code="query_too_long",
        )
    notes = [QueryNote("Semantic Scholar gives at most 1,000 records of a query, the most alike first.")]
    if _HYPHEN.search(words):
        words = _HYPHEN.sub(" ", words)
        notes.append(QueryNote("Semantic Scholar finds nothing for words with hyphens; they are sent as two words."))
    params = [("query", words)]
    first, last = filters.year_from, filters.year_to
    if first is not None or last is not None:
        span = f"{'' if first is None else first}-{'' if last is None else last}"
        params.append(("year", str(first) if first == last else span))
    if filters.languages:
        notes.append(QueryNote("Semantic Scholar cannot limit by language; records in all languages come.", Loss.LOST))
    types = _types(filters, notes)
    if types:
        params.append(("publicationTypes", ",".join(types)))
    if filters.preprints is not Preprints.INCLUDED:
        what = "leave out preprints" if filters.preprints is Preprints.EXCLUDED else "limit to preprints"
        notes.append(QueryNote(f"Semantic Scholar cannot {what}; both kinds come.", Loss.LOST))
    return CompiledQuery(
        "semanticscholar", "&".join(f"{name}={value}" for name, value in params), tuple(params), tuple(notes)
    )


def _types(filters: Filters, notes: list[QueryNote]) -> list[str]:
    wanted = [_TYPES.get(name.strip().lower(), "") for name in filters.publication_types]
    unknown = [name for name, known in zip(filters.publication_types, wanted, strict=True) if not known]
    if unknown:
        notes.append(
            QueryNote(
                f"Semantic Scholar does not know the publication type {', '.join(unknown)}; records of all types come.",
                Loss.LOST,
            )
        )
        return []
    return list(dict.fromkeys(wanted))
