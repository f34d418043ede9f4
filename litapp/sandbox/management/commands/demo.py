"""Starts the demo: real PubMed records in the sandbox, a project already filled, a sign-in printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.sandbox.demo import fetch_demo_corpus
from litapp.sandbox.seed import COLLEAGUE, EMAIL, PASSWORD_FILE, is_seeded, new_password, seed
from litapp.sandbox.server import start_sandbox


class Command(BaseCommand):
    help = "Start LitLedger as a demo: no internet needed after the first start. Ctrl-C stops it; data are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1 (default 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.SANDBOX_URL:
            raise CommandError("The demo needs LITAPP_SANDBOX_URL=http://127.0.0.1:PORT; `make demo` sets it.")
        sandbox_port = urlsplit(settings.SANDBOX_URL).port or 8100
        corpus = fetch_demo_corpus(Path(settings.DATA_DIR), self._say)
        self._say(f"The sandbox holds {corpus.articles:,} real PubMed records.")
        if corpus.message:
            self._say(corpus.message)
        if not is_seeded():
            self._seed(corpus.path, sandbox_port)
        password = (Path(settings.DATA_DIR) / PASSWORD_FILE).read_text(encoding="utf-8").strip()
        self._say("")
        self._say(f"  Sign in as   {EMAIL}   (or as a colleague: {COLLEAGUE})")
        self._say(f"  Password     {password}")
        self._say("")
        call_command("serve", port=options["port"], sandbox=True, sandbox_port=sandbox_port, sandbox_data=corpus.path)

    def _seed(self, corpus: Path, port: int) -> None:
        path = Path(settings.DATA_DIR) / PASSWORD_FILE
        password = new_password()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(password)
        running = start_sandbox(corpus, port, clock=settings.SANDBOX_CLOCK)
        try:
            seed(password=password, say=self._say)
        finally:
            running.stop()

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
