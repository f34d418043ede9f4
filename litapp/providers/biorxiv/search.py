"""Searches for preprints of bioRxiv and medRxiv, which have no search: through Crossref's posted content."""

from __future__ import annotations

from dataclasses import replace

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.providers.base import CompiledQuery, Loss, QueryNote, Search, SourceError

PREFIXES = ("10.1101", "10.64898")
"""DOI prefixes of both servers: the second for everything posted since 1 December 2025 (openRxiv, 18 November 2025).
The first is also that of journals of Cold Spring Harbor, so the type is asked for as well."""
_THROUGH = QueryNote(
    "bioRxiv and medRxiv have no search: Crossref is asked for posted content with their DOI prefixes, 10.1101 and "
    "10.64898. Europe PMC holds these preprints too and takes the Boolean query."
)


def compile_query(crossref: Search, query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The plain words as `crossref` takes them, limited to preprints of both servers.

    Raises SourceError (PERMANENT) without plain words, with too many, and for a plan without preprints.
    """
    if filters.preprints is Preprints.EXCLUDED:
        raise SourceError(
            "biorxiv",
            Outcome.PERMANENT,
            "The plan leaves preprints out, and bioRxiv and medRxiv hold only preprints.",
            hint="Leave bioRxiv and medRxiv out, or include preprints.",
            code="preprints_excluded",
        )
    general = replace(filters, preprints=Preprints.INCLUDED, publication_types=())
    asked = crossref.compile(query, general)
    notes = [_THROUGH, *asked.notes]
    if filters.publication_types:
        notes.append(QueryNote("Preprints have no publication types; all of them come.", Loss.LOST))
    own = ",".join(["type:posted-content", *(f"prefix:{prefix}" for prefix in PREFIXES)])
    params = dict(asked.params)
    params["filter"] = ",".join(part for part in (params.get("filter", ""), own) if part)
    text = "&".join(f"{name}={value}" for name, value in params.items())
    return CompiledQuery("biorxiv", text, tuple(params.items()), tuple(notes))
