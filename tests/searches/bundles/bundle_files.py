"""Exporting, reading and forging bundles in tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from litapp.core.formats.bundle.files import MANIFEST
from litapp.projects.models import Project
from searches.models import Candidate, RetrievalRun
from searches.services.bundle_export import MadeBundle, bundle_export


def export(run: RetrievalRun, out: Path, **options: Any) -> MadeBundle:
    return bundle_export(run=RetrievalRun.objects.get(pk=run.pk), out=out, **options)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_bytes().split(b"\n") if line]


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def picture(project: Project) -> list[tuple[Any, ...]]:
    """The project's candidates without ids: what each is and who returned it."""
    rows = [
        (
            candidate.record,
            candidate.sources,
            candidate.provenance,
            candidate.fit,
            sorted(candidate.source_records.values_list("source", "source_record__source_id", "rule", "why")),
        )
        for candidate in Candidate.objects.listed(project)
    ]
    return sorted(rows, key=str)


def reseal(folder: Path, **changes: Any) -> None:
    """Write the manifest anew for the files as they are now, as somebody would who knows the form."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
        for name, body in content_of(folder).items()
        if name != MANIFEST
    }
    manifest |= changes
    (folder / MANIFEST).write_text(json.dumps(manifest))


def edit(folder: Path, name: str, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change one line of a JSON lines file."""
    entries = lines(folder, name)
    change(entries[number])
    (folder / name).write_bytes(
        b"".join(
            json.dumps(e, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for e in entries
        )
    )
