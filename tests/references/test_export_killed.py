"""A worker that is killed while it makes an export: the next one makes the same files, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from litapp.jobs.models import StepState
from litapp.jobs.services import release_dead
from litapp.projects.models import Event
from references.models import Export
from references.services import export as export_service
from references.services.export import ExportWork, export_folder, export_request
from tests.references.test_export import files, make
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process is gone: nothing in it may catch this."""


def world_with_references() -> World:
    world = make_world(candidates=3)
    for candidate in world.candidates:
        world.verify(candidate)
        world.decide(candidate, "include")
    return world


@pytest.mark.parametrize("place", ["export_files", "_store", "finish", "record_event"])
@pytest.mark.parametrize("format", ["bib", "pmids"])
def test_killed_at_any_moment_the_export_is_made_once_and_the_same(
    place: str, format: str, monkeypatch: pytest.MonkeyPatch, time_machine: Any
) -> None:
    world = world_with_references()
    undisturbed = files(make(world, format))
    export = export_request(
        project=world.project, actor=world.owner, format=format, scope="all", style="", request_id=uuid4()
    )
    with monkeypatch.context() as patch:

        def killed(*args: Any, **kwargs: Any) -> Any:
            raise Killed

        patch.setattr(export_service, place, killed)
        with pytest.raises(Killed):
            ExportWork().run(str(export.pk))
    export.refresh_from_db()
    assert (export.state, export.files) == (StepState.RUNNING, [])
    time_machine.move_to(timezone.now() + timedelta(hours=1), tick=False)
    release_dead()
    assert str(export.pk) in ExportWork().due()
    ExportWork().run(str(export.pk))
    assert files(Export.objects.get(pk=export.pk)) == undisturbed
    assert Event.objects.filter(verb="export.finished", subject=f"export:{export.pk}").count() == 1
    assert not list(export_folder(export).glob("*.part"))
