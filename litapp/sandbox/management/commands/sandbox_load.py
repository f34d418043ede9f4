"""Builds the corpus of the stand-in sources: manage.py sandbox_load FILE… --data CORPUS."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.corpus.store import CorpusError


class Command(BaseCommand):
    """Load PubMed XML (also gzip) and OpenAlex or Crossref JSON lines. A later load of a PMID replaces it."""

    help = "Loads PubMed XML files (also .gz), or OpenAlex/Crossref JSON lines, into the sandbox's corpus file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path)
        parser.add_argument("--data", type=Path, required=True, help="corpus file, made if it does not exist")
        parser.add_argument("--mesh", type=Path, help="MeSH table: ui, name, tree numbers, entry terms, tab between")

    def handle(self, *args: Any, **options: Any) -> None:
        missing = [str(path) for path in [*options["files"], options["mesh"]] if path and not path.is_file()]
        if missing:
            raise CommandError(f"Not found: {', '.join(missing)}")
        if not options["files"] and not options["mesh"]:
            raise CommandError("Name at least one file to load.")
        started = time.monotonic()

        def progress(count: int, name: str) -> None:
            self.stdout.write(f"  {name}: {count:,} records ({time.monotonic() - started:.0f} s)")
            self.stdout.flush()

        try:
            loaded = load_files(options["data"], options["files"], mesh=options["mesh"], progress=progress)
        except CorpusError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Loaded {loaded.articles:,} articles ({loaded.replaced:,} replaced, {loaded.deleted:,} deleted, "
            f"{loaded.skipped:,} entries without an article), {loaded.openalex:,} OpenAlex and {loaded.crossref:,} "
            f"Crossref records, {loaded.headings:,} MeSH headings in {time.monotonic() - started:.0f} s."
        )
