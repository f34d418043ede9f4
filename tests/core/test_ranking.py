"""Ranking: words of a record, the order before and after labels, why, the control stream."""

from __future__ import annotations

import numpy as np
import pytest

from litapp.core.ranking.control import draw_sample, interleave, is_control
from litapp.core.ranking.features import FeatureSettings, build_features
from litapp.core.ranking.model import ModelSettings, next_training, settings_dict, settings_from, train
from litapp.core.ranking.text import RankedText, question_text, subject_of, terms, text_of, words
from litapp.core.ranking.why import reasons
from litapp.core.records import AbstractSection, MeshHeading, Record

ASTHMA = [f"Inhaled corticosteroid in children with asthma, cohort {n}" for n in range(30)]
KNEES = [f"Surgery of the knee and physiotherapy in athletes, series {n}" for n in range(30)]
TEXTS = [RankedText(title, "Patients were followed for a year.") for title in ASTHMA + KNEES]
SETTINGS = ModelSettings(features=FeatureSettings(themes=5))


def features_for(question: str):
    return build_features(TEXTS, question_text([question]), SETTINGS.features, seed=1)


def order(scores: np.ndarray) -> list[int]:
    return np.argsort(-scores, kind="stable").tolist()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Randomised trials", ["randomized", "trial"]),
        ("Therapies, analysis of stress", ["therapy", "analysis", "of", "stress"]),
        ("Ménière's disease", ["meniere", "disease"]),
        ("advised rise", ["advised", "rise"]),
    ],
)
def test_spellings_of_a_word_are_one(text, found):
    assert words(text) == found


def test_pairs_of_words_do_not_cross_the_parts_of_a_record():
    text = RankedText("Knee pain", "Old men.", ("Osteoarthritis, Knee",), ("gait",))
    assert terms(text) == [
        "knee", "pain", "knee pain", "old", "men", "old men", "osteoarthritis", "knee",
        "osteoarthritis knee", "gait", "mesh:osteoarthritis, knee",
    ]  # fmt: skip


def test_a_record_is_ranked_on_what_it_is_about_and_on_nothing_else():
    record = Record(
        "pubmed", "1", title="Effects of <i>Salmonella</i>", journal="Gut", abstract=(AbstractSection("Text."),),
        mesh=(MeshHeading("Salmonella"),), keywords=("food",),
    )  # fmt: skip
    assert text_of(record) == RankedText("Effects of Salmonella", "Text.", ("Salmonella",), ("food",))


def test_the_question_is_read_without_the_words_that_say_nothing():
    said = question_text(["Comparative effectiveness and harms of triptans", " ", "migraine OR headache"])
    assert subject_of(said) == RankedText("Comparative effectiveness harms triptans", keywords=("migraine headache",))


def test_before_any_label_the_question_ranks():
    trained = train(features_for("What is the effect of surgery of the knee?"), {}, SETTINGS)
    assert set(order(trained.scores)[:30]) == set(range(30, 60))
    assert (trained.coefficients, trained.relevant, trained.irrelevant) == (None, 0, 0)


def test_without_a_question_and_labels_the_order_is_that_of_the_records():
    assert order(train(features_for(""), {}, SETTINGS).scores) == list(range(60))


def test_labels_outweigh_the_question():
    features = features_for("surgery of the knee")
    labels = {**dict.fromkeys(range(5), True), **dict.fromkeys(range(30, 40), False)}
    trained = train(features, labels, SETTINGS)
    assert trained.scores[5:30].mean() > trained.scores[40:].mean() + 0.5
    assert (trained.relevant, trained.irrelevant) == (5, 10)


def test_labels_of_one_kind_leave_the_question_s_order():
    features = features_for("surgery of the knee")
    start = train(features, {}, SETTINGS).scores
    for kind in (True, False):
        assert np.array_equal(train(features, dict.fromkeys(range(5), kind), SETTINGS).scores, start)


def test_while_few_relevant_records_are_known_the_question_has_every_second_place():
    features = features_for("surgery of the knee")
    labels = {0: True, **dict.fromkeys(range(30, 35), False)}
    unread = [row for row in order(train(features, labels, SETTINGS).scores) if row not in labels][:10]
    assert [row < 30 for row in unread] == [True, False] * 5
    once_more = labels | {35: False}
    unread = [row for row in order(train(features, once_more, SETTINGS).scores) if row not in once_more][:10]
    assert [row < 30 for row in unread] == [False, True] * 5


def test_the_same_labels_and_seed_give_the_same_scores():
    labels = {0: True, 1: True, 31: False, 33: False}
    once, again = (train(features_for("asthma"), labels, SETTINGS, seed=7).scores for _ in range(2))
    assert np.array_equal(once, again)


def test_why_names_words_of_the_question_then_of_the_labels():
    features = features_for("surgery of the knee")
    before = reasons(features, train(features, {}, SETTINGS), [30])
    assert [(set(why.raised_by), why.learned) for why in before] == [({"surgery", "knee"}, False)]
    labels = {**dict.fromkeys(range(5), True), **dict.fromkeys(range(30, 40), False)}
    [high, low] = reasons(features, train(features, labels, SETTINGS), [10, 50])
    assert {"asthma", "children"} & {word for term in high.raised_by for word in term.split()}
    assert high.learned
    assert {"knee", "surgery", "athlete", "physiotherapy"} & {word for term in low.lowered_by for word in term.split()}


def test_few_records_are_ranked_as_well():
    texts = [RankedText("Asthma in children"), RankedText("Knee")]
    features = build_features(texts, question_text(["knee"]), FeatureSettings(), seed=1)
    assert order(train(features, {}, SETTINGS).scores) == [1, 0]
    assert order(train(features, {0: True, 1: False}, SETTINGS).scores) == [0, 1]


def test_records_without_words_are_said_to_be_unrankable():
    with pytest.raises(ValueError, match="has a word"):
        build_features([RankedText("?")], question_text([]), FeatureSettings())


def test_settings_survive_being_kept():
    assert settings_from(settings_dict(SETTINGS)) == SETTINGS


def test_a_model_of_another_version_is_refused():
    with pytest.raises(ValueError, match="'litledger-0'"):
        settings_from({**settings_dict(SETTINGS), "model": "litledger-0"})


def test_trainings_come_after_each_label_first_and_rarer_later():
    assert [next_training(labels) for labels in (0, 10, 39, 40, 1000)] == [1, 1, 1, 2, 50]


def test_the_control_stream_is_a_share_that_later_records_do_not_change():
    drawn = [record for record in range(20_000) if is_control(3, record, 0.05)]
    assert 900 < len(drawn) < 1100
    assert [record for record in range(500) if is_control(3, record, 0.05)] == [r for r in drawn if r < 500]
    assert drawn != [record for record in range(20_000) if is_control(4, record, 0.05)]
    assert not any(is_control(3, record, 0.0) for record in range(1000))


def test_control_records_stand_at_every_fifth_place():
    assert interleave(list(range(10)), [20, 3, 21], 5) == [0, 1, 2, 3, 20, 4, 5, 6, 7, 21, 8, 9]
    assert interleave([1, 2], [7, 8], 2) == [1, 7, 2, 8]


def test_a_sample_is_the_same_for_the_same_seed_whatever_the_order():
    assert draw_sample(1, range(100), 10) == draw_sample(1, reversed(range(100)), 10)
    assert len(set(draw_sample(1, range(100), 100))) == 100
    with pytest.raises(ValueError, match="cannot be drawn"):
        draw_sample(1, [1, 2], 3)
