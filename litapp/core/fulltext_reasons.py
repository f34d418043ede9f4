"""Why a report was not retrieved, by rule from what the places said; and the two letters that ask for it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from litapp.core.fulltext import BEHIND_A_WALL, NEEDS_A_PERSON, SILENT, TO_ASK, Outcome
from litapp.core.markup import plain_text
from litapp.core.records import Record, Scheme

REASONS = {
    "paywall": "It stands behind a paywall.",
    "no_copy": "No copy of it was found.",
    "language": "It is in a language that the team cannot read.",
    "withdrawn": "It was withdrawn.",
}
"""The reasons of PRISMA's box "Reports not retrieved", and what each says. Source: issue 8."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What follows from a finished search for one paper. `reason` is one of REASONS or "" where nothing follows:
    then `because` says what stands in the way (a silent source, a page that only lets people in, a file to look at)."""

    reason: str
    because: str


def conclude(outcomes: Iterable[tuple[str, Outcome]], *, withdrawn: bool = False) -> Conclusion:
    """What follows when no full text was accepted. `outcomes` are (label of the place, outcome), in order.

    Silence never makes a "not retrieved", nor does a host that keeps programs out.
    """
    told = list(outcomes)
    if any(outcome in TO_ASK for _, outcome in told):
        return Conclusion("", "A file was found, and a person has to say whether it is the paper.")
    if withdrawn:
        return Conclusion("withdrawn", "Its publisher or server has withdrawn it.")
    silent = _labels(told, SILENT)
    if silent:
        return Conclusion("", f"{_listed(silent)} could not be asked. Search again later.")
    off = _labels(told, frozenset({Outcome.SWITCHED_OFF}))
    told = [(label, outcome) for label, outcome in told if outcome is not Outcome.SWITCHED_OFF]
    if not told:
        return Conclusion("", "No place could be asked: the record has neither a DOI nor another usable identifier.")
    walls = _labels(told, BEHIND_A_WALL)
    if walls:
        return Conclusion("paywall", f"{_listed(walls)} has it for subscribers only.")
    closed = _labels(told, NEEDS_A_PERSON)
    if closed:
        return Conclusion("", f"{_listed(closed)} lets no program in. Open the page yourself and bring the file.")
    number = len({label for label, _ in told})
    asked = "One place was asked; it" if number == 1 else f"{number} places were asked; none of them"
    rest = f" Not asked here: {_listed(off)}." if off else ""
    return Conclusion("no_copy", f"{asked} has {'no' if number == 1 else 'an'} open copy.{rest}")


def _labels(told: list[tuple[str, Outcome]], which: frozenset[Outcome]) -> list[str]:
    return list(dict.fromkeys(label for label, outcome in told if outcome in which))


def _listed(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"


def citation_line(record: Record) -> str:
    """The paper as a librarian needs it: authors, title, journal, year, volume, pages, identifiers."""
    names = [person.name for person in record.authors[:6]]
    authors = ", ".join(names) + (", et al." if len(record.authors) > 6 else "")
    place = record.journal
    if record.year:
        place = f"{place} {record.year}".strip()
    if record.volume:
        place += f";{record.volume}" + (f"({record.issue})" if record.issue else "")
    if record.pages:
        place += f":{record.pages}"
    marks = [("DOI", record.doi), ("PMID", record.pmid), ("PMCID", record.identifier(Scheme.PMCID))]
    known = [f"{name}: {value}" for name, value in marks if value]
    sentences = [authors, plain_text(record.title), place, *known]
    return ". ".join(part.strip().rstrip(".") for part in sentences if part.strip()) + "."


def library_request(record: Record, *, asked_by: str = "") -> str:
    """A request to a library's document delivery. It states only what the record states."""
    signed = f"\n\n{asked_by}" if asked_by else ""
    return (
        "Dear library team,\n\n"
        "I need the full text of this article for a literature review and found no copy that I may open:\n\n"
        f"{citation_line(record)}\n\n"
        "Could you get it by interlibrary loan or document delivery? A PDF is enough. "
        f"Please tell me beforehand if it costs anything.\n\nThank you very much.{signed}"
    )


def author_message(record: Record, *, asked_by: str = "") -> str:
    """A message to the author. It names the first author where the record has one, and promises nothing."""
    first = record.authors[0] if record.authors else None
    to = f"Dear {first.given + ' ' if first.given else ''}{first.family}" if first and first.family else "Dear author"
    signed = f"\n\n{asked_by}" if asked_by else ""
    return (
        f"{to},\n\n"
        "for a literature review I would like to read your article, to which I have no access:\n\n"
        f"{citation_line(record)}\n\n"
        "Would you send me a copy, or tell me where I can open one (an accepted manuscript is welcome)? "
        f"It is for reading only and will not be passed on.\n\nWith kind regards{signed}"
    )
