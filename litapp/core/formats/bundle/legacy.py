"""The explicit adapter for old records (title, year, id): the only way in which such records are read."""

from __future__ import annotations

import re
from typing import Any

from litapp.core.brought import BROUGHT
from litapp.core.formats.bundle.papers import LEGACY_ADAPTED, AbstractOrigin, paper_of
from litapp.core.identifiers import parse_identifier
from litapp.core.records import AbstractSection, Identifier, PartialDate, Person, Record, Scheme

_KNOWN = frozenset(("title", "year", "id", "authors", "doi", "pmid", "abstract", "venue", "journal", "url", "source"))

_SAYS_WHAT_IT_IS = re.compile(r"(?:doi\b|10\.\d{4,9}/|pmid\b|pmc\s*(?:id)?[:\s]*\d|arxiv\b|https?://)", re.IGNORECASE)
"""Beginnings of an old id that name its scheme."""


class LegacyRecordError(ValueError):
    """An old record that cannot be adapted, or one that came where only `litledger.paper.v1` is read."""


def is_legacy(data: dict[str, Any]) -> bool:
    """True for an old record: a title and no schema."""
    return "schema" not in data and "title" in data


def legacy_record(data: dict[str, Any]) -> Record:
    """The record that an old entry states: only what stands in it. Raises LegacyRecordError.

    Its `id` becomes an identifier only where it says of itself what it is (a DOI, "PMID: 1", an address); bare digits
    stay a name of the old list. Whatever its `source` says, no answer is there to prove it: the source is "brought".
    """
    if not is_legacy(data):
        raise LegacyRecordError("This is no old record: it has a schema, or no title.")
    title = data["title"]
    if not isinstance(title, str) or not title.strip():
        raise LegacyRecordError("This old record has no title.")
    unknown = sorted(set(data) - _KNOWN)
    warnings = [LEGACY_ADAPTED]
    warnings += [f"The old field “{name[:60]}” was not read." for name in unknown]
    abstract = _text(data.get("abstract"))
    return Record(
        source=BROUGHT,
        source_id=_text(data.get("id")),
        title=" ".join(title.split()),
        authors=_authors(data.get("authors")),
        journal=_text(data.get("venue")) or _text(data.get("journal")),
        date=PartialDate(year=_year(data.get("year"), warnings)),
        abstract=(AbstractSection(abstract),) if abstract else (),
        identifiers=_identifiers(data, warnings),
        url=_text(data.get("url")),
        warnings=tuple(warnings),
    )


def adapt_legacy(data: dict[str, Any], *, paper_id: str) -> dict[str, Any]:
    """An old record as `litledger.paper.v1`, with the warning `legacy_adapted`. Raises LegacyRecordError."""
    record = legacy_record(data)
    origin = AbstractOrigin(record.source) if record.abstract else None
    return paper_of(record, paper_id=paper_id, entries=(), matches=(), abstract=origin, field_sources={})


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return " ".join(str(value).split())


def _year(value: object, warnings: list[str]) -> int | None:
    text = _text(value)
    if re.fullmatch(r"(1[5-9]|20|21)\d\d", text):
        return int(text)
    if text:
        warnings.append(f"The old year “{text[:20]}” could not be read.")
    return None


def _authors(value: object) -> tuple[Person, ...]:
    if isinstance(value, str):
        value = value.split(";")
    if not isinstance(value, list):
        return ()
    return tuple(Person(literal=name) for item in value if (name := _text(item)))


def _identifiers(data: dict[str, Any], warnings: list[str]) -> tuple[Identifier, ...]:
    found: dict[Identifier, None] = {}
    for scheme, prefix in ((Scheme.DOI, ""), (Scheme.PMID, "PMID: ")):
        stated = _text(data.get(scheme.value))
        identifier = parse_identifier(prefix + stated) if stated else None
        if identifier is not None and identifier.scheme is scheme:
            found[identifier] = None
        elif stated:
            warnings.append(f"The old {scheme.value.upper()} “{stated[:60]}” is none.")
    name = _text(data.get("id"))
    identifier = parse_identifier(name) if _SAYS_WHAT_IT_IS.match(name) else None
    if identifier is not None:
        found[identifier] = None
    return tuple(found)
