"""The stand-in sources. To add one: a module with a class of `dispatch.Source`, and its name here."""

from __future__ import annotations

from litapp.sandbox.dispatch import Source, World
from litapp.sandbox.sources.crossref import Crossref
from litapp.sandbox.sources.eutils import Eutils
from litapp.sandbox.sources.openalex import OpenAlex
from litapp.sandbox.sources.semanticscholar import SemanticScholar


def all_sources(world: World) -> list[Source]:
    """One of each, over the same world."""
    return [Eutils(world), Crossref(world), OpenAlex(world), SemanticScholar(world)]
