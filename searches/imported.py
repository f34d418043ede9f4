"""Reads of what imports brought: the imports behind candidates, and the records each database identified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef

from litapp.core.brought import BROUGHT
from litapp.projects.models import Project
from searches.models import CandidateSource, ImportedEntry, ImportKind, RecordImport, RetrievalHit

NOT_CROSS_CHECKED = "Added by hand, not cross-checked, low confidence"
"""Label of a record that a person typed, until a source confirms it."""


@dataclass(frozen=True, slots=True)
class BroughtBy:
    """An import behind a candidate: its number, kind and database, the entry's number in the file, what the file claims
    of it, and for a record added by hand its address and the day of access."""

    record_import: RecordImport
    number: int
    claimed: dict[str, str]
    source: str
    source_record_id: int

    @property
    def label(self) -> str:
        """The database, as a list of sources names it."""
        return self.record_import.database


def brought_by(candidate_ids: Iterable[int]) -> dict[int, list[BroughtBy]]:
    """The standing imports behind each candidate, oldest first. Two queries, whatever the number."""
    entry = "source_record__imported_entries"
    links = (
        CandidateSource.objects.filter(
            **{
                "candidate__in": list(candidate_ids),
                f"{entry}__isnull": False,
                f"{entry}__record_import__undone_at": None,
                f"{entry}__record_import__project": F("project"),
            }
        )
        .order_by(entry)
        .values_list("candidate_id", "source", "source_record_id", entry)
    )
    places = list(links)
    entries = ImportedEntry.objects.select_related("record_import").in_bulk([pk for *_, pk in places])
    found: dict[int, list[BroughtBy]] = {}
    for candidate, source, record, pk in places:
        one = entries[pk]
        found.setdefault(candidate, []).append(BroughtBy(one.record_import, one.number, one.claimed, source, record))
    return found


def is_not_cross_checked(sources: Iterable[str], imports: Sequence[BroughtBy], status: str) -> bool:
    """Whether a candidate rests on nothing but what somebody typed, and no check has verified it."""
    typed = [one for one in imports if one.record_import.kind == ImportKind.BY_HAND]
    return bool(typed) and len(typed) == len(imports) and set(sources) <= {BROUGHT} and status != "verified"


def identified_by_imports(project: Project) -> tuple[dict[str, int], dict[str, int]]:
    """(database -> records that imports identified, source key -> how many of its records these are).

    A record that a run returned, too, counts for the run; one that two lists name counts once, for the first.
    """
    links = CandidateSource.objects.filter(
        project=project, candidate__merged_into=None, candidate__withdrawn_at=None
    ).order_by()
    by_database: Counter[str] = Counter()
    of_source: Counter[str] = Counter()
    brought = links.filter(source=BROUGHT, source_record__answer__record_import__undone_at=None).exclude(
        source_record__answer__record_import=None
    )
    for database, records in brought.values_list("source_record__answer__record_import__database").annotate(
        records=Count("pk")
    ):
        by_database[database] += records
        of_source[BROUGHT] += records
    lists = ImportedEntry.objects.filter(
        record_import__project=project, record_import__kind=ImportKind.IDENTIFIERS, record_import__undone_at=None
    ).exclude(source_record=None)
    found = RetrievalHit.objects.filter(source_record=OuterRef("source_record"), step__run__project=project.pk)
    first: dict[int, str] = {}
    for record, database in lists.order_by("pk").values_list("source_record", "record_import__database"):
        first.setdefault(record, database)
    if first:
        rows = links.filter(Exists(lists.filter(source_record=OuterRef("source_record")))).filter(~Exists(found))
        for record, source in rows.exclude(source=BROUGHT).values_list("source_record", "source"):
            by_database[first[record]] += 1
            of_source[source] += 1
    return dict(by_database), dict(of_source)
