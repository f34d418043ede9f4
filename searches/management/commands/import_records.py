"""manage.py import_records FILE --project P --database NAME: imports a file of records, or a list of identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.worker import SignOfLife
from searches.management.projects import member_named, project_named
from searches.models import ImportedEntry
from searches.services.import_work import ImportWork
from searches.services.imports import ImportDetails, ImportProblem, import_file


class Command(BaseCommand):
    help = "Import what a database or a reference manager exported; every record is read or told with its reason."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--project", required=True, help="number or exact name of the project")
        parser.add_argument("--database", required=True, help="the database that was searched (Embase, Scopus ...)")
        parser.add_argument("--platform", default="", help="where it was searched (Ovid, EBSCOhost ...)")
        parser.add_argument("--searched-on", type=date.fromisoformat, default=None, metavar="YYYY-MM-DD")
        parser.add_argument("--query", default="", help="the query as it was run")
        parser.add_argument("--exported", type=int, default=None, help="records the database said it exported")
        parser.add_argument("--as", dest="person", default="", help="e-mail of who imports (default: the first owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        project, file = project_named(options["project"]), options["file"]
        details = ImportDetails(
            options["database"], options["platform"], options["searched_on"], options["query"], options["exported"]
        )
        try:
            begun = import_file(
                project=project,
                actor=member_named(project, options["person"]),
                request_id=uuid4(),
                details=details,
                name=file.name,
                chunks=_chunks(file),
            )
        except (ImportProblem, OSError) as problem:
            raise CommandError(str(problem)) from problem
        row = begun.record_import
        if begun.before:
            self.stdout.write(f"This file was imported before, as import {row.pk} ({row.database}). Nothing was added.")
            return
        with SignOfLife():
            ImportWork().run(str(row.pk))
        row.refresh_from_db()
        self.stdout.write(
            f"Import {row.pk}: {row.format}, {row.encoding}; {row.done:,} records in the file, {row.read:,} read, "
            f"{row.skipped:,} skipped."
        )
        for entry in ImportedEntry.objects.filter(record_import=row, source_record=None).order_by("number").iterator():
            self.stderr.write(f"Record {entry.number}, line {entry.first_line}: {entry.problem}")
        if row.is_open:
            raise CommandError(f"{row.message or 'A worker does this already.'} The worker goes on with it.")
        if row.state != "done":
            raise CommandError(f"{row.message} {row.hint}".strip())


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            yield chunk
