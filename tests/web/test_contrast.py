"""Colours: every text and control reaches the contrast of WCAG 2.2 AA (1.4.3, 1.4.11), in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
_TOKEN = re.compile(r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")

PAPERS = ("paper", "surface", "sunken", "hover")
TEXT_PAIRS = [(ink, paper) for ink in ("ink", "ink-2", "ink-3", "accent") for paper in PAPERS]
TEXT_PAIRS += [(kind, f"{kind}-soft") for kind in ("ok", "warn", "stop", "mute", "human", "pre", "accent")]
TEXT_PAIRS += [
    (kind, paper) for kind in ("ok", "warn", "stop", "mute", "human", "pre") for paper in ("paper", "surface")
]
TEXT_PAIRS += [("stop-ink", "stop"), ("accent-ink", "accent"), ("accent-ink", "accent-strong"), ("paper", "ink")]
TEXT_PAIRS += [("ink", f"hl-{letter}") for letter in "pico"] + [("ink-2", f"hl-{letter}") for letter in "pico"]
TEXT_PAIRS += [
    ("ink", "warn-soft"),
    ("ink", "stop-soft"),
    ("ink-3", "warn-soft"),
    ("ink", "accent-soft"),
    ("ink-2", "accent-soft"),
]
CONTROL_PAIRS = [("field-line", paper) for paper in PAPERS] + [("accent", "paper"), ("accent", "line")]
CONTROL_PAIRS += [(f"hl-{letter}-line", "surface") for letter in "pico"]


def tokens() -> dict[str, tuple[str, str]]:
    """Token name -> (light, dark), from the root block before the contrast preferences."""
    text = (CSS / "tokens.css").read_text(encoding="utf-8").split("@media (prefers-contrast")[0]
    return {name: (light, dark) for name, light, dark in _TOKEN.findall(text)}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_the_ratio_is_the_one_of_wcag() -> None:
    assert [round(ratio("#000000", "#ffffff"), 2), round(ratio("#777777", "#ffffff"), 2)] == [21.0, 4.48]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_a_contrast_of_at_least_four_and_a_half(theme: int) -> None:
    colours = tokens()
    weak = {pair: r for pair in TEXT_PAIRS if (r := round(ratio(*(colours[name][theme] for name in pair)), 2)) < 4.5}
    assert weak == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_lines_of_controls_have_a_contrast_of_at_least_three(theme: int) -> None:
    colours = tokens()
    weak = {pair: r for pair in CONTROL_PAIRS if (r := round(ratio(*(colours[name][theme] for name in pair)), 2)) < 3}
    assert weak == {}


def test_colours_are_named_in_the_token_file_only() -> None:
    found = {
        sheet.name: re.findall(
            r"#[0-9a-fA-F]{3,8}\b(?=[^{]*;)", re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        )
        for sheet in sorted(CSS.glob("*.css"))
        if sheet.name not in {"tokens.css", "print.css"}
    }
    assert found == {name: [] for name in found}
