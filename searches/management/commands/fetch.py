"""manage.py fetch ID…: records by PMID, DOI, PMCID, arXiv id ..."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from searches.management.single_step import SingleStepCommand
from searches.services.printing import print_records
from searches.services.single_steps import fetch_identifiers, read_identifiers


class Command(SingleStepCommand):
    help = "Fetch records by identifier (PMID, DOI, PMCID, arXiv ...), each from the source that owns it if it has it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("ids", nargs="+", metavar="ID")

    def step(self, options: dict[str, Any]) -> None:
        result = fetch_identifiers(read_identifiers(options["ids"]))
        if result.found:
            records, answers = zip(*result.found.values(), strict=True)
            self.stdout.write(print_records(records, answers, options["format"]))
        for identifier, why in {**result.absent, **result.failed}.items():
            self.remark(f"{identifier.scheme.value} {identifier.value}: {why}")
        lacking = len(result.absent) + len(result.failed)
        if lacking:
            raise CommandError(f"{lacking} of {lacking + len(result.found)} identifiers were not fetched; see above.")
