"""The arithmetic of a PRISMA 2020 flow: rules R1 to R11, each checked as far as the numbers are given.

A number that is not given is never read as 0. Boxes that a figure may do without (registers, automation, other reasons,
previous studies ...) are left out of the sum where the figure has none, and named. Where a box that every flow needs is
missing, or a cell cannot be read, and its number could make the sum right, the rule is not checked; where no number
could, it is violated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.prisma.boxes import BY_KEY
from litapp.core.prisma.published import PublishedFlow
from litapp.core.prisma.reading_parts import Part, known_sum, sum_of


class Outcome(StrEnum):
    HOLDS = "holds"
    VIOLATED = "violated"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One rule applied to a flow. `difference` = published - computed. `not_given` = keys that the sum lacks."""

    rule: str
    formula: str
    outcome: Outcome
    text: str
    computed: int | None = None
    published: int | None = None
    not_given: tuple[str, ...] = ()

    @property
    def difference(self) -> int | None:
        if self.computed is None or self.published is None:
            return None
        return self.published - self.computed

    @property
    def violated(self) -> bool:
        return self.outcome is Outcome.VIOLATED


@dataclass(frozen=True, slots=True)
class Term:
    """One number of a sum. `needed`: without it the sum says nothing, unless no number could make it right."""

    key: str
    words: str
    sign: int
    value: int | None
    needed: bool = False
    unclear: bool = False
    """A cell is there and cannot be read: it may hold any number."""

    @property
    def is_open(self) -> bool:
        return self.unclear or (self.value is None and self.needed)


def check_rules(flow: PublishedFlow) -> list[RuleFinding]:
    """R1 to R11 in order; R1 also for lists within a list, R11 for reports and for studies."""
    look = _Look(flow)
    return [
        *look.sums("R1", "database_specific_results", "database_results"),
        *look.sums("R2", "register_specific_results", "register_results"),
        look.rule(
            "R3",
            [look.term("database_results", needed=True), look.term("register_results"),
             look.term("merged_other_sources"), look.term("duplicates", -1, needed=True),
             look.term("excluded_automatic", -1), look.term("excluded_other", -1)],
            "records_screened",
            "Records that leave before screening need a box: duplicates, automation tools, or other reasons.",
        ),
        look.rule(
            "R4",
            [look.term("records_screened", needed=True), look.term("records_excluded", -1, needed=True)],
            "dbr_sought_reports",
            "Here records become reports: one record with two reports, or two records of one report, can explain a "
            "difference. Then say so below the figure.",
        ),
        look.rule(
            "R5",
            [look.term("dbr_sought_reports", needed=True), look.term("dbr_notretrieved_reports", -1, needed=True)],
            "dbr_assessed",
            "Every report that was sought is either assessed or not retrieved.",
        ),
        look.rule(
            "R6",
            [look.term("dbr_assessed", needed=True), look.reasons("dbr_excluded")],
            look.included_by_databases(),
            "Every report that was assessed is either included or excluded for one reason.",
        ),
        look.rule(
            "R7",
            [look.term("website_results"), look.term("organisation_results"), look.term("citations_results")],
            "other_sought_reports",
            "The column of other methods has no box for screening: the records there are those left after duplicates "
            "were removed. If they were screened first, say so below the figure.",
        ),
        look.rule(
            "R8",
            [look.term("other_sought_reports", needed=True), look.term("other_notretrieved_reports", -1, needed=True)],
            "other_assessed",
            "Every report that was sought is either assessed or not retrieved.",
        ),
        look.rule(
            "R9",
            [look.term("other_assessed", needed=True), look.reasons("other_excluded")],
            "included_via_other",
            "Every report that was assessed is either included or excluded for one reason.",
        ),
        look.rule(
            "R10",
            look.included_terms(),
            "new_reports",
            "Reports included through databases and registers and through other methods make the new reports.",
        ),
        *look.totals(),
    ]  # fmt: skip


class _Look:
    """Looks up the boxes of one flow."""

    def __init__(self, flow: PublishedFlow) -> None:
        self.flow = flow

    def value(self, key: str) -> int | None:
        return self.flow.numbers.get(key)

    def term(self, key: str, sign: int = 1, *, needed: bool = False) -> Term:
        unclear = key in self.flow.unreadable
        return Term(key, BY_KEY[key].words.lower(), sign, self.value(key), needed, unclear)

    def reasons(self, key: str) -> Term:
        parts = self.flow.parts.get(key, ())
        words = "reports excluded, all reasons" + (" (other methods)" if key.startswith("other") else "")
        known = known_sum(parts) if any(part.number is not None for part in parts if not part.within) else None
        if known is None:
            stated = [part.number for part in parts if part.is_total and part.number is not None]
            known = stated[0] if len(stated) == 1 else None
        unclear = bool(parts) and sum_of(parts) is None and known_is_part(parts)
        return Term(key, words, -1, known, needed=True, unclear=unclear or key in self.flow.unreadable)

    def rule(self, rule: str, terms: Sequence[Term], target: str | None, hint: str) -> RuleFinding:
        """Sum the terms and compare with the box `target`."""
        formula = f"{_formula(terms)} = {target}" if target else _formula(terms)
        if target is None:
            return RuleFinding(rule, formula, Outcome.NOT_CHECKED, self.no_target(rule))
        return compare(rule, formula, terms, BY_KEY[target].words.lower(), self.value(target), hint)

    def no_target(self, rule: str) -> str:
        if self.flow.numbers.get("new_studies") is not None:
            return (
                "Not checked: how many reports were included is not given, only studies; "
                "a study may have several reports, and a report several studies."
            )
        return "Not checked: how many reports were included is not given."

    def has_other_column(self) -> bool:
        keys = ("website_results", "organisation_results", "citations_results", "other_sought_reports",
                "other_assessed", "included_via_other")  # fmt: skip
        return any(self.value(key) or key in self.flow.unreadable for key in keys)

    def included_by_databases(self) -> str | None:
        """The box that says what came through databases: its own, or the new reports if nothing came another way."""
        if self.value("included_via_databases") is not None:
            return "included_via_databases"
        if not self.has_other_column() and self.value("new_reports") is not None:
            return "new_reports"
        return None

    def included_terms(self) -> list[Term]:
        """Included reports by column: as stated; else what the column's own boxes leave."""
        terms = [self.included("included_via_databases", "dbr_assessed", "dbr_excluded", needed=True)]
        other = self.included("included_via_other", "other_assessed", "other_excluded", needed=self.has_other_column())
        return [*terms, other]

    def included(self, key: str, assessed: str, excluded: str, *, needed: bool) -> Term:
        term = self.term(key, needed=needed)
        if term.value is not None or term.unclear:
            return term
        all_assessed, reasons = self.value(assessed), self.reasons(excluded)
        if all_assessed is None or reasons.value is None or reasons.unclear:
            return term
        words = f"{term.words} (assessed less excluded)"
        return Term(key, words, 1, all_assessed - reasons.value, needed)

    def totals(self) -> list[RuleFinding]:
        """R11: previous and new make the total, for reports and for studies."""
        new_reports = self.term("new_reports", needed=True)
        new = [new_reports] if new_reports.value is not None or new_reports.unclear else self.included_terms()
        hint = "Previous and new together make the total."
        found = [self.rule("R11", [self.term("previous_reports"), *new], "total_reports", hint)]
        if self.value("total_studies") is not None and self.value("new_studies") is not None:
            terms = [self.term("previous_studies"), self.term("new_studies", needed=True)]
            found.append(self.rule("R11", terms, "total_studies", hint))
        return found

    def sums(self, rule: str, specific: str, whole: str) -> list[RuleFinding]:
        """A list against its total, and every list within it against its own number."""
        parts = self.flow.parts.get(specific, ())
        formula = f"sum({specific}) = {whole}"
        unclear = specific in self.flow.unreadable or (bool(parts) and sum_of(parts) is None)
        known = known_sum(parts) if any(part.number is not None for part in parts if not part.within) else None
        term = Term(specific, BY_KEY[specific].words.lower(), 1, known, needed=True, unclear=unclear)
        hint = "A record that two databases returned counts for both; duplicates leave in their own box."
        found = [compare(rule, formula, [term], BY_KEY[whole].words.lower(), self.value(whole), hint)]
        for part in parts:
            found += self.within(rule, part)
            if part.is_total and part.number is not None and known is not None and part.number != self.value(whole):
                total = Term(part.name, "the numbers of the list", 1, known, needed=True, unclear=unclear)
                found.append(compare(rule, f"sum({specific}) = “{part.name}”", [total], part.name, part.number, hint))
        return found

    def within(self, rule: str, part: Part) -> list[RuleFinding]:
        if not part.parts or part.reading.number is None:
            return []
        known = known_sum(part.parts) if any(one.number is not None for one in part.parts) else None
        term = Term(part.name, f"the parts of “{part.name}”", 1, known, needed=True, unclear=sum_of(part.parts) is None)
        formula = f"sum(parts of {part.name}) = {part.name}"
        return [compare(rule, formula, [term], f"“{part.name}”", part.reading.number, "Sub-totals make their total.")]


def known_is_part(parts: Sequence[Part]) -> bool:
    """Some numbers of the list are known and some are not."""
    counting = [part for part in parts if not part.within]
    return any(part.number is None for part in counting)


def compare(
    rule: str, formula: str, terms: Sequence[Term], target: str, published: int | None, hint: str
) -> RuleFinding:
    """Compare what the terms come to with what is published."""
    missing = tuple(term.key for term in terms if term.value is None or term.unclear)
    given = [term for term in terms if term.value is not None]
    if published is None or not given:
        lacking = [term.words for term in terms if term.value is None and (term.needed or term.unclear)]
        lacking += [target] if published is None else []
        text = f"Not checked: {_and(lacking or [term.words for term in terms])} not given."
        return RuleFinding(rule, formula, Outcome.NOT_CHECKED, text, None, published, missing)
    computed = sum(term.sign * (term.value or 0) for term in given)
    difference = published - computed
    sum_text = _sum_text(given)
    text = f"{sum_text} = {computed:,}" if len(given) > 1 else sum_text
    text = f"{text}; {target}: {published:,}"
    if not difference:
        return RuleFinding(rule, formula, Outcome.HOLDS, f"{text}.", computed, published, missing)
    gap = f"{abs(difference):,} {'more' if difference > 0 else 'fewer'} than the numbers give"
    could = [term for term in terms if term.is_open and (term.sign > 0) == (difference > 0)]
    if could:
        told = f"Not checked: {_and([term.words for term in could])} not given (or not readable)."
        text = f"{told} Without it: {text}, {gap}."
        return RuleFinding(rule, formula, Outcome.NOT_CHECKED, text, computed, published, missing)
    absent = [term.words for term in terms if term.value is None]
    aside = f" The figure does not give: {', '.join(absent)}." if absent else ""
    return RuleFinding(rule, formula, Outcome.VIOLATED, f"{text}: {gap}. {hint}{aside}", computed, published, missing)


def _formula(terms: Sequence[Term]) -> str:
    text = ""
    for term in terms:
        name = f"sum({term.key})" if term.key.endswith("_excluded") and term.key != "records_excluded" else term.key
        text += (" - " if term.sign < 0 else " + " if text else "") + name
    return text


def _sum_text(terms: Sequence[Term]) -> str:
    text = ""
    for term in terms:
        sign = ("− " if term.sign < 0 else "+ ") if text or term.sign < 0 else ""
        text += f"{' ' if text else ''}{sign}{term.words} {term.value:,}"
    return text[:1].upper() + text[1:]


def _and(words: Sequence[str]) -> str:
    return words[0] + " is" if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]} are"
