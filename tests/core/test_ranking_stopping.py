"""The stopping test: against values by hand and by counting, and how often it is wrong."""

from __future__ import annotations

import random
from math import comb

import pytest

from litapp.core.ranking.stopping import StoppingTest, certificate_text, estimate_total, evaluate, sample_needed


def hypergeometric_tail(found: int, unread: int, relevant: int, size: int) -> float:
    """P(X <= found), counted."""
    ways = sum(comb(relevant, k) * comb(unread - relevant, size - k) for k in range(found + 1))
    return ways / comb(unread, size)


def a_test(**changes) -> StoppingTest:
    return StoppingTest(
        **{"unread": 200, "size": 120, "relevant_before": 57, "target": 0.95, "confidence": 0.95} | changes
    )


def test_the_probability_is_the_hypergeometric_one():
    result = evaluate(a_test(), 0)
    assert result.too_many == 4  # 57 / (57 + 3) = 95 % is not below; 57 / (57 + 4) is
    assert result.p_value == pytest.approx(hypergeometric_tail(0, 200, 4, 120))
    assert result.passed
    one = evaluate(a_test(), 1)
    assert (one.too_many, one.passed) == (5, False)  # 58 / (57 + 4) = 95.08 %, 58 / (57 + 5) is below
    assert one.p_value == pytest.approx(hypergeometric_tail(1, 200, 5, 120))


def test_a_repeated_test_may_err_half_as_often():
    assert [a_test(number=n).allowed_error for n in (1, 2, 3)] == pytest.approx([0.025, 0.0125, 0.00625])
    assert evaluate(a_test(size=130), 0).passed
    assert not evaluate(a_test(size=130, number=3), 0).passed


def test_all_read_proves_recall_of_one():
    result = evaluate(a_test(unread=40, size=40), 3)
    assert (result.p_value, result.passed) == (0.0, True)


def test_without_a_relevant_record_nothing_is_proved():
    assert not evaluate(a_test(relevant_before=0, size=200), 0).passed


@pytest.mark.parametrize("changes", [{"size": 0}, {"size": 201}, {"target": 1.0}, {"confidence": 95}, {"number": 0}])
def test_impossible_tests_are_refused(changes):
    with pytest.raises(ValueError):
        a_test(**changes)


def test_the_sample_needed_is_the_smallest_that_passes():
    size = sample_needed(unread=200, relevant=57, target=0.95, confidence=0.95)
    assert evaluate(a_test(size=size), 0).passed
    assert not evaluate(a_test(size=size - 1), 0).passed
    assert sample_needed(unread=200, relevant=0, target=0.95, confidence=0.95) is None
    assert sample_needed(unread=0, relevant=5, target=0.95, confidence=0.95) is None


def test_the_test_is_wrong_less_often_than_allowed():
    """Reviews at the edge: recall just below the target when the sample is drawn."""
    chance = random.Random(5)
    wrong = 0
    for _ in range(3000):
        unread, missing = 400, 6
        sample = chance.sample(range(unread), 150)
        found = sum(row < missing for row in sample)
        test = StoppingTest(unread, 150, 60, 0.95, 0.95)
        recall = (60 + found) / (60 + missing)
        wrong += evaluate(test, found).passed and recall < 0.95
    assert wrong / 3000 <= test.allowed_error


def test_bounds_of_the_total_are_exact():
    estimate = estimate_total(records=100, sampled=20, found=2)
    assert estimate.total == 10
    # by counting: the totals that a two-sided test at 5 % does not refuse
    kept = [
        total for total in range(2, 83)
        if hypergeometric_tail(2, 100, total, 20) > 0.025 and 1 - hypergeometric_tail(1, 100, total, 20) > 0.025
    ]  # fmt: skip
    assert (estimate.low, estimate.high) == (kept[0], kept[-1])
    assert estimate_total(records=10, sampled=0, found=0) is None
    everything = estimate_total(records=10, sampled=10, found=4)
    assert (everything.low, everything.high) == (4, 4)


def test_the_text_says_what_was_proved_and_by_whom():
    said = {"model": "litledger-1", "seed": 7, "records": 1000, "accepted_by": "Ada Low", "on": "2 May 2026"}
    text = certificate_text(evaluate(a_test(), 0), **said)
    assert "After 800 of 1,000 records, 57 of them relevant, a random sample of 120 of the 200 unread" in text
    assert "Recall at this stage was therefore at least 95% with 95% confidence" in text
    assert text.endswith("Ada Low accepted stopping on 2 May 2026.")
    failed = certificate_text(evaluate(a_test(), 2), **said)
    assert failed.endswith("A recall of 95% was therefore not shown with 95% confidence.")
    assert "accepted" not in failed
