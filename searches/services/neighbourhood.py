"""The part of a project that new records, or a person's answer, can change: reads it, compares, and makes the groups.

Reads only. A group never depends on records outside its connected component (pairs that are the same by rule, by
entry or by a person's word), so whole components are read and made anew; nothing else is decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from litapp.core.dedupe import PairVerdict, Relation
from searches.models import BlockKey, Candidate, CandidateSource, PairAnswer, PairDecision, RecordPair
from searches.services.grouping import (
    NAMING_SOURCES,
    SAID_AGAIN,
    SAID_ANEW,
    SUPPLEMENT,
    Answers,
    Group,
    Node,
    NodePair,
    groups_of,
)
from searches.services.workbench import CHUNK, Workbench


class Neighbourhood:
    """Nodes and pairs around what changes. First `add` newcomers or `read` links, then `groups`."""

    def __init__(self, project_id: int, bench: Workbench) -> None:
        self.project_id = project_id
        self.bench = bench
        self.newcomers: list[Node] = []
        self.found: list[NodePair] = []
        """Pairs that are to be stored: each holds a newcomer."""
        self.keyed: list[Node] = []
        """Newcomers that get keys: those that are no copies of a record that is here."""
        self._asked: set[int] = set()
        self._nodes: dict[int, Node] = {}
        self._spread: set[int] = set()
        self._merged_into: dict[int, int | None] = {}

    def read(self, link_ids: Iterable[int]) -> list[Node]:
        """The nodes of links, read where they are not known yet."""
        wanted = list(link_ids)
        unknown = sorted({pk for pk in wanted if pk not in self._nodes})
        for chunk in chunks(unknown):
            self._take(CandidateSource.objects.filter(pk__in=chunk))
        return [self._nodes[pk] for pk in wanted if pk in self._nodes]

    def add(self, nodes: Sequence[Node]) -> None:
        """Find what newcomers are pairs with: copies by their entry or id, others by the keys they share."""
        self.newcomers += nodes
        copies = self._copies_of_entries(nodes)
        same_ids = self._same_ids([node for node in nodes if node not in copies])
        self.keyed += [node for node in nodes if node not in copies]
        self.found += [NodePair(first, node, SAID_AGAIN) for node, first in copies.items()]
        self.found += [NodePair(first, node, SAID_ANEW) for node, first in same_ids.items()]
        self._compare([node for node in nodes if node not in copies])

    def reconnect(self, *, copies: Iterable[int], versions: Iterable[int]) -> None:
        """Find anew what links are pairs with whose first copy, or first version of the same entry, is gone."""
        nodes = self.read(copies)
        led = self._copies_of_entries(nodes)
        promoted = [node for node in nodes if node not in led]
        self.keyed += promoted
        self.found += [NodePair(first, node, SAID_AGAIN) for node, first in led.items()]
        others = [*promoted, *self.read(versions)]
        self.found += [NodePair(first, node, SAID_ANEW) for node, first in self._same_ids(others).items()]
        self.bench.load(node.source_record_id for node in promoted)
        self._compare(promoted)

    def _compare(self, nodes: Sequence[Node]) -> None:
        known = {frozenset({pair.a.name, pair.b.name}) for pair in self.found}
        for one, other in self._meetings(nodes):
            if frozenset({one.name, other.name}) not in known:
                verdict = self.bench.judge(one.source_record_id, other.source_record_id)
                if verdict.relation is not Relation.DIFFERENT:
                    self.found.append(NodePair(one, other, verdict))

    def groups(self) -> list[Group]:
        """The papers that the newcomers and the links read so far belong to, made anew."""
        self._read_components()
        nodes = [*(self._nodes[pk] for pk in sorted(self._spread)), *self.newcomers]
        homes = {node.home_id or node.candidate_id for node in nodes} - {None}
        for chunk in chunks(sorted(pk for pk in homes if pk is not None)):
            self._merged_into.update(Candidate.objects.filter(pk__in=chunk).values_list("pk", "merged_into_id"))
        return groups_of(nodes, [*self._stored_pairs(), *self.found], self.answers(nodes), self._merged_into)

    def verdicts_among(self, link_ids: Iterable[int]) -> list[tuple[int, int, PairVerdict]]:
        """What the rules say of pairs of these links."""
        wanted = set(link_ids)
        found = []
        for chunk in chunks(sorted(wanted)):
            rows = RecordPair.objects.filter(a__in=chunk)
            for a, b, relation, rule, why, rank in rows.values_list("a_id", "b_id", "relation", "rule", "why", "rank"):
                if b in wanted:
                    found.append((a, b, PairVerdict(Relation(relation), rule, why, rank)))
        return found

    def merged_into(self, candidate_id: int) -> int | None:
        """Where a candidate of this neighbourhood was merged into before."""
        return self._merged_into.get(candidate_id)

    def answers(self, nodes: Iterable[Node]) -> Answers:
        """What people said of the nodes' records; of several answers on one pair the latest counts."""
        entries = sorted({node.entry for node in nodes if node.entry})
        standing = PairDecision.objects.filter(project_id=self.project_id, undone_at=None)
        if not entries or not standing.exists():
            return Answers()
        said: dict[int, tuple[str, str, str]] = {}
        for chunk in chunks(entries):
            rows = standing.filter(Q(a__in=chunk) | Q(b__in=chunk))
            said.update({pk: (a, b, answer) for pk, a, b, answer in rows.values_list("pk", "a", "b", "answer")})
        latest = {frozenset({a, b}): answer for _, (a, b, answer) in sorted(said.items())}
        return Answers(
            frozenset(pair for pair, answer in latest.items() if answer == PairAnswer.SAME),
            frozenset(pair for pair, answer in latest.items() if answer == PairAnswer.APART),
        )

    def _take(self, links: QuerySet[CandidateSource]) -> list[Node]:
        columns = (
            "pk", "source_record_id", "source", "source_record__source_id", "entry", "candidate_id", "home_id", "rule",
            "why",
        )  # fmt: skip
        taken = []
        for pk, record, source, source_id, entry, candidate, home, rule, why in links.order_by("pk").values_list(
            *columns
        ):
            if pk not in self._nodes:
                node = Node(record, source, source_id, entry, pk, candidate, home, rule, why, (rule, why))
                self._nodes[pk] = node
            taken.append(self._nodes[pk])
        return taken

    def _copies_of_entries(self, nodes: Sequence[Node]) -> dict[Node, Node]:
        """Newcomers that say exactly what a record that is here, or an earlier newcomer, says."""
        first: dict[str, Node] = {}
        for chunk in chunks(sorted({node.entry for node in nodes})):
            links = CandidateSource.objects.filter(project_id=self.project_id, entry__in=chunk)
            for node in self._take(links.exclude(rule=SUPPLEMENT)):
                first.setdefault(node.entry, node)
        return self._led_by(nodes, first, lambda node: node.entry)

    def _same_ids(self, nodes: Sequence[Node]) -> dict[Node, Node]:
        """Newcomers that their source calls by the id of another record."""
        named = [node for node in nodes if node.source in NAMING_SOURCES and node.source_id]
        first: dict[tuple[str, str], Node] = {}
        for source in sorted({node.source for node in named}):
            for chunk in chunks(sorted({node.source_id for node in named if node.source == source})):
                links = CandidateSource.objects.filter(
                    project_id=self.project_id, source_record__source=source, source_record__source_id__in=chunk
                )
                for node in self._take(links.exclude(rule=SUPPLEMENT)):
                    first.setdefault((node.source, node.source_id), node)
        return self._led_by(named, first, lambda node: (node.source, node.source_id))

    @staticmethod
    def _led_by(nodes: Iterable[Node], first: dict[Any, Node], key: Any) -> dict[Node, Node]:
        led: dict[Node, Node] = {}
        for node in nodes:
            leader = first.setdefault(key(node), node)
            if leader is not node:
                led[node] = leader
        return led

    def _meetings(self, nodes: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
        """Pairs of a newcomer and another record that share a key, each once."""
        keys = {node: self.bench.member(node.source_record_id).keys for node in nodes}
        under: dict[str, list[Node]] = {}
        links: dict[str, list[int]] = {}
        for chunk in chunks(sorted(set().union(*keys.values()))):
            rows = BlockKey.objects.filter(project_id=self.project_id, key__in=chunk)
            for key, link_id in rows.values_list("key", "link_id"):
                links.setdefault(key, []).append(link_id)
        at = {node.link_id: node for node in self.read({pk for waiting in links.values() for pk in waiting})}
        self.bench.load(node.source_record_id for node in at.values())
        for node in nodes:
            met: dict[int, Node] = {}
            for key in keys[node]:
                met.update({id(at[pk]): at[pk] for pk in links.get(key, ())})
                met.update({id(other): other for other in under.get(key, ())})
                under.setdefault(key, []).append(node)
            for other in met.values():
                yield other, node

    def _read_components(self) -> None:
        """Read everything that is connected with what changes."""
        waiting = {node.link_id for pair in self.found for node in (pair.a, pair.b) if _joins(pair.verdict)} - {None}
        waiting |= set(self._asked)
        entries = {node.entry for node in self.newcomers}
        while waiting or entries:
            frontier = [pk for pk in waiting if pk is not None]
            nodes = self.read(frontier)
            self._spread |= {node.link_id for node in nodes if node.link_id is not None}
            entries |= {node.entry for node in nodes}
            nearer = set(self._of_candidates({node.candidate_id for node in nodes if node.candidate_id is not None}))
            nearer |= set(self._same_as(frontier)) | set(self._answered_same(entries))
            waiting = {pk for pk in nearer if pk not in self._spread}
            entries = set()

    def ask_for(self, link_ids: Iterable[int]) -> None:
        """Links whose groups are to be made anew."""
        self._asked |= set(link_ids)

    def asked_candidates(self) -> set[int]:
        """Where the links that were asked for are now, and were before."""
        nodes = (self._nodes[pk] for pk in self._spread if self._asked)
        return {pk for node in nodes for pk in (node.candidate_id, node.home_id) if pk is not None}

    @staticmethod
    def _of_candidates(candidate_ids: set[int]) -> Iterator[int]:
        for chunk in chunks(sorted(candidate_ids)):
            here = CandidateSource.objects.filter(Q(candidate__in=chunk) | Q(home__in=chunk))
            yield from here.values_list("pk", flat=True)

    def _same_as(self, link_ids: Sequence[int]) -> Iterator[int]:
        for chunk in chunks(sorted(link_ids)):
            same = RecordPair.objects.filter(project_id=self.project_id, relation=Relation.SAME)
            yield from same.filter(a__in=chunk).values_list("b_id", flat=True)
            yield from same.filter(b__in=chunk).values_list("a_id", flat=True)

    def _answered_same(self, entries: set[str]) -> Iterator[int]:
        said = PairDecision.objects.filter(project_id=self.project_id, undone_at=None, answer=PairAnswer.SAME)
        if not entries or not said.exists():
            return
        partners: set[str] = set()
        for chunk in chunks(sorted(entries)):
            for a, b in said.filter(Q(a__in=chunk) | Q(b__in=chunk)).values_list("a", "b"):
                partners |= {a, b}
        for chunk in chunks(sorted(partners)):
            links = CandidateSource.objects.filter(project_id=self.project_id, entry__in=chunk)
            yield from links.exclude(rule=SUPPLEMENT).values_list("pk", flat=True)

    def _stored_pairs(self) -> Iterator[NodePair]:
        """Pairs among the nodes read that join or keep apart."""
        for a, b, verdict in self.verdicts_among(self._spread):
            if verdict.relation is not Relation.DOUBTFUL:
                yield NodePair(self._nodes[a], self._nodes[b], verdict)


def _joins(verdict: PairVerdict) -> bool:
    return verdict.relation is Relation.SAME


def chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Parts of a list that one SQL statement can name."""
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
