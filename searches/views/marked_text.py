"""A text with marked places, as segments that a template writes one after the other (and escapes each)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litapp.core.querylang import Finding, Severity
from searches.services.query_check import check_plan_query, one_line_end

LONGEST_EXCERPT = 60


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text; `kind` is "" or what is said of it: error, warning, note, dropped, added, removed."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding with its place as people count it: line and column from 1, and its repair if there is one.

    `name` names finding and place in a form ("code:start:end"); `was`, `becomes` are the text before and after.
    """

    severity: str
    message: str
    hint: str
    line: int
    column: int
    excerpt: str
    effect: str
    name: str
    outcome: str = ""
    was: str = ""
    becomes: str = ""

    @property
    def place(self) -> str:
        return f"Line {self.line}, character {self.column}"


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query with what was found in it. `segments` are the whole text."""

    segments: tuple[Segment, ...]
    findings: tuple[PlacedFinding, ...]

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == Severity.ERROR for finding in self.findings)


def segments(text: str, places: Iterable[tuple[int, int, str]]) -> tuple[Segment, ...]:
    """`text` cut at the places (start, end, kind). Where two overlap the earlier one wins; an empty one is widened to
    one character so that it can be seen."""
    parts: list[Segment] = []
    position = 0
    for start, end, kind in sorted(places):
        start, end = max(start, position), min(max(end, start + 1), len(text))
        if start >= end:
            continue
        if start > position:
            parts.append(Segment(text[position:start]))
        parts.append(Segment(text[start:end], kind))
        position = end
    if position < len(text):
        parts.append(Segment(text[position:]))
    return tuple(parts)


def checked_query(text: str) -> CheckedQuery:
    """A PubMed query with its findings placed. An empty text has none."""
    if not text.strip():
        return CheckedQuery((), ())
    text = one_line_end(text)
    return CheckedQuery(*placed_findings(text, check_plan_query(text)))


def placed_findings(text: str, found: Sequence[Finding]) -> tuple[tuple[Segment, ...], tuple[PlacedFinding, ...]]:
    """The text with the places of the findings marked, and the findings with their places in words."""
    places = [(finding.start, finding.end, finding.severity.value) for finding in found]
    return segments(text, places), tuple(_placed(text, finding) for finding in found)


def dropped_words(text: str, words: Sequence[str]) -> tuple[Segment, ...]:
    """The query sent, with every word marked that the source left out."""
    places = [
        (match.start(), match.end(), "dropped")
        for word in words
        if word.strip()
        for match in re.finditer(rf"(?<!\w){re.escape(word.strip())}(?!\w)", text, re.IGNORECASE)
    ]
    return segments(text, places)


def _placed(text: str, finding: Finding) -> PlacedFinding:
    before = text[: finding.start]
    excerpt = text[finding.start : finding.end].strip()
    return PlacedFinding(
        severity=finding.severity.value,
        message=finding.message,
        hint=finding.hint,
        line=before.count("\n") + 1,
        column=finding.start - (before.rfind("\n") + 1) + 1,
        excerpt=_short(excerpt),
        effect=finding.effect.value,
        name=f"{finding.code}:{finding.start}:{finding.end}",
        outcome=finding.fix.outcome.value if finding.fix else "",
        was=_short(text[finding.fix.start : finding.fix.end]) if finding.fix else "",
        becomes=_short(finding.fix.replacement) if finding.fix else "",
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_EXCERPT else f"{text[: LONGEST_EXCERPT - 1]}…"
