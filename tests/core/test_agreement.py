"""Agreement against worked examples that were published, and at the edges where a figure cannot be said."""

from __future__ import annotations

import pytest

from litapp.core.agreement import Agreement, Estimate, agreement, cohens_kappa, wilson


def pairs(table: list[list[int]]) -> list[tuple[int, int]]:
    return [(row, column) for row, cells in enumerate(table) for column, n in enumerate(cells) for _ in range(n)]


def rounded(estimate: Estimate | None, digits: int) -> tuple[float, float, float] | None:
    return estimate and (round(estimate.value, digits), round(estimate.low, digits), round(estimate.high, digits))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # SAS/STAT User's Guide, The FREQ Procedure, "Agreement Study": skin condition, two dermatologists
        ([[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]], (0.3449, 0.2030, 0.4868)),
    ],
)
def test_kappa_and_its_interval_as_published(table: list[list[int]], expected: tuple[float, ...]) -> None:
    assert rounded(agreement(pairs(table), 4).kappa, 4) == expected


@pytest.mark.parametrize(
    ("table", "share", "kappa", "pabak"),
    [
        # Feinstein AR, Cicchetti DV. J Clin Epidemiol 1990;43:543-549: the same share, very different kappa;
        # PABAK of Byrt 1993 is 2 * share - 1
        ([[40, 9], [6, 45]], 0.85, 0.70, 0.70),
        ([[80, 10], [5, 5]], 0.85, 0.32, 0.70),
    ],
)
def test_the_paradox_of_kappa(table: list[list[int]], share: float, kappa: float, pabak: float) -> None:
    found = agreement(pairs(table), 2)
    assert found.share is not None
    assert found.kappa is not None
    assert found.pabak is not None
    assert (found.share.value, round(found.kappa.value, 2), round(found.pabak.value, 2)) == (share, kappa, pabak)


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [  # Newcombe RG. Stat Med 1998;17:857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_interval_of_a_share_as_published(part: int, whole: int, low: float, high: float) -> None:
    found = wilson(part, whole)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_nothing_to_compare_gives_no_figure() -> None:
    assert agreement([], 3) == Agreement(0, 0, None, None, None)


def test_one_decision_on_everything_has_a_share_but_no_kappa() -> None:
    found = agreement([("exclude", "exclude")] * 30, 3)
    assert (found.records, found.agreed, found.kappa, rounded(found.share, 3)) == (30, 30, None, (1.0, 0.886, 1.0))


def test_complete_agreement_on_several_decisions_is_a_kappa_of_one() -> None:
    assert cohens_kappa({("include", "include"): 3, ("exclude", "exclude"): 9}) == Estimate(1.0, 1.0, 1.0)


def test_complete_disagreement_stays_within_bounds() -> None:
    found = cohens_kappa({("include", "exclude"): 5, ("exclude", "include"): 5})
    assert found == Estimate(-1.0, -1.0, -1.0)


def test_pabak_with_three_decisions_rests_on_three() -> None:
    found = agreement([("include", "include")] * 8 + [("include", "maybe")] * 2, 3)
    assert found.pabak is not None
    assert round(found.pabak.value, 4) == 0.7


@pytest.mark.parametrize(("seen", "categories"), [([("a", "b")], 1), ([("a", "b"), ("c", "c")], 2)])
def test_more_decisions_than_there_were_is_an_error(seen: list[tuple[str, str]], categories: int) -> None:
    with pytest.raises(ValueError, match="categories"):
        agreement(seen, categories)


def test_a_share_of_more_than_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        wilson(5, 4)
