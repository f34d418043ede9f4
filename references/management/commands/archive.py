"""manage.py archive PROJECT --out DIR: the project's reference list as a folder, merged with what is there."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from references.models import Export, ExportFormat, Scope
from references.services.archive import MadeArchive, archive_write
from references.services.export import ExportProblem, ExportWork, export_folder, export_request
from references.services.gate import OverrideRefused, override
from searches.management.projects import member_named, project_named


class Command(BaseCommand):
    help = (
        "Write the reference list of a project to DIR/references/<name>/: references.bib with the verified entries, "
        "pdfs/, README.md with index, warnings and coverage, SHA256SUMS. Run it again at any time: files that are "
        "there are merged by content, files that somebody changed are kept beside."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="number or exact name")
        parser.add_argument("--out", type=Path, required=True, help="folder; made if it does not exist")
        parser.add_argument("--user", default="", help="e-mail of the member in whose name it is made")
        parser.add_argument("--override", default="", metavar="REASON", help="let it go out although checks fail")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        project = project_named(options["project"])
        person = member_named(project, options["user"])
        try:
            export = export_request(
                project=project, actor=person, format=ExportFormat.ARCHIVE, scope=Scope.ALL, style="",
                request_id=uuid4(),
            )  # fmt: skip
            _run(export)
            if not export.files and options["override"] and not export.gate.get("passed", True):
                override(export=export, actor=person, reason=options["override"])
                _run(export)
        except (ExportProblem, OverrideRefused) as problem:
            raise CommandError(str(problem)) from problem
        if not export.files:
            for check in export.gate.get("checks", ()):
                for one in check["failures"]:
                    self.stderr.write(": ".join(part for part in (check["title"], one["key"], one["text"]) if part))
            raise CommandError(f"{export.message} {export.hint}".strip())
        done = archive_write(_unpacked(export_folder(export) / export.files[0]["name"], export), options["out"])
        for name in done.kept:
            self.stderr.write(f"Kept beside, because somebody changed it: {name}")
        self.stdout.write(f"{done.folder}: {len(done.written)} files written, {len(done.unchanged)} were there already")


def _run(export: Export) -> None:
    ExportWork().run(str(export.pk))
    export.refresh_from_db()


def _unpacked(path: Path, export: Export) -> MadeArchive:
    """The files of an archive's zip, by their path within its folder."""
    with zipfile.ZipFile(path) as packed:
        names = packed.namelist()
        slug = names[0].split("/")[1]
        files = {name.split("/", 2)[2]: packed.read(name) for name in names}
    return MadeArchive(slug, files, export.created_at)
