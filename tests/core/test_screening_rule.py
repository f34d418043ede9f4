"""The one rule of what votes come to, state by state, and its properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.screening import Entry, State, final_decision, outcome, standing, votes_of

WORDS = ("include", "exclude", "maybe")


def log(*lines: tuple[str, str]) -> list[Entry]:
    """Votes (who, decision) in order; "lead!" marks a resolution, decision "undo 1" takes line 1 back."""
    entries = []
    for number, (who, what) in enumerate(lines, start=1):
        undoes = int(what.removeprefix("undo ")) if what.startswith("undo") else None
        decision = "" if undoes else what
        entries.append(Entry(number, who.rstrip("!"), decision, number, undoes, who.endswith("!")))
    return entries


@pytest.mark.parametrize(
    ("lines", "needed", "expected"),
    [
        ([], 1, (State.OPEN, "", 0)),
        ([("a", "include")], 1, (State.AGREED, "include", 1)),
        ([("a", "include"), ("b", "exclude")], 1, (State.AGREED, "exclude", 2)),
        ([("a", "include"), ("b", "exclude"), ("b", "undo 2")], 1, (State.AGREED, "include", 1)),
        ([("a", "include"), ("a", "")], 1, (State.OPEN, "", 0)),
        ([], 2, (State.OPEN, "", 0)),
        ([("a", "include")], 2, (State.PARTLY, "", 1)),
        ([("a", "include"), ("b", "include")], 2, (State.AGREED, "include", 2)),
        ([("a", "maybe"), ("b", "maybe")], 2, (State.AGREED, "maybe", 2)),
        ([("a", "include"), ("b", "maybe")], 2, (State.CONFLICT, "", 2)),
        ([("a", "include"), ("b", "exclude"), ("a", "exclude")], 2, (State.AGREED, "exclude", 2)),
        ([("a", "include"), ("b", "exclude"), ("l!", "include")], 2, (State.RESOLVED, "include", 2)),
        ([("a", "include"), ("b", "exclude"), ("l!", "include"), ("l", "undo 3")], 2, (State.CONFLICT, "", 2)),
        ([("a", "include"), ("b", "exclude"), ("a!", "exclude")], 2, (State.RESOLVED, "exclude", 2)),
        ([("a", "include"), ("a", "undo 1")], 2, (State.OPEN, "", 0)),
        ([("a", "include"), ("b", "exclude")], 3, (State.CONFLICT, "", 2)),
        ([("a", "include"), ("b", "include")], 3, (State.PARTLY, "", 2)),
    ],
)
def test_what_votes_come_to(lines: list[tuple[str, str]], needed: int, expected: tuple[State, str, int]) -> None:
    found = outcome(standing(log(*lines)), needed)
    assert (found.state, found.decision, found.votes) == expected


def test_the_reason_that_counts_is_the_resolutions_else_the_first_votes() -> None:
    agreed = outcome(standing(log(("a", "maybe"), ("b", "exclude"), ("a", "exclude"))), 2)
    settled = outcome(standing(log(("a", "include"), ("b", "exclude"), ("l!", "exclude"))), 2)
    assert (agreed.by and agreed.by.order, settled.by and settled.by.order) == (2, 3)


def test_a_record_that_needs_no_vote_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        outcome([], 0)


@pytest.mark.parametrize(
    ("title", "fulltext", "uses", "final"),
    [
        ("include", "", False, "include"),
        ("include", "", True, ""),
        ("include", "exclude", True, "exclude"),
        ("include", "include", True, "include"),
        ("exclude", "include", True, "exclude"),
        ("maybe", "", True, "maybe"),
        ("include", "exclude", False, "include"),
    ],
)
def test_final_decision(title: str, fulltext: str, uses: bool, final: str) -> None:
    assert final_decision(title, fulltext, uses_fulltext=uses) == final


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(WORDS)), max_size=12), st.integers(2, 3))
def test_an_outcome_needs_enough_equal_votes(lines: list[tuple[str, str]], needed: int) -> None:
    entries = standing(log(*lines))
    found, votes = outcome(entries, needed), votes_of(entries)
    decisions = {vote.decision for vote in votes.values()}
    assert found.votes == len(votes)
    assert (found.state == State.AGREED) == (len(decisions) == 1 and len(votes) >= needed)
    assert bool(found.decision) == (found.state == State.AGREED)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(WORDS)), min_size=1, max_size=8), st.integers(1, 2))
def test_taking_the_last_back_is_as_if_it_had_not_been(lines: list[tuple[str, str]], needed: int) -> None:
    before = outcome(standing(log(*lines[:-1])), needed)
    after = outcome(standing(log(*lines, (lines[-1][0], f"undo {len(lines)}"))), needed)
    assert after == before
