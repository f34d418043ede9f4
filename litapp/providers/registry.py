"""The sources LitLedger knows, in the order in which they are shown and asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from litapp.providers import base
from litapp.providers.arxiv.provider import Arxiv
from litapp.providers.biorxiv.provider import Biorxiv
from litapp.providers.crossref.provider import Crossref
from litapp.providers.datacite.provider import DataCite
from litapp.providers.doiorg.provider import DoiOrg
from litapp.providers.europepmc.provider import EuropePMC
from litapp.providers.openalex.provider import OpenAlex
from litapp.providers.pmc.provider import PubMedCentral
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.semanticscholar.provider import SemanticScholar
from litapp.providers.settings import SourceSettings
from litapp.providers.unpaywall.provider import Unpaywall


class Capability(StrEnum):
    """What a source can do; the value names the protocol of `providers.base`."""

    SEARCH = "search"
    LOOKUP = "lookup"
    CITATION_MATCH = "citation_match"
    RELATED = "related"
    CITATION_LINKS = "citation_links"
    AGENCIES = "agencies"
    OPEN_ACCESS = "open_access"


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
    needs_email: bool = False
    """The source answers only those who give a contact address."""
    searched_through: str = ""
    """The source that answers its searches, at that one's pace ("" = it answers them itself)."""
    takes_boolean: bool = False
    """For a source of plain words: it can be sent the Boolean query instead."""


Provider = (
    PubMed
    | Crossref
    | OpenAlex
    | SemanticScholar
    | EuropePMC
    | Arxiv
    | Biorxiv
    | DataCite
    | DoiOrg
    | Unpaywall
    | PubMedCentral
)

_CROSSREF = Crossref()
_PROVIDERS: dict[str, Provider] = {
    "pubmed": PubMed(),
    "crossref": _CROSSREF,
    "openalex": OpenAlex(),
    "semanticscholar": SemanticScholar(),
    "europepmc": EuropePMC(),
    "arxiv": Arxiv(),
    "biorxiv": Biorxiv(_CROSSREF),
    "datacite": DataCite(),
    "doiorg": DoiOrg(),
    "unpaywall": Unpaywall(),
    "pmc": PubMedCentral(),
}


def _capabilities(provider: Provider) -> frozenset[Capability]:
    protocols = {
        Capability.SEARCH: base.Search,
        Capability.LOOKUP: base.Lookup,
        Capability.CITATION_MATCH: base.CitationMatch,
        Capability.RELATED: base.Related,
        Capability.CITATION_LINKS: base.CitationLinks,
        Capability.AGENCIES: base.RegistrationAgencies,
        Capability.OPEN_ACCESS: base.OpenAccessLocations,
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
        takes_boolean=True,
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
        takes_boolean=True,
    ),
    Source(
        key="europepmc",
        label="Europe PMC",
        home_page="https://europepmc.org/",
        description="PubMed's records and more: preprints of bioRxiv, medRxiv and other servers, PubMed Central, "
        "theses, guidelines, patents. Takes the Boolean query, translated.",
        query_kind=QueryKind.BOOLEAN,
        organisation="EMBL-EBI",
        capabilities=_capabilities(_PROVIDERS["europepmc"]),
    ),
    Source(
        key="arxiv",
        label="arXiv",
        home_page="https://arxiv.org/",
        description="Preprints of physics, mathematics, computing and quantitative biology. Takes the Boolean query, "
        "translated; one request every three seconds.",
        query_kind=QueryKind.BOOLEAN,
        organisation="arXiv",
        capabilities=_capabilities(_PROVIDERS["arxiv"]),
        owns=("arxiv",),
    ),
    Source(
        key="biorxiv",
        label="bioRxiv and medRxiv",
        home_page="https://www.biorxiv.org/",
        description="Preprints by DOI, with all versions and the published article. They have no search of their own: "
        "Crossref is asked for posted content with their DOI prefixes (10.1101 and 10.64898), in plain words; Europe "
        "PMC holds these preprints too.",
        query_kind=QueryKind.PLAIN,
        organisation="openRxiv",
        capabilities=_capabilities(_PROVIDERS["biorxiv"]),
        counts_exactly=False,
        searched_through="crossref",
    ),
    Source(
        key="datacite",
        label="DataCite",
        home_page="https://datacite.org/",
        description="What repositories register with their DOIs: data sets, software, theses, reports, arXiv papers. "
        "Asked by DOI only.",
        query_kind=QueryKind.PLAIN,
        organisation="DataCite",
        capabilities=_capabilities(_PROVIDERS["datacite"]),
        owns=("doi",),
    ),
    Source(
        key="doiorg",
        label="doi.org",
        home_page="https://www.doi.org/",
        description="The resolver of all DOIs. It says which agency registered a DOI, or that there is no such DOI.",
        query_kind=QueryKind.PLAIN,
        organisation="International DOI Foundation",
        capabilities=_capabilities(_PROVIDERS["doiorg"]),
    ),
    Source(
        key="unpaywall",
        label="Unpaywall",
        home_page="https://unpaywall.org/",
        description="Where a paper can be read without payment, by DOI.",
        query_kind=QueryKind.PLAIN,
        organisation="OurResearch",
        capabilities=_capabilities(_PROVIDERS["unpaywall"]),
        needs_email=True,
    ),
    Source(
        key="pmc",
        label="PubMed Central",
        home_page="https://pmc.ncbi.nlm.nih.gov/",
        description="Translates between PMID, PMCID and DOI for the papers it holds. A paper that is not "
        "in PMC may well exist.",
        query_kind=QueryKind.PLAIN,
        organisation="National Library of Medicine",
        capabilities=_capabilities(_PROVIDERS["pmc"]),
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


def copy_of_pubmed(key: str = "europepmc") -> base.HoldsPubMed:
    """The source as one that holds a copy of PubMed's records. Raises KeyError for one that does not."""
    found = _PROVIDERS[key]
    if isinstance(found, base.HoldsPubMed):
        return found
    raise KeyError(f"{key} holds no copy of PubMed")


def answering(key: str) -> str:
    """The source that is really asked when `key` is searched: itself, or the one that it is searched through."""
    return _BY_KEY[key].searched_through or key


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


def links_provider(key: str) -> base.CitationLinks:
    """The source as one that knows who cites whom. Raises KeyError for one that does not."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.CitationLinks) else _unable(key, Capability.CITATION_LINKS)


def agencies_provider(key: str = "doiorg") -> base.RegistrationAgencies:
    """The source as one that knows who registered a DOI. Raises KeyError for one that does not."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.RegistrationAgencies) else _unable(key, Capability.AGENCIES)


def open_access_provider(key: str = "unpaywall") -> base.OpenAccessLocations:
    """The source as one that knows open copies. Raises KeyError for one that does not."""
    found = _PROVIDERS[key]
    return found if isinstance(found, base.OpenAccessLocations) else _unable(key, Capability.OPEN_ACCESS)


def _unable(key: str, capability: Capability) -> NoReturn:
    raise KeyError(f"{key} has no {capability.value}")


def unusable_reason(key: str, settings: SourceSettings | None) -> str:
    """Why this installation cannot use the source, as a sentence; "" when it can."""
    label = source(key).label
    if settings is None or not settings.base_url:
        return f"{label} has no address in this installation's settings."
    if not settings.enabled:
        return f"{label} is switched off in this installation's settings."
    if source(key).needs_email and not settings.email:
        return f"{label} wants a contact e-mail address, and this installation has none (LITAPP_CONTACT_EMAIL)."
    return ""
