"""One record to show for a cluster, with the source of every field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from litapp.core.records import Identifier, Notice, Record, Scheme, record_to_dict

PRECEDENCE = ("pubmed", "crossref", "europepmc", "datacite", "arxiv", "biorxiv", "openalex", "semanticscholar")
"""Whose statement is shown where several make one: curated databases and registries before indexes built from them."""
_TOGETHER = ("volume", "issue", "pages")
"""Fields that name one place in print: taken from one record, so that they fit each other."""
_SCHEMES = tuple(Scheme)


@dataclass(frozen=True, slots=True)
class MergedRecord:
    """`record` holds each field as one of the sources stated it; `provenance` = (field, source) for every filled
    field. Identifiers, notices, years and warnings are united; their provenance names all sources, joined by "+"."""

    record: Record
    provenance: tuple[tuple[str, str], ...]


def merge_records(records: Iterable[Record]) -> MergedRecord:
    """Choose every field by source precedence; deterministic whatever the order. Raises ValueError on no records.

    An author list that is whole goes before one that is cut; everything else is the first non-empty statement.
    """
    ordered = list(records)
    if not ordered:
        raise ValueError("nothing to merge")
    if len(ordered) > 1:
        ordered.sort(key=_rank)
    chosen: dict[str, Any] = {}
    provenance: dict[str, str] = {}

    def take(name: str, source: Record) -> None:
        chosen[name] = getattr(source, name)
        if chosen[name]:
            provenance[name] = source.source

    for item in fields(Record):
        take(item.name, _first(ordered, item.name))
    authors = next((r for r in ordered if r.authors and r.authors_complete), _first(ordered, "authors"))
    take("authors", authors)
    chosen["authors_complete"] = authors.authors_complete
    place = next((r for r in ordered if r.volume and r.pages), None) or _first(ordered, "volume")
    for name in _TOGETHER:
        take(name, place if getattr(place, name) or place.volume else _first(ordered, name))
    main = ordered[0]
    for name in ("source", "source_id", "csl_type", "is_preprint"):
        take(name, main)
    chosen["is_notice"] = any(r.is_notice for r in ordered)
    _unite(chosen, provenance, ordered, "identifiers", _identifiers)
    _unite(chosen, provenance, ordered, "notices", _notices)
    _unite(chosen, provenance, ordered, "years", lambda rs: tuple(sorted({y for r in rs for y in r.years})))
    _unite(chosen, provenance, ordered, "warnings", lambda rs: tuple(dict.fromkeys(w for r in rs for w in r.warnings)))
    for name in ("source", "source_id", "authors_complete"):
        provenance.pop(name, None)
    return MergedRecord(Record(**chosen), tuple(sorted(provenance.items())))


def _rank(record: Record) -> tuple[int, str, str, str]:
    place = PRECEDENCE.index(record.source) if record.source in PRECEDENCE else len(PRECEDENCE)
    return place, record.source, record.source_id, json.dumps(record_to_dict(record), sort_keys=True)


def _first(ordered: Sequence[Record], name: str) -> Record:
    """The first record that states the field; a date counts as stated when it has a year."""
    if name == "date":
        return next((r for r in ordered if r.date.year), None) or next((r for r in ordered if r.date.text), ordered[0])
    return next((r for r in ordered if getattr(r, name)), ordered[0])


def _unite(
    chosen: dict[str, Any],
    provenance: dict[str, str],
    ordered: Sequence[Record],
    name: str,
    unite: Callable[[Sequence[Record]], Any],
) -> None:
    chosen[name] = unite(ordered)
    sources = dict.fromkeys(r.source for r in ordered if getattr(r, name))
    if sources:
        provenance[name] = "+".join(sources)


def _identifiers(ordered: Sequence[Record]) -> tuple[Identifier, ...]:
    """All identifiers once, by scheme, within a scheme by precedence; for a DOI the registry's own word comes first."""
    by_scheme: dict[Scheme, dict[Identifier, None]] = {}
    for record in sorted(ordered, key=lambda r: r.source != "crossref"):
        for identifier in record.identifiers:
            if identifier.scheme is Scheme.DOI:
                by_scheme.setdefault(identifier.scheme, {})[identifier] = None
    for record in ordered:
        for identifier in record.identifiers:
            by_scheme.setdefault(identifier.scheme, {})[identifier] = None
    return tuple(i for scheme in _SCHEMES for i in by_scheme.get(scheme, {}))


def _notices(ordered: Sequence[Record]) -> tuple[Notice, ...]:
    """All notices; the same notice told by two sources (same kind and DOI or PMID) stands once."""
    kept: dict[tuple[str, str], Notice] = {}
    for record in ordered:
        for notice in record.notices:
            kept.setdefault((notice.kind, notice.doi or notice.pmid or notice.text), notice)
    return tuple(kept.values())
