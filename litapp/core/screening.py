"""What the votes on a record come to: open, one of two, agreed, conflict, resolved. The one rule for all stages.

Pure: the database keeps the entries, this module says what they mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

UNDECIDED = ""


class State(StrEnum):
    """Where a record stands at a stage."""

    OPEN = ""
    PARTLY = "partly"
    AGREED = "agreed"
    CONFLICT = "conflict"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log of decisions. `order` rises; `request` names the action it belongs to, `undoes` the action
    that it takes back; `resolution` = somebody settled a conflict with it."""

    order: int
    reviewer: Hashable
    decision: str
    request: Hashable = None
    undoes: Hashable = None
    resolution: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the entries come to. `decision` is "" unless the state is AGREED or RESOLVED; `by` is the entry that
    counts (the resolution, or the earliest of the votes that agree); `votes` is how many votes stand."""

    state: State
    decision: str = UNDECIDED
    by: Entry | None = None
    votes: int = 0


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that were not taken back, in order."""
    left: list[Entry] = []
    for entry in sorted(entries, key=lambda one: one.order):
        if entry.undoes is None:
            left.append(entry)
        else:
            left = [one for one in left if one.request != entry.undoes]
    return left


def votes_of(entries: Sequence[Entry]) -> dict[Hashable, Entry]:
    """The vote of each person among standing entries: their latest that is no resolution."""
    return {entry.reviewer: entry for entry in entries if not entry.resolution}


def outcome(entries: Sequence[Entry], needed: int) -> Outcome:
    """What the standing entries (in order) of one record at one stage come to, where `needed` votes are asked for.

    One screener per record: whoever decided last decided, as in a shared list. More: a resolution stands above the
    votes until it is taken back; all votes equal and enough of them = agreed; fewer = partly; different = conflict,
    even before all have voted. Raises ValueError for `needed` below 1.
    """
    if needed < 1:
        raise ValueError("A record needs at least one vote.")
    votes = [vote for vote in votes_of(entries).values() if vote.decision]
    if needed == 1:
        last = entries[-1] if entries else None
        if last is None or not last.decision:
            return Outcome(State.OPEN, votes=len(votes))
        return Outcome(State.RESOLVED if last.resolution else State.AGREED, last.decision, last, len(votes))
    rulings = [entry for entry in entries if entry.resolution]
    if rulings and rulings[-1].decision:
        return Outcome(State.RESOLVED, rulings[-1].decision, rulings[-1], len(votes))
    if not votes:
        return Outcome(State.OPEN)
    if len({vote.decision for vote in votes}) > 1:
        return Outcome(State.CONFLICT, votes=len(votes))
    if len(votes) < needed:
        return Outcome(State.PARTLY, votes=len(votes))
    first = min(votes, key=lambda vote: vote.order)
    return Outcome(State.AGREED, first.decision, first, len(votes))


def final_decision(title: str, fulltext: str, *, uses_fulltext: bool) -> str:
    """Whether a record is part of the review: with a full-text stage its decision there, else the title's.

    A record that was not included by its title has no full-text stage; its title decision is final.
    """
    return fulltext if uses_fulltext and title == "include" else title
