"""Load MeSH of another year in place of the one that comes with LitLedger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.mesh import BadMeshFile
from litapp.ledger.services.mesh import mesh_load


class Command(BaseCommand):
    help = "Load MeSH: NLM's XML (descYYYY.xml) or a table (ui, name, tree numbers, entry terms), plain or .gz."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--edition", default="", help="Year of the edition, where the file's name does not say it.")

    def handle(self, *args: Any, file: Path, edition: str, **options: Any) -> None:
        """Load it and say what it holds."""
        try:
            loaded = mesh_load(path=file, edition=edition)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}.") from error
        except BadMeshFile as error:
            raise CommandError(f"{error} Nothing was changed.") from error
        scopes = f"{loaded.scopes:,} with a scope note" if loaded.scopes else "without scope notes"
        self.stdout.write(f"MeSH {loaded.edition}: {loaded.headings:,} headings, {scopes}.")
