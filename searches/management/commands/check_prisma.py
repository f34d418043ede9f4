"""manage.py check_prisma FILE: checks the numbers of a published PRISMA flow (JSON, or the R package's CSV)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.prisma.check import FlowCheck, check_file
from litapp.core.prisma.check_rules import Outcome
from litapp.core.prisma.published import NotAFlow

LARGEST = 5_000_000
SIGNS = {Outcome.HOLDS: "holds", Outcome.VIOLATED: "VIOLATED", Outcome.NOT_CHECKED: "not checked"}


class Command(BaseCommand):
    help = (
        "Check the arithmetic of a PRISMA flow (rules R1 to R11): JSON, or the CSV of the R package PRISMA2020. "
        "“-” reads standard input. Ends with 0 if nothing is violated, 1 if a rule is, 2 if the file holds no flow."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the file; - for standard input")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = check_file(_read(options["file"]), options["file"])
        except NotAFlow as refusal:
            raise CommandError(f"{options['file']}: {refusal}", returncode=2) from refusal
        if options["json"]:
            self.stdout.write(json.dumps(found.as_dict(), ensure_ascii=False, indent=1))
        else:
            self._tell(found)
        if found.violated:
            sys.exit(1)

    def _tell(self, found: FlowCheck) -> None:
        self.stdout.write(found.verdict)
        for one in found.rules:
            self.stdout.write(f"{one.rule:>4}  {SIGNS[one.outcome]:<11}  {one.text}")
        for remark in found.remarks:
            self.stdout.write(f"{remark.code:>4}  remark       {remark.text}")
        for words, problem in found.unreadable:
            self.stdout.write(f"      unreadable   {words}: {problem}")
        for note in found.flow.notes:
            self.stdout.write(f"      note         {note}")


def _read(name: str) -> bytes:
    if name == "-":
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        try:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror}.", returncode=2) from error
    if len(data) > LARGEST:
        raise CommandError(f"{name} is larger than {LARGEST // 1_000_000} MB. A flow is a few kilobytes.", returncode=2)
    return data
