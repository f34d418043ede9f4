"""Whether two records are the same report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from litapp.core.records import Record


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
    "protocol", "retraction_notice", "cochrane_version", ...). `rank` orders doubtful pairs, likeliest first (0 to 1).
    """

    relation: Relation
    rule: str
    why: str
    rank: float = 0.0


def compare(a: Record, b: Record) -> PairVerdict:
    """Compare two records; symmetric."""
    raise NotImplementedError
