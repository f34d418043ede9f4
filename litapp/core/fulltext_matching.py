"""Which reference a brought PDF belongs to, by DOI and title on its first pages; the doubtful ones are asked. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litapp.core.fulltext import Outcome
from litapp.core.fulltext_pdf import is_the_paper
from litapp.core.normalise import title_key

_MOST_SUGGESTED = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    """A reference that a file may belong to."""

    key: int
    title: str
    doi: str
    citation_key: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """`key` is the reference (None = a person has to say); `outcome` ACCEPTED, one of TO_ASK, or OTHER_PAPER where no
    reference of the list is it. `why` says by what; `suggested` the references it may be, the likeliest first."""

    key: int | None
    outcome: Outcome
    why: str
    suggested: tuple[int, ...] = ()


def match_file(texts: tuple[str, ...], wanted: Sequence[Wanted], *, name: str = "", whole: bool = True) -> Match:
    """The one reference whose title or DOI stands on the first pages. Two of them, or only likeness, is a question.

    A scanned file has no text to go by; its name may suggest a reference, and never decides.
    """
    judged = [(one, is_the_paper(texts, title=one.title, doi=one.doi, whole=whole)) for one in wanted]
    sure = [one for one, outcome in judged if outcome is Outcome.ACCEPTED]
    if len(sure) == 1:
        return Match(sure[0].key, Outcome.ACCEPTED, "Its title or DOI stands on the first pages.", (sure[0].key,))
    named = _by_name(name, wanted)
    if len(sure) > 1:
        keys = tuple(one.key for one in sure)[:_MOST_SUGGESTED]
        return Match(None, Outcome.NEARLY, f"{len(sure)} references stand on its first pages.", keys)
    for outcome, why in _DOUBTS:
        doubtful = [one.key for one, told in judged if told is outcome]
        if not doubtful:
            continue
        if outcome is Outcome.SCANNED:
            return Match(named[0] if len(named) == 1 else None, outcome, why, tuple(named[:_MOST_SUGGESTED]))
        first = [key for key in named if key in doubtful]
        keys = tuple(dict.fromkeys([*first, *doubtful]))[:_MOST_SUGGESTED]
        return Match(keys[0] if len(doubtful) == 1 else None, outcome, why, keys)
    return Match(None, Outcome.OTHER_PAPER, "No reference of the list stands on its first pages.", tuple(named[:5]))


_DOUBTS = (
    (Outcome.CUT_OFF, "Its title is right, but the end of the file is missing."),
    (Outcome.ABOUT_IT, "It seems to be about the paper: a correction, a reply or a comment."),
    (Outcome.NEARLY, "Much of the title stands on its first pages, but not the title itself."),
    (Outcome.SCANNED, "It has no text (scanned pages)."),
)


def _by_name(name: str, wanted: Sequence[Wanted]) -> list[int]:
    """References that the file's name may mean: by citation key, or DOI with its slash replaced, or title words."""
    stem = re.sub(r"\.pdf\Z", "", name.rsplit("/", 1)[-1], flags=re.IGNORECASE)
    flat = re.sub(r"[^a-z0-9]", "", stem.lower())
    if len(flat) < 6:
        return []
    found = []
    for one in wanted:
        keys = (one.citation_key, one.doi, title_key(one.title)[:60])
        flats = [re.sub(r"[^a-z0-9]", "", key.lower()) for key in keys]
        if any(len(key) >= 6 and (key in flat or (len(flat) >= 20 and flat in key)) for key in flats):
            found.append(one.key)
    return found
