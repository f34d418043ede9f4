"""A clock that stands still, and leased work to play with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from litapp.projects.models import Project
from litapp.verification.models import Verification


@dataclass
class StillClock:
    """Time that moves only when told to."""

    moment: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def piece(db: None) -> Callable[..., Verification]:
    """Makes pieces of leased work (verifications stand for all kinds)."""
    project = Project.objects.create(name="A review", created_by=User.objects.create(username="owner"))

    def make(**fields: object) -> Verification:
        return Verification.objects.create(project=project, record={}, record_hash="x", **fields)

    return make
