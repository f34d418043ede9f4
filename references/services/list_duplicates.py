"""Finds entries of one list that are the same paper: by what the sources found, by identifier, or word for word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litapp.core.normalise import title_key
from litapp.core.records import Record, Scheme, record_from_dict
from references.models import ListEntry, ReferenceListCheck

_SCHEMES = (Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)


def mark_duplicates(*, list_check: ReferenceListCheck) -> int:
    """Point every entry that repeats an earlier one to that one; returns how many do. Nothing is taken out.

    A reference to no paper, or to another one than it says, repeats only what is written like it.
    """
    rows = ListEntry.objects.filter(list_check=list_check, verification__isnull=False).order_by("number")
    first: dict[str, int] = {}
    changed, found = [], 0
    fields = (
        "pk",
        "verification__text",
        "duplicate_of_id",
        "verification__record",
        "verification__matched",
        "verification__kind",
    )
    for pk, text, before, record, matched, kind in rows.values_list(*fields):
        keys = list(_keys(text, *(() if kind == "identity" else (record, matched))))
        earlier = min((first[key] for key in keys if key in first), default=None)
        found += earlier is not None
        for key in keys:
            first.setdefault(key, earlier if earlier is not None else pk)
        if earlier != before:
            changed.append(ListEntry(pk=pk, duplicate_of_id=earlier))
    ListEntry.objects.bulk_update(changed, ["duplicate_of"], batch_size=500)
    return found


def _keys(text: str, *records: dict[str, Any]) -> Iterator[str]:
    if text.strip():
        yield f"text:{' '.join(text.split()).lower()}"
    for data in records:
        if data:
            yield from _identity(record_from_dict(data))


def _identity(record: Record) -> Iterator[str]:
    for scheme in _SCHEMES:
        if value := record.identifier(scheme):
            yield f"{scheme.value}:{value}"
    title = title_key(record.title)
    if len(title) >= 30 and record.authors and record.year:
        yield f"title:{title}:{record.year}:{title_key(record.authors[0].family or record.authors[0].literal)}"
