"""For the tests of this folder: sources that say again what they said, and a browser (skipped without Chromium)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.conf import settings

from litapp.core.formats.entry import ExportEntry
from litapp.core.gate import AskedAgain
from references.services.requery import Requery
from tests.references.world import World
from tests.web.conftest import browser_type_launch_args, visit

__all__ = ["browser_type_launch_args", "visit"]


def said_again(entries: Sequence[ExportEntry]) -> Requery:
    """What the sources say where nothing has changed since the records were stored."""
    return Requery(
        {entry.key: AskedAgain("PubMed", entry.record) for entry in entries},
        {entry.record.pmid: entry.record for entry in entries if entry.record.pmid},
    )


@pytest.fixture(autouse=True)
def sources_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports ask the sources again; here they say what they said. Tests of the checks replace this."""
    monkeypatch.setattr("references.services.gate.ask_again", said_again)


@pytest.fixture
def as_person(visit: Callable[..., Any], live_server: Any) -> Callable[..., Any]:
    """`as_person(world, "/screen/", name="ben", width=320)`: a page of the world's project, this person signed in."""

    def open_page(world: World, tail: str, *, name: str = "owner", **options: Any) -> Any:
        value = world.client(name).cookies[settings.SESSION_COOKIE_NAME].value
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": value, "domain": "localhost", "path": "/"}
        kept = {"expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
        options.setdefault("storage_state", {"cookies": [{**cookie, **kept}], "origins": []})
        return visit(f"/projects/{world.project.pk}{tail}", **options)

    return open_page
