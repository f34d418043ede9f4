"""Which work a found record is, compared with the claimed one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from litapp.core.matching import Agreement, JournalNames
from litapp.core.matching.abridged import is_abridged
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
    shortened: bool = False
    """True where the claimed title is this record's cut by its writer (see core.matching.abridged)."""

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
    place = agreeing(comparison, ("journal", "volume", "pages"))
    year = comparison.field("year").agrees
    if title.verdict in (Agreement.SAME, Agreement.VARIANT):
        return _of_that_title(comparison, place + year)
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


def _of_that_title(comparison: Comparison, placed: int) -> Work:
    """A record with the claimed title: other people's where none of ours is among them, or a few by chance and hardly
    anything of the place (`placed` = how much of year, journal, volume, pages) agrees; unclear where it names nobody
    and stands elsewhere."""
    authors = comparison.authors
    if authors.foreign:
        return Work.TWIN
    few = authors.verdict is Agreement.DIFFERS and 2 * authors.matched < min(authors.ours, authors.theirs)
    if few and placed <= 1:
        return Work.TWIN
    elsewhere = comparison.field("year").verdict is Agreement.DIFFERS and not comparison.field("journal").agrees
    return Work.UNCLEAR if authors.ours and not authors.theirs and elsewhere else Work.SAME


SHORTENED = "Title: shortened in the reference."
LONG_ENOUGH = 5
"""Words of a shortened title that tell the paper together with its identifier, without a place."""
PLACE = ("year", "journal", "volume", "pages")


def _is_the_shortened(claimed: Record, comparison: Comparison, by_identifier: bool) -> bool:
    """Whether a record whose title ours is cut from is the claimed work: its people and most of its place agree, or its
    people and its identifier, and nothing speaks against it."""
    authors = comparison.authors
    differing = sum(comparison.field(name).verdict is Agreement.DIFFERS for name in PLACE)
    placed = agreeing(comparison, PLACE)
    people = authors.matched > 0 and 2 * authors.matched >= min(authors.ours, authors.theirs)
    listed = authors.verdict in (Agreement.SAME, Agreement.VARIANT)
    if placed >= 2 and placed > differing:
        return people or listed or (authors.verdict is Agreement.ABSENT and (by_identifier or placed >= 3))
    if not by_identifier or differing:
        return False
    long_enough = len(claimed.title.split()) >= LONG_ENOUGH
    whole = listed and authors.ours == authors.theirs
    return whole or (long_enough and (listed or authors.verdict is Agreement.ABSENT))


def is_preprint(record: Record) -> bool:
    """True for a record that is, or is cited as, a preprint."""
    return record.is_preprint or is_preprint_server(record.journal)


def _same_doi(a: Record, b: Record) -> bool:
    return bool(a.doi) and a.doi == b.doi


def _compare(claimed: Record, found: Found, record: Record, journals: JournalNames) -> Comparison:
    """The whole comparison; for a search hit under quite another title only that of the title."""
    if found.how is Asked.SEARCH and claimed.title:
        _, title = compare_titles_of(claimed, record)
        cut = is_abridged(claimed.title, record.title, record.original_title)
        if title.verdict is Agreement.DIFFERS and not title.reworded and not cut:
            return Comparison((), title, UNRELATED)
    return compare_records(claimed, record, journals=journals)


UNRELATED = AuthorComparison(Agreement.ABSENT, "Not compared: a search hit under another title.")


def witnesses(claimed: Record, evidence: Iterable[Found], journals: JournalNames) -> tuple[Witness, ...]:
    """Every found record, compared once; ordered so that the order of the evidence does not matter."""
    seen = []
    searched = False
    for found in evidence:
        searched = searched or (found.how is Asked.SEARCH and found.outcome in (Answered.FOUND, Answered.ABSENT))
        if found.outcome is Answered.FOUND and found.record is not None:
            seen.append(_witness(claimed, found, found.record, journals))
    return tuple(sorted(_settled(claimed, seen, searched), key=_order))


def _witness(claimed: Record, found: Found, record: Record, journals: JournalNames) -> Witness:
    comparison = _compare(claimed, found, record, journals)
    other_version = is_preprint(claimed) != is_preprint(record) and not _same_doi(claimed, record)
    work = Work.OTHER if is_notice_about(record, claimed) else which_work(comparison)
    if work is Work.UNCLEAR and found.how is Asked.IDENTIFIER and claimed.csl_type == IDENTIFIER_ONLY:
        work = Work.SAME
    shortened = (
        work in (Work.REWORDED, Work.RETITLED, Work.OTHER)
        and comparison.title.verdict is Agreement.DIFFERS
        and is_abridged(claimed.title, record.title, record.original_title)
        and not is_notice_about(record, claimed)
    )
    return Witness(found, record, comparison, work, other_version, shortened)


def _settled(claimed: Record, seen: list[Witness], searched: bool) -> list[Witness]:
    """What the records are whose title ours is cut from. Where a sibling paper by these people bears exactly our title,
    they stay what they are; where no search has answered yet, nobody can say; else they are the claimed work."""
    if not any(witness.shortened for witness in seen):
        return seen
    exact = [w for w in seen if w.work is Work.SAME and not w.other_version and w.comparison.authors.matched]
    settled = []
    for witness in seen:
        by_identifier = witness.found.how is Asked.IDENTIFIER
        if not witness.shortened or not _is_the_shortened(claimed, witness.comparison, by_identifier):
            settled.append(witness)
        elif any(_another(one.record, witness.record) for one in exact):
            settled.append(replace(witness, work=Work.RETITLED))
        elif not searched and not exact:
            settled.append(replace(witness, work=Work.UNCLEAR))
        else:
            settled.append(replace(witness, work=Work.SAME, comparison=_as_variant(witness.comparison)))
    return settled


def _another(one: Record, other: Record) -> bool:
    """True for records under two identifiers of one scheme."""
    return bool(
        (one.doi and other.doi and one.doi.lower() != other.doi.lower())
        or (one.pmid and other.pmid and one.pmid != other.pmid)
    )


def _as_variant(comparison: Comparison) -> Comparison:
    """The comparison with the title as a harmless variant."""
    title = replace(comparison.title, verdict=Agreement.VARIANT, why=SHORTENED, ours="", theirs="")
    fields = tuple(
        replace(field, verdict=Agreement.VARIANT, why=SHORTENED) if field.field == "title" else field
        for field in comparison.fields
    )
    return replace(comparison, fields=fields, title=title)


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
