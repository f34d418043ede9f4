"""Which service looks for the papers of which mode."""

from __future__ import annotations

from searches.models import Mode
from searches.services.mode_work import Finder
from searches.services.pool import pool_find
from searches.services.quick_cite import quick_cite_find
from searches.services.related import related_find
from searches.services.seeds import seeds_find


def finder_of(mode: Mode) -> Finder:
    """The function that asks the sources for a search of this mode."""
    return {Mode.QUICK_CITE: quick_cite_find, Mode.RELATED: related_find, Mode.SEEDS: seeds_find, Mode.POOL: pool_find}[
        mode
    ]
