"""Which organisation stands behind a source, and what each source can witness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from litapp.core.records import Record

HANDLE_SYSTEM = "doiorg"
"""Key of doi.org: knows whether a DOI is registered, and with whom, but holds no records."""

ORGANISATIONS: Mapping[str, str] = MappingProxyType(
    {
        "pubmed": "NLM",
        "pmc": "NLM",
        "europepmc": "EMBL-EBI",
        "crossref": "Crossref",
        "datacite": "DataCite",
        HANDLE_SYSTEM: "International DOI Foundation",
        "openalex": "OurResearch",
        "semanticscholar": "Allen Institute for AI",
        "arxiv": "arXiv",
        "biorxiv": "openRxiv",
        "retractionwatch": "Retraction Watch",
    }
)

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "pubmed": "PubMed",
        "pmc": "PMC",
        "europepmc": "Europe PMC",
        "crossref": "Crossref",
        "datacite": "DataCite",
        HANDLE_SYSTEM: "doi.org",
        "openalex": "OpenAlex",
        "semanticscholar": "Semantic Scholar",
        "arxiv": "arXiv",
        "biorxiv": "bioRxiv",
        "retractionwatch": "Retraction Watch list",
    }
)

OWNERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pmid": ("pubmed",),
        "doi": ("crossref", "datacite", "biorxiv"),
        "arxiv": ("arxiv", "datacite"),
    }
)
"""Scheme -> the sources that own its identifiers: what they say of an identifier decides. arXiv registers its papers'
DOIs with DataCite, whose records speak for the arXiv id; its silence does not."""

REGISTRIES = frozenset({"pubmed", "crossref", "datacite", "arxiv", "biorxiv", "europepmc"})
"""Sources whose records are deposited or curated: authoritative for fields."""

INDEXES = frozenset({"openalex", "semanticscholar"})
"""Sources that gather what others published, Crossref among them: witnesses for a title, weaker ones for fields."""

TITLE_SOURCES = ("pubmed", "crossref", "europepmc", "openalex", "semanticscholar", "arxiv", "datacite")
"""Sources in which a title can be cross-checked, in the order their checks are listed."""

SILENCE_SOURCES = ("pubmed", "openalex", "semanticscholar")
"""Silence accuses only when every one of these answered and none knows the title."""


def organisation_of(source: str) -> str:
    """The organisation behind a source key; an unknown source stands for itself."""
    return ORGANISATIONS.get(source, source)


def label(source: str) -> str:
    """A source's name for reading."""
    return LABELS.get(source, source)


def labels(sources: Iterable[str]) -> str:
    """Names for reading: "PubMed, Crossref and OpenAlex"."""
    names = [label(source) for source in sources]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def organisation_behind(source: str, record: Record | None) -> str:
    """The organisation that states `record`: Europe PMC's copies of PubMed's records are NLM's word."""
    if source == "europepmc" and record is not None and record.source_id.startswith("MED/"):
        return organisation_of("pubmed")
    return organisation_of(source)


def is_independent(organisation: str, returned_by: Iterable[str]) -> bool:
    """True unless `organisation` is the only one that returned the record.

    A record that two organisations returned is witnessed by each of them for the other; PubMed and Europe PMC, which
    copies it, are one for this.
    """
    organisations = {organisation_of(source) for source in returned_by}
    if organisation_of("pubmed") in organisations:
        organisations.discard(organisation_of("europepmc"))
    return organisations != {organisation}
