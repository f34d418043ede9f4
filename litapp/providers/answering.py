"""Who answers the questions of `providers.questions`."""

from __future__ import annotations

from litapp.providers import registry
from litapp.providers.questions import Headings, IdConversion, Passages, PlaceSearch, SpellingCheck


def headings_provider(key: str = "pubmed") -> Headings:
    """The source as one that knows subject headings. Raises KeyError for one that does not."""
    found = registry.provider(key)
    if isinstance(found, Headings):
        return found
    raise KeyError(f"{key} has no headings")


def spelling_provider(key: str = "pubmed") -> SpellingCheck:
    """The source as one that proposes spellings. Raises KeyError for one that does not."""
    found = registry.provider(key)
    if isinstance(found, SpellingCheck):
        return found
    raise KeyError(f"{key} has no spelling")


def places_provider(key: str = "pubmed") -> PlaceSearch:
    """The source as one that finds papers by journal, volume and page. Raises KeyError for one that does not."""
    found = registry.provider(key)
    if isinstance(found, PlaceSearch):
        return found
    raise KeyError(f"{key} has no place search")


def conversion_provider(key: str = "pmc") -> IdConversion:
    """The source as one that translates identifiers. Raises KeyError for one that does not."""
    found = registry.provider(key)
    if isinstance(found, IdConversion):
        return found
    raise KeyError(f"{key} has no conversion")


def passages_provider(key: str = "semanticscholar") -> Passages:
    """The source as one that finds passages. Raises KeyError for one that does not."""
    found = registry.provider(key)
    if isinstance(found, Passages):
        return found
    raise KeyError(f"{key} has no passages")
