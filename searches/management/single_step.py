"""What the single-step commands share: format, exit status, messages on standard error."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.providers.base import SourceError
from searches.services.printing import FORMATS
from searches.services.single_steps import StepProblem


class SingleStepCommand(BaseCommand):
    """Runs `step`; what it prints goes to standard output, remarks to standard error. Fails with status 1."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--format", choices=FORMATS, default="md", help="md (to read), bib or json")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        try:
            self.step(options)
        except StepProblem as problem:
            raise CommandError(str(problem)) from problem
        except SourceError as error:
            raise CommandError(f"{error.message} {error.hint}".strip()) from error

    def step(self, options: dict[str, Any]) -> None:
        """Do it."""
        raise NotImplementedError

    def remark(self, text: str) -> None:
        """Say something that is no result."""
        self.stderr.write(text)
