"""Counts of the flow from records identified to studies included (PRISMA 2020), taken from decisions only.

Nothing here is typed in by a person or stored: the counts are computed from the candidates each time, and
`FlowCounts` refuses to exist when they do not add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class ScreeningState(StrEnum):
    """What was decided of a candidate, by the values that decisions are stored with. NONE: not yet screened."""

    NONE = ""
    INCLUDED = "include"
    EXCLUDED = "exclude"
    MAYBE = "maybe"


class FlowError(ValueError):
    """The counts contradict each other: records were lost or counted twice. Never show such a flow."""


@dataclass(frozen=True, slots=True)
class FlowCandidate:
    """One candidate as the flow sees it.

    `records_per_source` = how many records of each source were grouped into it (at least one in all).
    `reason` is the reason of an exclusion ("" where none was given).
    """

    records_per_source: tuple[tuple[str, int], ...]
    state: ScreeningState = ScreeningState.NONE
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FlowCounts:
    """The numbers of a PRISMA flow.

    `identified` = records per source, before duplicates were removed. `screened` = candidates with a decision.
    `maybe` counts as screened: somebody has looked, and has not decided for or against. `excluded_reasons` sums to
    `excluded`. Raises FlowError when the numbers do not add up.
    """

    identified: tuple[tuple[str, int], ...] = ()
    duplicates_removed: int = 0
    screened: int = 0
    excluded: int = 0
    maybe: int = 0
    included: int = 0
    not_yet_screened: int = 0
    excluded_reasons: tuple[tuple[str, int], ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        numbers = [self.duplicates_removed, self.screened, self.excluded, self.maybe, self.included]
        numbers += [self.not_yet_screened, *(n for _, n in self.identified), *(n for _, n in self.excluded_reasons)]
        if any(number < 0 for number in numbers):
            raise FlowError("A count of the flow is below zero.")
        if len(dict(self.identified)) != len(self.identified):
            raise FlowError("A source is counted twice in the flow.")
        if self.identified_total - self.duplicates_removed != self.candidates:
            raise FlowError(
                f"{self.identified_total} records were identified and {self.duplicates_removed} duplicates removed, "
                f"but {self.candidates} candidates are there."
            )
        if self.screened != self.excluded + self.maybe + self.included:
            raise FlowError(
                f"{self.screened} candidates were screened, but {self.excluded} excluded, {self.maybe} maybe and "
                f"{self.included} included make {self.excluded + self.maybe + self.included}."
            )
        if sum(number for _, number in self.excluded_reasons) != self.excluded:
            raise FlowError("The reasons of exclusion do not sum to the number excluded.")

    @property
    def identified_total(self) -> int:
        """Records of all sources, before duplicates were removed."""
        return sum(number for _, number in self.identified)

    @property
    def candidates(self) -> int:
        """Records left after duplicates were removed."""
        return self.screened + self.not_yet_screened


NO_REASON = "no reason given"


def flow_counts(candidates: Iterable[FlowCandidate]) -> FlowCounts:
    """Count the flow of a project or run. Raises FlowError for a candidate without any record."""
    identified: Counter[str] = Counter()
    states: Counter[ScreeningState] = Counter()
    reasons: Counter[str] = Counter()
    duplicates = 0
    for candidate in candidates:
        records = sum(number for _, number in candidate.records_per_source)
        if records < 1:
            raise FlowError("A candidate has no record of any source behind it.")
        for source, number in candidate.records_per_source:
            identified[source] += number
        duplicates += records - 1
        states[candidate.state] += 1
        if candidate.state is ScreeningState.EXCLUDED:
            reasons[candidate.reason.strip() or NO_REASON] += 1
    return FlowCounts(
        identified=tuple(sorted(identified.items())),
        duplicates_removed=duplicates,
        screened=states.total() - states[ScreeningState.NONE],
        excluded=states[ScreeningState.EXCLUDED],
        maybe=states[ScreeningState.MAYBE],
        included=states[ScreeningState.INCLUDED],
        not_yet_screened=states[ScreeningState.NONE],
        excluded_reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )
