"""A limit to journals, named by title, NLM abbreviation or ISSN, as a part of a PubMed query."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.identifiers import BadIdentifier, normalise_issn
from litapp.core.querylang import Field, Term
from litapp.core.querylang.editing import either
from litapp.core.querylang.printer import print_leaf
from litapp.verification.journal_names import journal_names

MOST_JOURNALS = 200


class NoJournals(ValueError):
    """The list names no journal, or too many. The message says what to do."""


@dataclass(frozen=True, slots=True)
class VenueLimit:
    """The limit as a PubMed query, and the names that the list of journals at hand does not have."""

    text: str
    unknown: tuple[str, ...]


def venue_limit(lines: str) -> VenueLimit:
    """The limit for journals, one a line. Raises NoJournals."""
    parts: dict[str, None] = {}
    unknown = []
    for line in lines.splitlines():
        name = " ".join(line.replace('"', " ").replace("*", " ").split())
        if not name:
            continue
        try:
            name = normalise_issn(name)
        except BadIdentifier:
            if not journal_names().knows(name):
                unknown.append(name)
        parts[print_leaf(Term(name, Field.JOURNAL, phrase=True))] = None
    if not parts:
        raise NoJournals("Name at least one journal, one a line.")
    if len(parts) > MOST_JOURNALS:
        raise NoJournals(f"These are {len(parts)} journals; at most {MOST_JOURNALS} are taken.")
    return VenueLimit(either(parts), tuple(unknown))
