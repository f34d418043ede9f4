"""Runs LitLedger's processes side by side: starts them, starts a dead one again, stops all of them cleanly."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType

STOP_WITHIN = 15.0
"""Seconds a process gets to stop before it is killed."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds before a process that died is started again; the pause doubles while it dies young."""
YOUNG = 20.0


@dataclass
class Child:
    """One process to keep running. `stop_signal` is its own signal for a graceful end."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: int = signal.SIGINT
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = FIRST_PAUSE
    due: float = 0.0


class Supervisor:
    """Keeps children running until `stop`, or until a signal once `stop_on_signals` was called."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._children: list[Child] = []
        self._over = threading.Event()

    def start(self, child: Child) -> None:
        """Start a process and look after it. Later ones are stopped first."""
        self._children.append(child)
        self._spawn(child)

    def stop(self) -> None:
        """Ask `run` to end."""
        self._over.set()

    @property
    def is_stopping(self) -> bool:
        """A stop was asked for."""
        return self._over.is_set()

    def stop_on_signals(self) -> None:
        """From now on SIGINT and SIGTERM ask for a stop."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def run(self) -> None:
        """Look after the children until a stop is asked for; then stop them, the last started first."""
        try:
            while not self._over.wait(0.2):
                for child in self._children:
                    self._look_after(child)
        finally:
            self.stop_children()

    def stop_children(self) -> None:
        """Stop all children cleanly; kill those that do not stop in time."""
        for child in reversed(self._children):
            if child.process and child.process.poll() is None:
                child.process.send_signal(child.stop_signal)
        end = time.monotonic() + STOP_WITHIN
        for child in reversed(self._children):
            if child.process is None:
                continue
            try:
                child.process.wait(timeout=max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._say(f"The {child.name} did not stop in time and is ended.")
                child.process.kill()
                child.process.wait()

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._over.set()

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is not None:
            code = child.process.poll()
            if code is None:
                return
            child.pause = FIRST_PAUSE if now - child.started > YOUNG else min(LONGEST_PAUSE, child.pause * 2)
            child.process, child.due = None, now + child.pause
            self._say(f"The {child.name} ended unexpectedly ({_how(code)}); starting it again.")
        elif now >= child.due:
            self._spawn(child)

    def _spawn(self, child: Child) -> None:
        child.started = time.monotonic()
        child.process = subprocess.Popen(  # noqa: S603 - our own commands
            list(child.command),
            env={**os.environ, **child.environment},
            start_new_session=True,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def _end_with_parent() -> None:
    """Ask Linux to send SIGTERM to this child should its parent be killed, so that nothing is left running alone."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
