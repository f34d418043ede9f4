"""manage.py replay RUN: replays a run from its archived answers, offline, and says whether it gave the same."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.worker import SignOfLife
from searches.management.projects import member_named
from searches.models import RetrievalRun, RetrievalStep
from searches.services.replay import SHOWN, CannotReplay, replay_report, run_replay
from searches.services.retrieval import RetrievalWork


class Command(BaseCommand):
    help = "Replay a run from its archived answers. No source is asked. Fails when the replay differs from the run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="number of the run")
        parser.add_argument("--as", dest="person", default="", help="e-mail of who replays (default: the first owner)")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        run = RetrievalRun.objects.select_related("project", "version__plan").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        try:
            made = run_replay(run=run, actor=member_named(run.project, options["person"]), request_id=uuid4())
        except CannotReplay as refusal:
            raise CommandError(str(refusal)) from refusal
        with SignOfLife():
            while due := RetrievalStep.objects.due().filter(run=made).first():
                RetrievalWork().run(str(due.pk))
        replay = RetrievalRun.objects.select_related("replay_of").get(pk=made.pk)
        if replay.is_open:
            raise CommandError(f"Replay {replay.pk} is not finished; a worker goes on with it.")
        report = replay_report(replay)
        for sign, hits in (("only in the run", report.only_run), ("only in the replay", report.only_replay)):
            for source, query, rank, name in hits[:SHOWN]:
                self.stderr.write(f"{sign}: {source}, query {query + 1}, rank {rank}: {name}")
        for note in report.notes:
            self.stderr.write(note)
        if not report.same:
            raise CommandError(f"Replay {replay.pk} differs from run {run.pk}.")
        self.stdout.write(
            f"Replay {replay.pk} gave the same as run {run.pk}: {report.hits:,} records, {report.papers:,} papers."
        )
