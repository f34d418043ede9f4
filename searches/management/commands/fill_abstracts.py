"""manage.py fill_abstracts --project P [ID…]: looks for missing abstracts in other sources."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.worker import SignOfLife
from litapp.providers.registry import source
from searches.management.projects import member_named, project_named
from searches.services.abstracts import AbstractWork, NothingMissing, abstracts_request


class Command(BaseCommand):
    help = "Fill missing abstracts from other sources that have the same paper by identifier. Nothing is made up."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "candidates", nargs="*", type=int, metavar="ID", help="candidates (default: all that lack one)"
        )
        parser.add_argument("--project", required=True, help="number or exact name of the project")
        parser.add_argument("--as", dest="person", default="", help="e-mail of who asks (default: the first owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        project = project_named(options["project"])
        try:
            fill = abstracts_request(
                project=project,
                actor=member_named(project, options["person"]),
                request_id=uuid4(),
                candidate_ids=options["candidates"] or None,
            )
        except NothingMissing as nothing:
            self.stdout.write(str(nothing))
            return
        with SignOfLife():
            AbstractWork().run(str(fill.pk))
        fill.refresh_from_db()
        if fill.is_open:
            raise CommandError("A worker does this already; it goes on there.")
        counts = fill.counts
        by = ", ".join(f"{source(key).label} {number:,}" for key, number in counts.get("filled_by", {}).items())
        self.stdout.write(
            f"{counts.get('wanted', 0):,} looked for, {counts.get('filled', 0):,} filled{f' ({by})' if by else ''}, "
            f"{counts.get('missing', 0):,} still missing, {counts.get('no_identifier', 0):,} of them without an "
            "identifier that any source takes."
        )
        for trouble in fill.troubles:
            self.stderr.write(trouble)
