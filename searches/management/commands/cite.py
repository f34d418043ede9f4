"""manage.py cite TITLE: the record that sources return for a title, with its verdict."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from searches.management.single_step import SingleStepCommand
from searches.services.printing import print_records, verdict_line
from searches.services.single_steps import cite_title


class Command(SingleStepCommand):
    help = "Find the paper with this title in the sources and check it. Nothing is printed that no source returned."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("title")
        parser.add_argument("--author", default="", help="a family name, to find it more surely")
        parser.add_argument("--year", type=int, default=None)
        parser.add_argument("--all", action="store_true", help="print every source's record, not only the best")

    def step(self, options: dict[str, Any]) -> None:
        cited = cite_title(options["title"], author=options["author"], year=options["year"])
        shown = cited if options["all"] else cited[:1]
        records = [one.record for one in shown]
        answers = [one.answer_ids[0] if one.answer_ids else 0 for one in shown]
        self.stdout.write(print_records(records, answers, options["format"], [one.verdict for one in shown]))
        for one in shown:
            self.remark(f"{one.record.source} {one.record.source_id}: {verdict_line(one.verdict)}")
