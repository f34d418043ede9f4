"""The sources LitLedger knows, in the order in which they are shown and asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from litapp.providers import base
from litapp.providers.crossref.provider import Crossref
from litapp.providers.openalex.provider import OpenAlex
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.semanticscholar.provider import SemanticScholar
from litapp.providers.settings import SourceSettings


class Capability(StrEnum):
    """What a source can do; the value names the protocol of `providers.base`."""

    SEARCH = "search"
    LOOKUP = "lookup"
    CITATION_MATCH = "citation_match"
    RELATED = "related"


class QueryKind(StrEnum):
    """Which query of a plan a source takes."""

    BOOLEAN = "boolean"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Source:
    """One information source. `organisation` tells which sources are independent of each other."""

    key: str
    label: str
    home_page: str
    description: str
    query_kind: QueryKind
    organisation: str
    capabilities: frozenset[Capability]
    owns: tuple[str, ...] = ()
    """Identifier schemes of which this source is the registrar ("pmid" at PubMed, "doi" at Crossref)."""
    counts_exactly: bool = True
    key_advice: str = ""
    """What a key of one's own would change, in one sentence ("" = nothing)."""


Provider = PubMed | Crossref | OpenAlex | SemanticScholar

_PROVIDERS: dict[str, Provider] = {
    "pubmed": PubMed(),
    "crossref": Crossref(),
    "openalex": OpenAlex(),
    "semanticscholar": SemanticScholar(),
}


def _capabilities(provider: Provider) -> frozenset[Capability]:
    protocols = {
        Capability.SEARCH: base.Search,
        Capability.LOOKUP: base.Lookup,
        Capability.CITATION_MATCH: base.CitationMatch,
        Capability.RELATED: base.Related,
    }
    return frozenset(name for name, protocol in protocols.items() if isinstance(provider, protocol))


SOURCES: tuple[Source, ...] = (
    Source(
        key="pubmed",
        label="PubMed",
        home_page="https://pubmed.ncbi.nlm.nih.gov/",
        description="Biomedical literature with MeSH. Takes a Boolean query with PubMed's field tags.",
        query_kind=QueryKind.BOOLEAN,
        organisation="National Library of Medicine",
        capabilities=_capabilities(_PROVIDERS["pubmed"]),
        owns=("pmid",),
        key_advice="A free NCBI key allows ten requests a second in place of three.",
    ),
    Source(
        key="crossref",
        label="Crossref",
        home_page="https://www.crossref.org/",
        description="What publishers register with their DOIs. Takes plain words and ranks by likeness; "
        "it always finds something.",
        query_kind=QueryKind.PLAIN,
        organisation="Crossref",
        capabilities=_capabilities(_PROVIDERS["crossref"]),
        owns=("doi",),
        counts_exactly=False,
        key_advice="A contact e-mail address gives access to the faster “polite” service; no key is needed.",
    ),
    Source(
        key="openalex",
        label="OpenAlex",
        home_page="https://openalex.org/",
        description="Open index of the world's research, all fields. Takes plain words and ranks by likeness.",
        query_kind=QueryKind.PLAIN,
        organisation="OurResearch",
        capabilities=_capabilities(_PROVIDERS["openalex"]),
        owns=("openalex",),
        key_advice="A free key gives ten times the daily budget (10,000 credits in place of 1,000).",
    ),
    Source(
        key="semanticscholar",
        label="Semantic Scholar",
        home_page="https://www.semanticscholar.org/",
        description="Index with machine ranking by meaning. Takes plain words; at most 1,000 records a query.",
        query_kind=QueryKind.PLAIN,
        organisation="Allen Institute for AI (Ai2)",
        capabilities=_capabilities(_PROVIDERS["semanticscholar"]),
        owns=("s2",),
        key_advice="Without a key all anonymous users share one allowance and many requests are refused.",
    ),
)


_BY_KEY = {source.key: source for source in SOURCES}


def source_keys() -> tuple[str, ...]:
    """The keys of all sources, in order."""
    return tuple(source.key for source in SOURCES)


def source(key: str) -> Source:
    """The source with this key. Raises KeyError."""
    return _BY_KEY[key]


def provider(key: str) -> Provider:
    """The code that speaks with this source; it has no state and may be shared. Raises KeyError."""
    return _PROVIDERS[key]


def search_sources() -> tuple[Source, ...]:
    """The sources that can be searched: what a plan may choose from."""
    return tuple(source for source in SOURCES if Capability.SEARCH in source.capabilities)


def search_keys() -> tuple[str, ...]:
    """The keys of the sources that can be searched, in order."""
    return tuple(source.key for source in search_sources())


def search_provider(key: str) -> base.Search:
    """The source as one that is searched. Raises KeyError for one that cannot be."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.Search) else _unable(key, Capability.SEARCH)


def lookup_provider(key: str) -> base.Lookup:
    """The source as one that is asked by identifier. Raises KeyError for one that cannot be."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.Lookup) else _unable(key, Capability.LOOKUP)


def match_provider(key: str) -> base.CitationMatch:
    """The source as one that is searched for a citation. Raises KeyError for one that cannot be."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.CitationMatch) else _unable(key, Capability.CITATION_MATCH)


def related_provider(key: str) -> base.Related:
    """The source as one that names related papers. Raises KeyError for one that does not."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.Related) else _unable(key, Capability.RELATED)


def _unable(key: str, capability: Capability) -> NoReturn:
    raise KeyError(f"{key} has no {capability.value}")


def unusable_reason(key: str, settings: SourceSettings | None) -> str:
    """Why this installation cannot use the source, as a sentence; "" when it can."""
    label = source(key).label
    if settings is None or not settings.base_url:
        return f"{label} has no address in this installation's settings."
    if not settings.enabled:
        return f"{label} is switched off in this installation's settings."
    return ""
