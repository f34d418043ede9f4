"""Starts the stand-in sources: manage.py sandbox --port N --data FILE."""

from __future__ import annotations

import json
import threading
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from litapp.sandbox.corpus.store import CorpusError
from litapp.sandbox.demo import prepared_corpus
from litapp.sandbox.faults import FaultError, read_fault
from litapp.sandbox.server import start_sandbox


class Command(BaseCommand):
    """Serve until interrupted, on this machine only."""

    help = "Starts the stand-in sources on 127.0.0.1 over a corpus made by sandbox_load."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8765, help="port on 127.0.0.1 (0 = any free one)")
        parser.add_argument("--data", type=Path, help="corpus file (default: the demo's, else the tiny one)")
        parser.add_argument("--faults", type=Path, help='JSON file {"faults": [...]}')
        parser.add_argument(
            "--clock", type=float, default=settings.SANDBOX_CLOCK, help="run all limits this many times faster"
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of the differences between sources")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rules = []
            if options["faults"]:
                rules = [read_fault(rule) for rule in json.loads(options["faults"].read_text())["faults"]]
            corpus_file = options["data"] or prepared_corpus(Path(settings.DATA_DIR))
            clock, seed = options["clock"], options["seed"]
            running = start_sandbox(corpus_file, options["port"], clock=clock, seed=seed, faults=rules)
        except (CorpusError, FaultError) as error:
            raise CommandError(str(error)) from error
        except (OSError, KeyError, json.JSONDecodeError) as error:
            raise CommandError(f"The sandbox cannot start: {error}") from error
        corpus = running.sandbox.world.corpus
        self.stdout.write(f"Sandbox sources on {running.url} ({corpus.size:,} articles)")
        for name, address in running.addresses().items():
            self.stdout.write(f"  {name:16} {address}")
        if not corpus.has_mesh:
            self.stdout.write("  No MeSH tree is loaded: headings are not exploded.")
        self.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            running.stop()
