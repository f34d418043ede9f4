"""When and how often a request is repeated."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.ports import Outcome
from litapp.providers.base import Classification
from litapp.providers.retry import LONGEST_PARK, RetryPolicy, seconds_until
from tests.providers.fakes import START

POLICY = RetryPolicy()


def waits(verdict: Classification) -> list[float]:
    found: list[float] = []
    while (wait := POLICY.wait_after(len(found) + 1, verdict, START, 0.0)) is not None:
        found.append(wait)
    return found


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Classification(Outcome.OK), []),
        (Classification(Outcome.EMPTY), []),
        (Classification(Outcome.NOT_FOUND), []),
        (Classification(Outcome.PERMANENT), []),
        (Classification(Outcome.PERMANENT, repeats=1), [1.0]),
        (Classification(Outcome.TRANSIENT), [1.0, 2.0]),
        (Classification(Outcome.TRANSIENT, repeats=0), []),
        (Classification(Outcome.MALFORMED), [1.0, 2.0]),
        (Classification(Outcome.RATE_LIMITED), [1.0, 2.0, 4.0]),
        (Classification(Outcome.RATE_LIMITED, retry_after=0.02), [0.1, 0.1, 0.1]),
        (Classification(Outcome.RATE_LIMITED, retry_after=3600.0), [3600.0] * 3),
        (Classification(Outcome.RATE_LIMITED, retry_after=START + timedelta(seconds=5)), [5.0] * 3),
    ],
)
def test_the_waits_of_each_kind_of_answer(verdict: Classification, expected: list[float]) -> None:
    assert waits(verdict) == expected


@given(st.floats(0, 1), st.integers(1, 2))
def test_chance_adds_at_most_a_quarter(chance: float, attempt: int) -> None:
    wait = POLICY.wait_after(attempt, Classification(Outcome.TRANSIENT), START, chance)
    assert wait is not None
    assert 2 ** (attempt - 1) <= wait <= 2 ** (attempt - 1) * 1.25


def test_a_time_in_the_past_is_now_and_one_in_years_is_not_believed() -> None:
    assert seconds_until(START - timedelta(days=1), START) == 0.0
    assert seconds_until(START + timedelta(days=900), START) == LONGEST_PARK
    assert seconds_until(None, START) is None
