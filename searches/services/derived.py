"""The columns of a candidate as its source records say: merged record, sort keys, search text, fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from litapp.core.dedupe import merge_records
from litapp.core.normalise import family_key, journal_key, title_key
from litapp.core.plan import SearchPlan
from litapp.core.records import Record, record_to_dict
from searches.services.fitting import best_fit

DERIVED_FIELDS = (
    "record",
    "provenance",
    "sources",
    "title",
    "first_author",
    "last_author",
    "journal",
    "year",
    "pmid",
    "doi",
    "has_abstract",
    "is_preprint",
    "title_key",
    "author_key",
    "search_text",
    "fit",
    "fit_reason",
)
"""Columns that are made from the source records alone and can be rebuilt."""


def derived_columns(
    records: Sequence[Record], plans: Iterable[SearchPlan], *, found_by: Iterable[str] | None = None
) -> tuple[Record, dict[str, Any]]:
    """The merged record, and the value of every derived column. `records` are the current records of the paper,
    `plans` those that found it, `found_by` the sources that did (None = those of the records)."""
    merged = merge_records(records)
    record = merged.record
    fit, reason = best_fit(record, plans)
    authors = record.authors
    return record, {
        "record": record_to_dict(record),
        "provenance": dict(merged.provenance),
        "sources": sorted({item.source for item in records} if found_by is None else found_by),
        "title": record.title,
        "first_author": (authors[0].name if authors else "")[:200],
        "last_author": (authors[-1].name if len(authors) > 1 and record.authors_complete else "")[:200],
        "journal": (record.journal or record.journal_abbreviation)[:300],
        "year": record.year,
        "pmid": record.pmid[:20],
        "doi": record.doi[:300],
        "has_abstract": bool(record.abstract),
        "is_preprint": record.is_preprint,
        "title_key": title_key(record.title)[:300],
        "author_key": (family_key(authors[0]) if authors else "")[:200],
        "search_text": search_text(record),
        "fit": fit,
        "fit_reason": reason[:300],
    }


def search_text(record: Record) -> str:
    """Everything a text filter looks through, in normal form: title, authors, journal, identifiers, abstract, MeSH."""
    parts = [record.title, record.original_title, *(person.name for person in record.authors)]
    parts += [record.abstract_text, *(heading.descriptor for heading in record.mesh), *record.keywords]
    text = title_key(". ".join(part for part in parts if part))
    journals = {journal_key(record.journal), title_key(record.journal), title_key(record.journal_abbreviation)}
    identifiers = (title_key(identifier.value) for identifier in record.identifiers)
    return " ".join(part for part in (text, *sorted(journals), *identifiers) if part)
