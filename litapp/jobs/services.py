"""Writes on leased work: ring the bell, claim, write while the lease holds, finish, take over from the dead."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from litapp.jobs.models import LEASE, LeasedStep, LeasedStepQuerySet, SourcePlace, StepState, WorkerBeat

DEAD_AFTER = timedelta(seconds=10)
"""A process that gave no sign of life for this long is taken for dead and its leases are freed."""
NAME_VARIABLE = "LITAPP_WORKER_NAME"
"""Environment variable by which `serve` gives its worker a name that a restarted one keeps."""

Step = TypeVar("Step", bound=LeasedStep)


class LeaseLost(Exception):
    """Somebody else holds the piece now (or it is gone). Stop quietly; nothing was written."""


def worker_name() -> str:
    """The name under which this process holds leases: unique for its life."""
    return os.environ.get(NAME_VARIABLE) or _name_of(os.getpid())


@lru_cache(maxsize=1)
def _name_of(process: int) -> str:
    return f"{socket.gethostname()[:40]}:{process}:{secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True)
class _Bell:
    """A ring that waits for the commit; equal ones are rung once."""

    kind: str
    key: str
    delay: float

    def __call__(self) -> None:
        from litapp.jobs.tasks import ring  # late: the queue is set up from the settings when it is first needed

        if self.delay > 0:
            ring.schedule(args=(self.kind, self.key), delay=self.delay)
        else:
            ring(self.kind, self.key)


def enqueue(kind: str, key: str = "", *, delay: float = 0.0) -> None:
    """Ring for work of `kind` once the running transaction is committed; `delay` seconds later if given.

    A bell that is lost costs time only: the reaper rings again for everything that is due. However often a transaction
    asks for the same, the bell rings once.
    """
    bell = _Bell(kind, key, delay)
    if all(waiting[1] != bell for waiting in transaction.get_connection().run_on_commit):
        transaction.on_commit(bell)


def claim(rows: LeasedStepQuerySet[Step], pk: Any) -> str | None:
    """Lease one piece by a conditional update. Returns the lease token, or None when it is not to be had."""
    return claim_many(rows, [pk])


def claim_many(rows: LeasedStepQuerySet[Step], pks: Iterable[Any]) -> str | None:
    """Lease those of `pks` that may be claimed, all under one token (`filter(lease_token=token)` are yours)."""
    now, token = timezone.now(), secrets.token_hex(16)
    claimed = (
        rows.claimable()
        .filter(pk__in=list(pks))
        .update(
            state=StepState.RUNNING,
            lease_token=token,
            leased_by=worker_name(),
            lease_until=now + LEASE,
            not_before=None,
            attempts=F("attempts") + 1,
            started_at=Coalesce(F("started_at"), now),
        )
    )
    return token if claimed else None


def renew(rows: models.QuerySet[Step], pk: Any, token: str, **fields: Any) -> None:
    """Extend the lease and write `fields` with it. Raises LeaseLost when the token is not on the row any more."""
    _write(rows, pk, token, lease_until=timezone.now() + LEASE, **fields)


def put_back(rows: models.QuerySet[Step], pk: Any, token: str, **fields: Any) -> None:
    """Give the piece back as QUEUED (its turn is over, or its worker stops). Raises LeaseLost."""
    _write(rows, pk, token, **_released(StepState.QUEUED), **fields)


def postpone(rows: models.QuerySet[Step], pk: Any, token: str, *, until: datetime, **fields: Any) -> None:
    """Give the piece back as WAITING until `until`. Raises LeaseLost."""
    _write(rows, pk, token, **_released(StepState.WAITING), not_before=until, **fields)


def finish(rows: models.QuerySet[Step], pk: Any, token: str, *, state: StepState, **fields: Any) -> None:
    """End the piece in a final `state`. Raises LeaseLost."""
    _write(rows, pk, token, **_released(state), finished_at=timezone.now(), **fields)


def _released(state: StepState) -> dict[str, Any]:
    return {"state": state, "lease_token": "", "leased_by": "", "lease_until": None}


def _write(rows: models.QuerySet[Step], pk: Any, token: str, **fields: Any) -> None:
    if not token or not rows.filter(pk=pk, lease_token=token, state=StepState.RUNNING).update(**fields):
        raise LeaseLost(f"{rows.model.__name__} {pk}")


def beat(name: str) -> None:
    """Give a sign of life for the process `name`."""
    WorkerBeat.objects.update_or_create(name=name, defaults={"beat_at": timezone.now()})


def leased_models() -> list[type[LeasedStep]]:
    """Every table of leased work in this installation."""
    return [model for model in apps.get_models() if issubclass(model, LeasedStep)]


def release_of(name: str) -> int:
    """Free every lease, and every place at a source, held under `name`: its process ended, or stops now. Returns how
    many leases."""
    _free_places(SourcePlace.objects.filter(held_by=name))
    held = {"state": StepState.RUNNING, "leased_by": name}
    return sum(_objects(model).filter(**held).update(**_released(StepState.QUEUED)) for model in leased_models())


def release_dead() -> int:
    """Free the leases of processes without a sign of life for DEAD_AFTER. Returns how many.

    This process is alive, however long the database kept it from saying so. A holder that never gave a sign (a command
    that works in its own process) is left its lease's first DEAD_AFTER seconds, and each time it is renewed.
    """
    now = timezone.now()
    alive = {worker_name(), *WorkerBeat.objects.filter(beat_at__gt=now - DEAD_AFTER).values_list("name", flat=True)}
    silent = WorkerBeat.objects.filter(beat_at__lte=now - DEAD_AFTER).exclude(name=worker_name()).values("name")
    _free_places(SourcePlace.objects.filter(held_by__in=silent))
    freed = 0
    for model in leased_models():
        left = (
            _objects(model)
            .filter(state=StepState.RUNNING, lease_until__lt=now + LEASE - DEAD_AFTER)
            .exclude(leased_by__in=alive)
        )
        if left.exists():
            freed += left.update(**_released(StepState.QUEUED))
    WorkerBeat.objects.filter(beat_at__lt=now - timedelta(days=1)).delete()
    return freed


def _free_places(places: models.QuerySet[SourcePlace]) -> None:
    """Places at sources are free again at once; the next look finds them past their time."""
    if places.exists():
        places.update(token="", held_by="", until=timezone.now() - timedelta(seconds=1))


def _objects(model: type[LeasedStep]) -> models.QuerySet[LeasedStep]:
    return model._default_manager.all()
