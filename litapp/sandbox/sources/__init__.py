"""The stand-in sources. To add one: a module with a class of `dispatch.Source`, and its name here."""

from __future__ import annotations

from litapp.sandbox.dispatch import Source, World
from litapp.sandbox.sources.arxiv import Arxiv
from litapp.sandbox.sources.biorxiv import Biorxiv
from litapp.sandbox.sources.crossref import Crossref
from litapp.sandbox.sources.datacite import DataCite
from litapp.sandbox.sources.doiorg import DoiOrg
from litapp.sandbox.sources.europepmc import EuropePMC
from litapp.sandbox.sources.eutils import Eutils
from litapp.sandbox.sources.openalex import OpenAlex
from litapp.sandbox.sources.pmc import PubMedCentral
from litapp.sandbox.sources.semanticscholar import SemanticScholar
from litapp.sandbox.sources.unpaywall import Unpaywall
from litapp.sandbox.sources.web import Web

_KINDS = (
    Eutils,
    Crossref,
    OpenAlex,
    SemanticScholar,
    EuropePMC,
    Arxiv,
    Biorxiv,
    DataCite,
    DoiOrg,
    Unpaywall,
    PubMedCentral,
    Web,
)


def all_sources(world: World) -> list[Source]:
    """One of each, over the same world."""
    return [kind(world) for kind in _KINDS]
