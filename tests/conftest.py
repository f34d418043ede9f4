"""What every test may use; refuses the network beyond this machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import expect

# A busy machine may take its time: no test measures it.
settings.register_profile("litledger", deadline=None)
settings.load_profile("litledger")
expect.set_options(timeout=20_000)
# Playwright keeps an event loop in the test thread; Django would refuse the database there.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for another machine fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded material beside the project; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not (folder / "wire").is_dir():
        pytest.skip("the recorded material (../shared) is not here")
    return folder


@pytest.fixture(autouse=True)
def _own_data_folder(settings: Any, tmp_path: Path) -> None:
    """Each test writes answers and exports into its own folder, and rings an in-memory bell."""
    settings.DATA_DIR = tmp_path
