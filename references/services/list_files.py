"""Files made of a checked list: the list with its verdicts, and the report on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.text import slugify

from litapp.core.citations import assign_citation_keys
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.ris import write_ris
from references.models import ReferenceListCheck
from references.services.export_files import MadeFile
from references.services.list_checks import is_sandbox_list
from references.services.list_report import all_rows, checked_docx, plain_report, report_docx, report_json
from references.services.list_rows import ListRow, export_entry, exported_record

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True)
class FileKind:
    """A file that can be made: its ending, media type, what it holds."""

    ending: str
    media_type: str
    title: str


FILES: Mapping[str, FileKind] = MappingProxyType(
    {
        "bib": FileKind("-checked.bib", "application/x-bibtex", "Checked list, BibTeX"),
        "ris": FileKind("-checked.ris", "application/x-research-info-systems", "Checked list, RIS"),
        "docx": FileKind("-checked.docx", _WORD, "Checked list, Word"),
        "report.docx": FileKind("-report.docx", _WORD, "Report, Word"),
        "report.md": FileKind("-report.md", "text/markdown; charset=utf-8", "Report, Markdown"),
        "json": FileKind("-check.json", "application/json", "Everything, JSON"),
    }
)


def list_file(list_check: ReferenceListCheck, kind: str, rows: Sequence[ListRow] | None = None) -> MadeFile:
    """One file; equal state, equal bytes. Raises KeyError for an unknown kind, and the errors of `pandoc`."""
    form = FILES[kind]
    told = all_rows(list_check) if rows is None else rows
    name = slugify(list_check.title.rsplit(".", 1)[0])[:60].strip("-") or "references"
    if is_sandbox_list(list_check):
        name = f"sandbox-data-{name}"
    return MadeFile(name + form.ending, _WRITERS[kind](list_check, told), form.media_type, form.title)


def export_entries(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> list[ExportEntry]:
    """All entries in the order of the list, each with a key of its own."""
    listed = sorted((row for row in rows if row.group != "other"), key=lambda row: row.entry.number)
    keys = assign_citation_keys([exported_record(row) for row in listed], frozenset())
    sandbox = is_sandbox_list(list_check)
    return [export_entry(row, key, sandbox=sandbox) for row, key in zip(listed, keys, strict=True)]


def _json(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> bytes:
    return (json.dumps(report_json(list_check, rows), ensure_ascii=False, indent=2) + "\n").encode()


_WRITERS: Mapping[str, Callable[[ReferenceListCheck, Sequence[ListRow]], bytes]] = MappingProxyType(
    {
        "bib": lambda check, rows: write_bibtex(export_entries(check, rows)).encode(),
        "ris": lambda check, rows: write_ris(export_entries(check, rows)).encode(),
        "docx": checked_docx,
        "report.docx": report_docx,
        "report.md": plain_report,
        "json": _json,
    }
)
