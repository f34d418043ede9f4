"""A running sandbox for any test that speaks HTTP to the sources. Imported by tests/conftest.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from litapp.sandbox.server import RunningSandbox, start_sandbox
from litapp.sandbox.tiny import make_tiny_corpus

FAST = 1_000_000.0
"""The limits run a million times faster in tests: 3 requests a second become 3 in a microsecond."""


@pytest.fixture(scope="session")
def tiny_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus file of the tiny corpus (59 articles)."""
    path = tmp_path_factory.mktemp("sandbox") / "corpus.db"
    make_tiny_corpus(path)
    return path


@pytest.fixture(scope="session")
def running_sandbox(tiny_corpus: Path) -> Iterator[RunningSandbox]:
    """The server of the whole test session. Tests use `sandbox_server`, which cleans up behind them."""
    running = start_sandbox(tiny_corpus, clock=FAST)
    yield running
    running.stop()


@pytest.fixture
def sandbox_server(running_sandbox: RunningSandbox) -> Iterator[RunningSandbox]:
    """The running sandbox with no faults, an empty log and nothing spent; faults set by the test are taken back."""
    running_sandbox.reset()
    yield running_sandbox
    running_sandbox.reset()
