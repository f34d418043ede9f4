"""manage.py check_references FILE: which references exist, which are wrong in which field, which are retracted."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.worker import SignOfLife
from litapp.projects.models import Project
from litapp.projects.services.projects import project_create
from litapp.verification.services.work import check_now
from references.models import ListEntry, ReferenceListCheck
from references.services.headless import service_user
from references.services.list_checks import ListProblem, list_check_request
from references.services.list_files import FILES, list_file
from references.services.list_report import all_rows, report_json, report_markdown
from references.services.list_work import ListWork
from references.services.pandoc import DocumentError

SUSPECT, UNUSABLE = 1, 2
"""Exit statuses: something is suspect or retracted; the file could not be used."""


class Command(BaseCommand):
    help = (
        "Check a list of references (.bib, .ris, .nbib, EndNote or PubMed XML, CSL-JSON, .docx, .md, text, list of "
        "PMIDs or DOIs; - reads standard input). Exit status: 0 nothing suspect, 1 something suspect or retracted, "
        "2 the file could not be used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the list; - for standard input")
        parser.add_argument("--json", action="store_true", help="print everything as JSON in place of the report")
        parser.add_argument(
            "--out", type=Path, help="folder for all files: checked list (.bib, .ris, .docx) and report"
        )
        parser.add_argument("--project", type=int, help="number of a project to keep it in (default: a new one)")
        parser.add_argument("--patience", type=float, default=10.0, help="minutes without progress before it ends")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        name = "" if options["file"] == "-" else Path(options["file"]).name
        row = self._begin(_content(options["file"]), name, options["project"])
        _work(row, options["patience"] * 60)
        row.refresh_from_db()
        rows = all_rows(row)
        told = (
            json.dumps(report_json(row, rows), ensure_ascii=False, indent=2)
            if options["json"]
            else report_markdown(row, rows)
        )
        self.stdout.write(told, ending="\n" if options["json"] else "")
        if options["out"]:
            self._write(row, options["out"])
        counts = row.entries.counts()
        if row.message:
            self.stderr.write(f"{row.message} {row.hint}".strip())
        if counts["checking"]:
            self.stderr.write(f"{counts['checking']} entries have no verdict yet: nothing moved any more.")
        if not counts["all"]:
            raise CommandError("No reference was found in it.", returncode=UNUSABLE)
        if counts["identity"] or counts["details"] or counts["retracted"]:
            sys.exit(SUSPECT)

    def _begin(self, content: bytes, name: str, project_id: int | None) -> ReferenceListCheck:
        user: User = service_user()
        try:
            project = (
                Project.objects.get(pk=project_id)
                if project_id
                else project_create(actor=user, name=f"Check of {name or 'a list'}"[:200])
            )
            return list_check_request(project=project, actor=user, request_id=uuid4(), chunks=[content], name=name)
        except Project.DoesNotExist as error:
            raise CommandError(f"There is no project {project_id}.", returncode=UNUSABLE) from error
        except ListProblem as problem:
            raise CommandError(f"{name or 'The text'}: {problem}", returncode=UNUSABLE) from problem

    def _write(self, row: ReferenceListCheck, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rows = all_rows(row)
        for kind in FILES:
            try:
                made = list_file(row, kind, rows)
            except DocumentError as error:
                self.stderr.write(f"Not written: {kind}. {error} {error.hint}")
                continue
            (folder / made.name).write_bytes(made.content)
            self.stderr.write(str(folder / made.name))


def _content(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror or error}", returncode=UNUSABLE) from error


def _work(row: ReferenceListCheck, patience: float) -> None:
    """Read and check until every entry has its verdict, or nothing moved for `patience` seconds. A worker of the
    installation may do part of it."""
    last, moved = None, time.monotonic()
    with SignOfLife():
        while True:
            ListWork().run(str(row.pk))
            entries = ListEntry.objects.filter(list_check=row)
            check_now(verification_ids=list(entries.unfinished().values_list("verification_id", flat=True)))
            row.refresh_from_db()
            if not row.is_open:
                return
            now = (row.done, row.state, entries.unfinished().count())
            if now != last:
                last, moved = now, time.monotonic()
            elif time.monotonic() - moved > patience:
                return
            time.sleep(0.2)
