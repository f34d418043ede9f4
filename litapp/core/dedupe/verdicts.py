"""What can be said of a pair of records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """SAME report (merge), COMPANION (another report of the same work or about it: link, never merge), DOUBTFUL (a
    person decides) or DIFFERENT."""

    SAME = "same"
    COMPANION = "companion"
    DOUBTFUL = "doubtful"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Relation of two records with the rule that decided and one sentence why.

    For COMPANION `rule` names the relation ("preprint", "erratum", "comment", "part", "conference_abstract",
    "protocol", "registration", "retraction_notice", "cochrane_version", "same_trial", "other_report" ...). `rank`
    orders doubtful pairs, likeliest first (0 to 1).
    """

    relation: Relation
    rule: str
    why: str
    rank: float = 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ids, the smaller first, and what was found of them."""

    a: str
    b: str
    verdict: PairVerdict


def keeps_apart(verdict: PairVerdict) -> bool:
    """A companion by what it is (part, notice, version ...) or where it is printed; not for want of agreement, nor for
    a trial that both name. Two
    groups with such a pair between them are never joined."""
    return verdict.relation is Relation.COMPANION and verdict.rule not in ("other_report", "same_trial")
