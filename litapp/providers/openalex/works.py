"""An OpenAlex work object as a record. Every field may be missing or null."""

from __future__ import annotations

import re
from typing import Any

from litapp.core.normalise import strip_status_prefix
from litapp.core.records import AbstractSection, MeshHeading, Notice, NoticeKind, PartialDate, Person, Record, Scheme
from litapp.providers.markup import inline, title_line
from litapp.providers.reading import (
    date_of_iso,
    identifiers_of,
    is_notice_title,
    mapping,
    mappings,
    sequence,
    text,
    texts,
    whole,
)
from litapp.providers.reading import year as plausible_year

_CSL_TYPES = {
    "preprint": "article",
    "posted-content": "article",
    "book-chapter": "chapter",
    "book": "book",
    "monograph": "book",
    "conference-paper": "paper-conference",
    "proceedings-article": "paper-conference",
    "dissertation": "thesis",
    "dataset": "dataset",
    "report": "report",
    "standard": "standard",
    "peer-review": "review",
    "reference-entry": "entry-encyclopedia",
    "software": "software",
    "paratext": "document",
    "other": "document",
    "component": "document",
}
_NOTICE_TYPES = frozenset({"erratum", "retraction"})
_LONGEST_ABSTRACT = 50_000
"""Words. A position above it is taken for damage."""


def _own_id(value: object) -> str:
    """The work's number where it is written in a way that no identifier of ours is ("…/W0042"): it still is its own."""
    found = re.search(r"(?:\A|/)(W\d+)\Z", value) if isinstance(value, str) else None
    return found[1] if found else ""


def record_of(item: dict[str, Any]) -> Record:
    """The record of one work; fields OpenAlex does not give are empty. Author names are as printed, not parted."""
    ids = mapping(item.get("ids"))
    identifiers, warnings = identifiers_of(
        [
            (Scheme.OPENALEX, item.get("id") or ids.get("openalex")),
            (Scheme.DOI, item.get("doi") or ids.get("doi")),
            (Scheme.PMID, ids.get("pmid")),
            (Scheme.PMCID, ids.get("pmcid")),
        ]
    )
    work_id = next((one.value for one in identifiers if one.scheme is Scheme.OPENALEX), "") or _own_id(item.get("id"))
    title = title_line(text(item.get("title")) or text(item.get("display_name")))
    kind = text(item.get("type"))
    venue = mapping(mapping(item.get("primary_location")).get("source"))
    issns, _ = identifiers_of((Scheme.ISSN, value) for value in (*texts(venue.get("issn")), text(venue.get("issn_l"))))
    biblio = mapping(item.get("biblio"))
    is_notice = kind in _NOTICE_TYPES or is_notice_title(title)
    date, years = _dates(item)
    return Record(
        source="openalex",
        source_id=work_id,
        title=title,
        authors=_people(item.get("authorships")),
        authors_complete=item.get("is_authors_truncated") is not True,
        journal=inline(text(venue.get("display_name"))),
        issns=tuple(one.value for one in issns),
        publisher=text(venue.get("host_organization_name")),
        volume=text(biblio.get("volume")),
        issue=text(biblio.get("issue")),
        pages=_pages(text(biblio.get("first_page")), text(biblio.get("last_page"))),
        date=date,
        years=years,
        csl_type=_CSL_TYPES.get(kind, "article-journal"),
        publication_types=(kind,) if kind else (),
        abstract=_abstract(item.get("abstract_inverted_index")),
        mesh=_mesh(item.get("mesh")),
        languages=texts(item.get("language")),
        identifiers=identifiers,
        url=f"https://openalex.org/{work_id}" if work_id else "",
        notices=() if is_notice else _notices(item, title),
        is_notice=is_notice,
        is_preprint=kind in ("preprint", "posted-content"),
        warnings=warnings,
    )


def _people(value: Any) -> tuple[Person, ...]:
    """Names as printed on the paper; where that is missing, as OpenAlex shows the author."""
    people = []
    for entry in mappings(value):
        name = inline(text(entry.get("raw_author_name")) or text(mapping(entry.get("author")).get("display_name")))
        family, comma, given = name.partition(",")
        if comma and family.strip() and given.strip() and "," not in given:
            people.append(Person(family=family.strip(), given=given.strip()))
        elif name:
            people.append(Person(literal=name))
    return tuple(people)


def _dates(item: dict[str, Any]) -> tuple[PartialDate, tuple[int, ...]]:
    """The date and all years. OpenAlex writes 1 January where only the year is known, so that is read as the year."""
    date = date_of_iso(item.get("publication_date"))
    stated = plausible_year(item.get("publication_year"))
    if (date.month, date.day) == (1, 1):
        date = PartialDate(date.year)
    if date.year is None and stated is not None:
        date = PartialDate(stated)
    return date, tuple(sorted({year for year in (date.year, stated) if year is not None}))


def _pages(first: str, last: str) -> str:
    return f"{first}-{last}" if first and last and first != last else first or last


def _abstract(value: Any) -> tuple[AbstractSection, ...]:
    """The abstract put together from its inverted index. Positions may have gaps; they are closed."""
    words: dict[int, str] = {}
    for word, positions in mapping(value).items():
        for position in map(whole, sequence(positions)):
            if position is not None and 0 <= position <= _LONGEST_ABSTRACT:
                words[position] = word
    line = inline(" ".join(words[position] for position in sorted(words)))
    return (AbstractSection(line),) if line else ()


def _mesh(value: Any) -> tuple[MeshHeading, ...]:
    """MeSH headings: OpenAlex has one row per descriptor and qualifier."""
    rows: dict[tuple[str, str], tuple[list[str], bool]] = {}
    for entry in mappings(value):
        name = text(entry.get("descriptor_name"))
        if not name:
            continue
        key = (name, text(entry.get("descriptor_ui")))
        qualifiers, major = rows.get(key, ([], False))
        qualifier = text(entry.get("qualifier_name"))
        if qualifier:
            qualifiers.append(qualifier)
        rows[key] = (qualifiers, major or entry.get("is_major_topic") is True)
    return tuple(MeshHeading(name, ui, tuple(found), major) for (name, ui), (found, major) in rows.items())


def _notices(item: dict[str, Any], title: str) -> tuple[Notice, ...]:
    if item.get("is_retracted") is True:
        return (Notice(NoticeKind.RETRACTION, text="OpenAlex marks this work as retracted."),)
    if strip_status_prefix(title) != title:
        return (Notice(NoticeKind.RETRACTION, text="The title carries the mark."),)
    return ()
