"""Titles shortened by their writer: what may be left out, and what may not."""

from __future__ import annotations

import pytest

from litapp.core.matching.abridged import is_abridged

WHOLE = "Dapagliflozin in patients with heart failure and reduced ejection fraction: a randomised trial of 24 weeks"


@pytest.mark.parametrize(
    "shortened",
    [
        "Dapagliflozin in patients with heart failure",
        "Dapagliflozin in patients with heart failure and reduced ejection",
        "Dapagliflozin in patients with heart fail…",
        "Dapagliflozin in patients with heart failure ...",
        "Dapagliflozin in patients with heart failure [...]",
        "Dapagliflozin in patients … a randomised trial of 24 weeks",
        "patients with heart failure and reduced ejection fraction",
        "heart failure and reduced ejection fraction: a randomized trial of 24 weeks",
    ],
)
def test_a_run_of_the_words_of_a_title_is_that_title_shortened(shortened: str) -> None:
    assert is_abridged(shortened, WHOLE)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Dapagliflozin in patients without heart failure", WHOLE),
        ("Dapagliflozin in patients with heart failure and preserved", WHOLE),
        ("heart failure and reduced ejection fraction: a randomised trial of 12 weeks", WHOLE),
        ("Dapagliflozin in patients … a randomised trial of 12 weeks", WHOLE),
        ("Dapagliflozin in", WHOLE),
        ("Effect of aspirin on mortality", "No effect of aspirin on mortality in women"),
        ("effect of aspirin on mortality", "Lack of effect of aspirin on mortality"),
        ("risk of stroke in women", "Increased risk of stroke in women"),
        ("Aspirin reduces death in men", "Aspirin reduces death in men but not in women"),
        ("Aspirin in acute stroke", "Aspirin in acute stroke: part II"),
        ("Aspirin in acute stroke", "Aspirin in acute stroke and retraction of a trial"),
        ("Aspirin in acute stroke of old men and women", "Aspirin in acute stroke of old men"),
        (
            "Graft versus host disease after orthotopic liver transplantation in Spain of men without skin chimerism",
            "Graft versus host disease after orthotopic liver transplantation in Spain of men with skin chimerism",
        ),
    ],
)
def test_what_turns_a_title_round_is_never_left_out(ours: str, theirs: str) -> None:
    assert not is_abridged(ours, theirs)
