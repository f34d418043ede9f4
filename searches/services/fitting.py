"""Fit of a record to plans, by rule (`core.fit`)."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.plan import SearchPlan
from litapp.core.records import Record
from searches.models import Fit


def best_fit(record: Record, plans: Iterable[SearchPlan]) -> tuple[Fit, str]:
    """The best fit to any of the plans that found the record, with one line why."""
    return Fit.LOW, ""
