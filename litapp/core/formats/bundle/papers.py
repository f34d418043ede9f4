"""A record as `litledger.paper.v1`: the form in which bundles give papers out. What is missing is null or []."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from litapp.core.records import Notice, NoticeKind, Person, Record, Scheme

PAPER = "litledger.paper.v1"
LEGACY_ADAPTED = "legacy_adapted"
"""Warning of papers that were read from an old record by `legacy.adapt_legacy`."""
_SCHEMES = (Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV, Scheme.OPENALEX, Scheme.S2, Scheme.ISBN)
"""Identifiers of a paper that have a place of their own; ISSNs are its publication's."""
_NOTICE_WARNINGS = {
    NoticeKind.RETRACTION: "retracted",
    NoticeKind.PARTIAL_RETRACTION: "partly_retracted",
    NoticeKind.WITHDRAWAL: "withdrawn",
    NoticeKind.CONCERN: "expression_of_concern",
}


class AbstractStatus(StrEnum):
    """PRESENT = a source that found the paper gave it; FILLED = another source was asked for it; MISSING = none has."""

    PRESENT = "present"
    FILLED = "filled"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AbstractOrigin:
    """Where an abstract comes from. `identifier` ("doi:10.1000/1") is what a source was asked with for a FILLED one."""

    source: str
    status: AbstractStatus = AbstractStatus.PRESENT
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source record behind a paper: its line in `candidates_normalized.jsonl` and the answer it was read from."""

    source: str
    source_id: str
    normalized: str
    answer: str
    retrieved_at: str


@dataclass(frozen=True, slots=True)
class QueryMatch:
    """Query number `query` (from 1) of the plan found the paper at `source`, at `rank`. None = not known."""

    source: str
    query: int | None
    label: str
    rank: int | None


def paper_of(
    record: Record,
    *,
    paper_id: str,
    entries: Sequence[SourceEntry],
    matches: Sequence[QueryMatch],
    abstract: AbstractOrigin | None,
    field_sources: Mapping[str, str],
) -> dict[str, Any]:
    """The paper in its JSON form. `abstract` is None exactly when the record has no abstract.

    Raises ValueError for a record without title: no source returned a paper there.
    """
    if not record.title.strip():
        raise ValueError(f"record {record.source} {record.source_id} has no title")
    text = record.abstract_text
    if bool(text.strip()) is not (abstract is not None):
        raise ValueError(f"record {record.source} {record.source_id}: its abstract and where it is from do not fit")
    return {
        "schema": PAPER,
        "id": paper_id,
        "title": record.title,
        "original_title": _or_null(record.original_title),
        "authors": [_person(person) for person in record.authors],
        "authors_complete": record.authors_complete,
        "identifiers": {scheme.value: _or_null(record.identifier(scheme)) for scheme in _SCHEMES},
        "other_identifiers": _others(record),
        "published_as": [
            {"scheme": one.scheme.value, "value": one.value} for one in record.published_as if one.scheme in _SCHEMES
        ],
        "abstract_status": (abstract.status if abstract else AbstractStatus.MISSING).value,
        "abstract_provenance": _abstract_provenance(abstract),
        "abstract_sections": [
            {"label": _or_null(s.label), "category": _or_null(s.category), "text": s.text} for s in record.abstract
        ],
        "publication": _publication(record),
        "mesh": [
            {
                "descriptor": heading.descriptor,
                "ui": _or_null(heading.ui),
                "qualifiers": list(heading.qualifiers),
                "major": heading.major,
            }
            for heading in record.mesh
            if heading.descriptor.strip()
        ],
        "keywords": _filled(record.keywords),
        "sources": [
            {
                "source": entry.source,
                "source_id": entry.source_id,
                "record": entry.normalized,
                "answer": entry.answer,
                "retrieved_at": entry.retrieved_at,
            }
            for entry in entries
        ],
        "field_sources": dict(field_sources),
        "query_matches": [
            {"source": match.source, "query": match.query, "label": _or_null(match.label), "rank": match.rank}
            for match in matches
        ],
        "quality_warnings": quality_warnings(record),
        "doi": _or_null(record.doi),
        "abstract": _or_null(text),
        "venue": _or_null(record.journal or record.journal_abbreviation),
        "year": record.year,
        "url": _or_null(record.url),
        "source": record.source,
    }


def quality_warnings(record: Record) -> list[str]:
    """What is missing or must be known before the record is used: stable words first, then the reader's sentences."""
    words = {
        "authors_missing": not record.authors,
        "authors_incomplete": not record.authors_complete,
        "abstract_missing": not record.abstract_text.strip(),
        "identifier_missing": not any(record.identifier(scheme) for scheme in _SCHEMES),
        "venue_missing": not (record.journal or record.journal_abbreviation).strip(),
        "year_missing": record.year is None,
        "is_notice": record.is_notice,
    }
    if not record.is_notice:
        words |= {
            word: any(notice.kind is kind for notice in record.notices) for kind, word in _NOTICE_WARNINGS.items()
        }
    told = sorted(word for word, holds in words.items() if holds)
    return [*told, *(text for text in _filled(dict.fromkeys(record.warnings)) if text not in told)]


def _or_null(text: str) -> str | None:
    return text if text.strip() else None


def _filled(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text.strip()]


def _person(person: Person) -> dict[str, str | None]:
    return {
        "family": _or_null(person.family),
        "given": _or_null(person.given),
        "suffix": _or_null(person.suffix),
        "literal": _or_null(person.literal),
    }


def _others(record: Record) -> list[dict[str, str]]:
    """Identifiers beyond the first of each scheme."""
    first = {record.identifier(scheme) for scheme in _SCHEMES}
    return [
        {"scheme": one.scheme.value, "value": one.value}
        for one in record.identifiers
        if one.scheme in _SCHEMES and one.value not in first
    ]


def _abstract_provenance(origin: AbstractOrigin | None) -> dict[str, str | None] | None:
    if origin is None:
        return None
    return {"source": origin.source, "identifier": _or_null(origin.identifier)}


def _publication(record: Record) -> dict[str, Any]:
    return {
        "venue": _or_null(record.journal),
        "venue_abbreviation": _or_null(record.journal_abbreviation),
        "venue_alternatives": _filled(record.journal_alternatives),
        "publisher": _or_null(record.publisher),
        "issns": _issns(record),
        "volume": _or_null(record.volume),
        "issue": _or_null(record.issue),
        "pages": _or_null(record.pages),
        "year": record.date.year,
        "month": record.date.month,
        "day": record.date.day,
        "date_text": _or_null(record.date.text),
        "years": list(record.years),
        "type": record.csl_type,
        "publication_types": _filled(record.publication_types),
        "languages": _filled(record.languages),
        "is_preprint": record.is_preprint,
        "is_notice": record.is_notice,
        "notices": [_notice(notice) for notice in record.notices],
    }


def _issns(record: Record) -> list[str]:
    stated: Iterable[str] = (one.value for one in record.identifiers if one.scheme is Scheme.ISSN)
    return _filled(dict.fromkeys((*record.issns, *stated)))


def _notice(notice: Notice) -> dict[str, str | None]:
    return {
        "kind": notice.kind.value,
        "doi": _or_null(notice.doi),
        "pmid": _or_null(notice.pmid),
        "date": _or_null(notice.date),
        "text": _or_null(notice.text),
    }
