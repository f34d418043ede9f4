"""Authors as citations print them: names that a source returned in one string are parted by a stated rule.

The record keeps every name as it was returned, and so do the ledger and the pages. Citation keys and reference files
need a family name; arXiv, OpenAlex and Semantic Scholar give "Pavel Dyachenko" only, given name first (decision 0029).

The rule, for names that these three returned whole
- the last word is the family name, with particles in small letters before it ("Ludwig van Beethoven" -> van Beethoven)
  and a suffix behind it ("Martin King Jr");
- initials tell where they stand: "P. Dyachenko" and "Dyachenko P" are both Dyachenko;
- a comma parts family and given names;
- whole stay: one word; groups (a word such as Group, Society, Team; "of", "for", "and" within); names with digits or
  signs; more than six words; names in Chinese, Japanese or Korean letters.
Names of other sources are never parted: there a name without a family name is a group by the source's own statement.
"""

from __future__ import annotations

import re

from litapp.core.formats.importers.names import person
from litapp.core.records import Person, Record

GIVEN_NAME_FIRST = frozenset(("arxiv", "openalex", "semanticscholar"))
"""Sources that return names in one string, given name first."""
_MOST_WORDS = 6
_INITIAL_WITHIN = re.compile(r"\s\w\.")
"""In a "family name" it says that what stood behind is a degree, not initials ("Matthew J. Smith MD")."""
_NO_PERSON = re.compile(r"[\d&/:;()\[\]@]")


def cited_authors(record: Record) -> tuple[Person, ...]:
    """The authors of `record` for a citation, in their order; as they are where there is nothing to part."""
    if record.source not in GIVEN_NAME_FIRST:
        return record.authors
    return tuple(_parted(one) if one.literal and not one.family else one for one in record.authors)


def _parted(one: Person) -> Person:
    if _NO_PERSON.search(one.literal) or len(one.literal.split()) > _MOST_WORDS:
        return one
    found = person(one.literal, True)
    parted = found is not None and found.family and found.given and not _INITIAL_WITHIN.search(found.family)
    return found if found is not None and parted else one
