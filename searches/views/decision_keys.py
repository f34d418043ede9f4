"""Which key decides what, in each preset. The person can choose others on their device (`static/js/keymap.js`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from searches.models import KeyPreset


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one preset; several are parted by blanks."""

    include: str
    exclude: str
    maybe: str
    undo: str = "u z"
    note: str = "n"
    label: str = "l"
    highlights: str = "h"
    fulltext: str = "f"


DECISION_KEYS_OF: Mapping[str, Keys] = MappingProxyType(
    {
        KeyPreset.LITLEDGER.value: Keys("v", "x", "m"),
        KeyPreset.RAYYAN.value: Keys("i", "e", "u", undo="z"),
        KeyPreset.COVIDENCE.value: Keys("y", "n", "m", note="t"),
        KeyPreset.ASREVIEW.value: Keys("r", "i", "m"),
    }
)
"""Rayyan: I include, E exclude, U maybe (library guides of its users). Covidence: the first letters of its buttons Yes,
No, Maybe. ASReview: the first letters of Relevant and Irrelevant; so I means the opposite of Rayyan's."""


def decision_keys(preset: str) -> tuple[tuple[str, str, str], ...]:
    """(decision, its word, its key) of a preset, for rows and forms."""
    keys = DECISION_KEYS_OF[preset]
    return (("include", "Include", keys.include), ("exclude", "Exclude", keys.exclude), ("maybe", "Maybe", keys.maybe))
