"""Which work a found record is, compared with the claimed one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.matching import Agreement, JournalNames
from litapp.core.matching.authors import AuthorComparison
from litapp.core.matching.fields import Comparison, compare_records
from litapp.core.matching.journals import is_preprint_server
from litapp.core.matching.titles import compare_titles_of
from litapp.core.records import Record
from litapp.core.verification.evidence import Answered, Asked, Found
from litapp.core.verification.sources import INDEXES, OWNERS, REGISTRIES
from litapp.core.verification.status import is_notice_about

IDENTIFIER_ONLY = "identifier"
"""`Record.csl_type` of a reference that is an identifier and nothing else (a line of a list of PMIDs): the paper meant
is the one that the identifier's own registry has. A citation with words never gets it, whatever could be read of it."""


class Work(StrEnum):
    """SAME: the claimed work. TWIN: its title, but other people's. REWORDED: its people and place, the title changed
    in places. RETITLED: its people and place under a wholly different title. OTHER: another work. UNCLEAR: the record
    says too little."""

    SAME = "same"
    TWIN = "twin"
    REWORDED = "reworded"
    RETITLED = "retitled"
    OTHER = "other"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Witness:
    """An answer that holds a record, and how that record stands to the claimed one."""

    found: Found
    record: Record
    comparison: Comparison
    work: Work
    other_version: bool
    """True where one is the preprint and the other the published article."""

    @property
    def source(self) -> str:
        return self.found.source

    @property
    def by_identifier(self) -> bool:
        return self.found.how is Asked.IDENTIFIER

    @property
    def authoritative(self) -> bool:
        return self.found.source in REGISTRIES

    @property
    def index(self) -> bool:
        return self.found.source in INDEXES

    @property
    def likeness(self) -> float:
        """Share of the title's words in common (0 to 1): to rank, never to decide."""
        title = self.comparison.title
        return title.shared / title.longest if title.longest else 0.0

    @property
    def owner(self) -> bool:
        """True for the answer of the identifier's own registry."""
        return self.by_identifier and self.found.source in OWNERS.get(self.found.scheme, ())


def agreeing(comparison: Comparison, names: Iterable[str]) -> int:
    """How many of the named fields agree."""
    return sum(comparison.field(name).agrees for name in names)


def which_work(comparison: Comparison) -> Work:
    """Decide from words of the title and names of the authors; a ratio is never asked."""
    title, authors = comparison.title, comparison.authors
    if not comparison.fields:
        return Work.OTHER
    if title.verdict in (Agreement.SAME, Agreement.VARIANT):
        return Work.TWIN if authors.foreign else Work.SAME
    place = agreeing(comparison, ("journal", "volume", "pages"))
    year = comparison.field("year").agrees
    people = authors.matched > 0 and 2 * authors.matched >= min(authors.ours, authors.theirs)
    if title.verdict is Agreement.ABSENT:
        return Work.SAME if people and year and place >= 2 else Work.UNCLEAR
    if people:
        if title.reworded:
            return Work.REWORDED
        whole = authors.matched == authors.ours == authors.theirs >= 3
        placed = place >= 2 or (year and authors.first_agrees and (place or whole))
        return Work.RETITLED if placed else Work.OTHER
    if not authors.foreign and title.reworded and year and place:
        return Work.REWORDED
    return Work.OTHER


def is_preprint(record: Record) -> bool:
    """True for a record that is, or is cited as, a preprint."""
    return record.is_preprint or is_preprint_server(record.journal)


def _same_doi(a: Record, b: Record) -> bool:
    return bool(a.doi) and a.doi == b.doi


def _compare(claimed: Record, found: Found, record: Record, journals: JournalNames) -> Comparison:
    """The whole comparison; for a search hit under quite another title only that of the title."""
    if found.how is Asked.SEARCH and claimed.title:
        _, title = compare_titles_of(claimed, record)
        if title.verdict is Agreement.DIFFERS and not title.reworded:
            return Comparison((), title, UNRELATED)
    return compare_records(claimed, record, journals=journals)


UNRELATED = AuthorComparison(Agreement.ABSENT, "Not compared: a search hit under another title.")


def witnesses(claimed: Record, evidence: Iterable[Found], journals: JournalNames) -> tuple[Witness, ...]:
    """Every found record, compared once; ordered so that the order of the evidence does not matter."""
    seen = []
    for found in evidence:
        if found.outcome is not Answered.FOUND or found.record is None:
            continue
        comparison = _compare(claimed, found, found.record, journals)
        other_version = is_preprint(claimed) != is_preprint(found.record) and not _same_doi(claimed, found.record)
        work = Work.OTHER if is_notice_about(found.record, claimed) else which_work(comparison)
        if work is Work.UNCLEAR and found.how is Asked.IDENTIFIER and claimed.csl_type == IDENTIFIER_ONLY:
            work = Work.SAME
        seen.append(Witness(found, found.record, comparison, work, other_version))
    return tuple(sorted(seen, key=_order))


def same_work(claimed: Record, found: Found, *, journals: JournalNames) -> bool:
    """True when the answer holds the claimed work."""
    return any(witness.work is Work.SAME for witness in witnesses(claimed, (found,), journals))


def _order(witness: Witness) -> tuple[bool, bool, bool, str, str, str, str]:
    found = witness.found
    return (
        not witness.owner,
        not witness.by_identifier,
        not witness.authoritative,
        found.source,
        found.scheme,
        found.question,
        witness.record.source_id,
    )
