"""manage.py search SOURCE QUERY: searches one source."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from litapp.core.plan import Filters
from litapp.providers.registry import source
from searches.management.single_step import SingleStepCommand
from searches.services.printing import print_records
from searches.services.single_steps import count_source, search_source


class Command(SingleStepCommand):
    help = "Search one source. PubMed takes a Boolean query; Crossref, OpenAlex and Semantic Scholar take plain words."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("source", help="pubmed, crossref, openalex or semanticscholar")
        parser.add_argument("query")
        parser.add_argument("--limit", type=int, default=20, help="most records (default 20)")
        parser.add_argument("--count", action="store_true", help="only say how many there are")
        parser.add_argument("--from", type=int, dest="year_from", help="first year")
        parser.add_argument("--to", type=int, dest="year_to", help="last year")

    def step(self, options: dict[str, Any]) -> None:
        key, filters = options["source"], Filters(year_from=options["year_from"], year_to=options["year_to"])
        if options["count"]:
            result = count_source(key, options["query"], filters)
            self.stdout.write(f"{result.total}" if result.exact else f"{result.total} (ranked by likeness, no count)")
            for text in (result.translation and f"Read as: {result.translation}", *result.warnings):
                if text:
                    self.remark(text)
            return
        found = search_source(key, options["query"], max(1, options["limit"]), filters)
        self.remark(f"Sent to {source(key).label}: {found.query.text}")
        for text in found.remarks:
            self.remark(text)
        of = f" of {found.reported:,} reported" if found.reported is not None else ""
        number = len(found.records)
        self.remark(f"{number:,} record{'' if number == 1 else 's'}{of}.")
        if found.records:
            self.stdout.write(print_records(found.records, found.answer_ids, options["format"]))
