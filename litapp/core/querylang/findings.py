"""Findings on a search strategy, what they cost, and their one-click repairs as pure edits that can be undone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters: the query cannot run, it may not mean what was meant, or it is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Effect(StrEnum):
    """What a fault costs. RECALL = relevant papers are missed; PRECISION = irrelevant ones are found."""

    RECALL = "costs recall"
    PRECISION = "costs precision"
    EITHER = "may cost recall or precision"
    NONE = "changes no result"


class Outcome(StrEnum):
    """What a repair does to the results. Shown with every repair: none drops results in silence."""

    SAME = "finds the same"
    MORE = "finds more"
    FEWER = "finds fewer"
    OTHER = "finds other records"


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit: `replacement` in place of `text[start:end]`. `outcome` is what it does to the results."""

    start: int
    end: int
    replacement: str
    outcome: Outcome

    def apply(self, text: str) -> tuple[str, Fix]:
        """The edited text and the edit that undoes this one. Raises ValueError if the place is not in the text."""
        if not 0 <= self.start <= self.end <= len(text):
            raise ValueError("The text has changed since this repair was proposed; check it again.")
        edited = text[: self.start] + self.replacement + text[self.end :]
        undo = Fix(self.start, self.start + len(self.replacement), text[self.start : self.end], _undone(self.outcome))
        return edited, undo


def _undone(outcome: Outcome) -> Outcome:
    return {Outcome.MORE: Outcome.FEWER, Outcome.FEWER: Outcome.MORE}.get(outcome, outcome)


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark on a query. `start` and `end` are character positions; `hint` says what to do."""

    code: str
    severity: Severity
    message: str
    start: int
    end: int
    hint: str = ""
    effect: Effect = Effect.EITHER
    fix: Fix | None = None
