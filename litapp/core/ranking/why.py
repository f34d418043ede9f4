"""Why a record stands where it stands, in words: those that raise it most, and those that lower it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litapp.core.citations import TITLE_STOP_WORDS
from litapp.core.ranking.text import MESH

if TYPE_CHECKING:  # pages show a `Why` without the arithmetic behind it, which takes long to load
    from litapp.core.ranking.features import Features
    from litapp.core.ranking.model import Trained

MOST_FOR = 5
MOST_AGAINST = 2


@dataclass(frozen=True, slots=True)
class Why:
    """Words of a record by what they add to its place, strongest first. `learned` = from labels; False = words of the
    question. They explain the part of the ranking that reads words and pairs; titles and themes
    have their say beside it."""

    raised_by: tuple[str, ...]
    lowered_by: tuple[str, ...]
    learned: bool


def reasons(features: Features, trained: Trained, rows: Iterable[int]) -> list[Why]:
    """One `Why` for each of `rows`. No word is shown twice, alone or in a pair."""
    import numpy as np

    if trained.coefficients is None:
        matrix, names, each = features.start.weights, np.array(features.start.words, dtype=object), None
    else:
        matrix, names, each = features.views["words"].records, features.vocabulary, trained.coefficients
    found = []
    for row in rows:
        begin, end = matrix.indptr[row], matrix.indptr[row + 1]
        columns = matrix.indices[begin:end]
        adds = matrix.data[begin:end] * (each[columns] if each is not None else 1.0)
        order = np.argsort(-adds, kind="stable")
        raised = _distinct((names[columns[at]] for at in order if adds[at] > 0), MOST_FOR)
        lowered = _distinct((names[columns[at]] for at in order[::-1] if adds[at] < 0), MOST_AGAINST)
        found.append(Why(raised, lowered, each is not None))
    return found


def _distinct(terms: Iterable[str], most: int) -> tuple[str, ...]:
    """The first `most` terms, without those whose words were shown before, small words and bare numbers."""
    shown: list[str] = []
    seen: set[str] = set()
    for term in terms:
        plain = term.removeprefix(MESH)
        parts = set(plain.split())
        if parts & seen or parts & TITLE_STOP_WORDS or all(part.isdigit() for part in parts):
            continue
        seen |= parts
        shown.append(plain)
        if len(shown) == most:
            break
    return tuple(shown)
