"""Brings old records (title, year, id) into a project through the adapter: as records that no source returned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from litapp.core.formats.bundle.legacy import LegacyRecordError, legacy_record
from litapp.projects.models import Project
from searches.models import Candidate
from searches.services.brought import records_bring
from searches.services.bundle_files import BundleError

LARGEST = 64 * 1024 * 1024
"""Bytes of a list of old records."""


def legacy_import(*, path: Path, project: Project, actor: Any) -> list[Candidate]:
    """Read a JSON list, or JSON lines, of old records; each becomes a candidate with the warning `legacy_adapted`.

    All or none. Raises BundleError naming the first record that cannot be adapted.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BundleError(f"{path} cannot be read as a list of old records: {error}") from error
    if len(content) > LARGEST:
        raise BundleError(f"{path} has more than {LARGEST:,} bytes.")
    entries = _entries(text)
    if not entries:
        raise BundleError(f"{path} holds no record.")
    records = []
    for number, entry in enumerate(entries, start=1):
        try:
            if not isinstance(entry, dict):
                raise LegacyRecordError("It is no object.")
            records.append(legacy_record(entry))
        except LegacyRecordError as error:
            raise BundleError(f"Record {number}: {error} Nothing was taken.") from error
    return records_bring(
        project=project, actor=actor, label=f"old records from {path.name}", text=text, records=records
    )


def _entries(text: str) -> list[Any]:
    try:
        if text.lstrip().startswith("["):
            whole = json.loads(text)
            return list(whole)
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BundleError(f"This is neither a JSON list nor JSON lines: {error}") from error
