"""A finished run to export, and an empty project to import into."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from litapp.projects.models import Project
from searches.models import RetrievalRun
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper, papers


@pytest.fixture
def other(person: User) -> Project:
    """An empty project to import into."""
    return Project.objects.create(name="Elsewhere", created_by=person)


@pytest.fixture
def run(sources: dict[str, StandIn], started: Callable[..., RetrievalRun]) -> RetrievalRun:
    """A finished run: 25 papers at PubMed, 20 at Crossref (10 of them the same), one of them twice."""
    sources["pubmed"].records = papers(25)
    sources["crossref"].records = [*papers(19, "crossref", start=16), paper(16, "crossref")]
    return work_all(started("pubmed", "crossref", queries=2))
