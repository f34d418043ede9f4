"""Clients of the sandbox for its own tests."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from litapp.sandbox.limits import FastClock
from litapp.sandbox.server import RunningSandbox
from tests.sandbox.fixtures import running_sandbox, sandbox_server, tiny_corpus

__all__ = ["running_sandbox", "sandbox_server", "tiny_corpus"]


@dataclass(frozen=True)
class Got:
    """What came back."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Get = Callable[..., Got]


def ask(
    url: str, *, data: bytes | None = None, method: str | None = None, headers: dict[str, str] | None = None
) -> Got:
    """One request; an HTTP error is an answer too."""
    request = urllib.request.Request(url, data=data, headers=headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return Got(answer.status, answer.read(), {k.casefold(): v for k, v in answer.headers.items()})
    except urllib.error.HTTPError as error:
        with error:
            return Got(error.code, error.read(), {k.casefold(): v for k, v in error.headers.items()})


@pytest.fixture
def get(sandbox_server: RunningSandbox) -> Get:
    """GET a path of the sandbox, parameters as a mapping."""

    def fetch(path: str, params: dict[str, object] | None = None, **more: Any) -> Got:
        query = f"?{urllib.parse.urlencode(params)}" if params else ""
        return ask(sandbox_server.url + path + query, **more)

    return fetch


class Stepping:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def stepping(sandbox_server: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> Stepping:
    """The sandbox on a clock of real speed that stands still."""
    clock = Stepping()
    standing = FastClock(1.0, clock)
    monkeypatch.setattr(sandbox_server.sandbox.world.window, "_clock", standing)
    monkeypatch.setattr(sandbox_server.sandbox.world.budget, "_clock", standing)
    sandbox_server.reset()
    return clock
