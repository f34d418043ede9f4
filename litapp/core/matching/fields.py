"""Field-by-field comparison of a claimed record with a found one."""

from __future__ import annotations

from litapp.core.matching.journals import NO_JOURNAL_NAMES, JournalNames
from litapp.core.matching.verdicts import FieldVerdict
from litapp.core.records import Record

COMPARED_FIELDS = ("title", "authors", "year", "journal", "volume", "issue", "pages", "doi", "pmid")


def compare_fields(
    claimed: Record, found: Record, *, journals: JournalNames = NO_JOURNAL_NAMES
) -> tuple[FieldVerdict, ...]:
    """Compare every field of COMPARED_FIELDS, in that order. `journals` adds known abbreviations and former names."""
    raise NotImplementedError
