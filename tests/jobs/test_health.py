"""The circuit breaker: a source in trouble is left alone, one caller probes, an answer closes it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from litapp.core.ports import Outcome
from litapp.jobs.health import (
    ASK_AGAIN,
    FAILURES_BEFORE_OPEN,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    PROBE_TIME,
    REFUSAL_PAUSE,
    DatabaseBreaker,
)
from litapp.jobs.models import HealthState, SourceHealth
from tests.jobs.conftest import StillClock


def fail(breaker: DatabaseBreaker, times: int = FAILURES_BEFORE_OPEN, outcome: Outcome = Outcome.TRANSIENT) -> None:
    for _ in range(times):
        breaker.record("pubmed", outcome, "PubMed has a problem.", None)


@pytest.fixture
def breaker(db: None, clock: StillClock) -> DatabaseBreaker:
    return DatabaseBreaker(clock=clock)


def test_a_source_is_asked_until_it_fails_often_in_a_row(breaker: DatabaseBreaker, clock: StillClock) -> None:
    fail(breaker, FAILURES_BEFORE_OPEN - 1)
    assert breaker.check("pubmed") is None
    fail(breaker, 1)
    assert breaker.check("pubmed") == clock.now() + FIRST_PAUSE
    assert breaker.check("crossref") is None


def test_success_in_between_starts_the_count_anew(breaker: DatabaseBreaker) -> None:
    fail(breaker, FAILURES_BEFORE_OPEN - 1)
    breaker.record("pubmed", Outcome.EMPTY, "", None)
    fail(breaker, FAILURES_BEFORE_OPEN - 1)
    assert breaker.check("pubmed") is None


@pytest.mark.parametrize("outcome", [Outcome.PERMANENT, Outcome.RATE_LIMITED])
def test_what_speaks_of_our_request_does_not_count(breaker: DatabaseBreaker, outcome: Outcome) -> None:
    fail(breaker, 20, outcome)
    assert breaker.check("pubmed") is None


def test_one_caller_probes_and_the_others_come_back_soon(breaker: DatabaseBreaker, clock: StillClock) -> None:
    fail(breaker)
    clock.pass_time(FIRST_PAUSE.total_seconds())
    answers = [breaker.check("pubmed") for _ in range(3)]
    assert answers == [None, clock.now() + ASK_AGAIN, clock.now() + ASK_AGAIN]


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.NOT_FOUND, Outcome.PERMANENT, Outcome.RATE_LIMITED])
def test_an_answered_probe_closes_it(breaker: DatabaseBreaker, clock: StillClock, outcome: Outcome) -> None:
    fail(breaker)
    clock.pass_time(FIRST_PAUSE.total_seconds())
    breaker.check("pubmed")
    breaker.record("pubmed", outcome, "", None)
    assert [breaker.check("pubmed") for _ in range(3)] == [None, None, None]
    assert SourceHealth.objects.get(pk="pubmed").failures == 0


def test_a_failed_probe_waits_twice_as_long_up_to_a_limit(breaker: DatabaseBreaker, clock: StillClock) -> None:
    fail(breaker)
    pauses = []
    for _ in range(7):
        until = SourceHealth.objects.get(pk="pubmed").open_until
        pauses.append(until - clock.now())
        clock.moment = until
        assert breaker.check("pubmed") is None
        fail(breaker, 1)
    assert pauses == [min(LONGEST_PAUSE, FIRST_PAUSE * 2**n) for n in range(7)]


def test_a_probe_that_never_reports_is_replaced(breaker: DatabaseBreaker, clock: StillClock) -> None:
    fail(breaker)
    clock.pass_time(FIRST_PAUSE.total_seconds())
    breaker.check("pubmed")
    clock.pass_time(PROBE_TIME.total_seconds())
    assert breaker.check("pubmed") is None


def test_the_source_may_ask_for_a_longer_pause(breaker: DatabaseBreaker, clock: StillClock) -> None:
    fail(breaker, FAILURES_BEFORE_OPEN - 1)
    until = clock.now() + timedelta(hours=1)
    breaker.record("pubmed", Outcome.TRANSIENT, "", until)
    assert breaker.check("pubmed") == until


def test_the_row_tells_people_what_is_wrong(breaker: DatabaseBreaker) -> None:
    fail(breaker)
    row = SourceHealth.objects.get(pk="pubmed")
    assert (row.state, row.last_error) == (HealthState.OPEN, "PubMed has a problem.")


def test_a_source_that_refused_us_is_left_alone_at_once_and_then_probed(
    breaker: DatabaseBreaker, clock: StillClock
) -> None:
    breaker.record_refusal("pubmed", "PubMed refuses us.", None)
    end = clock.now() + REFUSAL_PAUSE
    assert (breaker.refused_until("pubmed"), breaker.refused_until("crossref")) == (end, None)
    clock.pass_time(REFUSAL_PAUSE.total_seconds())
    assert breaker.refused_until("pubmed") is None
    assert [breaker.check("pubmed") for _ in range(2)] == [None, clock.now() + ASK_AGAIN]
    breaker.record("pubmed", Outcome.OK, "", None)
    assert SourceHealth.objects.get(pk="pubmed").state == HealthState.CLOSED


def test_a_refused_probe_closes_the_source_for_another_pause(breaker: DatabaseBreaker, clock: StillClock) -> None:
    breaker.record_refusal("pubmed", "PubMed refuses us.", None)
    clock.pass_time(REFUSAL_PAUSE.total_seconds())
    assert breaker.check("pubmed") is None
    breaker.record_refusal("pubmed", "PubMed refuses us.", clock.now() + 3 * REFUSAL_PAUSE)
    assert breaker.refused_until("pubmed") == clock.now() + 3 * REFUSAL_PAUSE
