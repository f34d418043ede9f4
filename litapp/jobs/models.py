"""Shared state of background work: pace and health of each source, the worker's sign of life, leased steps."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeVar

from django.db import models
from django.utils import timezone


class StepState(models.TextChoices):
    """State of a piece of background work. WAITING = may be claimed again after `not_before`."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    PARTIAL = "partial", "Partial"
    FAILED = "failed", "Failed"
    SKIPPED = "skipped", "Skipped"
    CANCELLED = "cancelled", "Cancelled"


OPEN_STATES = (StepState.QUEUED, StepState.RUNNING, StepState.WAITING)
LEASE = timedelta(seconds=90)


_Step = TypeVar("_Step", bound="LeasedStep")


class LeasedStepQuerySet(models.QuerySet[_Step]):
    """Reads that the claim, the reaper and the pages need."""

    def open(self) -> LeasedStepQuerySet[_Step]:
        """Not finished yet."""
        return self.filter(state__in=OPEN_STATES)

    def claimable(self) -> LeasedStepQuerySet[_Step]:
        """Queued, due again, or left behind by a worker whose lease ran out."""
        now = timezone.now()
        return self.filter(
            models.Q(state=StepState.QUEUED)
            | models.Q(state=StepState.WAITING, not_before__lte=now)
            | models.Q(state=StepState.RUNNING, lease_until__lt=now)
        )


class LeasedStep(models.Model):
    """A unit of work that a worker leases; abstract. Truth about long work lives here, never in the queue.

    A claim is a conditional update that sets `lease_token`; every write of the worker is conditional on that token, so
    a worker that lost its lease cannot write. `attempts` counts claims. `done`/`total` are for people.
    """

    state = models.CharField(max_length=10, choices=StepState, default=StepState.QUEUED)
    lease_token = models.CharField(max_length=32, blank=True, default="")
    leased_by = models.CharField(max_length=80, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True, blank=True)
    message = models.TextField(blank=True, default="")
    hint = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES


class SourcePace(models.Model):
    """One row per source and limit bucket: the theoretical arrival time of the next request (GCRA)."""

    source = models.CharField(max_length=60, primary_key=True)
    """Source key, or "source:operation" where an operation has a limit of its own."""
    next_slot = models.FloatField(default=0)
    """Unix seconds of the earliest free slot."""
    observed_per_second = models.FloatField(null=True, blank=True)
    observed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.source


class SourcePlace(models.Model):
    """One of the requests that may be open at one source at once: lent until `until`, free when that is past."""

    source = models.CharField(max_length=60)
    number = models.PositiveSmallIntegerField()
    token = models.CharField(max_length=32, blank=True, default="")
    held_by = models.CharField(max_length=80, blank=True, default="")
    """Name of the process (`jobs.services.worker_name`): the places of a dead worker are freed."""
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "number"], name="places_are_numbered")]

    def __str__(self) -> str:
        return f"{self.source}, place {self.number + 1}"


class SourceConcurrency(models.Model):
    """How many requests a source lets be open at once, as its answers last said."""

    source = models.CharField(max_length=60, primary_key=True)
    most = models.PositiveSmallIntegerField()
    observed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.source}: {self.most}"


class SourceBudget(models.Model):
    """What is left of a source's units (OpenAlex: credits of the day), as its answers last said."""

    source = models.CharField(max_length=60, primary_key=True)
    """Source key, "+key" where a key is used, "@account" where it is a user's own: each has a budget of its own."""
    left = models.FloatField()
    of = models.FloatField(null=True, blank=True)
    until = models.DateTimeField()
    observed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.source}: {self.left:g} left"


class HealthState(models.TextChoices):
    CLOSED = "closed", "Available"
    OPEN = "open", "Left alone"
    HALF_OPEN = "half_open", "Being probed"
    REFUSED = "refused", "Refuses us"


class SourceHealth(models.Model):
    """Circuit breaker of one source, shared by all processes and shown on the pages."""

    source = models.CharField(max_length=60, primary_key=True)
    state = models.CharField(max_length=10, choices=HealthState, default=HealthState.CLOSED)
    failures = models.PositiveIntegerField(default=0)
    open_until = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    last_success_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.source}: {self.get_state_display()}"


class WorkerBeat(models.Model):
    """The worker's sign of life, so that a page can say that no worker is running."""

    name = models.CharField(max_length=80, primary_key=True)
    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
