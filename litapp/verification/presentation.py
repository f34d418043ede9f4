"""How a verification is told to people: its fields side by side, its checks, what was not asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from litapp.providers.registry import SOURCES
from litapp.verification.models import Check, CheckOutcome, Verification

FIELD_LABELS = {
    "title": "Title",
    "authors": "Authors",
    "year": "Year",
    "journal": "Journal",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "doi": "DOI",
    "pmid": "PMID",
}
RULE_QUESTIONS = {
    "identifier_resolves": "Does the identifier lead to this paper?",
    "identifiers_agree": "Do PMID and DOI name the same paper?",
    "title_cross_source": "Does another source know this title?",
    "fields_agree": "Do the details agree?",
}
"""What each rule of `core.verification` asks, in words."""
_LABELS = {source.key: source.label for source in SOURCES}


def source_label(key: str) -> str:
    """The name of a source for reading; a key that is no source of ours stands for itself."""
    return _LABELS.get(key, key)


@dataclass(frozen=True, slots=True)
class Stated:
    """What one source states for a field, and how it stands to ours."""

    source: str
    value: str
    verdict: str
    why: str

    @property
    def agrees(self) -> bool:
        return self.verdict in {"same", "variant"}


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field: our value, and every source's."""

    name: str
    label: str
    ours: str
    stated: tuple[Stated, ...]
    wrong: bool


@dataclass(slots=True)
class _Row:
    ours: str = ""
    stated: list[Stated] = field(default_factory=list)


def compared_fields(verification: Verification, checks: Iterable[Check]) -> list[ComparedField]:
    """Every compared field once, in reading order, with each source's value (a source is listed once a field)."""
    rows: dict[str, _Row] = {name: _Row() for name in FIELD_LABELS}
    for check in checks:
        for entry in check.fields:
            row = rows.setdefault(entry["field"], _Row())
            row.ours = row.ours or entry["ours"]
            if entry["theirs"] and not any(s.source == source_label(check.source) for s in row.stated):
                row.stated.append(Stated(source_label(check.source), entry["theirs"], entry["verdict"], entry["why"]))
    return [
        ComparedField(
            name, FIELD_LABELS.get(name, name.title()), row.ours, tuple(row.stated), name in verification.wrong
        )
        for name, row in rows.items()
        if row.stated or row.ours
    ]


@dataclass(frozen=True, slots=True)
class ToldCheck:
    """A check as a line: what was asked, of whom, when, and what came out."""

    check: Check
    question: str
    source: str
    answers: list[Any]

    @property
    def sign(self) -> str:
        """The icon's name."""
        return {CheckOutcome.PASS: "check", CheckOutcome.FAIL: "not-equal"}.get(
            CheckOutcome(self.check.outcome), "dash"
        )


def told_checks(checks: Iterable[Check]) -> list[ToldCheck]:
    """The checks with their words; `checks` should have its answers prefetched."""
    return [
        ToldCheck(
            check, RULE_QUESTIONS.get(check.rule, check.rule), source_label(check.source), list(check.answers.all())
        )
        for check in checks
    ]
