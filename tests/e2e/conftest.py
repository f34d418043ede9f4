"""A whole LitLedger (web, worker, sandbox) in processes of its own, and Chromium to use it with."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from litapp.sandbox.tiny import ARTICLES, MESH
from tests.jobs.installations import migrated_folder

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here drives a browser; without Chromium they skip, and are counted."""
    chromium = shutil.which("chromium")
    for item in items:
        if Path(__file__).parent in Path(str(item.fspath)).parents:
            item.add_marker(pytest.mark.e2e)
            if not chromium:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": shutil.which("chromium"), "args": FLAGS}


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """These tests use no database of this process."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_answers(url: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended with status {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{url} does not answer")


@dataclass
class Installation:
    """A running LitLedger: its address, the sandbox behind it, its folder, the environment for its commands."""

    url: str
    sandbox: str
    folder: Path
    environment: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def manage(self, *arguments: str, check: bool = True) -> str:
        """Run a management command in this installation and return what it printed."""
        result = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if check and result.returncode:
            raise RuntimeError(f"{arguments} failed:\n{result.stdout}\n{result.stderr}")
        return result.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{arguments[0]}.log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def install(folder: Path, *, clock: int = 50, corpus: Path | None = None) -> Installation:
    """Set up and start an installation with the sandbox's limits `clock` times faster; on the tiny corpus if no other
    is named."""
    web, sandbox = free_port(), free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LITAPP_")},
        "LITAPP_DATA_DIR": str(folder / "data"),
        "LITAPP_SANDBOX_URL": f"http://127.0.0.1:{sandbox}",
        "LITAPP_SANDBOX_CLOCK": str(clock),
        "DJANGO_SETTINGS_MODULE": "litapp.settings",
    }
    it = Installation(f"http://127.0.0.1:{web}", environment["LITAPP_SANDBOX_URL"], folder, environment)
    shutil.copytree(migrated_folder(), folder / "data", dirs_exist_ok=True)
    it.manage("prepare")
    if corpus is None:
        corpus = folder / "corpus.sqlite3"
        it.manage("sandbox_load", str(ARTICLES), "--data", str(corpus), "--mesh", str(MESH))
    process = it.start("sandbox", "--port", str(sandbox), "--data", str(corpus), "--clock", str(clock))
    wait_until_answers(f"{it.sandbox}/_control/log", process)
    process = it.start("serve", "--port", str(web))
    wait_until_answers(it.url, process)
    return it


@pytest.fixture(scope="session")
def litledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all browser tests of a worker; each test makes its own people and projects."""
    it = install(tmp_path_factory.mktemp("litledger"))
    yield it
    it.stop()
