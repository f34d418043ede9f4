"""Load Retraction Watch's list: beside Crossref, PubMed and OpenAlex it says which papers were retracted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.retraction_csv import BadRetractionFile
from litapp.verification.services.retraction_load import retractions_load
from litapp.verification.services.statuses import statuses_by_list


class Command(BaseCommand):
    help = "Load a list of retractions (Retraction Watch's CSV, also .gz) in place of the one before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        """Load it, look for the references of all projects in it, and say what came of it."""
        try:
            loaded = retractions_load(path=file)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}.") from error
        except BadRetractionFile as error:
            raise CommandError(f"{error} Nothing was changed.") from error
        queued = statuses_by_list()
        self.stdout.write(
            f"{loaded.rows:,} rows loaded from {loaded.name}"
            + (f", {loaded.unusable:,} without a paper or of another kind left out" if loaded.unusable else "")
            + f". {queued:,} references of the projects stand in the list and are checked again."
        )
