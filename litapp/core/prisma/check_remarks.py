"""What a careful reader also says of a published flow, besides its arithmetic: remarks W1 to W10 and S1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from litapp.core.prisma.check_rules import Outcome, RuleFinding
from litapp.core.prisma.published import PublishedFlow
from litapp.core.prisma.reading_numbers import read_number
from litapp.core.prisma.reading_parts import Part

FEWEST_DUPLICATES, MOST_DUPLICATES = 0.02, 0.6
"""Published shares of duplicates among several overlapping databases are 0.09 to 0.32; far outside it is remarked."""
MUCH_REMOVED = 0.2
MUCH_AUTOMATION = 0.3
MUCH_NOT_RETRIEVED = 0.5
_NOT_RETRIEVED = re.compile(
    r"(?:not|un|in)[ -]?(?:accessible|available|obtainable|retriev|accessed|obtained|found)"
    r"|(?:no|without|lack(?:ing)?(?: of)?|missing|could not (?:get|find|access|obtain)) (?:the )?"
    r"(?:full[ -]?text|access|copy|pdf)"
    r"|full[ -]?texts? (?:was |were |is |are )?(?:not|un|missing|lacking)|pay[ -]?wall|inaccessible",
    re.I,
)
_EARLY_STAGE = re.compile(
    r"^(?:the )?(?:titles?|abstracts?)(?: (?:and|or|/) abstracts?)?$"
    r"|\b(?:titles?|abstracts?) (?:content|screening|review)"
    r"|(?:by|on|from|based on|irrelevant|after reading) (?:the )?(?:titles?|abstracts?)\b"
    r"|\bduplicate[ds]?\b",
    re.I,
)
_DERIVED = re.compile(r"\b(?:implied|derived|calculated|computed|estimated|inferred|worked out)\b", re.I)
_TOOL = re.compile(
    r"asreview|rayyan|abstrackr|distiller|machine|automat|algorithm|classifier|\btool|\bAI\b|relevan", re.I
)
_TWO_STEPS = re.compile(
    r"(?:title|abstract)s?_?(?:only_?)?(?:excluded|screened|screening)"
    r"|(?:excluded|screened)_?(?:by_|on_)?(?:title|abstract)",
    re.I,
)
_MISUSED = frozenset({"records_excluded", "dbr_notretrieved_reports", "other_notretrieved_reports", "excluded_other"})
"""Boxes in which figures show what tools or steps without a box of their own took out."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to be said of a flow that its arithmetic does not show."""

    code: str
    text: str


def remarks_on(flow: PublishedFlow, rules: list[RuleFinding]) -> list[Remark]:
    """All remarks, in the order of their codes."""
    return [
        *_merged(flow),
        *_reasons(flow),
        *_two_steps(flow),
        *_reports(flow),
        *_bulk(flow),
        *_duplicates(flow),
        *_relabelled(flow, rules),
        *_automation(flow),
        *_derived(flow),
        *_studies(flow),
    ]


def _merged(flow: PublishedFlow) -> Iterator[Remark]:
    merged = flow.numbers.get("merged_other_sources")
    if merged:
        yield Remark(
            "W1",
            f"{merged:,} records from other sources stand in the column of databases and registers; "
            "PRISMA 2020 has a column of its own for other methods.",
        )


def _reason_parts(flow: PublishedFlow) -> Iterator[Part]:
    for key in ("dbr_excluded", "other_excluded"):
        yield from (part for part in flow.parts.get(key, ()) if part.number != 0)


def _reasons(flow: PublishedFlow) -> Iterator[Remark]:
    for part in _reason_parts(flow):
        if _NOT_RETRIEVED.search(part.name):
            yield Remark(
                "W2",
                f"“{part.name}” stands among the reasons of exclusion; it belongs in the box of reports not retrieved.",
            )
    for part in _reason_parts(flow):
        if _EARLY_STAGE.search(part.name):
            yield Remark("W3", f"“{part.name}” is given as a reason at full text; it belongs to an earlier stage.")


def _two_steps(flow: PublishedFlow) -> Iterator[Remark]:
    steps = [name for name in flow.extra if _TWO_STEPS.search(name.replace(" ", "_").replace("-", "_"))]
    if steps:
        yield Remark(
            "W4",
            f"Titles and abstracts were screened in steps ({', '.join(steps[:4])}); PRISMA 2020 has one box. "
            "The steps must add up to it.",
        )


def _reports(flow: PublishedFlow) -> Iterator[Remark]:
    unknown = "new_reports" in flow.told_empty or "new_reports" in flow.unreadable
    if unknown and "new_studies" in flow.numbers:
        yield Remark("W5", "How many studies were included is stated, but not how many reports.")


def _identified(flow: PublishedFlow) -> int | None:
    databases = flow.numbers.get("database_results")
    if databases is None:
        return None
    return databases + flow.numbers.get("register_results", 0) + flow.numbers.get("merged_other_sources", 0)


def _bulk(flow: PublishedFlow) -> Iterator[Remark]:
    identified, removed = _identified(flow), flow.numbers.get("excluded_other")
    why = [name for name in flow.extra if name.startswith("excluded_other")]
    if identified and removed and removed / identified >= MUCH_REMOVED and not why:
        yield Remark(
            "W6",
            f"{removed:,} of {identified:,} records ({removed / identified:.0%}) were removed before screening "
            "“for other reasons”, and no reason is stated.",
        )


def _duplicates(flow: PublishedFlow) -> Iterator[Remark]:
    identified, duplicates = _identified(flow), flow.numbers.get("duplicates")
    databases = [part for part in flow.parts.get("database_specific_results", ()) if not part.within and part.number]
    if not identified or duplicates is None or len(databases) < 2:
        return
    share = duplicates / identified
    if share < FEWEST_DUPLICATES or share > MOST_DUPLICATES:
        yield Remark(
            "W7",
            f"{duplicates:,} duplicates among {identified:,} records ({share:.2%}) is implausible for "
            f"{len(databases)} databases; published reviews have 9 to 32 %.",
        )


def _relabelled(flow: PublishedFlow, rules: list[RuleFinding]) -> Iterator[Remark]:
    why: list[str] = []
    for key, text in flow.relabelled.items():
        if key in _MISUSED and _TOOL.search(text):
            why.append(f"the box {key} is printed as “{text}”")
    for sought_key, lost_key, words in (
        ("dbr_sought_reports", "dbr_notretrieved_reports", "reports sought"),
        ("other_sought_reports", "other_notretrieved_reports", "reports sought by other methods"),
    ):
        sought, lost = flow.numbers.get(sought_key), flow.numbers.get(lost_key)
        if sought and lost and sought >= 20 and lost / sought > MUCH_NOT_RETRIEVED:
            why.append(f"{lost:,} of {sought:,} {words} are shown as not retrieved")
    other = next((one for one in rules if one.rule == "R7" and one.outcome is Outcome.VIOLATED), None)
    if other and other.difference is not None and other.difference < 0:
        why.append("records found by other methods were screened, for which the standard figure has no box")
    if why:
        text = "; ".join(why)
        yield Remark(
            "W8",
            f"Boxes seem to be used for something else than their name says: {text}. Steps that the standard boxes "
            "cannot express belong into boxes of their own, or below the figure.",
        )


def _automation(flow: PublishedFlow) -> Iterator[Remark]:
    identified, removed = _identified(flow), flow.numbers.get("excluded_automatic")
    if identified and removed and removed / identified >= MUCH_AUTOMATION:
        yield Remark(
            "W9",
            f"{removed:,} of {identified:,} records ({removed / identified:.0%}) were removed by automation tools "
            "before anybody screened them. Name the tool, its setting, and how it was checked.",
        )


def _derived(flow: PublishedFlow) -> Iterator[Remark]:
    told = [part.name for part in _reason_parts(flow) if _DERIVED.search(part.name)]
    told += [name for name, value in flow.extra.items() if _DERIVED.search(name) and read_number(value).number]
    if told:
        yield Remark("W10", f"Worked out, not printed: {', '.join(told[:4])}. A rule that rests on it proves little.")
    elif not flow.complete and flow.numbers.get("duplicates") is not None:
        yield Remark(
            "W10",
            "Only part of the flow is given. If the number of duplicates was worked out from the others and is not "
            "printed, that R3 holds proves nothing.",
        )


def _studies(flow: PublishedFlow) -> Iterator[Remark]:
    studies, reports = flow.numbers.get("new_studies"), flow.numbers.get("new_reports")
    if studies is not None and reports is not None and studies != reports:
        more = "A report may hold several studies" if studies > reports else "A study may have several reports"
        yield Remark("S1", f"{reports:,} reports and {studies:,} studies were included. {more}: no fault.")
