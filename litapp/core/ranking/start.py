"""The order before the first label: how much each record says of the question's words (Okapi BM25).

Robertson SE, Zaragoza H. The probabilistic relevance framework: BM25 and beyond. Found Trends Inf Retr 2009;3:333.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from litapp.core.ranking.text import RankedText, single_words

SATURATION = 1.2
"""k1 of BM25: how soon more of the same word stops counting."""
LENGTH = 0.75
"""b of BM25: how much a long text is discounted."""


@dataclass(frozen=True, slots=True)
class StartScores:
    """BM25 of every record: `weights` has one column for each of `words` of the question; a score is their sum."""

    words: tuple[str, ...]
    weights: sp.csr_matrix

    @property
    def scores(self) -> np.ndarray:
        """One score per record; all 0 where the question says nothing."""
        return np.asarray(self.weights.sum(axis=1)).ravel()


def start_scores(texts: Sequence[RankedText], subject: RankedText) -> StartScores:
    """BM25 of all records for the words of `subject` (`text.subject_of`), each once."""
    wanted = tuple(dict.fromkeys(single_words(subject)))
    if not wanted or not texts:
        return StartScores((), sp.csr_matrix((len(texts), 0)))
    split = [single_words(text) for text in texts]
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(analyzer=_as_is, vocabulary=wanted, dtype=np.float64)
    counts = counter.transform(split).tocoo()
    lengths = np.array([len(words) for words in split], dtype=np.float64)
    average = max(lengths.mean(), 1.0)
    found_in = np.bincount(counts.col, minlength=len(wanted))
    rarity = np.log(1 + (len(texts) - found_in + 0.5) / (found_in + 0.5))
    damped = SATURATION * (1 - LENGTH + LENGTH * lengths[counts.row] / average)
    weights = counts.data * (SATURATION + 1) / (counts.data + damped) * rarity[counts.col]
    return StartScores(wanted, sp.csr_matrix((weights, (counts.row, counts.col)), shape=counts.shape))


def _as_is(words: list[str]) -> list[str]:
    return words
