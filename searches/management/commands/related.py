"""manage.py related ID: papers that a source calls related to one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from searches.management.single_step import SingleStepCommand
from searches.services.printing import print_records
from searches.services.single_steps import read_identifiers, related_records


class Command(SingleStepCommand):
    help = "Name papers related to one (PMID or DOI)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("id", metavar="ID")
        parser.add_argument("--source", default="pubmed", help="pubmed (default) or semanticscholar")
        parser.add_argument("--limit", type=int, default=20)

    def step(self, options: dict[str, Any]) -> None:
        identifier = read_identifiers([options["id"]])[0]
        records, answers = related_records(options["source"], identifier, max(1, options["limit"]))
        answer = answers[-1] if answers else 0
        self.stdout.write(print_records(records, [answer] * len(records), options["format"]))
