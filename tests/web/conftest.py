"""A browser for the tests of the design system; they skip where there is no Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]
# Playwright keeps a loop in the thread of the tests until the session ends; Django would refuse its database there.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """pytest-playwright starts this Chromium."""
    return {"executable_path": CHROMIUM, "args": FLAGS}


@pytest.fixture
def visit(request: pytest.FixtureRequest, live_server: Any) -> Iterator[Callable[..., Any]]:
    """`visit("/guide/", width=320, scheme="dark")` gives the open page; complaints of the browser fail the test.

    `expect` names parts of console messages that the test provokes on purpose.
    """
    if not CHROMIUM:
        pytest.skip("Chromium is not installed")
    browser = request.getfixturevalue("browser")
    opened: list[Any] = []
    complaints: list[str] = []
    expected: list[str] = []

    def open_page(
        address: str, *, width: int = 1280, scheme: str = "light", expect: tuple[str, ...] = (), **options: Any
    ) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        opened.append(context)
        expected.extend(expect)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(live_server.url + address)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert [text for text in complaints if not any(part in text for part in expected)] == []
