"""Comparing two plans: the segments give both texts back, and only what differs is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from searches.services.query_check import one_line_end
from searches.views.marked_text import Segment, checked_query, dropped_words, segments
from searches.views.plan_comparison import PlanField, plan_changes, word_changes

PLACES = st.tuples(st.integers(0, 90), st.integers(0, 90), st.sampled_from(["error", "note"]))
TEXTS = st.text(alphabet='ab "[](),.*-\n', max_size=80)


def joined(parts: tuple[Segment, ...]) -> str:
    return "".join(part.text for part in parts)


@given(TEXTS, TEXTS)
def test_the_segments_give_both_texts_back(before: str, after: str) -> None:
    left, right = word_changes(before, after)
    assert (joined(left), joined(right)) == (before, after)
    unchanged = [[part.text for part in side if not part.kind] for side in (left, right)]
    assert "".join(unchanged[0]) == "".join(unchanged[1])


@given(TEXTS, st.lists(PLACES, max_size=5))
def test_marking_places_never_changes_the_text(text: str, places: list[tuple[int, int, str]]) -> None:
    assert joined(segments(text, places)) == text


@given(st.text(max_size=60))
def test_a_checked_query_is_the_query(text: str) -> None:
    assert joined(checked_query(text).segments) == (one_line_end(text) if text.strip() else "")


def test_a_term_with_its_tag_is_one_unit() -> None:
    before, after = word_changes('fever[tiab] OR "heart failure"[mh]', 'fever[ti] OR "heart failure"[mh]')
    assert before == (Segment("fever[tiab] ", "removed"), Segment('OR "heart failure"[mh]'))
    assert after == (Segment("fever[ti] ", "added"), Segment('OR "heart failure"[mh]'))


def test_fields_that_only_one_plan_has_are_empty_on_the_other_side() -> None:
    [same, gone, new] = plan_changes(
        [PlanField("Question", "Why?"), PlanField("PubMed query 2", "a[ti]", code=True)],
        [PlanField("Question", "Why?"), PlanField("Languages", "English")],
    )[:3]
    found = {change.name: (change.same, joined(change.before), joined(change.after)) for change in (same, gone, new)}
    assert found == {
        "Question": (True, "Why?", "Why?"),
        "PubMed query 2": (False, "a[ti]", ""),
        "Languages": (False, "", "English"),
    }


def test_dropped_words_are_marked_as_whole_words_only() -> None:
    assert dropped_words("fevers OR Fever[tiab]", ["fever"]) == (
        Segment("fevers OR "),
        Segment("Fever", "dropped"),
        Segment("[tiab]"),
    )


def test_one_new_term_in_a_long_query_is_the_only_change() -> None:
    before = " OR ".join(f'"term number {number}"[tiab]' for number in range(400))
    left, right = word_changes(before, before.replace("number 200", "new 200"))
    changed = [part for part in (*left, *right) if part.kind]
    assert changed == [Segment('"term number 200"[tiab] ', "removed"), Segment('"term new 200"[tiab] ', "added")]
