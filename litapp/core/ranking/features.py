"""The numbers that stand for the texts of records: words and pairs, titles, themes; made once for a set of records.

Deterministic: the same texts, question and settings give the same features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from litapp.core.ranking.start import StartScores, start_scores
from litapp.core.ranking.text import RankedText, single_words, subject_of, terms

if TYPE_CHECKING:  # takes most of a second, and only a worker that ranks needs it
    from sklearn.feature_extraction.text import TfidfVectorizer

Matrix = Any
"""A sparse matrix in CSR form, or a dense array: one row per record."""


@dataclass(frozen=True, slots=True)
class FeatureSettings:
    """How texts become numbers. Frozen with a project: later defaults do not change its ranking."""

    most_common: float = 0.95
    """Terms in more than this share of the records say nothing and are left out."""
    rarest: float = 0.0001
    """Terms in a smaller share of the records are left out (only from 20,000 records on that leaves any out): they
    would fill the memory."""
    themes: int = 100
    """Dimensions of latent semantic analysis (over single words); 0 = none."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to see the records: a row each, and one for the question (all zeros where it says nothing here)."""

    records: Matrix
    question: Matrix


@dataclass(frozen=True, slots=True)
class Features:
    """All views of a set of records. `vocabulary` names the columns of the view "words"."""

    views: dict[str, View]
    vocabulary: np.ndarray
    start: StartScores

    @property
    def size(self) -> int:
        """Number of records."""
        return int(self.views["words"].records.shape[0])


def build_features(
    texts: Sequence[RankedText], question: RankedText, settings: FeatureSettings, *, seed: int = 0
) -> Features:
    """The features of all records. Raises ValueError when no record has a word."""
    subject = subject_of(question)
    weigher = _weigher(settings, len(texts))
    try:
        words = weigher.fit_transform(texts).tocsr()
    except ValueError as error:
        raise ValueError("None of these records has a word that could be ranked on.") from error
    views = {"words": View(words, weigher.transform([subject]).tocsr())}
    views |= _titles(texts, subject, settings)
    if settings.themes and len(texts) > settings.themes:
        views |= _themes(texts, subject, settings, seed)
    return Features(views, weigher.get_feature_names_out(), start_scores(texts, subject))


def _weigher(settings: FeatureSettings, records: int) -> TfidfVectorizer:
    """tf-idf of words and pairs, a word's tenth occurrence counting little."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        analyzer=terms,
        min_df=max(1, int(records * settings.rarest)),
        max_df=settings.most_common if records > 20 else 1.0,
        sublinear_tf=True,
        dtype=np.float64,
    )


def _titles(texts: Sequence[RankedText], subject: RankedText, settings: FeatureSettings) -> dict[str, View]:
    weigher = _weigher(settings, len(texts))
    try:
        records = weigher.fit_transform([RankedText(text.title) for text in texts]).tocsr()
    except ValueError:  # no record has a title
        return {}
    return {"titles": View(records, weigher.transform([subject]).tocsr())}


def _themes(texts: Sequence[RankedText], subject: RankedText, settings: FeatureSettings, seed: int) -> dict[str, View]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    weigher = TfidfVectorizer(analyzer=single_words, min_df=2, max_df=settings.most_common, sublinear_tf=True)
    try:
        records = weigher.fit_transform(texts).tocsr()
    except ValueError:  # no word occurs twice
        return {}
    if records.shape[1] <= settings.themes:
        return {}
    reducer = TruncatedSVD(settings.themes, n_iter=3, random_state=seed % 2**32)
    themes = normalize(reducer.fit_transform(records))
    return {"themes": View(themes, normalize(reducer.transform(weigher.transform([subject]))))}


def has_content(row: Matrix) -> bool:
    """Whether a row of a view is more than zeros."""
    return bool(row.nnz if sp.issparse(row) else np.any(row))
