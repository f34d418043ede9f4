"""Which records are the same paper: new records against groups that are there already. Works in memory.

Only `core.dedupe` decides. Companions (preprint and article, erratum, protocol ...) and doubtful pairs stay apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from litapp.core.dedupe import PairVerdict, Relation
from litapp.core.dedupe.blocking import keys_of
from litapp.core.dedupe.features import Features, features_of
from litapp.core.records import Record

SAME_SOURCE_ID = "same_source_id"
SUPPLEMENT = "abstract_lookup"
"""Rule of a record that no search found: its source was asked for it by identifier, for the abstract."""
Judge = Callable[["Member", "Member"], PairVerdict]
"""Compares two records."""


@dataclass(slots=True)
class Member:
    """A source record in a group. `rule` and `why` say how it came in; `is_new` = not linked in the database yet."""

    source_record_id: int
    record: Record
    sha256: str
    rule: str = ""
    why: str = ""
    is_new: bool = False
    features: Features = field(init=False)
    keys: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.features = features_of(self.record)
        self.keys = keys_of(self.features)

    @property
    def identity(self) -> tuple[str, str]:
        """What the source calls it: a later record with the same identity replaces this one."""
        return self.record.source, self.record.source_id


@dataclass(slots=True, eq=False)
class Group:
    """A paper. `candidate_id` is empty for a new one. `absorbed` = candidates that turned out to be this paper."""

    candidate_id: int | None
    members: list[Member] = field(default_factory=list)
    absorbed: list[int] = field(default_factory=list)
    changed: bool = False

    def current(self) -> list[Member]:
        """The latest member of each identity: what the paper's record is made of."""
        latest: dict[tuple[str, str], Member] = {}
        for member in self.members:
            known = latest.get(member.identity)
            if known is None or member.source_record_id > known.source_record_id:
                latest[member.identity] = member
        return list(latest.values())

    def found_by(self) -> list[str]:
        """Sources that found the paper: not those that were only asked for its abstract."""
        return sorted({member.record.source for member in self.members if member.rule != SUPPLEMENT})

    def returned_by(self) -> list[str]:
        """Sources whose records the paper is made of: a check at one of them proves nothing new."""
        return sorted({member.record.source for member in self.members})

    def new_members(self) -> list[Member]:
        """Members that are to be linked."""
        return [member for member in self.members if member.is_new]


class Grouping:
    """Groups under their block keys. `add` records one after the other, then read `groups`."""

    def __init__(self, groups: Iterable[Group], judge: Judge) -> None:
        self._judge = judge
        self.groups: list[Group] = []
        self._by_key: dict[str, list[Group]] = {}
        self._by_identity: dict[tuple[str, str], Group] = {}
        for group in groups:
            self.groups.append(group)
            for member in group.members:
                self._index(group, member)

    def add(self, member: Member) -> Group:
        """Put a record where it belongs: with what its source called the same before, with equal papers, or alone."""
        member.is_new, member.rule, member.why = True, "", ""
        known = self._by_identity.get(member.identity) if member.record.source_id else None
        if known is not None:
            return self._join_identity(known, member)
        matches = self._matches(member)
        if not matches:
            group = Group(None, changed=True)
            self.groups.append(group)
        else:
            group = self._united([group for group, _ in matches])
            verdict = matches[0][1]
            member.rule, member.why = verdict.rule[:60], verdict.why[:300]
        group.members.append(member)
        group.changed = True
        self._index(group, member)
        return group

    def _join_identity(self, group: Group, member: Member) -> Group:
        """The same entry of the same source again; the paper changes only if the source now says something else."""
        latest = max((m for m in group.members if m.identity == member.identity), key=lambda m: m.source_record_id)
        member.rule, member.why = SAME_SOURCE_ID, "The source returned the same entry again."
        group.changed |= latest.sha256 != member.sha256 and member.source_record_id > latest.source_record_id
        group.members.append(member)
        self._index(group, member)
        return group

    def _matches(self, member: Member) -> list[tuple[Group, PairVerdict]]:
        """Groups that are the same paper, oldest first, each with the verdict that says so."""
        found: list[tuple[Group, PairVerdict]] = []
        seen: list[Group] = []
        for key in sorted(member.keys):
            for group in self._by_key.get(key, ()):
                if any(group is other for other in seen):
                    continue
                seen.append(group)
                verdict = self._same(group, member)
                if verdict is not None:
                    found.append((group, verdict))
        return sorted(found, key=lambda pair: _age(pair[0]))

    def _same(self, group: Group, member: Member) -> PairVerdict | None:
        """The verdict that makes `member` one of `group`; None if none does, or one keeps it apart."""
        verdicts = [self._judge(other, member) for other in group.current()]
        if any(keeps_apart(verdict) for verdict in verdicts):
            return None
        return next((verdict for verdict in verdicts if verdict.relation is Relation.SAME), None)

    def _united(self, groups: list[Group]) -> Group:
        """One group of all that the new record bridges: the oldest takes the others in, unless they are kept apart."""
        kept = groups[0]
        for other in groups[1:]:
            if any(keeps_apart(self._judge(a, b)) for a in kept.current() for b in other.current()):
                continue
            kept.absorbed += [*other.absorbed, *([other.candidate_id] if other.candidate_id else [])]
            for member in other.members:
                kept.members.append(member)
                self._index(kept, member)
            self.groups.remove(other)
            for waiting in self._by_key.values():
                if any(group is other for group in waiting):
                    waiting[:] = [group for group in waiting if group is not other]
        return kept

    def _index(self, group: Group, member: Member) -> None:
        self._by_identity[member.identity] = group
        for key in member.keys:
            waiting = self._by_key.setdefault(key, [])
            if all(other is not group for other in waiting):
                waiting.append(group)


def keeps_apart(verdict: PairVerdict) -> bool:
    """A companion by what it is (part, notice, version ...) or where it is printed; not for want of agreement. The same
    rule by which `core.dedupe.clusters.join` refuses to join two groups."""
    return verdict.relation is Relation.COMPANION and verdict.rule != "other_report"


def _age(group: Group) -> tuple[bool, int]:
    """Existing candidates before new ones, older before younger."""
    return group.candidate_id is None, group.candidate_id or group.members[0].source_record_id
