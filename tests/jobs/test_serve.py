"""One command runs web server and worker; it starts what dies, stops cleanly, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.jobs.installations import Installation, installation
from tests.jobs.test_supervisor import until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def children_of(process: int) -> dict[str, int]:
    """Kind of each child process -> its id."""
    found = subprocess.run(["pgrep", "-P", str(process), "-a"], capture_output=True, text=True, check=False).stdout
    kinds = {"worker": "manage.py worker", "web": "gunicorn"}
    lines = [line.split(" ", 1) for line in found.splitlines()]
    return {kind: int(pid) for kind, words in kinds.items() for pid, command in lines if words in command}


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/account/login/", timeout=5) as page:
            return page.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installation("sqlite", tmp_path_factory.mktemp("serve")) as made:
        made.run("manage.py", "prepare")
        yield made


@pytest.fixture
def serving(place: Installation) -> Iterator[Callable[[], tuple[subprocess.Popen[str], int]]]:
    """Starts `serve` on a free port; whatever is left of it is ended after the test."""
    started: list[int] = []

    def start() -> tuple[subprocess.Popen[str], int]:
        port = free_port()
        process = place.start("manage.py", "serve", "--port", str(port), LITAPP_WORKER_THREADS="2")
        started.append(process.pid)
        until(lambda: answers(port), 90)
        until(lambda: "worker" in children_of(process.pid), 30)
        started.extend(children_of(process.pid).values())
        return process, port

    yield start
    for pid in started:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_serve_starts_again_what_dies_and_stops_cleanly(serving: Callable) -> None:
    process, port = serving()
    first = children_of(process.pid)
    os.kill(first["worker"], signal.SIGKILL)
    until(lambda: children_of(process.pid).get("worker", first["worker"]) != first["worker"], 60)
    assert answers(port)
    later = children_of(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err[-2000:]
    assert f"LitLedger is ready: http://127.0.0.1:{port}/" in out
    assert "The worker ended unexpectedly (signal 9); starting it again." in out
    assert out.rstrip().endswith("Stopped. Nothing is lost; unfinished work goes on at the next start.")
    assert [alive(pid) for pid in later.values()] == [False, False]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_when_serve_itself_is_killed_its_processes_end_too(serving: Callable) -> None:
    process, _ = serving()
    children = children_of(process.pid)
    process.kill()
    process.communicate()
    until(lambda: not any(alive(pid) for pid in children.values()), 40)


def test_a_port_in_use_is_said_plainly(place: Installation) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])
        process = place.start("manage.py", "serve", "--port", str(port))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.strip().endswith(
        f"Port {port} is in use, perhaps by another LitLedger. Stop that one, or choose another port "
        f"(make run PORT={port + 1})."
    )


def test_a_data_folder_that_is_not_ready_is_said_plainly(tmp_path: Path) -> None:
    process = Installation(tmp_path).start("manage.py", "worker")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "The database is not ready for this version. Run: manage.py prepare" in err
