"""Semantic Scholar queries: plain words or a translated Boolean query, and the filters that its search can apply."""

from __future__ import annotations

import re

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.querylang.compile_s2 import compile_s2
from litapp.providers.base import CompiledQuery, Loss, QueryNote, SourceError
from litapp.providers.semanticscholar.request import BULK_MARK, LONGEST_BOOLEAN, LONGEST_QUERY, NEWEST_FIRST
from litapp.providers.translation import translated

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
    """The query as Semantic Scholar takes it: plain words for its search by likeness, or without them the Boolean query
    for its bulk search, which gives all records and no ranking.

    Raises SourceError (PERMANENT) without either, or with a query that is too long; nothing is ever cut.
    """
    words = " ".join(query.plain.split())
    notes: list[QueryNote] = []
    if words:
        text = _plain(words, notes)
    elif query.boolean.strip():
        text = _boolean(query.boolean, notes)
    else:
        raise SourceError(
            "semanticscholar",
            Outcome.PERMANENT,
            "There is no query for Semantic Scholar.",
            hint="Write the question in plain words, or a Boolean query.",
            code="empty_query",
        )
    params = [("query", text)]
    if not words:
        params.append(NEWEST_FIRST if filters.newest_first else BULK_MARK)
    if filters.newest_first and words:
        notes.append(
            QueryNote("Semantic Scholar lists a query in plain words by likeness only; not by date.", Loss.LOST)
        )
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


def _plain(words: str, notes: list[QueryNote]) -> str:
    if len(words) > LONGEST_QUERY:
        raise SourceError(
            "semanticscholar",
            Outcome.PERMANENT,
            f"The plain query has {len(words):,} characters; Semantic Scholar takes at most {LONGEST_QUERY:,}.",
            hint="Shorten the plain query to the words that matter.",
            code="query_too_long",
        )
    notes.append(
        QueryNote(
            "Semantic Scholar gives at most 1,000 records of a query in plain words, the most alike first. Of a "
            "Boolean query it gives all."
        )
    )
    if _HYPHEN.search(words):
        words = _HYPHEN.sub(" ", words)
        notes.append(QueryNote("Semantic Scholar finds nothing for words with hyphens; they are sent as two words."))
    return words


def _boolean(boolean: str, notes: list[QueryNote]) -> str:
    text, changes = translated("semanticscholar", "Semantic Scholar", boolean, compile_s2)
    if len(text) > LONGEST_BOOLEAN:
        raise SourceError(
            "semanticscholar",
            Outcome.PERMANENT,
            f"The Boolean query has {len(text):,} characters in Semantic Scholar's form; an address takes at most "
            f"{LONGEST_BOOLEAN:,}.",
            hint="Write the question in plain words for Semantic Scholar; that query is then sent in its place.",
            code="query_too_long",
        )
    notes.append(
        QueryNote(
            "Semantic Scholar gets the Boolean query in its own signs (+ for AND, | for OR, - for NOT) and gives all "
            "records, not ranked by likeness. Its total is an estimate."
        )
    )
    notes += changes
    return text


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
