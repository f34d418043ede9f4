"""The manifest of a bundle: what it holds, how the run ended, the hash of every file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from litapp.core.formats.bundle.files import MANIFEST
from litapp.core.formats.bundle.jsonlines import UnreadableJson, read_json
from litapp.core.formats.bundle.schemas import part_error

BUNDLE = "litledger.bundle.v1"
RAW_LINE = "litledger.raw.v1"
SEARCH_LOG_FORM = "litledger.search_log.v1"
DEDUPE_MAP_FORM = "litledger.dedupe_map.v1"
LARGEST_MANIFEST = 64 * 1024 * 1024
"""Bytes. It names every archived answer."""
LIVE, REUSED, REPLAYED = "live", "reused", "replayed"


class ManifestError(ValueError):
    """The manifest cannot be used. The message says why."""


def mode_of(hows: Iterable[str], *, replay: bool) -> str:
    """LIVE when at least one answer was asked for in the run, REUSED when all had been there before; REPLAYED for a
    replay, which asks nobody."""
    if replay:
        return REPLAYED
    told = Counter(hows)
    if told[LIVE] or not told[REUSED] + told[REPLAYED]:
        return LIVE
    return REUSED if told[REUSED] else REPLAYED


def status_of(state: str, hits: int) -> str:
    """The status a manifest gives for a run's state. A cancelled run with records is a partial success."""
    if state in ("success", "partial_success"):
        return state
    return "partial_success" if state == "cancelled" and hits else "failed"


def utc_text(moment: datetime | None) -> str | None:
    """A time in UTC, to the microsecond where it has them."""
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def utc_time(text: str | None) -> datetime | None:
    """Inverse of `utc_text`. Raises ValueError."""
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC) if text else None


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """The manifest as it stands in a bundle. Raises ManifestError for one that does not have the form."""
    if problem := part_error("manifest", manifest):
        raise ManifestError(f"{MANIFEST}: {problem}")
    return (json.dumps(manifest, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def read_manifest(content: bytes) -> dict[str, Any]:
    """The manifest, of the right form. Raises ManifestError."""
    if len(content) > LARGEST_MANIFEST:
        raise ManifestError(f"{MANIFEST} is larger than {LARGEST_MANIFEST:,} bytes.")
    try:
        data = read_json(content, MANIFEST)
    except UnreadableJson as error:
        raise ManifestError(str(error)) from error
    form = data.get("schema") if isinstance(data, dict) else None
    if form != BUNDLE:
        raise ManifestError(f"{MANIFEST} is of the form {str(form)[:60]!r}; this version reads {BUNDLE!r}.")
    if problem := part_error("manifest", data):
        raise ManifestError(f"{MANIFEST}: {problem}")
    manifest: dict[str, Any] = data
    return manifest


def refusal_of(manifest: dict[str, Any]) -> str:
    """Why nothing may be made from this bundle, as a sentence; "" when it may be used."""
    if manifest["status"] != "failed":
        return ""
    reasons = " ".join(manifest["reasons"])
    return f"This bundle is of a run that failed, so nothing is taken from it. {reasons}".strip()
