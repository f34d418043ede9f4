"""The flow's numbers add up, or there is no flow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.prisma import FlowCandidate, FlowCounts, FlowError, ScreeningState, flow_counts

CANDIDATES = st.lists(
    st.builds(
        FlowCandidate,
        st.dictionaries(st.sampled_from(["pubmed", "crossref", "openalex"]), st.integers(1, 4), min_size=1).map(
            lambda counts: tuple(counts.items())
        ),
        st.sampled_from(list(ScreeningState)),
        st.sampled_from(["", "wrong population", " wrong population "]),
    ),
    max_size=30,
)


def test_a_flow_is_counted_from_decisions() -> None:
    counts = flow_counts(
        [
            FlowCandidate((("pubmed", 2), ("crossref", 1)), ScreeningState.INCLUDED),
            FlowCandidate((("pubmed", 1),), ScreeningState.EXCLUDED, "wrong population"),
            FlowCandidate((("openalex", 1),), ScreeningState.EXCLUDED),
            FlowCandidate((("openalex", 1),), ScreeningState.MAYBE),
            FlowCandidate((("pubmed", 1), ("openalex", 1))),
        ]
    )
    assert counts == FlowCounts(
        identified=(("crossref", 1), ("openalex", 3), ("pubmed", 4)),
        duplicates_removed=3,
        screened=4,
        excluded=2,
        maybe=1,
        included=1,
        not_yet_screened=1,
        excluded_reasons=(("no reason given", 1), ("wrong population", 1)),
    )
    assert (counts.identified_total, counts.candidates) == (8, 5)


def test_an_empty_project_has_an_empty_flow() -> None:
    assert flow_counts([]) == FlowCounts()


@given(CANDIDATES)
def test_nothing_is_lost_or_counted_twice(candidates: list[FlowCandidate]) -> None:
    counts = flow_counts(candidates)
    records = sum(number for candidate in candidates for _, number in candidate.records_per_source)
    assert counts.identified_total == records
    assert counts.candidates == len(candidates)
    assert counts.identified_total == (
        counts.duplicates_removed + counts.excluded + counts.maybe + counts.included + counts.not_yet_screened
    )
    assert flow_counts(reversed(candidates)) == counts


@given(
    CANDIDATES, st.sampled_from(["duplicates_removed", "screened", "excluded", "maybe", "included", "not_yet_screened"])
)
def test_any_one_number_off_is_refused(candidates: list[FlowCandidate], name: str) -> None:
    counts = flow_counts(candidates)
    with pytest.raises(FlowError):
        replace(counts, **{name: getattr(counts, name) + 1})


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(FlowError, match="no record of any source"):
        flow_counts([FlowCandidate(())])
    with pytest.raises(FlowError, match="below zero"):
        FlowCounts(identified=(("pubmed", 1),), duplicates_removed=2, not_yet_screened=-1)
    with pytest.raises(FlowError, match="counted twice"):
        FlowCounts(identified=(("pubmed", 1), ("pubmed", 1)), not_yet_screened=2)
