"""arXiv queries: a plan's PubMed query translated, the filters arXiv can apply, and titles as search terms."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.querylang.compile_arxiv import compile_arxiv
from litapp.providers.base import CompiledQuery, Loss, QueryNote, SourceError
from litapp.providers.translation import translated

LABEL = "arXiv"
LONGEST_QUERY = 7_000
"""Bytes of a query as it stands in the address (servers take about 8,190 in all); arXiv has no other way to take it."""
_ORDER = (("sortBy", "relevance"), ("sortOrder", "descending"))
_NEWEST_FIRST = (("sortBy", "submittedDate"), ("sortOrder", "descending"))


def compile_query(query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The query as arXiv takes it.

    Raises SourceError (PERMANENT) for a query that is empty, cannot be read or is too long, and for a plan without
    preprints: arXiv holds nothing else.
    """
    if filters.preprints is Preprints.EXCLUDED:
        raise _refused(
            "The plan leaves preprints out, and arXiv holds only preprints.",
            "Leave arXiv out, or include preprints.",
            "preprints_excluded",
        )
    boolean, plain = " ".join(query.boolean.split()), " ".join(query.plain.split())
    notes: tuple[QueryNote, ...]
    if boolean:
        text, notes = translated("arxiv", LABEL, boolean, compile_arxiv)
    else:
        text, notes = _plain_words(plain), (QueryNote("There is no Boolean query: arXiv gets the plain words."),)
    if not text:
        raise _refused("There is no query for arXiv.", "Write a query.", "empty_query")
    if filters.year_from is not None or filters.year_to is not None:
        first, last = filters.year_from or 1991, filters.year_to or 2200
        text = f"({text}) AND submittedDate:[{first:04d}01010000 TO {last:04d}12312359]"
        notes = (*notes, QueryNote("arXiv counts years from the day a paper was first sent in."))
    length = len(quote_plus(text))
    if length > LONGEST_QUERY:
        raise _refused(
            f"The query is {length:,} bytes long as arXiv takes it; at most {LONGEST_QUERY:,} can be sent.",
            "Shorten it, split it into several queries, or leave arXiv out.",
            "query_too_long",
        )
    order = _NEWEST_FIRST if filters.newest_first else _ORDER
    return CompiledQuery("arxiv", text, (("search_query", text), *order), (*notes, *_lost(filters)))


def _refused(message: str, hint: str, code: str) -> SourceError:
    return SourceError("arxiv", Outcome.PERMANENT, message, hint=hint, code=code)


def _lost(filters: Filters) -> list[QueryNote]:
    notes = []
    if filters.languages:
        notes.append(QueryNote("arXiv cannot limit by language; nearly all of it is English.", Loss.LOST))
    if filters.publication_types:
        notes.append(QueryNote("arXiv has no publication types; all its preprints come.", Loss.LOST))
    return notes


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:-[^\W_]+)*", text)


def _plain_words(text: str) -> str:
    return " AND ".join(f"all:{_term(word)}" for word in _words(text))


def _term(word: str) -> str:
    return f'"{word}"' if "-" in word or word.upper() in ("AND", "OR", "ANDNOT") else word


def title_query(words: list[str], *, author: str = "") -> str:
    """Papers with all these words in the title, and this author's family name if given."""
    parts = [f"ti:{_term(word)}" for word in words]
    name = " ".join(_words(author))
    if name:
        parts.append(f'au:"{name}"' if " " in name else f"au:{_term(name)}")
    return " AND ".join(parts)
