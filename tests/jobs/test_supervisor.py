"""The processes of `serve`: started, started again when they die, stopped in order."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from litapp.jobs.supervisor import Child, Supervisor

SLEEPER = """
import pathlib, signal, sys, time
out = pathlib.Path(sys.argv[1])
def stop(number, frame):
    out.open("a").write(f"{sys.argv[2]} stopped by {number}\\n")
    sys.exit(0)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, stop)
out.open("a").write(f"{sys.argv[2]} started\\n")
while True:
    time.sleep(0.05)
"""


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something a real process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[], list[str]]:
    def read() -> list[str]:
        file = tmp_path / "out"
        return file.read_text().splitlines() if file.exists() else []

    return read


def child(tmp_path: Path, name: str, stop_signal: int = signal.SIGINT) -> Child:
    return Child(name, [sys.executable, "-c", SLEEPER, str(tmp_path / "out"), name], stop_signal=stop_signal)


@pytest.fixture
def supervisor() -> Supervisor:
    said: list[str] = []
    made = Supervisor(said.append)
    made.said = said  # type: ignore[attr-defined]
    return made


def test_a_killed_process_is_started_again_and_all_are_stopped_with_their_signal(
    tmp_path: Path, supervisor: Supervisor, lines: Callable[[], list[str]]
) -> None:
    web, worker = child(tmp_path, "web", signal.SIGTERM), child(tmp_path, "worker")
    supervisor.start(web)
    supervisor.start(worker)
    runner = threading.Thread(target=supervisor.run)
    runner.start()
    try:
        until(lambda: sorted(lines()) == ["web started", "worker started"])
        assert worker.process is not None
        worker.process.send_signal(signal.SIGKILL)
        until(lambda: lines().count("worker started") == 2)
        assert supervisor.said == [  # type: ignore[attr-defined]
            "The worker ended unexpectedly (signal 9); starting it again."
        ]
    finally:
        supervisor.stop()
        runner.join(timeout=30)
    assert sorted(lines()[-2:]) == ["web stopped by 15", "worker stopped by 2"]
    assert web.process is not None
    assert web.process.poll() == 0


def test_what_does_not_stop_is_killed(tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litapp.jobs.supervisor.STOP_WITHIN", 0.5)
    stubborn = Child(
        "worker",
        [
            sys.executable,
            "-c",
            "import signal, time, pathlib, sys; signal.signal(2, signal.SIG_IGN);"
            "pathlib.Path(sys.argv[1]).touch(); time.sleep(99)",
            str(tmp_path / "ready"),
        ],
    )
    supervisor.start(stubborn)
    until(lambda: (tmp_path / "ready").exists())
    supervisor.stop_children()
    assert stubborn.process is not None
    assert stubborn.process.returncode == -9


def test_a_process_that_keeps_dying_is_started_ever_more_rarely(supervisor: Supervisor) -> None:
    dying = Child("worker", [sys.executable, "-c", "raise SystemExit(3)"])
    supervisor.start(dying)
    pauses = []
    for _ in range(3):
        assert dying.process is not None
        dying.process.wait()
        supervisor._look_after(dying)
        pauses.append(dying.pause)
        dying.due = 0
        supervisor._look_after(dying)
    assert pauses == [1.0, 2.0, 4.0]
    supervisor.stop_children()
