"""A browser for the pages of this folder; the tests skip where there is no Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings

from tests.references.world import World
from tests.web.conftest import browser_type_launch_args, visit

__all__ = ["browser_type_launch_args", "visit"]


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
