"""Fit of a record to plans, by rule (`core.fit`)."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.fit import FitLevel, fit, fit_terms_of_plan
from litapp.core.plan import SearchPlan
from litapp.core.records import Record
from searches.models import Fit


def best_fit(record: Record, plans: Iterable[SearchPlan]) -> tuple[Fit, str]:
    """The best fit to any of the plans that found the record, with one line why."""
    found = [fit(fit_terms_of_plan(plan), record) for plan in plans]
    if not found:
        return Fit.LOW, ""
    best = max(found, key=lambda one: (_LEVELS[one.level], len(one.matched)))
    return _LEVELS[best.level], best.why


_LEVELS = {FitLevel.HIGH: Fit.HIGH, FitLevel.MEDIUM: Fit.MEDIUM, FitLevel.LOW: Fit.LOW}
