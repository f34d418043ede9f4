"""The rate gate: never faster than published, the same for all, and patient when told so."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.ports import Budget, Clock
from litapp.jobs.models import SourcePace
from litapp.jobs.pace import DatabaseRateGate
from litapp.providers.policies import MARGIN, policy_for
from litapp.providers.retry import LONGEST_SLEEP
from tests.jobs.conftest import StillClock
from tests.jobs.installations import installation


def gate(clock: Clock, speed: float = 1.0) -> DatabaseRateGate:
    return DatabaseRateGate(lambda source: policy_for(source, has_key=False, has_email=True), clock=clock, speed=speed)


def test_slots_are_spaced_by_the_interval_with_its_margin(db: None, clock: StillClock) -> None:
    waits = [gate(clock).reserve("pubmed", "search") for _ in range(4)]
    assert waits == pytest.approx([0, MARGIN / 3, 2 * MARGIN / 3, MARGIN])


def test_time_that_passed_is_not_saved_up(db: None, clock: StillClock) -> None:
    gate(clock).reserve("pubmed", "search")
    clock.pass_time(3600)
    assert [gate(clock).reserve("pubmed", "search") for _ in range(2)] == pytest.approx([0, MARGIN / 3])


def test_sources_do_not_wait_for_each_other(db: None, clock: StillClock) -> None:
    assert [gate(clock).reserve(source, "search") for source in ("pubmed", "openalex", "semanticscholar")] == [0, 0, 0]


def test_an_operation_with_its_own_limit_has_its_own_slots(db: None, clock: StillClock) -> None:
    limits = gate(clock)
    waits = [limits.reserve("crossref", name) for name in ("search", "lookup", "search", "lookup")]
    assert waits == pytest.approx([0, 0, MARGIN / 3, MARGIN / 10])


def test_the_sandbox_clock_makes_it_faster(db: None, clock: StillClock) -> None:
    limits = gate(clock, speed=50)
    assert [limits.reserve("pubmed", "") for _ in range(2)] == pytest.approx([0, MARGIN / 3 / 50], abs=1e-5)


def test_push_back_holds_every_limit_of_the_source_and_no_other(db: None, clock: StillClock) -> None:
    limits = gate(clock)
    limits.push_back("crossref", clock.now() + timedelta(seconds=60))
    waits = {(s, o): limits.reserve(s, o) for s, o in (("crossref", "search"), ("crossref", "lookup"), ("pubmed", ""))}
    assert waits == {("crossref", "search"): 60, ("crossref", "lookup"): 60, ("pubmed", ""): 0}


def test_push_back_never_shortens_a_wait(db: None, clock: StillClock) -> None:
    limits = gate(clock)
    limits.push_back("pubmed", clock.now() + timedelta(seconds=60))
    limits.push_back("pubmed", clock.now() + timedelta(seconds=5))
    assert limits.reserve("pubmed", "") == 60


def test_a_wait_too_long_to_sit_out_is_told_and_not_reserved(db: None, clock: StillClock) -> None:
    limits = gate(clock)
    limits.push_back("pubmed", clock.now() + timedelta(seconds=LONGEST_SLEEP + 1))
    assert [limits.reserve("pubmed", "") for _ in range(5)] == [LONGEST_SLEEP + 1] * 5


def test_a_limit_in_the_headers_replaces_the_published_one_for_a_day(db: None, clock: StillClock) -> None:
    limits = gate(clock)
    limits.observe_limit("pubmed", "search", 10)
    assert [limits.reserve("pubmed", "") for _ in range(2)] == pytest.approx([0, MARGIN / 10])
    clock.pass_time(86_400)
    assert [limits.reserve("pubmed", "") for _ in range(2)] == pytest.approx([0, MARGIN / 3])


def test_an_unchanged_header_is_not_written_again(
    db: None, clock: StillClock, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    limits = gate(clock)
    limits.observe_limit("pubmed", "search", 10)
    with django_assert_num_queries(1):  # type: ignore[operator]
        limits.observe_limit("pubmed", "search", 10)


@pytest.mark.django_db(transaction=True)
def test_waiting_for_a_source_within_a_transaction_is_refused(clock: StillClock) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        gate(clock).reserve("pubmed", "")


@pytest.mark.django_db
@given(pauses=st.lists(st.floats(0, 3), min_size=2, max_size=15))
def test_any_second_holds_at_most_the_published_number(pauses: list[float]) -> None:
    SourcePace.objects.all().delete()
    clock = StillClock()
    limits, sent = gate(clock), []
    for pause in pauses:
        clock.pass_time(pause)
        sent.append(clock.now().timestamp() + limits.reserve("pubmed", ""))
    sent.sort()
    assert all(sum(1 for s in sent if start <= s < start + 1) <= 3 for start in sent)


RESERVE = """
import json
from litapp.jobs.clock import SystemClock
from litapp.jobs.pace import DatabaseRateGate
from litapp.providers.policies import policy_for
class Noting(SystemClock):
    def now(self):
        self.last = super().now()
        return self.last
clock, slots = Noting(), []
gate = DatabaseRateGate(lambda s: policy_for(s, has_key=False, has_email=False), clock=clock, speed=10)
for _ in range(15):
    wait = gate.reserve("pubmed", "")
    slots.append(clock.last.timestamp() + wait)
print(json.dumps(slots))
"""


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def test_four_processes_share_one_pace(kind: str, tmp_path: Path) -> None:
    with installation(kind, tmp_path) as place:
        code = f"import django; django.setup()\n{RESERVE}"
        processes = [place.start("-c", code) for _ in range(4)]
        slots: list[float] = []
        for process in processes:
            out, err = process.communicate(timeout=120)
            assert process.returncode == 0, err[-2000:]
            slots += json.loads(out)
    slots.sort()
    assert len(slots) == 60
    gaps = [later - earlier for earlier, later in pairwise(slots)]
    assert min(gaps) == pytest.approx(MARGIN / 3 / 10, abs=1e-4)


def test_the_latest_word_on_a_budget_counts_until_it_starts_anew(db: None, clock: StillClock) -> None:
    limits, midnight = gate(clock), clock.now() + timedelta(hours=12)
    assert limits.budget("openalex") is None
    limits.observe_budget("openalex", Budget(640, midnight, 1000))
    limits.observe_budget("openalex", Budget(630, midnight, 1000))
    assert gate(clock).budget("openalex") == Budget(630, midnight, 1000)
    assert limits.budget("pubmed") is None
    clock.pass_time(12 * 3600)
    assert limits.budget("openalex") is None


def test_a_budget_of_another_key_is_another_budget(db: None, clock: StillClock) -> None:
    def of(account: str, key: bool) -> DatabaseRateGate:
        return DatabaseRateGate(
            lambda source: policy_for(source, has_key=key, has_email=True),
            clock=clock,
            account_of=lambda source: account,
            has_key=lambda source: key,
        )

    gates = [of("", False), of("", True), of("u5", True), of("u6", True)]
    for number, limits in enumerate(gates):
        limits.observe_budget("openalex", Budget(number, clock.now() + timedelta(hours=1)))
    assert [limits.budget("openalex").left for limits in gates] == [0, 1, 2, 3]  # type: ignore[union-attr]


def test_an_own_key_has_its_own_slots_and_is_pushed_back_alone(db: None, clock: StillClock) -> None:
    def of(account: str) -> DatabaseRateGate:
        return DatabaseRateGate(
            lambda source: policy_for(source, has_key=True, has_email=True), clock=clock, account_of=lambda s: account
        )

    assert [of("").reserve("pubmed", ""), of("u5").reserve("pubmed", "")] == [0, 0]
    of("u5").push_back("pubmed", clock.now() + timedelta(seconds=60))
    assert of("u5").reserve("pubmed", "") == 60
    assert of("").reserve("pubmed", "") < 1


def test_an_unchanged_budget_is_not_written_again(
    db: None, clock: StillClock, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    limits, until = gate(clock), clock.now() + timedelta(hours=1)
    limits.observe_budget("openalex", Budget(640, until, 1000))
    with django_assert_num_queries(1):  # type: ignore[operator]
        limits.observe_budget("openalex", Budget(640, until + timedelta(seconds=1), 1000))
