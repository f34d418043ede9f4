"""Limits by publication type and MeSH check tags: no validated filters, but NLM's own vocabulary put together here."""

from __future__ import annotations

from litapp.core.filters.filter import Purpose, SearchFilter
from litapp.core.querylang.dialects import Dialect

_SOURCE = "Put together by LitLedger from NLM's vocabulary, not a validated filter"
_NOTE = "Papers that are not indexed yet have no headings and are missed."


def _limit(key: str, name: str, purpose: Purpose, text: str, note: str = _NOTE) -> SearchFilter:
    return SearchFilter(
        key=key,
        name=name,
        purpose=purpose,
        dialect=Dialect.PUBMED,
        version="MeSH 2024",
        source=_SOURCE,
        text=text,
        note=note,
    )


FILTERS = (
    _limit(
        "guideline-types-pubmed",
        "Guidelines, by publication type",
        Purpose.GUIDELINES,
        '"Guideline"[pt] OR "Practice Guideline"[pt]',
        "Many guidelines are in no journal: search the guideline bodies by hand too.",
    ),
    _limit(
        "guideline-types-consensus-pubmed",
        "Guidelines and consensus conferences, by publication type",
        Purpose.GUIDELINES,
        '"Guideline"[pt] OR "Practice Guideline"[pt] OR "Consensus Development Conference"[pt] OR '
        '"Consensus Development Conference, NIH"[pt]',
        "Many guidelines are in no journal: search the guideline bodies by hand too.",
    ),
    _limit("age-infants-pubmed", "Infants (to 23 months), by MeSH", Purpose.AGE, '"Infant"[mh]'),
    _limit(
        "age-children-pubmed",
        "Children and adolescents (to 18 years), by MeSH",
        Purpose.AGE,
        '"Infant"[mh] OR "Child"[mh] OR "Adolescent"[mh]',
    ),
    _limit("age-adults-pubmed", "Adults (19 years and older), by MeSH", Purpose.AGE, '"Adult"[mh]'),
    _limit("age-aged-pubmed", "Aged (65 years and older), by MeSH", Purpose.AGE, '"Aged"[mh]'),
)
