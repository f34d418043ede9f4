"""People and projects for the tests of this folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections

from litapp.projects.models import Membership, Project
from litapp.projects.services.projects import project_create

_numbers = count(1)


def make_person(name: str = "") -> User:
    """A person without a password (tests use `force_login`); names need not be unique."""
    number = next(_numbers)
    return User.objects.create_user(
        f"person{number}", f"person{number}@example.org", first_name=name or f"Person {number}"
    )


def join(project: Project, role: str, name: str = "") -> Membership:
    """A new person in the project with this role."""
    return Membership.objects.create(project=project, user=make_person(name), role=role)


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """Makes people."""
    return make_person


@pytest.fixture
def owner(db: None) -> User:
    return make_person("Olga Owner")


@pytest.fixture
def project(owner: User) -> Project:
    """A project of `owner`."""
    return project_create(actor=owner, name="Dexamethasone in severe COVID-19", description="A test")


@pytest.fixture
def in_threads(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Runs functions at the same time, each in a thread with a connection of its own to one database file.

    The tests' own database is in memory, where SQLite's threads share one cache and lock by table: nothing like what
    runs in earnest. So its (empty) tables are copied to a file. Raises what a function raised.
    """
    file = tmp_path / "threads.sqlite3"
    connection.ensure_connection()
    copy = sqlite3.connect(file)
    connection.connection.backup(copy)
    copy.close()
    monkeypatch.setitem(connections.settings["default"], "NAME", str(file))

    def run(*functions: Callable[[], Any]) -> list[Any]:
        def closing(function: Callable[[], Any]) -> Any:
            try:
                return function()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(max_workers=len(functions)) as pool:
            return [future.result(timeout=120) for future in [pool.submit(closing, f) for f in functions]]

    return run
