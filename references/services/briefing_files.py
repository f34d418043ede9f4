"""The files of a briefing: JSON, Markdown, HTML, and a folder from which the run can be repeated and compared."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import shlex
import zipfile
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import litapp
from litapp.core.formats.briefing import (
    SCHEMA_VERSION,
    briefing_html,
    briefing_json,
    briefing_markdown,
    schema,
)
from references.models import Briefing

MEDIA = {
    "briefing.json": "application/json",
    "briefing.md": "text/markdown; charset=utf-8",
    "briefing.html": "application/octet-stream",
    "briefing.zip": "application/zip",
}
"""Files that can be downloaded. The HTML goes as bytes: it is opened from the disk, not within LitLedger."""
FOLDER = "reproducibility"
_PACKAGES = ("Django", "httpx", "lxml", "jsonschema", "openai")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def briefing_files(row: Briefing) -> dict[str, bytes]:
    """Every file of a finished briefing by its path. The same version gives the same bytes, on any day.

    Raises ValueError for one that has not ended.
    """
    document = row.document
    if not document:
        raise ValueError("the briefing has not ended")
    files = {
        "briefing.json": briefing_json(document).encode(),
        "briefing.md": briefing_markdown(document).encode(),
        "briefing.html": briefing_html(document).encode(),
        f"{FOLDER}/briefing.schema.json": (json.dumps(schema(), ensure_ascii=False, indent=2) + "\n").encode(),
        f"{FOLDER}/commands.sh": _commands(document).encode(),
        f"{FOLDER}/environment.json": (json.dumps(row.environment, indent=2) + "\n").encode(),
        f"{FOLDER}/README.md": _readme(document).encode(),
    }
    sums = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    files[f"{FOLDER}/checksums.sha256"] = sums.encode()
    return files


def briefing_zip(row: Briefing) -> bytes:
    """All files in one zip, the same bytes every time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in sorted(briefing_files(row).items()):
            packed.writestr(zipfile.ZipInfo(name, _EPOCH), body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _commands(document: dict[str, Any]) -> str:
    query, chosen = document["query"], document["settings"]
    options = [f"--topic {query['topic']}", f"--papers {chosen['papers']}"]
    if chosen["ai_summaries"]:
        options.append("--ai")
    lines = [
        "#!/bin/sh",
        "# Check that the files are as they were written (run it in the folder that holds briefing.json):",
        f"sha256sum -c {FOLDER}/checksums.sha256",
        "# Make the briefing anew, in LitLedger's folder. PubMed grows: a later run may name other papers.",
        f"# .venv/bin/python manage.py briefing {shlex.quote(query['asked'])} {' '.join(options)} --out briefing-again",
    ]
    return "\n".join(lines) + "\n"


def environment_of(document: dict[str, Any]) -> dict[str, Any]:
    """Versions of what makes a briefing here and now; kept with it when its run ends."""
    return {
        "litledger": litapp.__version__,
        "schema_version": SCHEMA_VERSION,
        "python": platform.python_version(),
        "system": platform.system(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "model": document["settings"]["model"],
        "sandbox": document["sandbox"],
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _readme(document: dict[str, Any]) -> str:
    model = (
        "no: a model may answer otherwise to the same prompt" if document["settings"]["ai_summaries"] else "none here"
    )
    return _README.format(version=document["version"], at=document["generated_at"], model=model)


_README = """\
# How to repeat this briefing

Version {version} of this topic, finished {at}. A new run is a new version; this one stays as it is.

| file | repeats exactly |
|---|---|
| briefing.json, briefing.md, briefing.html | yes, written again from this version (`checksums.sha256` proves it) |
| the same three from a new run | no: the time differs, and PubMed may hold newer papers or changed records |
| summaries of method `first-sentence` | yes, from the same abstract |
| summaries of method `llm` | {model} |
| reproducibility/environment.json | yes: it was written down when the run ended |
| reproducibility/briefing.schema.json, commands.sh | yes |

What PubMed answered is archived with its checksum in the installation that made the briefing.
"""
