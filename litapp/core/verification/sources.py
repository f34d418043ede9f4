"""Which organisation stands behind a source, and what each source can witness."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ORGANISATIONS: Mapping[str, str] = MappingProxyType(
    {
        "pubmed": "NLM",
        "pmc": "NLM",
        "europepmc": "EMBL-EBI",
        "crossref": "Crossref",
        "datacite": "DataCite",
        "doi.org": "International DOI Foundation",
        "openalex": "OurResearch",
        "semanticscholar": "Allen Institute for AI",
        "arxiv": "arXiv",
        "biorxiv": "openRxiv",
    }
)


def organisation_of(source: str) -> str:
    """The organisation behind a source key; an unknown source stands for itself."""
    return ORGANISATIONS.get(source, source)
