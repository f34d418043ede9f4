"""Whole installations for tests with real processes: a data folder, a migrated database, an environment."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVER = "postgresql://postgres@127.0.0.1:5432"


@dataclass
class Installation:
    """Runs commands of ours in processes of their own, all on the same database."""

    folder: Path
    database: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a process."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("LITAPP_")},
            "DJANGO_SETTINGS_MODULE": "litapp.settings",
            "PYTHONPATH": str(ROOT),
            "LITAPP_DATA_DIR": str(self.folder),
            "LITAPP_DATABASE_URL": self.database,
            **self.extra,
            **more,
        }

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        """Start a Python process (`-m`, a script, or manage.py and its arguments)."""
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str, **environment: str) -> str:
        """Run a process to its end and return what it printed; fails the test when it fails."""
        process = self.start(*command, **environment)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err[-3000:]
        return out

    @contextmanager
    def observed(self) -> Iterator[Callable[[str], Any]]:
        """A function that runs code in a process kept for it (Django set up) and returns what `answer` is then."""
        process = subprocess.Popen(
            [sys.executable, "tests/jobs/observing_process.py"],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(code: str) -> Any:
            process.stdin.write(json.dumps(code) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        try:
            yield ask
        finally:
            process.stdin.close()
            process.wait(timeout=30)
            process.stdout.close()

    def python(self, code: str, **environment: str) -> str:
        """Run Python code with Django set up."""
        return self.run("-c", f"import django; django.setup()\n{code}", **environment)


@lru_cache(maxsize=1)
def migrated_folder() -> Path:
    """A data folder with a migrated SQLite database, made once a test process; it is copied, never used."""
    folder = Path(tempfile.mkdtemp(prefix="litledger-migrated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Installation(folder).run("manage.py", "migrate", "-v0")
    return folder


@lru_cache(maxsize=1)
def migrated_database() -> str:
    """Name of a migrated database on the PostgreSQL server, made once a test process as a template for others."""
    psycopg = pytest.importorskip("psycopg")
    name = f"litledger_migrated_{uuid4().hex[:12]}"

    def drop() -> None:
        with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    atexit.register(drop)
    with tempfile.TemporaryDirectory() as folder:
        Installation(Path(folder), f"{SERVER}/{name}").run("manage.py", "migrate", "-v0")
    return name


@contextmanager
def installation(kind: str, folder: Path) -> Iterator[Installation]:
    """A fresh, migrated installation on "sqlite" or "postgresql" (skips where no server listens)."""
    if kind == "sqlite":
        shutil.copytree(migrated_folder(), folder, dirs_exist_ok=True)
        yield Installation(folder)
        return
    psycopg = pytest.importorskip("psycopg")
    name = f"litledger_test_{uuid4().hex[:12]}"
    try:
        server = psycopg.connect(f"{SERVER}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL listens on 127.0.0.1:5432")
    try:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_database()}")
        yield Installation(folder, f"{SERVER}/{name}")
    finally:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.close()
