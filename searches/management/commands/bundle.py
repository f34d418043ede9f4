"""manage.py bundle export RUN --out PATH | import PATH --project P | validate PATH."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.formats.bundle.manifest import refusal_of
from litapp.jobs.ready import require_ready
from searches.management.projects import member_named, project_named
from searches.models import RetrievalRun
from searches.services.bundle_export import bundle_export
from searches.services.bundle_files import BundleError
from searches.services.bundle_import import bundle_check, bundle_import
from searches.services.legacy_records import legacy_import


class Command(BaseCommand):
    help = "Export a run as a self-contained bundle (folder or .zip), import one, or check one."

    def add_arguments(self, parser: CommandParser) -> None:
        doing = parser.add_subparsers(dest="doing", required=True, metavar="export | import | validate")
        export = doing.add_parser("export", help="write a run as a bundle")
        export.add_argument("run", type=int, help="number of the run")
        export.add_argument("--out", type=Path, required=True, help="a folder that is not there yet, or NAME.zip")
        export.add_argument("--answers", action="store_true", help="with the archived answers; their terms are printed")
        taken = doing.add_parser("import", help="make a run of a bundle")
        taken.add_argument("path", type=Path)
        taken.add_argument("--project", required=True, help="number or exact name of the project")
        taken.add_argument("--as", dest="person", default="", help="e-mail of who imports (default: the first owner)")
        taken.add_argument(
            "--adapt-legacy", action="store_true", help="the path is a list of old records (title, year, id)"
        )
        check = doing.add_parser("validate", help="check a bundle")
        check.add_argument("path", type=Path)
        check.add_argument(
            "--adapt-legacy", action="store_true", help="read old records among the papers, with a warning"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["doing"] == "validate":
                self._validate(options["path"], adapt=options["adapt_legacy"])
                return
            require_ready()
            self._export(options) if options["doing"] == "export" else self._import(options)
        except BundleError as problem:
            raise CommandError(str(problem)) from problem

    def _export(self, options: dict[str, Any]) -> None:
        run = RetrievalRun.objects.select_related(
            "project", "version__plan", "version__approved_by", "replay_of"
        ).filter(pk=options["run"])
        found = run.first()
        if found is None:
            raise CommandError(f"There is no run {options['run']}.")
        made = bundle_export(run=found, out=options["out"], answers=options["answers"])
        counts = made.manifest["counts"]
        self.stdout.write(
            f"{made.path}: {made.manifest['status']}, {counts['hits']:,} records, {counts['deduped']:,} papers. "
            f"sha256 of the manifest: {made.sha256}"
        )
        for terms in made.manifest["answers"]["terms"]:
            self.stderr.write(f"Answers of {terms['label']} are in it. Its terms: {terms['terms_url']}")

    def _import(self, options: dict[str, Any]) -> None:
        project = project_named(options["project"])
        actor = member_named(project, options["person"])
        if options["adapt_legacy"]:
            taken = legacy_import(path=options["path"], project=project, actor=actor)
            self.stdout.write(f"{len(taken):,} old records were adapted. None is confirmed by a source yet.")
            return
        imported = bundle_import(path=options["path"], project=project, actor=actor)
        head = "was imported before as" if imported.before else "is"
        self.stdout.write(
            f"The bundle {head} run {imported.run.pk} of “{project.name}”: {imported.papers:,} papers, "
            f"{imported.candidates:,} candidates."
        )
        for sentence in imported.differences:
            self.stderr.write(sentence)

    def _validate(self, path: Path, *, adapt: bool) -> None:
        checked = bundle_check(path=path, adapt=adapt)
        for problem in checked.problems:
            self.stderr.write(problem)
        if checked.untold:
            self.stderr.write(f"{checked.untold:,} more problems.")
        if not checked.valid:
            raise CommandError(f"{path} is not valid.")
        counts = checked.manifest["counts"]
        self.stdout.write(
            f"{path} is valid: {checked.manifest['status']}, {checked.manifest['mode']}, {counts['hits']:,} records, "
            f"{counts['deduped']:,} papers."
        )
        if checked.legacy:
            self.stderr.write(f"{checked.legacy:,} old records were read through the adapter (legacy_adapted).")
        if refusal := refusal_of(checked.manifest):
            self.stderr.write(refusal)
