"""Files for the tests of imports, made up here: records that no database holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from litapp.projects.models import Project
from searches.models import RecordImport
from searches.services.import_work import ImportWork
from searches.services.imports import Begun, ImportDetails, import_file
from tests.searches.stand_in import paper

EMBASE = ImportDetails("Embase", "Ovid")


def ris_record(number: int, **more: str) -> str:
    """Paper `number` of the stand-in sources as a RIS record; `more` are further tags."""
    record = paper(number)
    lines = [("TY", "JOUR"), ("TI", record.title), *(("AU", f"{p.family}, {p.given}") for p in record.authors)]
    lines += [("PY", str(record.year)), ("JO", record.journal), ("VL", record.volume), ("DO", record.doi)]
    return "".join(f"{tag}  - {value}\n" for tag, value in [*lines, *more.items(), ("ER", "")]) + "\n"


def ris_file(count: int, start: int = 1) -> bytes:
    """Papers `start` to `start + count - 1`."""
    return "".join(ris_record(number) for number in range(start, start + count)).encode()


def begin(project: Project, person: Any, body: bytes, *, name: str = "export.ris", **more: Any) -> Begun:
    """Begin to import `body`."""
    details = more.pop("details", EMBASE)
    return import_file(
        project=project, actor=person, request_id=more.pop("request_id", None) or uuid4(), details=details, name=name,
        chunks=iter([body]),
    )  # fmt: skip


def work(row: RecordImport) -> RecordImport:
    """Let a worker do what is due for it, and read it anew."""
    ImportWork().run(str(row.pk))
    row.refresh_from_db()
    return row


def imported(project: Project, person: Any, body: bytes, **more: Any) -> RecordImport:
    """Import `body` to its end."""
    return work(begin(project, person, body, **more).record_import)


def in_chunks(body: bytes, size: int) -> Iterator[bytes]:
    """The body as a browser sends it."""
    for start in range(0, len(body), size):
        yield body[start : start + size]
