"""Clusters of records that are one report, whatever order they come in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from litapp.core.dedupe.blocking import keys_of
from litapp.core.dedupe.features import Features, features_of
from litapp.core.dedupe.pairs import compare_features
from litapp.core.dedupe.verdicts import PairVerdict, Relation
from litapp.core.records import Record

LARGEST_BLOCK = 60
"""Records under one key that are all compared with each other; a larger block is split by year, then by first page."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Result over a whole set. `clusters` hold at least two ids each, sorted; `companions`, `doubtful` and `merges` are
    pairs of ids with their verdict, doubtful ones likeliest first. `merges` are the pairs that made the clusters."""

    clusters: tuple[tuple[str, ...], ...]
    companions: tuple[tuple[str, str, PairVerdict], ...]
    doubtful: tuple[tuple[str, str, PairVerdict], ...]
    merges: tuple[tuple[str, str, PairVerdict], ...]


def find_duplicates(records: Mapping[str, Record]) -> Duplicates:
    """Blocks, compares and clusters all records (id -> record). Does not depend on their order."""
    features = {identity: features_of(records[identity]) for identity in sorted(records)}
    same: list[tuple[str, str, PairVerdict]] = []
    companions: list[tuple[str, str, PairVerdict]] = []
    doubtful: list[tuple[str, str, PairVerdict]] = []
    lists = {Relation.SAME: same, Relation.COMPANION: companions, Relation.DOUBTFUL: doubtful}
    for a, b in sorted(candidate_pairs(features)):
        verdict = compare_features(features[a], features[b])
        if verdict.relation in lists:
            lists[verdict.relation].append((a, b, verdict))
    joined, refused = join(same, lambda a, b: compare_features(features[a], features[b]))
    cluster_of = {member: cluster[0] for cluster in joined for member in cluster}
    open_pairs = [(a, b, v) for a, b, v in [*doubtful, *refused] if cluster_of.get(a, a) != cluster_of.get(b, b)]
    return Duplicates(
        clusters=tuple(joined),
        companions=tuple(companions),
        doubtful=tuple(_one_per_clusters(open_pairs, cluster_of)),
        merges=tuple(same),
    )


def candidate_pairs(features: Mapping[str, Features]) -> set[tuple[str, str]]:
    """Pairs of ids that share a key, smaller id first."""
    blocks: defaultdict[str, list[str]] = defaultdict(list)
    for identity, feature in features.items():
        for key in keys_of(feature):
            blocks[key].append(identity)
    pairs: set[tuple[str, str]] = set()
    for members in blocks.values():
        if len(members) > 1:
            for group in _split(members, features):
                pairs.update(combinations(sorted(group), 2))
    return pairs


def _split(members: list[str], features: Mapping[str, Features]) -> Iterable[list[str]]:
    """A block as it is, or, when it is large, the parts that agree in year or in first page."""
    if len(members) <= LARGEST_BLOCK:
        yield members
        return
    by_year: defaultdict[object, list[str]] = defaultdict(list)
    by_page: defaultdict[object, list[str]] = defaultdict(list)
    for identity in members:
        feature = features[identity]
        by_year[feature.year, tuple(sorted(feature.first))[:1]].append(identity)
        for page in feature.starts:
            by_page[page].append(identity)
    yield from by_year.values()
    yield from by_page.values()


def join(
    same: Iterable[tuple[str, str, PairVerdict]], judge: Callable[[str, str], PairVerdict]
) -> tuple[list[tuple[str, ...]], list[tuple[str, str, PairVerdict]]]:
    """Clusters from pairs that are the same, strongest rules first, and the pairs that were refused.

    Two clusters are joined only when no member of one is a companion of, or differs by its identifiers from, a member of
    the other: a chain of likenesses never merges part 1 with part 2. The result depends on the pairs, not on their order.
    """
    cluster: dict[str, list[str]] = {}
    refused: list[tuple[str, str, PairVerdict]] = []
    for a, b, verdict in sorted(same, key=_strength):
        one, other = cluster.setdefault(a, [a]), cluster.setdefault(b, [b])
        if one is other:
            continue
        against = [judged for x in one for y in other if (x, y) != (a, b) and _keeps_apart(judged := judge(x, y))]
        if against:
            why = f"{verdict.why} But another record of the group is kept apart: {against[0].why}"
            refused.append((a, b, PairVerdict(Relation.DOUBTFUL, "kept_apart", why, 0.3)))
            continue
        one += other
        for member in other:
            cluster[member] = one
    clusters = {id(members): tuple(sorted(members)) for members in cluster.values() if len(members) > 1}
    return sorted(clusters.values()), refused


def _keeps_apart(verdict: PairVerdict) -> bool:
    """A companion by what it is (part, notice, version ...) or where it is printed; not for want of agreement."""
    return verdict.relation is Relation.COMPANION and verdict.rule != "other_report"


_STRENGTH = ("pmid_title", "trial_number", "cochrane_number", "title_volume_pages", "doi_title")


def _strength(pair: tuple[str, str, PairVerdict]) -> tuple[int, str, str]:
    rule = pair[2].rule
    return (_STRENGTH.index(rule) if rule in _STRENGTH else len(_STRENGTH)), pair[0], pair[1]


def _one_per_clusters(
    pairs: Iterable[tuple[str, str, PairVerdict]], cluster_of: Mapping[str, str]
) -> list[tuple[str, str, PairVerdict]]:
    """The likeliest doubtful pair between any two clusters: a person decides a group once."""
    best: dict[tuple[str, str], tuple[str, str, PairVerdict]] = {}
    for a, b, verdict in sorted(pairs, key=lambda pair: (-pair[2].rank, pair[0], pair[1])):
        first, second = sorted((cluster_of.get(a, a), cluster_of.get(b, b)))
        best.setdefault((first, second), (a, b, verdict))
    return list(best.values())
