"""The contract of background work, and how it is announced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string


class Work(Protocol):
    """One kind of background work (named in settings.STEP_KINDS). Both methods may run anywhere, any time, twice."""

    def due(self) -> Iterable[str]:
        """Keys of the pieces that may be claimed now (queued, due again, or left by a dead worker)."""

    def run(self, key: str) -> None:
        """Claim the piece and do it; return quietly when it is gone, done, or claimed by somebody else."""


def work_of_kind(kind: str) -> Work:
    """The Work object of a kind. Raises KeyError for a kind that is not installed."""
    work: Work = import_string(settings.STEP_KINDS[kind])()
    return work
