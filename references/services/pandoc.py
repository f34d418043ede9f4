"""Pandoc: the one place that starts it. Formats references by a CSL style and turns documents into Word files."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pypandoc

from references.services.citation_styles import style_file, style_named

TIMEOUT_SECONDS = 20
"""Of one call; a document takes four, which must end within a worker's lease."""
MEMORY_LIMIT = "-M1G"
"""Most memory pandoc may take (option of its runtime)."""

Block = dict[str, Any]
"""A block of pandoc's document tree (JSON form of pandoc-types 1.23)."""


class DocumentError(Exception):
    """Pandoc could not make the document. `hint` says what a person can do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class PandocMissing(DocumentError):
    """There is no pandoc on this machine."""

    def __init__(self) -> None:
        super().__init__(
            "Word files need pandoc, which is not installed.",
            "Install the packages of requirements/run.txt again; they bring pandoc along.",
        )


class PandocFailed(DocumentError):
    """Pandoc ended with an error, or took too long."""

    def __init__(self, cause: str) -> None:
        super().__init__(
            f"Pandoc could not make the document: {cause}",
            "Try another citation style or the Markdown format; if it stays, tell your administrator.",
        )


class StyleWithoutList(DocumentError):
    """The style prints no reference list (some note styles)."""

    def __init__(self, title: str) -> None:
        super().__init__(
            f"The style “{title}” has no reference list, so it cannot number these references.",
            "Choose another citation style.",
        )


def run_pandoc(arguments: Sequence[str], source: bytes) -> bytes:
    """What pandoc prints for `source`. Runs with --sandbox: it reads no file but those named in `arguments`, reaches no
    network, and writes 1970 wherever it would write the time. Raises PandocMissing or PandocFailed."""
    try:
        program = pypandoc.get_pandoc_path()
    except OSError as error:
        raise PandocMissing from error
    with tempfile.TemporaryDirectory(prefix="litledger-pandoc-") as folder:
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(  # noqa: S603 - a program of ours with arguments of ours; people's text goes to stdin
                [program, "--sandbox", *arguments, "+RTS", MEMORY_LIMIT, "-RTS"],
                input=source,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                cwd=folder,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PandocFailed(f"it was stopped after {TIMEOUT_SECONDS} seconds") from error
        except FileNotFoundError as error:
            raise PandocMissing from error
    if done.returncode != 0:
        raise PandocFailed(done.stderr.decode("utf-8", "replace").strip()[:500] or f"exit code {done.returncode}")
    return done.stdout


def read_markdown(text: str) -> list[Block]:
    """The blocks of a Markdown text, citations (`[@key]`) as such. Raw HTML, TeX and Word markup, mathematics and
    metadata are not interpreted."""
    off = (
        "-raw_html-raw_tex-raw_attribute-tex_math_dollars-latex_macros-smart"
        "-yaml_metadata_block-pandoc_title_block-auto_identifiers"
    )
    tree = json.loads(run_pandoc(["-f", f"markdown{off}", "-t", "json"], text.encode()))
    blocks: list[Block] = tree["blocks"]
    return blocks


def format_references(items: Sequence[Mapping[str, Any]], style: str) -> list[tuple[str, list[Block]]]:
    """(id, blocks) of each CSL-JSON item as the style prints it in a reference list, in the style's order, without the
    style's own number. Raises UnknownStyle, StyleWithoutList, PandocMissing, PandocFailed."""
    if not items:
        return []
    path = style_file(style)
    source = json.dumps(list(items), ensure_ascii=False, sort_keys=True).encode()
    tree = json.loads(run_pandoc(["-f", "csljson", "-t", "json", "--citeproc", "--csl", str(path)], source))
    entries = [
        (str(entry["c"][0][0]).removeprefix("ref-"), _without_number(entry["c"][1]))
        for block in tree["blocks"]
        if block["t"] == "Div" and block["c"][0][0] == "refs"
        for entry in block["c"][1]
        if entry["t"] == "Div"
    ]
    if {key for key, _ in entries} != {str(item["id"]) for item in items}:
        raise StyleWithoutList(style_named(style).title)
    return entries


def _without_number(blocks: list[Block]) -> list[Block]:
    """An entry without the style's label in the margin ("1."), which the document's own list numbers replace."""
    cleaned = []
    for block in blocks:
        if block["t"] not in {"Para", "Plain"}:
            cleaned.append(block)
            continue
        inlines = [part for part in block["c"] if not _has_class(part, "csl-left-margin")]
        flat: list[Block] = []
        for part in inlines:
            flat.extend(part["c"][1] if _has_class(part, "csl-right-inline") else [part])
        cleaned.append({"t": block["t"], "c": flat})
    return cleaned


def _has_class(part: Block, name: str) -> bool:
    return part["t"] == "Span" and name in part["c"][0][1]


def write_docx(blocks: Sequence[Block], meta: Mapping[str, Any], *, template: bytes, epoch: datetime) -> bytes:
    """A Word file of the blocks with the styles of `template` (a .docx), dated `epoch`; equal input, equal bytes."""
    tree = {"pandoc-api-version": [1, 23, 1], "meta": dict(meta), "blocks": list(blocks)}
    with tempfile.TemporaryDirectory(prefix="litledger-docx-") as folder:
        styles = Path(folder) / "reference.docx"
        styles.write_bytes(template)
        arguments = ["-f", "json", "-t", "docx", "-o", "-", "--reference-doc", str(styles)]
        return _dated(run_pandoc(arguments, json.dumps(tree, ensure_ascii=False).encode()), epoch)


def _dated(document: bytes, epoch: datetime) -> bytes:
    """The same Word file with `epoch` as the time it was made (properties and archive), and the foot of the page in
    every section."""
    stamp = epoch.astimezone(UTC)
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(document)) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = content.replace(b"1970-01-01T00:00:00Z", stamp.strftime("%Y-%m-%dT%H:%M:%SZ").encode())
            elif name == "word/document.xml":
                content = _with_footers(_PICTURE_ADDRESS.sub(b"", content))
            entry = zipfile.ZipInfo(name, stamp.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content)
    return packed.getvalue()


_PICTURE_ADDRESS = re.compile(rb' descr="data:[^"]*"')
"""A picture's whole content, which pandoc repeats where its address would stand; the description stays beside it."""
_FOOTER_REFERENCE = re.compile(rb"<w:footerReference\b[^>]*/>")


def _with_footers(document: bytes) -> bytes:
    """The document's XML with the foot of the page in every section, as the last section has it."""
    found = _FOOTER_REFERENCE.findall(document)
    return re.sub(rb"<w:sectPr>\s*(?=<w:type\b)", b"<w:sectPr>" + found[0], document) if len(found) == 1 else document


def default_template() -> bytes:
    """Pandoc's own reference.docx, the base of ours."""
    return run_pandoc(["--print-default-data-file", "reference.docx"], b"")
