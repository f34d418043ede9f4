"""Europe PMC queries: a plan's PubMed query translated, with its filters, and titles as search terms."""

from __future__ import annotations

import re
from collections.abc import Iterable

from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.querylang.compile_europepmc import compile_europepmc
from litapp.providers.base import CompiledQuery, QueryNote, SourceError
from litapp.providers.translation import translated

LABEL = "Europe PMC"
ONLY_PUBMED = "SRC:MED"
"""Europe PMC's collection of PubMed's records."""
_PREPRINTS = '(SRC:PPR OR PUB_TYPE:"Preprint")'
_NEWEST_FIRST = ("sort", "P_PDATE_D desc")
_LANGUAGE = re.compile(r"[a-z]{3}")


def compile_query(query: PlanQuery, filters: Filters, *, in_place_of_pubmed: bool = False) -> CompiledQuery:
    """The query as Europe PMC takes it. Raises SourceError (PERMANENT) for one that is empty or cannot be read.

    `in_place_of_pubmed` limits it to PubMed's own records: what is found while PubMed itself cannot be asked.
    """
    boolean, plain = " ".join(query.boolean.split()), " ".join(query.plain.split())
    notes: tuple[QueryNote, ...]
    if boolean:
        text, notes = translated("europepmc", LABEL, boolean, compile_europepmc)
    elif plain:
        text, notes = _plain_words(plain), (QueryNote("There is no Boolean query: Europe PMC gets the plain words."),)
    else:
        text, notes = "", ()
    if not text:
        raise SourceError(
            "europepmc",
            Outcome.PERMANENT,
            "There is no query for Europe PMC.",
            hint="Write a query.",
            code="empty_query",
        )
    limits, more = _limits(filters, in_place_of_pubmed)
    excluded = f" NOT {_PREPRINTS}" if filters.preprints is Preprints.EXCLUDED else ""
    term = " AND ".join([f"({text})", *limits]) + excluded if limits or excluded else text
    order = (_NEWEST_FIRST,) if filters.newest_first else ()
    return CompiledQuery("europepmc", term, (("query", term), *order), (*notes, *more))


def _limits(filters: Filters, in_place_of_pubmed: bool) -> tuple[list[str], list[QueryNote]]:
    limits: list[str] = []
    notes: list[QueryNote] = []
    if filters.year_from is not None or filters.year_to is not None:
        limits.append(f"PUB_YEAR:[{filters.year_from or 1000} TO {filters.year_to or 3000}]")
    if filters.languages:
        limits.append(_any("LANG", (name.lower() for name in filters.languages)))
        if not all(_LANGUAGE.fullmatch(name.lower()) for name in filters.languages):
            notes.append(QueryNote("Europe PMC knows languages by their three letters (eng, ger, fre)."))
    if filters.publication_types:
        limits.append(_any("PUB_TYPE", filters.publication_types))
    if in_place_of_pubmed:
        limits.append(ONLY_PUBMED)
        notes.append(
            QueryNote(
                "Asked in place of PubMed: Europe PMC's copy of PubMed's records. PubMed's own widening of words and "
                "explosion of headings do not happen here."
            )
        )
    if filters.preprints is Preprints.ONLY:
        limits.append(_PREPRINTS)
    elif filters.preprints is Preprints.INCLUDED and not in_place_of_pubmed:
        notes.append(
            QueryNote(
                "Preprints of bioRxiv, medRxiv and other servers are among the records; those servers have no search "
                "of their own."
            )
        )
    return limits, notes


def _any(field: str, values: Iterable[str]) -> str:
    parts = [f'{field}:"{_quotable(value)}"' for value in values]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _quotable(text: str) -> str:
    return " ".join(re.sub(r'["\\]', " ", text).split())


def _plain_words(text: str) -> str:
    """Words side by side, which Europe PMC joins by AND; signs that it would read as commands are left out."""
    words = re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", text)
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in words)


def title_query(words: list[str], *, author: str = "") -> str:
    """Records with all these words in the title, and this author's family name if given."""
    parts = [f'TITLE:"{word}"' for word in words]
    if author:
        parts.append(f'AUTH:"{_quotable(author)}"')
    return " AND ".join(parts)
