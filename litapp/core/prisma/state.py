"""Where everything stands at a time: folds events into records, papers, decisions and studies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from litapp.core.prisma import events as e
from litapp.core.prisma.events import Event, Id, Where
from litapp.core.screening import Entry, Outcome, outcome, standing


@dataclass(frozen=True, slots=True)
class Reasoned(Entry):
    """An entry with the reason that was given."""

    reason: str = ""


@dataclass(slots=True)
class ReviewState:
    """The state after some events. Change it by `apply` only."""

    where: dict[Id, Where] = field(default_factory=dict)
    placed: dict[Id, Id] = field(default_factory=dict)
    """Record -> the paper it was put into; records that were taken out are not here."""
    stands_in: dict[Id, Id] = field(default_factory=dict)
    """Paper that was merged -> the one that stands for it."""
    found_at: dict[Id, datetime] = field(default_factory=dict)
    """Record -> when it was identified."""
    stopped: e.Stopped | None = None
    removed: dict[Id, e.Removed] = field(default_factory=dict)
    entries: dict[tuple[Id, bool], list[Reasoned]] = field(default_factory=lambda: defaultdict(list))
    needed: dict[tuple[Id, bool], int] = field(default_factory=dict)
    retrieval: dict[Id, e.Retrieval] = field(default_factory=dict)
    study_of: dict[Id, Id] = field(default_factory=dict)
    stages: e.StagesSet = field(default_factory=lambda: e.StagesSet(datetime.min))

    def paper(self, paper: Id) -> Id:
        """The paper that stands for this one."""
        return self.stands_in.get(paper, paper)

    def papers(self) -> dict[Id, list[Id]]:
        """Paper -> its records, as they stand, each in order of its id."""
        found: dict[Id, list[Id]] = {}
        for record in sorted(self.placed):
            found.setdefault(self.paper(self.placed[record]), []).append(record)
        return found

    def outcomes(self) -> dict[tuple[Id, bool], Outcome]:
        """(paper, full text?) -> what its entries come to, with those of the papers it stands for."""
        together: dict[tuple[Id, bool], list[Reasoned]] = {}
        for (paper, fulltext), entries in self.entries.items():
            together.setdefault((self.paper(paper), fulltext), []).extend(entries)
        return {key: self._outcome(key, entries) for key, entries in together.items()}

    def _outcome(self, key: tuple[Id, bool], entries: list[Reasoned]) -> Outcome:
        stage = self.stages.fulltext_votes if key[1] else self.stages.title_votes
        return outcome(standing(entries), self.needed.get(key) or stage)


def state_at(log: Iterable[Event], until: datetime | None = None) -> ReviewState:
    """Fold the events up to and with `until` (None = all), in order of their times; equal times in the log's order."""
    state = ReviewState()
    chosen = (event for event in log if until is None or event.at <= until)
    for event in sorted(chosen, key=lambda one: one.at):
        _APPLY[type(event)](state, event)
    return state


def _found(state: ReviewState, event: e.Found) -> None:
    state.where[event.record] = event.where
    state.placed[event.record] = event.paper
    state.found_at[event.record] = event.at


def _moved(state: ReviewState, event: e.Moved) -> None:
    if event.paper is None:
        state.placed.pop(event.record, None)
    elif event.record in state.where:
        state.placed[event.record] = event.paper


def _merged(state: ReviewState, event: e.Merged) -> None:
    kept = state.paper(event.kept)
    if kept == event.absorbed:
        return
    for paper, other in list(state.stands_in.items()):
        if other == event.absorbed:
            state.stands_in[paper] = kept
    state.stands_in[event.absorbed] = kept
    state.stands_in.pop(kept, None)


def _parted(state: ReviewState, event: e.Parted) -> None:
    state.stands_in.pop(event.paper, None)


def _removed(state: ReviewState, event: e.Removed) -> None:
    state.removed[event.paper] = event


def _restored(state: ReviewState, event: e.Restored) -> None:
    state.removed.pop(event.paper, None)


def _stopped(state: ReviewState, event: e.Stopped) -> None:
    state.stopped = event


def _decided(state: ReviewState, event: e.Decided) -> None:
    state.entries[event.paper, event.fulltext].append(
        Reasoned(
            event.order, event.reviewer, event.decision, event.request, event.undoes, event.resolution, event.reason
        )
    )


def _stages(state: ReviewState, event: e.StagesSet) -> None:
    state.stages = event


def _needed(state: ReviewState, event: e.VotesNeeded) -> None:
    state.needed[event.paper, event.fulltext] = event.votes


def _retrieval(state: ReviewState, event: e.Retrieval) -> None:
    state.retrieval[event.paper] = event


def _joined(state: ReviewState, event: e.Joined) -> None:
    state.study_of.update(dict.fromkeys(event.papers, event.study))


def _left(state: ReviewState, event: e.Left) -> None:
    for paper in event.papers:
        if state.study_of.get(paper) == event.study:
            del state.study_of[paper]


_APPLY: dict[type, Callable[[ReviewState, Any], None]] = {
    e.Found: _found,
    e.Moved: _moved,
    e.Merged: _merged,
    e.Parted: _parted,
    e.Removed: _removed,
    e.Restored: _restored,
    e.Stopped: _stopped,
    e.Decided: _decided,
    e.StagesSet: _stages,
    e.VotesNeeded: _needed,
    e.Retrieval: _retrieval,
    e.Joined: _joined,
    e.Left: _left,
}
