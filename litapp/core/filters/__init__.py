"""The library of published search filters.

Only filters whose text is in our sources are held; figures of sensitivity and precision are missing for that reason.
Guidelines and age groups are limits by NLM's own vocabulary, and say that they are no validated filters.
"""

from __future__ import annotations

from litapp.core.filters import clinical_queries, cochrane, published, vocabulary_limits
from litapp.core.filters.filter import Purpose, SearchFilter, WrongDatabase
from litapp.core.querylang.dialects import Dialect

__all__ = ["ALL_FILTERS", "Purpose", "SearchFilter", "WrongDatabase", "filter_of", "filters_for"]

ALL_FILTERS: tuple[SearchFilter, ...] = (
    *cochrane.FILTERS,
    *clinical_queries.FILTERS,
    *published.FILTERS,
    *vocabulary_limits.FILTERS,
)
"""Every filter, grouped by source."""
_BY_KEY = {found.key: found for found in ALL_FILTERS}


def filter_of(key: str) -> SearchFilter:
    """The filter of that key. Raises KeyError."""
    return _BY_KEY[key]


def filters_for(dialect: Dialect, purpose: Purpose | None = None) -> tuple[SearchFilter, ...]:
    """The filters made for a database, of one purpose or all."""
    return tuple(f for f in ALL_FILTERS if f.dialect is dialect and purpose in (None, f.purpose))
