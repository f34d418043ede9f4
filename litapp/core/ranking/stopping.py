"""When reading may stop: what a random sample of the unread records proves about recall.

The test is the random-sampling criterion of Callaghan MW, Müller-Hansen F. Statistical stopping criteria for automated
screening in systematic reviews. Syst Rev 2020;9:273 (doi 10.1186/s13643-020-01521-4): when the ranking brings no more,
a sample is drawn from the records that nobody read, and all of it is read. The null hypothesis is that recall is below
the target; the probability of so few relevant records in the sample under it is hypergeometric. Its size is fixed
before the first of it is read. Where the test is repeated after more reading, the k-th gets the error
(1 - confidence) / 2**k, so that all of them together keep the confidence (a union bound; ours, not the paper's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

METHOD = "Hypergeometric test on a random sample of the unread records (Callaghan and Müller-Hansen 2020)"
SOURCE = "Callaghan MW, Müller-Hansen F. Syst Rev 2020;9:273. doi:10.1186/s13643-020-01521-4"


@dataclass(frozen=True, slots=True)
class StoppingTest:
    """A sample of `size` records, drawn from `unread` ones when `relevant_before` relevant ones were known; the
    `number`-th of its review, from 1. `target` and `confidence` are shares such as 0.95."""

    unread: int
    size: int
    relevant_before: int
    target: float
    confidence: float
    number: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.target < 1 or not 0 < self.confidence < 1:
            raise ValueError("Target recall and confidence lie between 0 and 1.")
        if not 0 < self.size <= self.unread or self.relevant_before < 0 or self.number < 1:
            raise ValueError("The sample must be of the unread records, and its number begins at 1.")

    @property
    def allowed_error(self) -> float:
        """The error that this test may make."""
        return (1 - self.confidence) / 2**self.number


@dataclass(frozen=True, slots=True)
class StoppingResult:
    """What the sample proved. `too_many` = the least number of relevant records among the unread ones with which the
    target would be missed; `p_value` = the probability of `found` or fewer in the sample if there were that many."""

    test: StoppingTest
    found: int
    too_many: int
    p_value: float

    @property
    def passed(self) -> bool:
        """Recall is at least the target, with the confidence asked for."""
        return self.p_value <= self.test.allowed_error


def evaluate(test: StoppingTest, found: int) -> StoppingResult:
    """The result when all records of the sample have been read and `found` of them are relevant.

    Where the target cannot be missed by the records left, the probability is 0. Without any relevant record nothing
    is proved: recall has no value then.
    """
    if not 0 <= found <= test.size:
        raise ValueError("More relevant records than the sample has.")
    too_many = least_missing(test, found)
    if test.relevant_before + found == 0:
        return StoppingResult(test, found, too_many, 1.0)
    if too_many > test.unread - (test.size - found):
        return StoppingResult(test, found, too_many, 0.0)
    from scipy.stats import hypergeom  # takes long to load; only a certificate needs it

    return StoppingResult(test, found, too_many, float(hypergeom.cdf(found, test.unread, too_many, test.size)))


def least_missing(test: StoppingTest, found: int) -> int:
    """The least number K of relevant records among the unread ones for which (before + found) / (before + K) is below
    the target. Exact: a target of 0.95 is read as 95/100."""
    target = Fraction(str(test.target))
    return floor(Fraction(test.relevant_before + found) / target) - test.relevant_before + 1


def sample_needed(*, unread: int, relevant: int, target: float, confidence: float, number: int = 1) -> int | None:
    """The smallest sample that passes if it holds no relevant record; None where even all of them would not do (that
    is so only when nothing relevant is known)."""
    if unread == 0 or relevant == 0:
        return None
    low, high = 1, unread
    while low < high:
        middle = (low + high) // 2
        if evaluate(StoppingTest(unread, middle, relevant, target, confidence, number), 0).passed:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, slots=True)
class Estimate:
    """Relevant records among all, by the control stream: the estimate and its exact bounds."""

    records: int
    sampled: int
    found: int
    low: int
    high: int

    @property
    def total(self) -> float:
        """The estimated number."""
        return self.records * self.found / self.sampled


def estimate_total(*, records: int, sampled: int, found: int, confidence: float = 0.95) -> Estimate | None:
    """How many of all records are relevant, from a random sample that has been read completely; None for no sample.

    Two-sided exact bounds from the hypergeometric distribution (each side at half the error).
    """
    if not 0 < sampled <= records or not 0 <= found <= sampled:
        return None
    from scipy.stats import hypergeom

    error = (1 - confidence) / 2
    least, most = found, records - (sampled - found)
    low = _first(least, most, lambda total: float(hypergeom.sf(found - 1, records, total, sampled)) > error)
    high = _last(least, most, lambda total: float(hypergeom.cdf(found, records, total, sampled)) > error)
    return Estimate(records, sampled, found, low, high)


def _first(least: int, most: int, holds) -> int:  # type: ignore[no-untyped-def]
    """The smallest value for which `holds` is true (it is true from there on)."""
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if holds(middle) else (middle + 1, most)
    return least


def _last(least: int, most: int, holds) -> int:  # type: ignore[no-untyped-def]
    """The greatest value for which `holds` is true (it is true up to there)."""
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if holds(middle) else (least, middle - 1)
    return least


def certificate_text(result: StoppingResult, *, model: str, seed: int, records: int, accepted_by: str, on: str) -> str:
    """The ready text for the paper. Says what was proved, or that it was not."""
    test = result.test
    share = f"{100 * test.target:g}%"
    read = records - test.unread
    said = (
        f"Records were screened in the order of {model} (seed {seed}). After {read:,} of {records:,} records, "
        f"{test.relevant_before:,} of them relevant, a random sample of {test.size:,} of the {test.unread:,} unread "
        f"records was screened completely; {result.found:,} of these were relevant. "
        f"With {result.too_many:,} or more relevant records among those {test.unread:,}, recall would be below "
        f"{share}; the probability of {result.found:,} or fewer in the sample would then be {_number(result.p_value)} "
        f"(hypergeometric test, allowed error {_number(test.allowed_error)}; {SOURCE})."
    )
    if not result.passed:
        return f"{said} A recall of {share} was therefore not shown with {100 * test.confidence:g}% confidence."
    return (
        f"{said} Recall at this stage was therefore at least {share} with {100 * test.confidence:g}% confidence, "
        f"relative to the decisions made on the records read. {accepted_by} accepted stopping on {on}."
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if value else "0"
