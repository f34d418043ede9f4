"""One import: how far it is, its report, each number with its list, the table and the file to download."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from litapp.core.formats.csvsafe import write_csv
from litapp.ledger.services.bodies import DamagedBody, body_path, open_body
from litapp.projects.models import Project
from litapp.projects.permissions import ProjectRequest, Right, project_view
from litapp.verification.presentation import source_label
from litapp.web.htmx import fingerprint, unchanged, wants_part
from litapp.web.pagination import page_of_list
from searches.models import Candidate, CandidateSource, ImportedEntry, ImportKind, RecordImport
from searches.views.imports import import_of

PAGE_SIZE = 100
TOLD = 10
"""Skipped records that the report names itself; the others are in the list."""
LACKING_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "title": "no title",
        "authors": "no authors",
        "year": "no year",
        "abstract": "no abstract",
        "identifier": "no identifier",
    }
)
_LACKS: Mapping[str, Q] = MappingProxyType(
    {
        "title": ~Q(source_record__data__has_key="title"),
        "authors": ~Q(source_record__data__has_key="authors"),
        "year": Q(source_record__data__date__year__isnull=True),
        "abstract": ~Q(source_record__data__has_key="abstract"),
        "identifier": ~Q(source_record__data__has_key="identifiers"),
    }
)
"""Records that lack a field: empty fields are left out of their stored form."""
SHOWS: Mapping[str, str] = MappingProxyType(
    {
        "": "All records of the file",
        "read": "Read",
        "skipped": "Skipped",
        "dropped": "With fields that LitLedger has no place for",
        "claimed": "Whose file claims a verification",
        "warnings": "With a remark",
        **{f"no-{name}": f"Read, {label}" for name, label in LACKING_LABELS.items()},
    }
)
"""Lists of entries: `show` of the address -> heading."""
MISSING_LABELS = {"platform": "platform", "searched_on": "date searched", "query": "query as run",
                  "count_exported": "number of records exported"}  # fmt: skip
"""What PRISMA-S asks of a search, beside the database."""


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry as a line of a list: `candidate` is where its record stands now (None = skipped, or undone)."""

    entry: ImportedEntry
    candidate: int | None

    @property
    def lines(self) -> str:
        """ "12" or "12-30"; "" where the format has no lines."""
        first, last = self.entry.first_line, self.entry.last_line
        return "" if not first else str(first) if last <= first else f"{first}-{last}"


@project_view(Right.VIEW)
@never_cache
@require_GET
def import_page(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """Progress while it is open (polled by the page), then the report."""
    row = import_of(project, import_id)
    seen = fingerprint([row.state, row.done, row.bytes_read, row.message, row.undone_at])
    if wants_part(request) and request.GET.get("seen") == seen:
        return unchanged()
    part = "#import" if wants_part(request) else ""
    response = render(request, f"searches/import.html{part}", {"row": row, "seen": seen, **_report(row)})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _report(row: RecordImport) -> dict[str, Any]:
    """What the page tells; of an open import only how far it is."""
    whole, at = (row.total or 0, row.done) if row.kind == ImportKind.IDENTIFIERS else (row.size, row.bytes_read)
    context: dict[str, Any] = {
        "percent": min(99, at * 100 // whole) if whole else 0,
        "is_undoing": row.is_open and row.undo_requested_at is not None,
        "missing": [label for name, label in MISSING_LABELS.items() if getattr(row, name) in ("", None)]
        if row.kind == ImportKind.FILE else [],
    }  # fmt: skip
    if row.is_open:
        return context
    listed = Candidate.objects.listed(row.project)
    papers = 0 if row.undone_at else listed.brought_by(row.pk).count()
    known = 0 if row.undone_at else listed.brought_by(row.pk, "known").count()
    shows = "skipped" if row.kind == ImportKind.FILE else ""
    entries = _shown(row, shows).order_by("number")[: TOLD if shows else PAGE_SIZE]
    return context | {
        "papers": papers,
        "known": known,
        "new": papers - known,
        "lines": _lines(row, list(entries)),
        "more": max(0, row.skipped - TOLD),
        "dropped": sorted(row.dropped.items(), key=lambda item: (-item[1], item[0])),
        "lacking": [(f"no-{name}", LACKING_LABELS[name], row.lacking[name]) for name in LACKING_LABELS
                    if row.lacking.get(name)],
        "claimed": _shown(row, "claimed").count(),
        "remarked": _shown(row, "warnings").count(),
        "differs": row.count_exported is not None and row.state == "done" and row.count_exported != row.done,
    }  # fmt: skip


def _shown(row: RecordImport, show: str, field: str = "") -> QuerySet[ImportedEntry]:
    """The entries of one of SHOWS; `field` narrows "dropped" to one field of the file."""
    entries = ImportedEntry.objects.filter(record_import=row)
    if show == "read":
        return entries.exclude(source_record=None)
    if show == "skipped":
        return entries.filter(source_record=None)
    if show == "dropped":
        some = entries.exclude(dropped=[])
        return some.filter(dropped__icontains=f'"{field}:') if field else some
    if show == "claimed":
        return entries.exclude(claimed={})
    if show == "warnings":
        return entries.exclude(warnings=[])
    if show.startswith("no-") and show[3:] in _LACKS:
        return entries.exclude(source_record=None).filter(_LACKS[show[3:]])
    return entries


def _lines(row: RecordImport, entries: Sequence[ImportedEntry]) -> list[EntryLine]:
    """The entries with the candidates their records belong to now. One query."""
    records = [entry.source_record_id for entry in entries if entry.source_record_id]
    links = CandidateSource.objects.filter(project=row.project_id, source_record__in=records)
    at = dict(links.values_list("source_record_id", "candidate_id"))
    return [EntryLine(entry, at.get(entry.source_record_id or 0)) for entry in entries]


@project_view(Right.VIEW)
@never_cache
@require_GET
def import_entries(request: ProjectRequest, project: Project, import_id: int) -> HttpResponse:
    """The records of the file: all, or those that a number of the report counts (`show`, `field`)."""
    row = import_of(project, import_id)
    show = request.GET.get("show", "")
    if show not in SHOWS:
        raise Http404("no such list")
    field = request.GET.get("field", "")[:60]
    rows = _shown(row, show, field).select_related("source_record").order_by("number")
    page = page_of_list(request, rows, size=PAGE_SIZE)
    context = {
        "row": row,
        "page": page,
        "lines": _lines(row, page.items),
        "heading": f"{SHOWS[show]}: {field}" if field else SHOWS[show],
        "table": f"{reverse('searches:import_table', args=[project.pk, row.pk])}?{urlencode({'show': show})}",
        "shows": [(key, label, key == show) for key, label in SHOWS.items()],
    }
    return render(request, "searches/import_entries.html", context)


HEADER = ("row", "lines", "as typed", "kind", "identifier", "result", "why not", "source", "title", "year", "pmid",
          "doi", "record", "fields dropped", "claimed by the file", "remarks")  # fmt: skip


@project_view(Right.VIEW)
@never_cache
@require_GET
def import_table(request: ProjectRequest, project: Project, import_id: int) -> StreamingHttpResponse:
    """The same as CSV; no cell is run as a formula."""
    row = import_of(project, import_id)
    show = request.GET.get("show", "")
    if show not in SHOWS:
        raise Http404("no such list")
    response = StreamingHttpResponse(_table(row, _shown(row, show)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="import-{row.pk}{f"-{show}" if show else ""}.csv"'
    return response


def _table(row: RecordImport, entries: QuerySet[ImportedEntry]) -> Iterator[str]:
    yield write_csv(HEADER, ())
    rows = entries.select_related("source_record").order_by("number").iterator(chunk_size=500)
    batch: list[ImportedEntry] = []
    for entry in rows:
        batch.append(entry)
        if len(batch) == 500:
            yield _cells(row, batch)
            batch = []
    yield _cells(row, batch)


def _cells(row: RecordImport, batch: Sequence[ImportedEntry]) -> str:
    """The lines of a batch, without header and mark."""
    lines = []
    for line in _lines(row, batch):
        entry = line.entry
        record = entry.source_record.record if entry.source_record else None
        lines.append(
            (
                entry.number, line.lines, entry.text, entry.scheme, entry.identifier,
                "read" if record else "skipped", entry.problem, source_label(record.source) if record else "",
                record.title if record else "", record.year if record else None, record.pmid if record else "",
                record.doi if record else "", line.candidate, "; ".join(entry.dropped),
                "; ".join(f"{name}: {value}" for name, value in sorted(entry.claimed.items())),
                " ".join(entry.warnings),
            )
        )  # fmt: skip
    return write_csv(HEADER, lines).split("\r\n", 1)[1]


@project_view(Right.VIEW)
@never_cache
@require_GET
def import_original(request: ProjectRequest, project: Project, import_id: int) -> FileResponse:
    """The file as it came, byte for byte."""
    row = import_of(project, import_id)
    try:
        with open_body(row.sha256):
            pass
    except DamagedBody as damage:
        raise Http404(str(damage)) from damage
    name = row.file_name or f"import-{row.pk}.txt"
    return FileResponse(
        gzip.open(body_path(row.sha256)), as_attachment=True, filename=name, content_type="application/octet-stream"
    )
