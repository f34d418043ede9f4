"""A DOI's metadata at DataCite as a record. Every field may be missing, null or of another type by schema version."""

from __future__ import annotations

import re
from typing import Any

from litapp.core.identifiers import identifier_url
from litapp.core.normalise import strip_status_prefix, title_key
from litapp.core.records import (
    AbstractSection,
    Identifier,
    Notice,
    NoticeKind,
    PartialDate,
    Person,
    Record,
    Scheme,
)
from litapp.providers.markup import abstract_sections, inline, title_line
from litapp.providers.reading import (
    date_of_iso,
    identifiers_of,
    is_notice_title,
    mapping,
    mappings,
    sequence,
    text,
    texts,
)
from litapp.providers.reading import year as plausible_year

_CSL_OF_GENERAL = {
    "audiovisual": "motion_picture",
    "book": "book",
    "bookchapter": "chapter",
    "collection": "dataset",
    "computationalnotebook": "software",
    "conferencepaper": "paper-conference",
    "conferenceproceeding": "book",
    "datapaper": "article-journal",
    "dataset": "dataset",
    "dissertation": "thesis",
    "image": "graphic",
    "journal": "periodical",
    "journalarticle": "article-journal",
    "peerreview": "review",
    "preprint": "article",
    "report": "report",
    "software": "software",
    "sound": "song",
    "standard": "standard",
}
_CSL_OF_WORDS = (
    (re.compile(r"preprint|working paper"), "article"),
    (re.compile(r"dissert|thesis|doctoral|habilitation"), "thesis"),
    (re.compile(r"conference|proceedings"), "paper-conference"),
    (re.compile(r"chapter"), "chapter"),
    (re.compile(r"journal\s*article|scholarlyarticle|\barticle\b"), "article-journal"),
    (re.compile(r"report"), "report"),
    (re.compile(r"monogra|\bbook\b"), "book"),
)
_PRINCIPAL = ("", "other")
"""Title types under which a work's own title stands; "" = no type given."""
_DATES = ("issued", "available", "submitted")
_NAME_OF_PERSON = re.compile(r"([^,]+),\s*([^,]+)\Z")


def record_of(item: dict[str, Any]) -> Record:
    """The record of one DOI (an object with `attributes`); fields DataCite does not give are empty."""
    data = mapping(item.get("attributes"))
    identifiers, warnings = identifiers_of([(Scheme.DOI, data.get("doi") or item.get("id")), *_other_identifiers(data)])
    doi = next((one.value for one in identifiers if one.scheme is Scheme.DOI), "")
    title, original = _titles(data)
    container, kinds = mapping(data.get("container")), mapping(data.get("types"))
    general, specific = text(kinds.get("resourceTypeGeneral")), text(kinds.get("resourceType"))
    publisher = _name(data.get("publisher"))
    preprint = general.lower() == "preprint"
    date, years = _dates(data)
    state = text(data.get("state"))
    if state and state != "findable":
        warnings = (*warnings, f"DataCite keeps this DOI as “{state}”: it is not published, or no longer.")
    return Record(
        source="datacite",
        source_id=doi,
        title=title,
        original_title=original,
        authors=_people(data.get("creators")),
        journal=inline(text(container.get("title"))) or (publisher if preprint else ""),
        issns=_issns(container),
        publisher=publisher,
        volume=text(container.get("volume")),
        issue=text(container.get("issue")),
        pages=_pages(container, text(data.get("publicationYear"))),
        date=date,
        years=years,
        csl_type=_csl_type(general, specific),
        publication_types=tuple(dict.fromkeys(filter(None, (general, specific)))),
        abstract=_abstract(data.get("descriptions")),
        keywords=tuple(
            dict.fromkeys(filter(None, (inline(text(one.get("subject"))) for one in mappings(data.get("subjects")))))
        ),
        languages=texts(data.get("language")),
        identifiers=identifiers,
        url=identifier_url(Identifier(Scheme.DOI, doi)) if doi else "",
        notices=_notices(data, title),
        is_notice=is_notice_title(title),
        is_preprint=preprint,
        warnings=warnings,
    )


def _name(value: Any) -> str:
    """A publisher, which is a text or an object by version of the schema."""
    return inline(text(mapping(value).get("name")) if isinstance(value, dict) else text(value))


def _titles(data: dict[str, Any]) -> tuple[str, str]:
    """The work's own title with its subtitle, and the title in another language. Alternative titles may stand first."""
    by_type: dict[str, list[str]] = {}
    for entry in mappings(data.get("titles")):
        line = title_line(text(entry.get("title")))
        if line:
            by_type.setdefault(text(entry.get("titleType")).lower(), []).append(line)
    everything = [line for lines in by_type.values() for line in lines]
    own = next((by_type[kind][0] for kind in _PRINCIPAL if kind in by_type), everything[0] if everything else "")
    subtitle = next(iter(by_type.get("subtitle", ())), "")
    if own and subtitle and own != subtitle and title_key(subtitle) not in title_key(own):
        own = f"{own} {subtitle}" if own.endswith((":", "?", "!")) else f"{own}: {subtitle}"
    return own, next(iter(by_type.get("translatedtitle", ())), "")


def _people(value: Any) -> tuple[Person, ...]:
    """Creators. A name with one comma is "Family, Given" unless DataCite calls it an organisation."""
    people: list[Person] = []
    for entry in mappings(value):
        family, given = inline(text(entry.get("familyName"))), inline(text(entry.get("givenName")))
        name = inline(text(entry.get("name")))
        organisation = text(entry.get("nameType")).lower() == "organizational"
        parted = _NAME_OF_PERSON.match(name)
        if family and not organisation:
            people.append(Person(family, given))
        elif parted and not organisation:
            people.append(Person(parted[1].strip(), parted[2].strip()))
        elif name or family or given:
            people.append(Person(literal=name or f"{given} {family}".strip()))
    return tuple(people)


def _dates(data: dict[str, Any]) -> tuple[PartialDate, tuple[int, ...]]:
    """The day of issue where it fits the year of publication, else that year; and all years of publication.

    A year of another calendar (2549) is kept as text.
    """
    stated = plausible_year(data.get("publicationYear"))
    found: dict[str, list[PartialDate]] = {}
    for entry in mappings(data.get("dates")):
        date = date_of_iso(text(entry.get("date")).partition("/")[0])
        if date.year is not None:
            found.setdefault(text(entry.get("dateType")).lower(), []).append(date)
    named = [date for kind in _DATES for date in found.get(kind, ())]
    full = [date for date in named if stated is None or date.year == stated]
    unread = "" if stated is not None else text(data.get("publicationYear"))
    best = next((date for date in full if date.month is not None), next(iter(full), PartialDate(stated, text=unread)))
    years = {stated, *(date.year for kind in ("issued", "available") for date in found.get(kind, ()))}
    return best, tuple(sorted(year for year in years if year is not None))


def _issns(container: dict[str, Any]) -> tuple[str, ...]:
    kind = text(container.get("identifierType")).upper()
    found, _ = identifiers_of([(Scheme.ISSN, container.get("identifier"))] if kind in ("ISSN", "EISSN") else [])
    return tuple(one.value for one in found)


def _pages(container: dict[str, Any], year: str) -> str:
    """Pages, where they can be: DataCite cuts them out of free text, and a place or the year may stand there."""
    first, last = text(container.get("firstPage")), text(container.get("lastPage"))
    if not any(sign.isdigit() for sign in first) or first == year:
        return ""
    return f"{first}-{last}" if last and first != last else first


def _csl_type(general: str, specific: str) -> str:
    """By DataCite's general type; "Text" and "Other" say nothing, so the depositor's own words decide there."""
    known = _CSL_OF_GENERAL.get(general.lower())
    if known is not None:
        return known
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", specific).lower()
    return next((csl for pattern, csl in _CSL_OF_WORDS if pattern.search(words) or pattern.search(specific.lower())),
                "document")  # fmt: skip


def _abstract(value: Any) -> tuple[AbstractSection, ...]:
    """The abstract; where there are several (languages), the first."""
    for entry in mappings(value):
        if text(entry.get("descriptionType")).lower() == "abstract" and isinstance(entry.get("description"), str):
            sections = abstract_sections(entry["description"])
            if sections:
                return sections
    return ()


def _other_identifiers(data: dict[str, Any]) -> list[tuple[Scheme, Any]]:
    """arXiv's own id, which DataCite lists beside the DOI of an arXiv paper; and the ISBN of a book."""
    found: list[tuple[Scheme, Any]] = []
    for entry in mappings(data.get("identifiers")):
        if text(entry.get("identifierType")).lower() == "arxiv":
            found.append((Scheme.ARXIV, entry.get("identifier")))
    for entry in sequence(data.get("alternateIdentifiers")):
        if text(mapping(entry).get("alternateIdentifierType")).lower() == "arxiv":
            found.append((Scheme.ARXIV, mapping(entry).get("alternateIdentifier")))
    return found


def _notices(data: dict[str, Any], title: str) -> tuple[Notice, ...]:
    withdrawn = [
        text(entry.get("date"))
        for entry in mappings(data.get("dates"))
        if text(entry.get("dateType")).lower() == "withdrawn"
    ]
    if withdrawn:
        return (Notice(NoticeKind.WITHDRAWAL, date=withdrawn[0], text="DataCite gives a day of withdrawal."),)
    if title and strip_status_prefix(title) != title:
        return (Notice(NoticeKind.RETRACTION, text="The title carries the mark."),)
    return ()
