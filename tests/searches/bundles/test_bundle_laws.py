"""Laws of bundles: equal runs give equal bytes, and a bundle brings the same papers back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litapp.projects.models import Project
from searches.models import RetrievalRun
from searches.services.bundle_import import bundle_check, bundle_import
from tests.searches.bundles.bundle_files import content_of, export
from tests.searches.conftest import work_all
from tests.searches.stand_in import StandIn, paper

pytestmark = pytest.mark.django_db
NUMBERS = st.lists(st.integers(1, 9), max_size=8)
FOUND = st.dictionaries(st.sampled_from(("pubmed", "crossref", "semanticscholar")), NUMBERS, min_size=1)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FOUND, st.booleans(), st.sampled_from(("b", "b.zip")))
def test_export_validate_import_export(
    sources: dict[str, StandIn],
    started: Callable[..., RetrievalRun],
    person: User,
    found: dict[str, list[int]],
    answers: bool,
    name: str,
) -> None:
    for key, stand_in in sources.items():
        stand_in.records = [paper(number, key) for number in found.get(key, ())]
    run = work_all(started(*found))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first = export(run, folder / name, answers=answers)
        second = export(run, folder / f"again-{name}", answers=answers)
        assert first.sha256 == second.sha256
        if name == "b":
            assert content_of(folder / "b") == content_of(folder / "again-b")
        else:
            assert (folder / name).read_bytes() == (folder / f"again-{name}").read_bytes()
        assert bundle_check(path=folder / name).problems == []
        other = Project.objects.create(name="Elsewhere", created_by=person)
        imported = bundle_import(path=folder / name, project=other, actor=person)
        assert (imported.papers, imported.differences) == (imported.candidates, ())
        back = export(imported.run, folder / "back", answers=answers)
        same = [one for one in first.manifest["files"] if one != "search_log.json"]
        assert {one: back.manifest["files"][one] for one in same} == {one: first.manifest["files"][one] for one in same}
