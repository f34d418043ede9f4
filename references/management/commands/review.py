"""manage.py review PLAN.yaml|QUERIES.json --out DIR: a whole review without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.core.formats.queryfile import QueryFileError
from litapp.core.plan import PlanError, plan_hash
from litapp.jobs.ready import require_ready
from references.services.citation_styles import UnknownStyle, usable_style
from references.services.headless import INCLUDE, review, service_user
from searches.models import RunState
from searches.services.query_files import PlanFile, plan_from_file


class Command(BaseCommand):
    help = (
        "Run a search plan without a browser: retrieve, find duplicates, check every record, and write all exports, "
        "the bundle and a run log to a folder. Nobody screens: --include says what goes into the reference list."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("plan", type=Path, metavar="PLAN.yaml", help="a plan, or a query file (JSON)")
        parser.add_argument("--topic", default="", help="the question, for a query file that has no topic")
        parser.add_argument("--out", type=Path, required=True, help="folder for the files; made if it does not exist")
        parser.add_argument("--approve", action="store_true", help="approve the plan; nothing runs unapproved")
        parser.add_argument("--user", default="", help="e-mail of the person in whose name it is approved and run")
        parser.add_argument("--title", default="", help="name of the project (default: the plan's question)")
        parser.add_argument("--include", choices=sorted(INCLUDE), default="all", help="by fit (default: all)")
        parser.add_argument("--style", default="nlm-citation-sequence", help="citation style of Word and Markdown")
        parser.add_argument("--patience", type=float, default=20.0, help="minutes without progress before it ends")
        parser.add_argument("--strict", action="store_true", help="fail also on a partial success")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        file = _read(options["plan"], options["topic"])
        plan = file.content
        for note in file.notes:
            self.stderr.write(note)
        if not options["approve"]:
            raise CommandError(
                f"Nothing runs unapproved. Read the plan ({plan_hash(plan)[:12]}), then add --approve to approve it"
                f"{' as ' + options['user'] if options['user'] else ''}."
            )
        try:
            usable_style(options["style"])
            result = review(
                plan=plan,
                user=_user(options["user"]),
                title=options["title"] or plan.question,
                out=options["out"],
                include=options["include"],
                style=options["style"],
                patience=options["patience"] * 60,
                say=self.stderr.write,
                origin=file.origin,
            )
        except PlanError as error:
            raise CommandError(_problems(options["plan"], error)) from error
        except UnknownStyle as error:
            raise CommandError(str(error)) from error
        for written in result.files:
            self.stdout.write(str(written))
        for reason in result.run.reasons:
            self.stderr.write(reason)
        if result.run.is_open:
            raise CommandError("The run is not finished: nothing moved any more. A worker goes on with it.")
        if result.failed or (options["strict"] and result.run.state != RunState.SUCCESS):
            raise CommandError(f"The run ended as {result.run.get_state_display().lower()}.")


def _read(path: Path, topic: str) -> PlanFile:
    try:
        return plan_from_file(path.read_bytes(), name=path.name, topic=topic)
    except PlanError as error:
        raise CommandError(_problems(path, error)) from error
    except QueryFileError as error:
        raise CommandError(f"{path}: {error}") from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error


def _problems(path: Path, error: PlanError) -> str:
    lines = [f"  {field}: {sentence}" for field, sentence in error.problems.items()]
    return "\n".join([f"{path} cannot be run as it is:", *lines])


def _user(email: str) -> User:
    if not email:
        return service_user()
    user = User.objects.filter(email__iexact=email, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no account with the address {email}. Sign up first, or leave --user out.")
    return user
