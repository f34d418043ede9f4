"""Crossref queries: plain words, and as many of a plan's filters as Crossref can apply."""

from __future__ import annotations

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.providers.base import CompiledQuery, Loss, QueryNote, SourceError
from litapp.providers.crossref.request import LONGEST_QUERY

_TYPES = {
    "journal article": "journal-article",
    "preprint": "posted-content",
    "book": "book",
    "book chapter": "book-chapter",
    "dataset": "dataset",
    "dissertation": "dissertation",
    "academic dissertation": "dissertation",
    "technical report": "report",
}
"""PubMed's publication types that Crossref knows as types. It has no study types (trial, review …)."""
_WRITINGS = (
    "journal-article", "proceedings-article", "book-chapter", "book", "monograph", "edited-book", "reference-entry",
    "reference-book", "report", "dissertation", "other",
)  # fmt: skip
"""What is asked for when preprints are excluded: Crossref can only name types to include."""


def compile_query(query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The query as Crossref takes it. Raises SourceError (PERMANENT) without plain words or with too many."""
    words = " ".join(query.plain.split())
    if not words:
        raise SourceError(
            "crossref",
            Outcome.PERMANENT,
            "Crossref needs a query in plain words; it does not understand Boolean queries.",
            hint="Write the question in plain words, or leave Crossref out.",
            code="empty_query",
        )
    if len(words) > LONGEST_QUERY:
        raise SourceError(
            "crossref",
            Outcome.PERMANENT,
            f"The plain query has {len(words):,} characters; Crossref takes at most {LONGEST_QUERY:,}.",
            hint="Shorten the plain query to the words that matter.",
            code="query_too_long",
        )
    notes = [QueryNote("Crossref ranks everything by likeness to these words; its total is not a count of matches.")]
    parts: list[str] = []
    if filters.year_from is not None:
        parts.append(f"from-pub-date:{filters.year_from}")
    if filters.year_to is not None:
        parts.append(f"until-pub-date:{filters.year_to}")
    if filters.languages:
        notes.append(QueryNote("Crossref cannot limit by language; records in all languages come.", Loss.LOST))
    parts += [f"type:{name}" for name in _types(filters, notes)]
    if filters.newest_first:
        notes.append(
            QueryNote(
                "Crossref's list is kept in the order of likeness: by date, its best matches would drown in the rest.",
                Loss.LOST,
            )
        )
    params = [("query.bibliographic", words)]
    if parts:
        params.append(("filter", ",".join(parts)))
    text = "&".join(f"{name}={value}" for name, value in params)
    return CompiledQuery("crossref", text, tuple(params), tuple(notes))


def _types(filters: Filters, notes: list[QueryNote]) -> list[str]:
    """Crossref types to include ([] = all); says in `notes` what is lost."""
    wanted = [_TYPES.get(name.strip().lower(), "") for name in filters.publication_types]
    unknown = [name for name, known in zip(filters.publication_types, wanted, strict=True) if not known]
    if unknown:
        notes.append(
            QueryNote(
                f"Crossref does not know the publication type {', '.join(unknown)}; records of all types come.",
                Loss.LOST,
            )
        )
        wanted = []
    if filters.preprints is Preprints.ONLY:
        notes.append(QueryNote("Crossref's “posted content” also holds some blog posts and reports.", Loss.WIDER))
        return ["posted-content"]
    if filters.preprints is Preprints.EXCLUDED:
        kept = [name for name in wanted if name != "posted-content"]
        if kept:
            return kept
        notes.append(
            QueryNote(
                "Crossref can leave out preprints only by naming what to include: articles, proceedings, books, "
                "chapters, reports and theses are asked for; data sets, peer reviews and standards are not.",
                Loss.NARROWER,
            )
        )
        return list(_WRITINGS)
    return list(dict.fromkeys(wanted))
