"""Field-by-field comparison of a claimed record with a found one."""

from __future__ import annotations

from dataclasses import dataclass

from litapp.core.matching.authors import AuthorComparison, compare_authors
from litapp.core.matching.journals import (
    NO_JOURNAL_NAMES,
    JournalNames,
    is_other_script,
    is_preprint_server,
    same_journal,
    same_server,
)
from litapp.core.matching.numbering import compare_numbers, compare_pages, compare_years
from litapp.core.matching.titles import TitleComparison, compare_titles_of
from litapp.core.matching.verdicts import Agreement, FieldVerdict
from litapp.core.records import Person, Record

COMPARED_FIELDS = ("title", "authors", "year", "journal", "volume", "issue", "pages", "doi", "pmid")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All field verdicts of two records, with the two comparisons that tell which work it is."""

    fields: tuple[FieldVerdict, ...]
    title: TitleComparison
    authors: AuthorComparison

    def field(self, name: str) -> FieldVerdict:
        """The verdict on one field of COMPARED_FIELDS."""
        return self.fields[COMPARED_FIELDS.index(name)]


def compare_fields(
    claimed: Record, found: Record, *, journals: JournalNames = NO_JOURNAL_NAMES
) -> tuple[FieldVerdict, ...]:
    """Compare every field of COMPARED_FIELDS, in that order. `journals` adds known abbreviations and former names."""
    return compare_records(claimed, found, journals=journals).fields


def compare_records(claimed: Record, found: Record, *, journals: JournalNames = NO_JOURNAL_NAMES) -> Comparison:
    """Like compare_fields, with the comparisons of title and authors as such."""
    ours_title, title = compare_titles_of(claimed, found)
    authors = compare_authors(
        claimed.authors,
        found.authors,
        ours_complete=claimed.authors_complete,
        theirs_complete=found.authors_complete,
    )
    ours_years, theirs_years = _years(claimed), _years(found)
    either = frozenset(ours_years | theirs_years)
    year = compare_years(ours_years, theirs_years)
    journal = _journal(claimed, found, journals)
    volume = compare_numbers("Volume", claimed.volume, found.volume, years=either)
    issue = compare_numbers("Issue", claimed.issue, found.issue)
    pages = compare_pages(claimed.pages, found.pages, theirs_final=bool(found.volume))
    fields = (
        FieldVerdict("title", ours_title, found.title or found.original_title, title.verdict, title.why),
        FieldVerdict("authors", _people(claimed.authors), _people(found.authors), authors.verdict, authors.why),
        FieldVerdict("year", _shown(ours_years), _shown(theirs_years), *year),
        FieldVerdict("journal", claimed.journal or claimed.journal_abbreviation, found.journal, *journal),
        FieldVerdict("volume", claimed.volume, found.volume, *volume),
        FieldVerdict("issue", claimed.issue, found.issue, *issue),
        FieldVerdict("pages", claimed.pages, found.pages, *pages),
        _identifier("doi", claimed.doi, found.doi),
        _identifier("pmid", claimed.pmid, found.pmid),
    )
    return Comparison(fields, title, authors)


def _years(record: Record) -> set[int]:
    years = set(record.years)
    if record.date.year is not None:
        years.add(record.date.year)
    return years


def _shown(years: set[int]) -> str:
    return ", ".join(map(str, sorted(years)))


def _people(authors: tuple[Person, ...]) -> str:
    return "; ".join(person.name for person in authors)


def _identifier(name: str, ours: str, theirs: str) -> FieldVerdict:
    if not ours or not theirs:
        return FieldVerdict(name, ours, theirs, Agreement.ABSENT)
    if ours.lower() == theirs.lower():
        return FieldVerdict(name, ours, theirs, Agreement.SAME)
    return FieldVerdict(name, ours, theirs, Agreement.DIFFERS, f"{name.upper()}: the source has {theirs}.")


def journal_names(record: Record) -> tuple[str, ...]:
    """All names that a record gives for where it appeared."""
    names = (record.journal, record.journal_abbreviation, *record.journal_alternatives)
    return tuple(dict.fromkeys(name for name in names if name))


def _journal(claimed: Record, found: Record, journals: JournalNames) -> tuple[Agreement, str]:
    ours, theirs = journal_names(claimed), journal_names(found)
    if not ours or not theirs:
        if found.is_preprint and ours and not is_preprint_server(ours[0]):
            return Agreement.ABSENT, "Journal: the source's record is the preprint."
        return Agreement.ABSENT, ""
    if ours[0] == theirs[0]:
        return Agreement.SAME, ""
    ours_preprint, theirs_preprint = (any(map(is_preprint_server, names)) for names in (ours, theirs))
    if ours_preprint and not theirs_preprint and _gives_pages_of(claimed, found):
        return (
            Agreement.DIFFERS,
            f"Journal: {ours[0]}, a preprint server, with volume and pages of {theirs[0]}.",
        )
    if ours_preprint != theirs_preprint:
        return Agreement.ABSENT, "Journal: one side names the preprint server, the other the journal."
    if ours_preprint and same_server(ours[0], theirs[0]):
        return Agreement.VARIANT, "Journal: preprint server written differently."
    if any(same_journal(a, b) or journals.same(a, b) for a in ours for b in theirs):
        return Agreement.VARIANT, "Journal: name written differently."
    if set(claimed.issns) & set(found.issns):
        return Agreement.VARIANT, "Journal: another name under the same ISSN."
    if all(map(is_other_script, ours)) != all(map(is_other_script, theirs)):
        return Agreement.VARIANT, "Journal: name in another script."
    return Agreement.DIFFERS, f"Journal: {ours[0]} where the source has {theirs[0]}."


def _gives_pages_of(claimed: Record, found: Record) -> bool:
    """True when the claim carries the volume and pages under which the journal printed it: a preprint has neither."""
    volume = compare_numbers("Volume", claimed.volume, found.volume)[0]
    pages = compare_pages(claimed.pages, found.pages)[0]
    return volume is Agreement.SAME and pages in (Agreement.SAME, Agreement.VARIANT)
