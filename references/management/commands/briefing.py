"""manage.py briefing QUERY: the newest papers on a gene, a disease or a question, as JSON, Markdown and HTML."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.briefing import DEFAULT_PAPERS, Topic
from litapp.jobs.ready import require_ready
from litapp.jobs.worker import SignOfLife
from litapp.projects.models import Project
from litapp.projects.services.projects import project_create
from references.models import Briefing
from references.services.briefing import BriefingProblem, briefing_request, checked_settings
from references.services.briefing_files import briefing_files
from references.services.briefing_work import BriefingWork
from references.services.headless import service_user

UNUSABLE = 2
"""Exit status: the query, the file or a setting cannot be used, or files would be replaced. Nothing was asked."""


class Command(BaseCommand):
    help = (
        "The newest papers (PubMed, English) on a gene, a disease or a question. Give a query or a UTF-8 file that "
        "holds it, not both. Exit status: 0 written (an empty briefing too), 1 the run failed, 2 nothing was asked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", nargs="?", default="", help="the words, or a PubMed query with --topic question")
        parser.add_argument("--file", type=Path, help="a UTF-8 file that holds the query")
        parser.add_argument("--topic", default=Topic.QUESTION.value, choices=[one.value for one in Topic])
        parser.add_argument("--papers", default=str(DEFAULT_PAPERS), help="1 to 50 (default 10)")
        parser.add_argument("--ai", action="store_true", help="summaries by the model of this installation")
        parser.add_argument("--out", type=Path, default=Path("briefing"), help="folder for the files")
        parser.add_argument("--replace", action="store_true", help="replace files that are in the folder already")
        parser.add_argument("--project", type=int, help="number of a project to keep it in (default: a new one)")
        parser.add_argument("--patience", type=float, default=10.0, help="minutes without progress before it ends")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        asked, given = _query(options["query"], options["file"])
        self._require_free(options["out"], replace=options["replace"])
        wanted = {"topic": options["topic"], "papers": options["papers"], "with_model": options["ai"]}
        try:
            checked_settings(asked=asked, **wanted)
            row = briefing_request(
                project=_project(options["project"], asked), actor=service_user(), request_id=uuid4(), asked=asked,
                given=given, **wanted,
            )  # fmt: skip
        except BriefingProblem as problem:
            raise CommandError(str(problem), returncode=UNUSABLE) from problem
        _work(row, options["patience"] * 60)
        row.refresh_from_db()
        if not row.document:
            raise CommandError(f"{row.message} {row.hint}".strip() or "The briefing did not end in time.", returncode=1)
        self._write(row, options["out"])

    def _require_free(self, folder: Path, *, replace: bool) -> None:
        """Files that would be replaced are named, and without --replace nothing is asked."""
        there = [name for name in _NAMES if (folder / name).exists()]
        if not there:
            return
        listed = ", ".join(there)
        if not replace:
            told = f"In {folder} these files would be replaced: {listed}. Choose another --out, or add --replace."
            raise CommandError(told, returncode=UNUSABLE)
        self.stderr.write(f"Warning: in {folder} these files are replaced: {listed}.")

    def _write(self, row: Briefing, folder: Path) -> None:
        for name, body in briefing_files(row).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        for warning in row.document["warnings"]:
            self.stderr.write(f"Warning: {warning}")
        counts = row.document["counts"]
        self.stdout.write(f"{counts['papers']} papers, version {row.number}: {folder / 'briefing.html'}")


_NAMES = (
    "briefing.json", "briefing.md", "briefing.html", "reproducibility/briefing.schema.json",
    "reproducibility/commands.sh", "reproducibility/environment.json", "reproducibility/README.md",
    "reproducibility/checksums.sha256",
)  # fmt: skip


def _query(query: str, file: Path | None) -> tuple[str, bytes]:
    """The query and the bytes it was read from. Raises CommandError for both, none, or a file that is no UTF-8 text."""
    if query and file:
        raise CommandError("Give a query or a file, not both: one of them would be lost.", returncode=UNUSABLE)
    if file is None:
        return query, query.encode()
    try:
        body = file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror or error}", returncode=UNUSABLE) from error
    try:
        return body.decode("utf-8-sig"), body
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        told = f"{file} is no UTF-8 text (line {line}). Save it as UTF-8 and try again."
        raise CommandError(told, returncode=UNUSABLE) from error


def _project(number: int | None, asked: str) -> Project:
    if number is None:
        return project_create(actor=service_user(), name=f"Briefing: {' '.join(asked.split())}"[:200])
    found = Project.objects.filter(pk=number, deleted_at=None).first()
    if found is None:
        raise CommandError(f"There is no project {number}.", returncode=UNUSABLE)
    return found


def _work(row: Briefing, patience: float) -> None:
    """Work in this process until it ends, or nothing moved for `patience` seconds."""
    last, moved = None, time.monotonic()
    with SignOfLife():
        while True:
            BriefingWork().run(str(row.pk))
            row.refresh_from_db()
            if not row.is_open:
                return
            if (row.done, row.state, row.failures) != last:
                last, moved = (row.done, row.state, row.failures), time.monotonic()
            elif time.monotonic() - moved > patience:
                return
            time.sleep(0.2)
