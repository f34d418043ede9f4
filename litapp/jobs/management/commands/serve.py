"""Runs the web server and the worker (and the sandbox) with one command."""

from __future__ import annotations

import secrets
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from litapp.jobs.ready import require_ready
from litapp.jobs.services import NAME_VARIABLE
from litapp.jobs.supervisor import Child, Supervisor

READY_WITHIN = 60.0


def web_child(port: int, threads: int = 8) -> Child:
    """The web server on 127.0.0.1."""
    command = [sys.executable, "-m", "gunicorn", "litapp.wsgi:application", "--worker-class", "gthread"]
    command += ["--workers", "1", "--threads", str(threads), "--bind", f"127.0.0.1:{port}", "--log-level", "warning"]
    command += ["--timeout", "120", "--graceful-timeout", "5"]
    return Child("web server", command, {"DJANGO_SETTINGS_MODULE": "litapp.settings"}, stop_signal=signal.SIGTERM)


def worker_child() -> Child:
    """The worker, under a name that it keeps when it is started again: so it takes over its own leases at once."""
    name = f"{socket.gethostname()[:40]}:serve:{secrets.token_hex(4)}"
    return Child("worker", [sys.executable, sys.argv[0], "worker"], {NAME_VARIABLE: name})


def sandbox_child(port: int, corpus: Path, clock: int = 1) -> Child:
    """The stand-in sources on 127.0.0.1 over a corpus file; their limits run `clock` times faster."""
    command = [sys.executable, sys.argv[0], "sandbox", "--port", str(port), "--data", str(corpus)]
    return Child("sandbox", [*command, "--clock", str(clock)])


def wait_for_port(port: int, supervisor: Supervisor, seconds: float = READY_WITHIN) -> bool:
    """True once something answers on 127.0.0.1:`port`; False after `seconds`, or when a stop is asked for."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not supervisor.is_stopping:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


def port_is_free(port: int) -> bool:
    """True when 127.0.0.1:`port` can be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Command(BaseCommand):
    help = "Run LitLedger on this machine: web server and worker in one command. Ctrl-C stops both cleanly."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1 (default 8000)")
        parser.add_argument("--sandbox", action="store_true", help="also run the built-in sandbox and use it as source")
        parser.add_argument("--sandbox-port", type=int, default=8100, help="port of the sandbox (default 8100)")
        parser.add_argument("--sandbox-data", type=Path, help="its corpus (default: sandbox.db in the data folder)")

    def handle(self, *args: Any, **options: Any) -> None:
        require_ready()
        port, sandbox_port = options["port"], options["sandbox_port"]
        for number in (port, sandbox_port) if options["sandbox"] else (port,):
            if not port_is_free(number):
                raise CommandError(
                    f"Port {number} is in use, perhaps by another LitLedger. Stop that one, or choose another port "
                    f"(make run PORT={number + 1})."
                )
        corpus = options["sandbox_data"] or Path(settings.DATA_DIR) / "sandbox.db"
        if options["sandbox"] and not corpus.exists():
            raise CommandError(f"There is no sandbox corpus at {corpus}. Make one with: manage.py sandbox_load")
        children = [web_child(port), worker_child()]
        if options["sandbox"]:
            for child in children:
                child.environment = {**child.environment, "LITAPP_SANDBOX_URL": f"http://127.0.0.1:{sandbox_port}"}
            children.insert(0, sandbox_child(sandbox_port, corpus, max(1, settings.SANDBOX_CLOCK)))
        supervisor = Supervisor(self._say)
        supervisor.stop_on_signals()
        for child in children:
            supervisor.start(child)
        if wait_for_port(port, supervisor):
            self._say(f"LitLedger is ready: http://127.0.0.1:{port}/   (Ctrl-C stops it; data in {settings.DATA_DIR})")
        elif not supervisor.is_stopping:
            self._say(f"The web server does not answer on port {port} yet; see the messages above.")
        supervisor.run()
        self._say("Stopped. Nothing is lost; unfinished work goes on at the next start.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
