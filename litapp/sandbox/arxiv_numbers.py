"""Which papers the stand-in arXiv holds, and under which numbers."""

from __future__ import annotations

import re

from litapp.sandbox.dispatch import World

SHARE = 0.4
"""Of the corpus's papers; preprints are all there."""
_NUMBER = re.compile(r"99(0[1-9]|1[0-2])\.(\d{5})\Z")
_A_MONTH = 100_000


def arxiv_number(place: int) -> str:
    """The number of the paper at this place of the corpus file: of the years "99", which arXiv has not reached, so that
    no real paper is named."""
    return f"99{1 + place // _A_MONTH % 12:02d}.{place % _A_MONTH:05d}"


def place_of(number: str) -> int | None:
    """The place in the corpus file of an arXiv number; None for one that is none of ours."""
    found = _NUMBER.match(number)
    return (int(found[1]) - 1) * _A_MONTH + int(found[2]) if found else None


def place_held(world: World, number: str) -> int | None:
    """The place of an arXiv number whose paper the stand-in arXiv holds; None for any other."""
    place = place_of(number)
    entry = world.corpus.entry(place) if place is not None else None
    if entry is None or entry.article is None:
        return None
    return place if is_at_arxiv(world, entry.article.pmid, preprint=entry.article.is_preprint) else None


def is_at_arxiv(world: World, pmid: int, *, preprint: bool) -> bool:
    """True for the papers that the stand-in arXiv holds; the same for the same seed."""
    return preprint or world.draw("arxiv", "held", pmid) < SHARE
