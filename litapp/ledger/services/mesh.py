"""MeSH on this installation: the file carried with LitLedger or loaded by its keeper, and NLM itself for the rest."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from litapp.core.mesh import BadMeshFile, MeshHeading, MeshIndex, read_mesh, write_mesh
from litapp.core.mesh.heading import key_of
from litapp.core.ports import Outcome
from litapp.ledger.models import MeshAnswer
from litapp.ledger.services.clients import client_for, source_state
from litapp.providers.base import SourceError
from litapp.providers.pubmed.provider import PubMed
from litapp.providers.questions import MeshHeadingFound

CARRIED = Path(__file__).parents[1] / "data" / "mesh2024.tsv.gz"
"""MeSH 2024, names, tree numbers and entry terms. Courtesy of the U.S. National Library of Medicine."""
LONGEST_NAME = 300
MOST_ASKED = 20
"""Headings taken from one answer of NLM. As many without the one asked for do not prove that it is not there."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What `mesh_load` took over."""

    headings: int
    edition: str
    scopes: int


def mesh_load(*, path: Path, edition: str = "") -> Loaded:
    """Take this file as the installation's MeSH, in place of the one before; every process reads it at its next use.

    Raises BadMeshFile (nothing is changed then) or OSError. `edition` is the year, where the file does not say it.
    """
    read = read_mesh(path)
    year = edition or read.edition
    if not year:
        raise BadMeshFile(f"{path.name} does not say of which year it is: give the year with --edition.")
    target = _loaded_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        write_mesh(read.lines, part, edition=year)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return Loaded(len(read.lines), year, sum(line.count("\t") > 3 for line in read.lines))


def mesh_index() -> MeshIndex:
    """The headings of the file at hand, in memory; read again when the file has changed."""
    path = _loaded_path()
    path = path if path.is_file() else CARRIED
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> MeshIndex:
    read = read_mesh(path)
    return MeshIndex(read.lines, read.edition)


def _loaded_path() -> Path:
    return Path(settings.DATA_DIR) / "mesh" / "mesh.tsv.gz"


class InstalledMesh:
    """The vocabulary for the linter and the draft: the file at hand, then what NLM said of headings it does not have.

    Reads the database, never the network.
    """

    def __init__(self) -> None:
        self.index = mesh_index()

    @property
    def edition(self) -> str:
        return self.index.edition

    def heading(self, name: str) -> MeshHeading | None:
        """The heading that `name` is or is an entry term of; None if neither the file nor NLM's answers have it."""
        return self.index.heading(name) or _as_heading(_answer(name))

    def preferred(self, name: str) -> str | None:
        found = self.heading(name)
        return found.name if found else None

    def entry_terms(self, heading: str) -> tuple[str, ...]:
        found = self.heading(heading)
        return found.entry_terms if found else ()

    def surely_absent(self, name: str) -> bool:
        row = _answer(name)
        return row is not None and row.heading is None

    def close(self, name: str) -> tuple[str, ...]:
        return self.index.close(name)


@dataclass(frozen=True, slots=True)
class MeshSaid:
    """What NLM said: the heading; or that there is `none`; or neither, when its answer does not decide it."""

    heading: MeshHeading | None
    none: bool = False


def mesh_ask(*, name: str) -> MeshSaid:
    """Ask NLM (E-utilities) for a heading and keep what it says.

    Raises SourceError when it could not be asked: that is no "there is none". Network: not within a transaction.
    """
    key = key_of(name)
    if not key or len(key) > LONGEST_NAME:
        return MeshSaid(None)
    state = source_state("pubmed")
    if not state.usable:
        raise SourceError("pubmed", Outcome.PERMANENT, state.reason, hint=state.hint)
    found, answers = PubMed().find_headings(client_for("pubmed"), f'"{key}"', limit=MOST_ASKED)
    heading = next((_of_answer(one) for one in found if one.exact and one.kind in ("", "descriptor")), None)
    if heading is None and len(found) >= MOST_ASKED:
        return MeshSaid(None)
    stored = asdict(heading) if heading else None
    MeshAnswer.objects.update_or_create(
        key=key, defaults={"heading": stored, "answer_id": answers[-1], "asked_at": timezone.now()}
    )
    return MeshSaid(heading, none=heading is None)


def _of_answer(found: MeshHeadingFound) -> MeshHeading:
    return MeshHeading(found.ui, found.name, found.tree_numbers, found.entry_terms, found.scope)


def _answer(name: str) -> MeshAnswer | None:
    return MeshAnswer.objects.filter(key=key_of(name)).first()


def _as_heading(row: MeshAnswer | None) -> MeshHeading | None:
    if row is None or row.heading is None:
        return None
    data = row.heading
    return MeshHeading(
        data["ui"], data["name"], tuple(data["tree_numbers"]), tuple(data["entry_terms"]), data.get("scope", "")
    )
