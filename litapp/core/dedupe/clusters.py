"""Clusters of records that are one report, whatever order they come in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from litapp.core.dedupe.blocking import keys_of
from litapp.core.dedupe.features import Features, features_of, fingerprint
from litapp.core.dedupe.pairs import compare_features
from litapp.core.dedupe.verdicts import Pair, PairVerdict, Relation, keeps_apart
from litapp.core.records import Record

DECIDED = PairVerdict(Relation.SAME, "decided", "A person decided that these are the same.")


@dataclass(frozen=True, slots=True)
class Clustering:
    """`clusters` hold at least two ids each, sorted; `refused` are pairs that are the same by themselves, but whose
    groups are kept apart by another pair."""

    clusters: tuple[tuple[str, ...], ...]
    refused: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Result over a whole set: clusters, the pairs that made them, companions, and the doubtful pairs left for a
    person, likeliest first, one for any two clusters."""

    clusters: tuple[tuple[str, ...], ...]
    merges: tuple[Pair, ...]
    companions: tuple[Pair, ...]
    doubtful: tuple[Pair, ...]


def find_duplicates(
    records: Mapping[str, Record],
    *,
    together: Collection[frozenset[str]] = frozenset(),
    apart: Collection[frozenset[str]] = frozenset(),
) -> Duplicates:
    """Blocks, compares and clusters all records (id -> record). Does not depend on their order.

    `together` and `apart` are pairs of ids that a person decided; they outweigh every rule.
    """
    pairs = compare_all(records)
    clustering = cluster(pairs, together=together, apart=apart)
    cluster_of = {member: members[0] for members in clustering.clusters for member in members}
    waiting = [
        pair
        for pair in (*(p for p in pairs if p.verdict.relation is Relation.DOUBTFUL), *clustering.refused)
        if cluster_of.get(pair.a, pair.a) != cluster_of.get(pair.b, pair.b) and frozenset({pair.a, pair.b}) not in apart
    ]
    return Duplicates(
        clusters=clustering.clusters,
        merges=tuple(p for p in pairs if p.verdict.relation is Relation.SAME),
        companions=tuple(p for p in pairs if p.verdict.relation is Relation.COMPANION),
        doubtful=tuple(_one_per_clusters(waiting, cluster_of)),
    )


def compare_all(records: Mapping[str, Record], *, new: Collection[str] | None = None) -> tuple[Pair, ...]:
    """Every pair that shares a key and is not simply different, sorted. With `new`, only pairs that hold one of these
    ids: what is to be compared when records are added to a set that has been compared before."""
    features = {identity: features_of(records[identity]) for identity in sorted(records)}
    pairs = []
    for a, b in sorted(candidate_pairs(features)):
        if new is not None and a not in new and b not in new:
            continue
        verdict = compare_features(features[a], features[b])
        if verdict.relation is not Relation.DIFFERENT:
            pairs.append(Pair(a, b, verdict))
    return tuple(pairs)


def candidate_pairs(features: Mapping[str, Features]) -> set[tuple[str, str]]:
    """Pairs of ids that share a key, smaller id first.

    Whether two records meet depends on these two alone, never on how many others there are: otherwise clusters would
    depend on what was imported when. Records in which every compared field is equal count as one: each is paired with
    the first of them, and only that one with others.
    """
    blocks: defaultdict[str, list[str]] = defaultdict(list)
    first_of: dict[tuple[object, ...], str] = {}
    pairs: set[tuple[str, str]] = set()
    for identity in sorted(features):
        feature = features[identity]
        first = first_of.setdefault(fingerprint(feature), identity)
        if first != identity and compare_features(feature, feature).relation is Relation.SAME:
            pairs.add((first, identity))
            continue
        for key in keys_of(feature):
            blocks[key].append(identity)
    for members in blocks.values():
        pairs.update(combinations(members, 2))
    return pairs


def cluster(
    pairs: Iterable[Pair],
    *,
    together: Collection[frozenset[str]] = frozenset(),
    apart: Collection[frozenset[str]] = frozenset(),
) -> Clustering:
    """Clusters from compared pairs: decisions of people first, then the strongest rules.

    Two groups are joined only when no member of one is kept apart from a member of the other, by a decision or as a
    companion, or for two PMIDs: a chain of likenesses never merges part 1 with part 2, nor the editions of a journal in
    two languages through a record that names neither. The result depends on the pairs alone, so clusters
    can be made anew from stored pairs, for one connected component at a time.
    """
    stored = list(pairs)
    decided = {frozenset(ids) for ids in together}
    against: defaultdict[str, set[str]] = defaultdict(set)
    kept_apart = {frozenset({p.a, p.b}) for p in stored if _never_by_a_chain(p.verdict)} - decided
    for ids in kept_apart | {frozenset(ids) for ids in apart}:
        one, other = sorted(ids)
        against[one].add(other)
        against[other].add(one)
    same = [p for p in stored if p.verdict.relation is Relation.SAME and frozenset({p.a, p.b}) not in decided]
    by_people = [Pair(min(ids), max(ids), DECIDED) for ids in sorted(decided, key=sorted)]
    group: dict[str, set[str]] = {}
    refused: list[Pair] = []
    for pair in (*by_people, *sorted(same, key=_strength)):
        left, right = group.setdefault(pair.a, {pair.a}), group.setdefault(pair.b, {pair.b})
        if left is right:
            continue
        if any(against[member] & right for member in left) and pair.verdict is not DECIDED:
            why = f"{pair.verdict.why} But other records of the two groups are kept apart."
            refused.append(Pair(pair.a, pair.b, PairVerdict(Relation.DOUBTFUL, "kept_apart", why, 0.3)))
            continue
        small, large = sorted((left, right), key=len)
        large |= small
        for member in small:
            group[member] = large
    clusters = {id(members): tuple(sorted(members)) for members in group.values() if len(members) > 1}
    return Clustering(tuple(sorted(clusters.values())), tuple(refused))


def _never_by_a_chain(verdict: PairVerdict) -> bool:
    return keeps_apart(verdict) or (verdict.relation is Relation.DOUBTFUL and verdict.rule == "two_pmids")


_STRENGTH = ("same_entry", "pmid_title", "trial_number", "cochrane_number", "title_volume_pages", "doi_title")


def _strength(pair: Pair) -> tuple[int, str, str]:
    rule = pair.verdict.rule
    return (_STRENGTH.index(rule) if rule in _STRENGTH else len(_STRENGTH)), pair.a, pair.b


def _one_per_clusters(pairs: Iterable[Pair], cluster_of: Mapping[str, str]) -> list[Pair]:
    """The likeliest doubtful pair between any two clusters: a person decides a group once."""
    best: dict[frozenset[str], Pair] = {}
    for pair in sorted(pairs, key=lambda p: (-p.verdict.rank, p.a, p.b)):
        best.setdefault(frozenset({cluster_of.get(pair.a, pair.a), cluster_of.get(pair.b, pair.b)}), pair)
    return list(best.values())
