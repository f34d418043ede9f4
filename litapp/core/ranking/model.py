"""The order after the first labels: a committee of classifiers over the views of the records, blended with the start.

Each member is trained on all labels and on the question, which stands for one more relevant record; the members'
scores are brought to one scale over the unread records and added. Deterministic for a seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from litapp.core.ranking.features import Features, FeatureSettings, Matrix, View, has_content

MODEL = "litledger-1"
"""Name of the model with the settings below. Another default gets another name; projects keep theirs."""


FUSION = 60
"""k of reciprocal rank fusion, as published."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Everything that decides a ranking besides texts, question, labels and seed. Frozen with a project."""

    features: FeatureSettings = field(default_factory=FeatureSettings)
    words: float = 1.0
    """Say of the linear support vector machine over words and pairs in the committee."""
    titles: float = 1.0
    """Say of the one over titles alone, while no relevant record is known; half of it from `titles_half` of them on,
    and less and less: titles are short and to the point, abstracts tell the late ones apart."""
    titles_half: float = 30.0
    themes: float = 1.0
    """Say of the one with a radial kernel over themes."""
    cost: float = 0.1
    """C of the linear machines: small = smooth."""
    themes_cost: float = 1.0
    question_half: float = 1.0
    """The question weighs as one relevant record at first, half of that from so many known ones on, then less."""
    balance: float = 30.0
    """All relevant records together weigh so many times what all irrelevant ones do."""
    hedged: int = 3
    """Until so many relevant records are known, every second record comes from the start order: one find more must not
    lead the committee into its own narrow corner."""
    most_labels: int = 2_000
    """The member over themes is trained on at most so many labels (all relevant ones, then the latest)."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Scores of all records, in their order (higher = sooner), and what the words say: `coefficients` of the view
    "words" (None before there are both kinds of labels: the order is the question's alone)."""

    scores: np.ndarray
    coefficients: np.ndarray | None
    relevant: int
    irrelevant: int


def settings_dict(settings: ModelSettings) -> dict[str, Any]:
    """The settings as they are kept with a project."""
    return {"model": MODEL, **asdict(settings)}


def settings_from(data: Mapping[str, Any]) -> ModelSettings:
    """Inverse of `settings_dict`. Raises ValueError for a model that this version does not have."""
    if data.get("model") != MODEL:
        raise ValueError(f"This version of LitLedger does not have the ranking model {data.get('model')!r}.")
    values = {key: value for key, value in data.items() if key != "model"}
    return ModelSettings(**{**values, "features": FeatureSettings(**values["features"])})


def train(features: Features, labels: Mapping[int, bool], settings: ModelSettings, *, seed: int = 0) -> Trained:
    """Rank all records from `labels` (place of the record -> relevant).

    Until there are labels of both kinds it is the start order.
    """
    rows = np.fromiter(labels, dtype=np.int64, count=len(labels))
    truth = np.fromiter(labels.values(), dtype=bool, count=len(labels))
    relevant, irrelevant = int(truth.sum()), int((~truth).sum())
    question = has_content(features.views["words"].question)
    if irrelevant == 0 or relevant == 0:
        return Trained(start_order(features), None, relevant, irrelevant)
    unread = np.ones(features.size, dtype=bool)
    unread[rows] = False
    if not unread.any():
        unread[:] = True
    total = np.zeros(features.size)
    coefficients = None
    titles = settings.titles * settings.titles_half / (settings.titles_half + relevant)
    for name, say in (("words", settings.words), ("titles", titles), ("themes", settings.themes)):
        view = features.views.get(name)
        if view is None or say == 0:
            continue
        if name == "themes":
            chosen = _latest(truth, settings.most_labels)
            scores = _radial(view, rows[chosen], truth[chosen], settings, question)
        else:
            scores, weights = _linear(view, rows, truth, settings, question, seed)
            coefficients = weights if name == "words" else coefficients
        total += say * _standard(scores, unread)
    if question and relevant < settings.hedged:
        start = start_order(features)
        first, second = (total, start) if len(labels) % 2 == 0 else (start, total)
        total = _alternating(first, second, unread)
    return Trained(total, coefficients, relevant, irrelevant)


def start_order(features: Features) -> np.ndarray:
    """Scores before there are labels of both kinds: the words of the question (BM25) and its themes, joined by
    reciprocal rank fusion (Cormack GV, Clarke CLA, Büttcher S. SIGIR 2009:758), so that a question whose words the
    relevant records do not use still finds them."""
    orders = [features.start.scores]
    themes = features.views.get("themes")
    if themes is not None and has_content(themes.question):
        orders.append(np.asarray(themes.records @ themes.question.ravel()))
    ranks = [np.argsort(np.argsort(-scores, kind="stable"), kind="stable") for scores in orders]
    return np.sum([1.0 / (FUSION + 1 + rank) for rank in ranks], axis=0)


def _linear(
    view: View, rows: np.ndarray, truth: np.ndarray, settings: ModelSettings, question: bool, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    examples, kinds, weights = _examples(view, rows, truth, settings, question)
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=settings.cost, dual=True, tol=1e-2, max_iter=1000, random_state=seed % 2**32)
    machine.fit(examples, kinds, weights)
    coefficients = machine.coef_.ravel()
    return np.asarray(view.records @ coefficients), coefficients


def _radial(view: View, rows: np.ndarray, truth: np.ndarray, settings: ModelSettings, question: bool) -> np.ndarray:
    examples, kinds, weights = _examples(view, rows, truth, settings, question)
    from sklearn.svm import SVC

    machine = SVC(C=settings.themes_cost, gamma=1.0, kernel="rbf", cache_size=100)
    machine.fit(examples, kinds, weights)
    return np.asarray(machine.decision_function(view.records))


def _examples(
    view: View, rows: np.ndarray, truth: np.ndarray, settings: ModelSettings, question: bool
) -> tuple[Matrix, np.ndarray, np.ndarray]:
    """The labelled rows and the question as one more relevant one; weights that keep the balance, with mean 1."""
    with_question = question and has_content(view.question)
    kinds, weights, examples = truth, np.ones(len(truth)), view.records[rows]
    if with_question:
        kinds = np.append(truth, True)
        weights = np.append(weights, settings.question_half / (settings.question_half + truth.sum()))
        both = [examples, view.question]
        examples = sp.vstack(both, format="csr") if sp.issparse(examples) else np.vstack(both)
    each = len(kinds) / (settings.balance + 1)
    relevant, irrelevant = weights[kinds].sum(), weights[~kinds].sum()
    return examples, kinds, weights * np.where(kinds, settings.balance * each / relevant, each / irrelevant)


def _alternating(first: np.ndarray, second: np.ndarray, unread: np.ndarray) -> np.ndarray:
    """Scores that take the unread records from both orders in turn; those read come last."""
    orders = [[int(row) for row in np.argsort(-scores, kind="stable") if unread[row]] for scores in (first, second)]
    order = dict.fromkeys(row for pair in zip(*orders, strict=True) for row in pair)
    scores = np.full(len(first), -float(len(first)))
    scores[list(order)] = -np.arange(len(order), dtype=np.float64)
    return scores


def _standard(scores: np.ndarray, unread: np.ndarray) -> np.ndarray:
    """The scores with mean 0 and deviation 1 over the unread records."""
    spread = scores[unread].std()
    return (scores - scores[unread].mean()) / (spread if spread > 0 else 1.0)


def _latest(truth: np.ndarray, most: int) -> np.ndarray:
    """Places of at most `most` labels: all relevant ones, then the irrelevant ones that came last."""
    if len(truth) <= most:
        return np.arange(len(truth))
    relevant, irrelevant = np.flatnonzero(truth)[-most // 2 :], np.flatnonzero(~truth)
    return np.sort(np.concatenate([relevant, irrelevant[-(most - len(relevant)) :]]))


def next_training(labels: int) -> int:
    """How many further labels the next training waits for: each one at first, later a twentieth of what there is."""
    return max(1, labels // 20)
