"""Papers of the sandbox's tiny corpus as references of a project, for tests of full texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litapp.core.records import Identifier, Scheme
from litapp.sandbox.corpus.article import Article
from litapp.sandbox.server import RunningSandbox
from litapp.sandbox.sources.web import Web
from references.models import Reference
from tests.references.world import World

CONTACT = "librarian@clinic.test"


def articles(sandbox: RunningSandbox) -> list[Article]:
    """Every article of the corpus with a DOI."""
    corpus = sandbox.sandbox.world.corpus
    numbers = [number for (number,) in corpus.rows("SELECT id FROM article WHERE doi IS NOT NULL ORDER BY id")]
    return [entry.article for entry in corpus.entries(numbers) if entry.article]


def kind_of(sandbox: RunningSandbox, article: Article) -> str:
    """What the sandbox's publisher gives for it."""
    source = next(one for one in sandbox.sandbox.sources if isinstance(one, Web))
    return source.kind_of(article)


def article_of_kind(sandbox: RunningSandbox, kind: str, *, pmc: bool = False) -> Article:
    """The first article of which the publisher gives this, and that PMC has or not."""
    found = [
        one for one in articles(sandbox)
        if kind_of(sandbox, one) == kind and bool(one.pmc) == pmc and not one.doi.startswith(("10.1101", "10.48550"))
    ]  # fmt: skip
    return found[0]


def refer(world: World, article: Article, **fields: Any) -> Reference:
    """The article as a reference of the project."""
    identifiers = [Identifier(Scheme.DOI, article.doi.lower()), Identifier(Scheme.PMID, str(article.pmid))]
    candidate = world.candidate(title=article.title, identifiers=tuple(identifiers), **fields)
    world.decide(candidate, "include")
    return Reference.objects.get(candidate=candidate)


@dataclass
class Wired:
    """The installation's settings point to the sandbox."""

    sandbox: RunningSandbox
    world: World
