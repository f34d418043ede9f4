"""Which records are one paper: groups from compared pairs and people's answers. Works in memory.

Only `core.dedupe` decides. Companions (preprint and article, erratum, protocol ...) and doubtful pairs stay apart. The
groups depend on the records, their pairs and the answers alone, not on the order in which records came.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from litapp.core.dedupe import Pair, PairVerdict, Relation, cluster, entry_key
from litapp.core.dedupe.blocking import keys_of
from litapp.core.dedupe.features import Features, features_of
from litapp.core.dedupe.pairs import compare_features
from litapp.core.records import Record
from litapp.providers.registry import SOURCES

SAME_ENTRY = "same_entry"
SAME_SOURCE_ID = "same_source_id"
DECIDED = "decided"
SUPPLEMENT = "abstract_lookup"
"""Rule of a record that no search found: its source was asked for it by identifier, for the abstract."""
NAMING_SOURCES = frozenset(source.key for source in SOURCES)
"""Sources whose ids name one entry for good. An id in a file that a person brought may be a running number."""
SAID_AGAIN = PairVerdict(Relation.SAME, SAME_ENTRY, "The source returned the same entry again.")
SAID_ANEW = PairVerdict(Relation.SAME, SAME_SOURCE_ID, "The source calls it the same, and now says something else.")
BY_A_PERSON = PairVerdict(Relation.SAME, DECIDED, "A person decided that these are the same.")


NOT_STORED = 10**15
"""Ids of records that are not stored yet begin here: behind all others, in their order."""


class Member:
    """A source record as it is compared and merged: parsed once, its features worked out when they are needed."""

    def __init__(self, source_record_id: int, record: Record, entry: str = "") -> None:
        self.source_record_id = source_record_id
        self.record = record
        self._entry = entry

    @property
    def entry(self) -> str:
        """What the record says, as a hash."""
        self._entry = self._entry or entry_key(self.record)
        return self._entry

    def work_out(self) -> None:
        """Work out now what it is compared by."""
        _ = self.keys

    @cached_property
    def features(self) -> Features:
        return features_of(self.record)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(key[:200] for key in keys_of(self.features))


@dataclass(slots=True, eq=False)
class Node:
    """A record's place in the project. `link_id` is empty for a record that is not linked yet; `home_id` is the
    candidate it came into first."""

    source_record_id: int
    source: str
    source_id: str
    entry: str
    link_id: int | None = None
    candidate_id: int | None = None
    home_id: int | None = None
    rule: str = ""
    why: str = ""
    stored: tuple[str, str] = ("", "")
    """Rule and reason as they stand in the database."""

    @property
    def name(self) -> str:
        """Orders records by what they are; the number only tells copies apart."""
        return f"{self.source}\t{self.source_id}\t{self.entry}\t{self.source_record_id:020}"

    @property
    def identity(self) -> tuple[str, str]:
        """What the source calls it: a later record with the same identity replaces this one in what is shown."""
        return self.source, self.source_id or f"#{self.source_record_id}"

    @property
    def is_new(self) -> bool:
        return self.link_id is None

    @property
    def is_supplement(self) -> bool:
        return self.rule == SUPPLEMENT


@dataclass(frozen=True, slots=True)
class NodePair:
    """Two records of the project and what was found of them."""

    a: Node
    b: Node
    verdict: PairVerdict


@dataclass(slots=True, eq=False)
class Group:
    """A paper. `candidate_id` is empty for a new one; `standing_for` are the other candidates that are this paper."""

    candidate_id: int | None
    nodes: list[Node] = field(default_factory=list)
    standing_for: list[int] = field(default_factory=list)

    def current(self) -> list[Node]:
        """The latest record of each identity: what the paper's record is made of."""
        latest: dict[tuple[str, str], Node] = {}
        for node in self.nodes:
            known = latest.get(node.identity)
            if known is None or node.source_record_id > known.source_record_id:
                latest[node.identity] = node
        return list(latest.values())

    def found_by(self) -> list[str]:
        """Sources that found the paper: not those that were only asked for its abstract."""
        return sorted({node.source for node in self.nodes if not node.is_supplement})

    def returned_by(self) -> list[str]:
        """Sources whose records the paper is made of: a check at one of them proves nothing new."""
        return sorted({node.source for node in self.nodes})

    def new_nodes(self) -> list[Node]:
        """Records that are to be linked."""
        return [node for node in self.nodes if node.is_new]

    def is_touched(self) -> bool:
        """A record comes or moves here, or another candidate is joined or parted."""
        return any(node.is_new or node.candidate_id != self.candidate_id for node in self.nodes)

    def says_something_new(self) -> bool:
        """False when all that comes is what the same sources said before."""
        moved = [n for n in self.nodes if not n.is_new and n.candidate_id != self.candidate_id]
        before = {node.entry for node in self.nodes if not node.is_new}
        return bool(moved) or any(node.is_new and (not node.entry or node.entry not in before) for node in self.nodes)


def meetings_among(members: Sequence[Member]) -> Iterator[tuple[Member, Member]]:
    """Pairs that share a key, each once, the earlier first."""
    under: dict[str, list[Member]] = {}
    for member in members:
        met: dict[int, Member] = {}
        for key in member.keys:
            met.update({id(other): other for other in under.get(key, ())})
            under.setdefault(key, []).append(member)
        for other in met.values():
            yield other, member


@dataclass(frozen=True, slots=True)
class Answers:
    """What people decided: pairs of entries that are the same, and that are not."""

    same: frozenset[frozenset[str]] = frozenset()
    apart: frozenset[frozenset[str]] = frozenset()

    def keep_apart(self, ones: Iterable[str], others: Iterable[str]) -> bool:
        """A person said of some record of each that they are not the same."""
        right = set(others)
        return any(frozenset({one, other}) in self.apart for one in ones for other in right)


def groups_of(
    nodes: Sequence[Node], pairs: Iterable[NodePair], answers: Answers, candidates: Mapping[int, int | None]
) -> list[Group]:
    """The papers among `nodes`, which are whole connected components, with a candidate for each.

    `candidates` are those that any of the nodes has its home in: id -> the one it is merged into, or None. A candidate
    is where its oldest own record is; of several in one group the oldest stands for the others. So a merge that is
    undone gives every candidate its records back, and merging again gives the same.
    """
    chosen = [node for node in nodes if not node.is_supplement]
    by_name = {node.name: node for node in chosen}
    compared = [Pair(min(p.a.name, p.b.name), max(p.a.name, p.b.name), p.verdict) for p in pairs]
    together, apart = (_named(chosen, wanted) for wanted in (answers.same, answers.apart))
    clusters = [list(names) for names in cluster(compared, together=together, apart=apart).clusters]
    joined = {name for names in clusters for name in names}
    clusters += [[name] for name in by_name if name not in joined]
    anchors, reasons = _anchors(chosen), _reasons(compared)
    at_home: dict[str, list[int]] = {}
    for home, anchor in anchors.items():
        at_home.setdefault(anchor.name, []).append(home)
    groups = []
    for names in clusters:
        members = sorted((by_name[name] for name in names), key=lambda node: node.source_record_id)
        claims = sorted(home for name in names for home in at_home.get(name, ()))
        group = Group(claims[0] if claims else None, members, claims[1:])
        _tell_why(group, reasons)
        groups.append(group)
    _attach_supplements(groups, nodes, candidates)
    return sorted(groups, key=lambda group: group.nodes[0].source_record_id)


def papers_among(members: Sequence[Member]) -> list[Group]:
    """The papers among records that stand for themselves (one run's), without what people decided elsewhere."""
    nodes = {member.source_record_id: node_of(member) for member in members}
    first: dict[object, Node] = {}
    pairs: dict[frozenset[int], NodePair] = {}
    compared = []
    for member in members:
        node = nodes[member.source_record_id]
        by_entry = first.setdefault(node.entry, node)
        named = (node.source, node.source_id) if node.source in NAMING_SOURCES and node.source_id else node.entry
        by_id = first.setdefault(named, node)
        if by_entry is node:
            compared.append(member)
        for leader, verdict in ((by_id, SAID_ANEW), (by_entry, SAID_AGAIN)):
            if leader is not node:
                pairs[frozenset({leader.source_record_id, node.source_record_id})] = NodePair(leader, node, verdict)
    for one, other in meetings_among(compared):
        pair = frozenset({one.source_record_id, other.source_record_id})
        if pair not in pairs:
            verdict = compare_features(one.features, other.features)
            if verdict.relation is not Relation.DIFFERENT:
                pairs[pair] = NodePair(nodes[one.source_record_id], nodes[other.source_record_id], verdict)
    return groups_of(list(nodes.values()), pairs.values(), Answers(), {})


def node_of(member: Member) -> Node:
    """The node of a record that is not linked yet."""
    record = member.record
    return Node(member.source_record_id, record.source, record.source_id[:200], member.entry)


def _anchors(nodes: Sequence[Node]) -> dict[int, Node]:
    """Candidate -> its oldest own record."""
    anchors: dict[int, Node] = {}
    for node in sorted(nodes, key=lambda node: node.source_record_id):
        home = node.home_id or node.candidate_id
        if home is not None:
            anchors.setdefault(home, node)
    return anchors


def _named(nodes: Sequence[Node], wanted: Collection[frozenset[str]]) -> set[frozenset[str]]:
    """Pairs of entries as pairs of nodes: an answer holds for every copy of a record."""
    by_entry: dict[str, list[str]] = {}
    for node in nodes:
        by_entry.setdefault(node.entry, []).append(node.name)
    found: set[frozenset[str]] = set()
    for pair in wanted:
        if len(pair) == 2:
            one, other = pair
            found |= {frozenset({a, b}) for a in by_entry.get(one, ()) for b in by_entry.get(other, ())}
    return found


def _reasons(compared: Iterable[Pair]) -> dict[str, list[tuple[str, PairVerdict]]]:
    """Node -> the nodes that it is the same as by rule, each with the verdict."""
    found: dict[str, list[tuple[str, PairVerdict]]] = {}
    for pair in compared:
        if pair.verdict.relation is Relation.SAME:
            found.setdefault(pair.a, []).append((pair.b, pair.verdict))
            found.setdefault(pair.b, []).append((pair.a, pair.verdict))
    return found


def _tell_why(group: Group, reasons: Mapping[str, list[tuple[str, PairVerdict]]]) -> None:
    """Give every record but the first the rule that holds it in the group."""
    names = {node.name for node in group.nodes}
    group.nodes[0].rule, group.nodes[0].why = "", ""
    for node in group.nodes[1:]:
        mine = [verdict for other, verdict in sorted(reasons.get(node.name, ()), key=_first) if other in names]
        said_again = [verdict for verdict in mine if verdict.rule in (SAME_ENTRY, SAME_SOURCE_ID)]
        # without a rule of its own it came in with a person's word on this record, or on others of the group
        verdict = (said_again or mine or [BY_A_PERSON])[0]
        node.rule, node.why = verdict.rule[:60], verdict.why[:300]


def _first(reason: tuple[str, PairVerdict]) -> str:
    return reason[0]


def _attach_supplements(groups: list[Group], nodes: Sequence[Node], candidates: Mapping[int, int | None]) -> None:
    """A record that was asked for belongs to the candidate that it was asked for, wherever that is now."""
    at: dict[int, Group] = {}
    for group in groups:
        for pk in [*([group.candidate_id] if group.candidate_id is not None else []), *group.standing_for]:
            at[pk] = group
    for node in nodes:
        if not node.is_supplement:
            continue
        home = node.home_id or node.candidate_id
        found = at.get(home or 0) or at.get(candidates.get(home or 0) or 0)
        if found is not None:
            found.nodes.append(node)
