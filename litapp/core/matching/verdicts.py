"""What a comparison of one field can say, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Agreement(StrEnum):
    """How a field of one record stands to the same field of another.

    SAME: equal but for case, punctuation and encoding. VARIANT: written differently, or less completely, in a way that
    careful people use (abbreviation, initials, subtitle dropped ...); never a fault. DIFFERS: another value.
    ABSENT: one side does not state it, so nothing can be said.
    """

    SAME = "same"
    VARIANT = "variant"
    DIFFERS = "differs"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """One compared field. `ours` is the claimed value, `theirs` the source's, both as they were written.

    `why` is one sentence for a reader ("journal abbreviated", "second author differs: Smith J / Jones A").
    """

    field: str
    ours: str
    theirs: str
    verdict: Agreement
    why: str = ""

    @property
    def agrees(self) -> bool:
        """True for SAME and VARIANT."""
        return self.verdict in (Agreement.SAME, Agreement.VARIANT)


@dataclass(frozen=True, slots=True)
class WordDiff:
    """A run of words for display. `kind` is "same", "ours" (only ours has it) or "theirs"."""

    kind: str
    text: str
