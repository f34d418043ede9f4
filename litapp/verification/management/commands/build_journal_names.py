"""Make the list of journal names anew from JabRef's CSV files (for maintainers; the list comes with LitLedger)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.verification.journal_names import DATA, names_in, write_names


class Command(BaseCommand):
    help = "Make the list of journal names anew from JabRef's CSV files (full name, abbreviation)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path)

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        """Write the list and say how long it is."""
        if missing := [path for path in files if not path.is_file()]:
            raise CommandError(f"{missing[0]} is no file.")
        number = write_names(names_in(files))
        self.stdout.write(f"{number:,} journals, {DATA.stat().st_size:,} bytes.")
