"""Lost bells are rung again, once; each kind keeps to its places; leases are kept while their holder waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from huey.contrib import djhuey

from litapp.jobs import lease, reaper, tasks, work
from litapp.jobs.models import StepState
from litapp.jobs.turns import writers_turn


class Fixed:
    """Work whose due keys are given; runs are noted."""

    keys: dict[str, list[str]] = {}
    ran: list[tuple[str, str]] = []

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def due(self) -> Iterable[str]:
        return self.keys.get(self._kind, [])

    def run(self, key: str) -> None:
        self.ran.append((self._kind, key))


@pytest.fixture
def bells(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[str, str]]]:
    """One pass of the reaper over two kinds; returns what was rung."""
    settings.STEP_KINDS = {"retrieval": "x", "verification": "y"}
    rung: list[tuple[str, str]] = []
    monkeypatch.setattr(reaper, "work_of_kind", Fixed)
    monkeypatch.setattr(tasks, "ring", lambda kind, key: rung.append((kind, key)))

    def reap(due: dict[str, list[str]], waiting: list[tuple[str, str]] = []) -> list[tuple[str, str]]:  # noqa: B006
        queue = SimpleNamespace(pending=lambda limit: [SimpleNamespace(args=args) for args in waiting])
        monkeypatch.setattr(djhuey, "HUEY", queue)
        monkeypatch.setattr(Fixed, "keys", due)
        rung.clear()
        assert reaper.reap() == len(rung)
        return list(rung)

    return reap


def test_everything_that_is_due_is_rung_for(bells: Callable) -> None:
    assert bells({"retrieval": ["1", "2"], "verification": [""]}) == [
        ("retrieval", "1"), ("retrieval", "2"), ("verification", ""),
    ]  # fmt: skip


def test_a_bell_that_waits_is_not_rung_again(bells: Callable) -> None:
    due = {"retrieval": ["1", "2"], "verification": [""]}
    assert bells(due, [("retrieval", "2"), ("verification", "")]) == [("retrieval", "1")]


def test_a_pass_rings_a_limited_number_of_bells(bells: Callable) -> None:
    assert len(bells({"retrieval": [str(n) for n in range(1000)]})) == reaper.MOST_BELLS


def test_a_kind_that_is_not_installed_is_an_error(settings: Any) -> None:
    with pytest.raises(KeyError):
        work.work_of_kind("unheard of")


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """The task itself, on noted work."""
    monkeypatch.setattr(tasks, "work_of_kind", Fixed)
    monkeypatch.setattr(Fixed, "ran", [])
    return tasks.ring.call_local


def test_the_task_lets_the_work_look(ring: Callable) -> None:
    ring("retrieval", "7")
    assert Fixed.ran == [("retrieval", "7")]


def test_a_kind_with_all_places_taken_drops_the_bell_and_takes_the_next(ring: Callable) -> None:
    places = tasks._places("verification")
    for _ in range(tasks.MOST_AT_ONCE["verification"]):
        assert places.acquire(blocking=False)
    ring("verification", "")
    ring("retrieval", "7")
    assert Fixed.ran == [("retrieval", "7")]
    for _ in range(tasks.MOST_AT_ONCE["verification"]):
        places.release()
    ring("verification", "")
    assert Fixed.ran == [("retrieval", "7"), ("verification", "")]


def test_a_place_is_free_again_after_an_error(ring: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Fixed, key: str) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(Fixed, "run", fail)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                ring("export", "1")
    ring("export", "1")
    assert Fixed.ran == [("export", "1")]


def test_long_writes_of_one_process_follow_each_other() -> None:
    inside, most, lock = 0, 0, threading.Lock()
    begin = threading.Barrier(6)

    def write() -> None:
        nonlocal inside, most
        begin.wait()
        with writers_turn():
            with lock:
                inside += 1
                most = max(most, inside)
            threading.Event().wait(0.005)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_kept_lease_is_renewed_until_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    renewed = threading.Event()
    calls: list[dict[str, Any]] = []

    class Rows:
        def filter(self, **which: Any) -> Rows:
            calls.append(which)
            return self

        def update(self, **values: Any) -> int:
            assert set(values) == {"lease_until"}
            renewed.set()
            return 1

    monkeypatch.setattr(lease, "RENEW_EVERY", 0.01)

    def work() -> None:
        with lease.kept(Rows(), "token"):  # type: ignore[arg-type]
            assert renewed.wait(10)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert calls[0] == {"lease_token": "token", "state": StepState.RUNNING}
    number = len([thread for thread in threading.enumerate() if thread.name == "keep-lease" and thread.is_alive()])
    for thread in threading.enumerate():
        if thread.name == "keep-lease":
            thread.join(timeout=5)
            number -= 1
    assert number == 0
