"""Reads a number as people write it in figures: "1,697", "n = 12", "12 (5%)". What is unclear is no number."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

LARGEST = 10**12
"""A count beyond this is a slip of the pen."""
NOT_GIVEN_WORDS = frozenset({"", "xxx", "xx", "x", "-", "–", "—", "na", "n/a", "nr", "n.r.", "none given", "null"})
"""What stands in a cell where nothing is told. "xxx" is what the R package's template has in an unused box."""
_NOT_TOLD = re.compile(r"not (?:given|reported|stated|applicable|available)|unknown|unclear|\?+", re.I)
_GROUPED = re.compile(r"\d{1,3}(?:([,.' ’])\d{3})(?:\1\d{3})*")
_PLAIN = re.compile(r"\d+(?:[.,]0+)?")
_AROUND = re.compile(
    r"""[(\[]?\s*(?:n\s*[=:]\s*)?(?P<number>\d[\d,.'’ ]*?)\s*[)\]]?
    \s*(?:[*†‡§]+|\(\s*\d+(?:[.,]\d+)?\s*%\s*\)|
    (?:records?|reports?|studies|study|articles?|papers?|citations?|references?|hits|results?|publications?|trials?))?""",
    re.I | re.X,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A cell as read: a number; or none, because nothing is told (`problem` ""), or because it cannot be read."""

    number: int | None = None
    problem: str = ""


NOT_GIVEN = Reading()


def read_number(value: Any) -> Reading:
    """The count that `value` (number, text, None) states. Never raises, and never makes 0 of something unclear."""
    if value is None:
        return NOT_GIVEN
    if isinstance(value, bool):
        return Reading(problem=f"“{str(value).lower()}” is no number.")
    if isinstance(value, int):
        return _within(value, str(value)[:40] if abs(value) < LARGEST else "a huge number")
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _text(value)
    return Reading(problem="Something other than a number stands here.")


def _float(value: float) -> Reading:
    if math.isnan(value):
        return NOT_GIVEN
    if not math.isfinite(value) or not value.is_integer():
        return Reading(problem=f"“{value}” is no whole number.")
    return _within(int(value), str(value))


def _text(value: str) -> Reading:
    text = " ".join(unicodedata.normalize("NFKC", value).split()).strip("\"“”'’` ")
    if text.casefold() in NOT_GIVEN_WORDS or _NOT_TOLD.fullmatch(text):
        return NOT_GIVEN
    told = Reading(problem=f"“{text[:60]}” cannot be read as a whole number.")
    if re.match(r"[-−–]\s*\d", text):
        return Reading(problem=f"“{text[:60]}” is below zero.")
    match = _AROUND.fullmatch(text)
    digits = match["number"].strip() if match else ""
    if not match or len(digits) > 40:
        return told
    if _GROUPED.fullmatch(digits):
        return _within(int(re.sub(r"\D", "", digits)), digits)
    if _PLAIN.fullmatch(digits):
        return _within(int(re.split(r"[.,]", digits)[0]), digits)
    return told


def _within(number: int, text: str) -> Reading:
    if number < 0:
        return Reading(problem=f"“{text}” is below zero.")
    if number >= LARGEST:
        return Reading(problem="The number is too large to be a count.")
    return Reading(number)
