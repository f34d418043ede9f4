"""Leases: who may claim, who may write, and how work of the dead is freed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import transaction

from litapp.jobs import services as jobs
from litapp.jobs import tasks
from litapp.jobs.models import LEASE, StepState, WorkerBeat
from litapp.verification.models import Verification

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROWS = Verification.objects

Make = Callable[..., Verification]


@pytest.fixture(autouse=True)
def _still(time_machine: time_machine.TimeMachineFixture) -> None:
    time_machine.move_to(NOW, tick=False)


@pytest.mark.parametrize(
    ("fields", "claimed"),
    [
        ({"state": StepState.QUEUED}, True),
        ({"state": StepState.WAITING, "not_before": NOW}, True),
        ({"state": StepState.WAITING, "not_before": NOW + timedelta(seconds=1)}, False),
        ({"state": StepState.RUNNING, "lease_until": NOW + timedelta(seconds=1)}, False),
        ({"state": StepState.RUNNING, "lease_until": NOW - timedelta(seconds=1)}, True),
        ({"state": StepState.DONE}, False),
        ({"state": StepState.PARTIAL}, False),
        ({"state": StepState.FAILED}, False),
        ({"state": StepState.SKIPPED}, False),
        ({"state": StepState.CANCELLED}, False),
    ],
)
def test_only_open_work_that_nobody_holds_can_be_claimed(piece: Make, fields: dict, claimed: bool) -> None:
    row = piece(**fields)
    assert (jobs.claim(ROWS.all(), row.pk) is not None) is claimed


def test_claim_writes_the_lease_and_counts(piece: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(jobs.NAME_VARIABLE, "ada")
    row = piece(state=StepState.WAITING, not_before=NOW, attempts=2)
    token = jobs.claim(ROWS.all(), row.pk)
    row.refresh_from_db()
    lease = (row.state, row.lease_token, row.leased_by, row.lease_until)
    assert lease == (StepState.RUNNING, token, "ada", NOW + LEASE)
    assert (row.not_before, row.attempts, row.started_at) == (None, 3, NOW)


def test_a_piece_is_claimed_once(piece: Make) -> None:
    row = piece()
    assert [jobs.claim(ROWS.all(), row.pk) is None for _ in range(3)] == [False, True, True]


def test_claim_of_a_piece_that_is_gone_gives_nothing(db: None) -> None:
    assert jobs.claim(ROWS.all(), 1) is None


@pytest.mark.parametrize(
    "write",
    [
        lambda pk, token: jobs.renew(ROWS.all(), pk, token, done=5),
        lambda pk, token: jobs.put_back(ROWS.all(), pk, token, done=5),
        lambda pk, token: jobs.postpone(ROWS.all(), pk, token, until=NOW, done=5),
        lambda pk, token: jobs.finish(ROWS.all(), pk, token, state=StepState.DONE, done=5),
    ],
)
def test_a_worker_whose_lease_was_taken_cannot_write(piece: Make, write: Callable[[int, str], None]) -> None:
    row = piece()
    old = jobs.claim(ROWS.all(), row.pk) or ""
    ROWS.filter(pk=row.pk).update(lease_until=NOW - timedelta(seconds=1))
    new = jobs.claim(ROWS.all(), row.pk)
    with pytest.raises(jobs.LeaseLost):
        write(row.pk, old)
    with pytest.raises(jobs.LeaseLost):
        write(row.pk, "")
    row.refresh_from_db()
    assert (row.state, row.lease_token, row.done) == (StepState.RUNNING, new, 0)


def test_renew_extends_the_lease_and_writes_with_it(piece: Make) -> None:
    row = piece()
    token = jobs.claim(ROWS.all(), row.pk) or ""
    ROWS.filter(pk=row.pk).update(lease_until=NOW + timedelta(seconds=1))
    jobs.renew(ROWS.all(), row.pk, token, done=7)
    row.refresh_from_db()
    assert (row.lease_until, row.done, row.state) == (NOW + LEASE, 7, StepState.RUNNING)


@pytest.mark.parametrize(
    ("end", "state", "not_before", "finished"),
    [
        (lambda pk, t: jobs.finish(ROWS.all(), pk, t, state=StepState.PARTIAL), StepState.PARTIAL, None, NOW),
        (lambda pk, t: jobs.put_back(ROWS.all(), pk, t), StepState.QUEUED, None, None),
        (
            lambda pk, t: jobs.postpone(ROWS.all(), pk, t, until=NOW + timedelta(minutes=1)),
            StepState.WAITING,
            NOW + timedelta(minutes=1),
            None,
        ),
    ],
)
def test_giving_a_piece_up_frees_it(
    piece: Make, end: Callable[[int, str], None], state: str, not_before: datetime | None, finished: datetime | None
) -> None:
    row = piece()
    end(row.pk, jobs.claim(ROWS.all(), row.pk) or "")
    row.refresh_from_db()
    assert (row.state, row.lease_token, row.leased_by, row.lease_until, row.not_before, row.finished_at) == (
        state, "", "", None, not_before, finished,
    )  # fmt: skip


def held_by(piece: Make, name: str, *, renewed: timedelta) -> Verification:
    """A running piece of `name`, whose lease was last renewed `renewed` ago."""
    return piece(state=StepState.RUNNING, leased_by=name, lease_token=name, lease_until=NOW - renewed + LEASE)


def test_the_dead_lose_their_leases_and_the_living_keep_them(piece: Make) -> None:
    WorkerBeat.objects.create(name="alive", beat_at=NOW - timedelta(seconds=9))
    WorkerBeat.objects.create(name="dead", beat_at=NOW - timedelta(seconds=11))
    rows = {
        "alive": held_by(piece, "alive", renewed=timedelta(seconds=60)),
        "dead": held_by(piece, "dead", renewed=timedelta(seconds=11)),
        "silent, at work": held_by(piece, "silent", renewed=timedelta(seconds=9)),
        "silent, stuck": held_by(piece, "unseen", renewed=timedelta(seconds=11)),
    }
    assert jobs.release_dead() == 2
    states = {name: ROWS.get(pk=row.pk).state for name, row in rows.items()}
    assert states == {
        "alive": StepState.RUNNING,
        "dead": StepState.QUEUED,
        "silent, at work": StepState.RUNNING,
        "silent, stuck": StepState.QUEUED,
    }


def test_release_of_frees_only_that_process(piece: Make) -> None:
    mine, other = (held_by(piece, name, renewed=timedelta(0)) for name in ("me", "you"))
    assert jobs.release_of("me") == 1
    assert [ROWS.get(pk=row.pk).state for row in (mine, other)] == [StepState.QUEUED, StepState.RUNNING]


def test_the_bell_rings_after_the_commit_and_once(
    db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable
) -> None:
    rung: list[tuple[str, str]] = []
    monkeypatch.setattr(tasks, "ring", lambda kind, key: rung.append((kind, key)))
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        for key in ("7", "8", "7", "7"):
            jobs.enqueue("retrieval", key)
        assert rung == []
    assert rung == [("retrieval", "7"), ("retrieval", "8")]
