"""Runs the worker process."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.worker import run_worker


class Command(BaseCommand):
    requires_system_checks = []
    """`prepare` and the web process make them; a worker that comes back after a crash should be at work soon."""
    help = "Do background work (retrieval, verification, exports) until stopped with Ctrl-C or SIGTERM."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--threads", type=int, default=None, help="threads (default: LITAPP_WORKER_THREADS)")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        run_worker(threads=options["threads"])
