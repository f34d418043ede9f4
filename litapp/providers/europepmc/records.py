"""A Europe PMC result as a record: whole ones (core), short ones (lite) and entries of citation lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from litapp.core.formats.pubmeddates import date_in_citation
from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.normalise import strip_status_prefix
from litapp.core.records import (
    Identifier,
    MeshHeading,
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
    date_of_parts,
    identifiers_of,
    is_notice_title,
    mapping,
    mappings,
    text,
    texts,
)
from litapp.providers.reading import year as plausible_year

PREPRINTS = "PPR"
_CSL_OF_COLLECTION = {"PPR": "article", "PAT": "patent", "NBK": "book", "ETH": "thesis", "HIR": "report"}
_NOTICES_ON_RECORD = {
    "retraction in": NoticeKind.RETRACTION,
    "partial retraction in": NoticeKind.PARTIAL_RETRACTION,
    "retracted and republished in": NoticeKind.RETRACTION,
    "expression of concern in": NoticeKind.CONCERN,
    "erratum in": NoticeKind.CORRECTION,
    "corrected and republished in": NoticeKind.CORRECTION,
}
_NOTICE_LINKS = frozenset({"retraction of", "partial retraction of", "expression of concern for", "erratum for"})
_NOTICE_TYPES = frozenset(
    {"retraction of publication", "retraction notice", "published erratum", "expression of concern"}
)
_RETRACTED = "retracted publication"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PRINTED_DATE = re.compile(rf"(\d{{4}})(?:\s+({'|'.join(_MONTHS)})[a-z]*(?:\s+(\d{{1,2}}))?)?\Z", re.IGNORECASE)
_SHORT_NAME = re.compile(r"(.+?)\s+([A-Z]{1,4}|[A-Z](?:-[A-Z])+)(?:\s+(Jr|Sr|\dnd|\drd|\dth|I{2,3}|IV))?\Z")
_DOI_IN_CITATION = re.compile(r"\bdoi:\s*(10\.\S+)", re.IGNORECASE)


def record_of(item: dict[str, Any]) -> Record:
    """The record of one result; fields Europe PMC does not give are empty."""
    collection, number = text(item.get("source")), text(item.get("id"))
    identifiers, warnings = identifiers_of(
        [
            (Scheme.PMID, item.get("pmid") or (number if collection == "MED" else "")),
            (Scheme.PMCID, item.get("pmcid") or (number if collection == "PMC" else "")),
            (Scheme.DOI, item.get("doi")),
        ]
    )
    title = title_line(text(item.get("title")))
    info, book = mapping(item.get("journalInfo")), mapping(item.get("bookOrReportDetails"))
    journal = mapping(info.get("journal"))
    types = _types(item)
    lowered = {kind.lower() for kind in types}
    preprint = collection == PREPRINTS or "preprint" in lowered
    authors, complete = _authors(item)
    issns, _ = identifiers_of((Scheme.ISSN, value) for value in _issns(item, journal))
    notices, is_notice, published = _links(item, lowered, title)
    publisher = inline(text(book.get("publisher")))
    container = inline(text(journal.get("title")) or text(item.get("journalTitle")))
    return Record(
        source="europepmc",
        source_id=f"{collection}/{number}" if collection and number else "",
        title=title,
        authors=authors,
        authors_complete=complete,
        journal=container or (publisher if collection == PREPRINTS else inline(text(book.get("comprisingTitle")))),
        journal_abbreviation=inline(
            text(journal.get("isoabbreviation"))
            or text(journal.get("medlineAbbreviation"))
            or text(item.get("journalAbbreviation"))
        ),
        issns=tuple(one.value for one in issns),
        publisher=publisher,
        volume=text(info.get("volume")) or text(item.get("journalVolume")) or text(item.get("volume")),
        issue=text(info.get("issue")) or text(item.get("issue")),
        pages=text(item.get("pageInfo")),
        date=_date(item, info, collection),
        years=_years(item, info, book),
        csl_type="article" if preprint else _CSL_OF_COLLECTION.get(collection, "article-journal"),
        publication_types=types,
        abstract=abstract_sections(item["abstractText"]) if isinstance(item.get("abstractText"), str) else (),
        mesh=_mesh(item),
        keywords=texts(mapping(item.get("keywordList")).get("keyword")),
        languages=texts(item.get("language")),
        identifiers=identifiers,
        url=f"https://europepmc.org/article/{collection}/{number}" if collection and number else "",
        notices=notices,
        is_notice=is_notice,
        is_preprint=preprint,
        published_as=published,
        warnings=warnings,
    )


def _types(item: dict[str, Any]) -> tuple[str, ...]:
    """Publication types; short results hold them in one text, parted by semicolons."""
    whole = texts(mapping(item.get("pubTypeList")).get("pubType"))
    joined = text(item.get("pubType")) or text(item.get("citationType"))
    return whole or tuple(dict.fromkeys(filter(None, (kind.strip() for kind in joined.split(";")))))


def _issns(item: dict[str, Any], journal: dict[str, Any]) -> Iterable[str]:
    yield from (text(journal.get(name)) for name in ("issn", "essn"))
    yield from (part.strip() for part in text(item.get("journalIssn")).split(";"))


def _authors(item: dict[str, Any]) -> tuple[tuple[Person, ...], bool]:
    """Authors with given names from a whole result, else from the line of names and initials."""
    line = text(item.get("authorString")).rstrip(".").strip()
    cut = re.search(r",?\s+et al\Z", line)
    people = tuple(
        person
        for entry in mappings(mapping(item.get("authorList")).get("author"))
        if (person := _person(entry)) is not None
    )
    if people:
        return people, True
    names = (line[: cut.start()] if cut else line).split(",")
    return tuple(_short_person(name.strip()) for name in names if name.strip()), cut is None


def _person(entry: dict[str, Any]) -> Person | None:
    family = inline(text(entry.get("lastName")))
    if family:
        given = inline(text(entry.get("firstName")) or text(entry.get("initials")))
        return Person(family, given, text(entry.get("suffix")))
    name = inline(text(entry.get("collectiveName")) or text(entry.get("fullName")))
    return Person(literal=name) if name else None


def _short_person(name: str) -> Person:
    """ "Lee MS" as family name and initials; a name of another form is a group, or not parted."""
    found = _SHORT_NAME.match(name)
    return Person(found[1], found[2], found[3] or "") if found else Person(literal=name)


def _date(item: dict[str, Any], info: dict[str, Any], collection: str) -> PartialDate:
    """The date of the issue as printed; for a preprint, and where no issue is named, the day it first appeared."""
    printed = text(info.get("dateOfPublication"))
    found = _PRINTED_DATE.match(printed)
    if found:
        month = (found[2] or "").lower()
        return date_of_parts([found[1], _MONTHS.index(month) + 1 if month in _MONTHS else None, found[3]])
    appeared = date_of_iso(item.get("firstPublicationDate"))
    stated = plausible_year(info.get("yearOfPublication")) or plausible_year(item.get("pubYear"))
    if collection == PREPRINTS or stated is None:
        return appeared if appeared.year is not None else PartialDate(stated)
    return PartialDate(stated, date_of_parts([stated, info.get("monthOfPublication")]).month, text=printed)


def _years(item: dict[str, Any], info: dict[str, Any], book: dict[str, Any]) -> tuple[int, ...]:
    stated = (item.get("pubYear"), info.get("yearOfPublication"), book.get("yearOfPublication"))
    dates = (info.get("printPublicationDate"), item.get("electronicPublicationDate"), item.get("firstPublicationDate"))
    years = {*map(plausible_year, stated), *(date_of_iso(value).year for value in dates)}
    return tuple(sorted(year for year in years if year is not None))


def _mesh(item: dict[str, Any]) -> tuple[MeshHeading, ...]:
    headings = []
    for entry in mappings(mapping(item.get("meshHeadingList")).get("meshHeading")):
        name = text(entry.get("descriptorName"))
        qualifiers = mappings(mapping(entry.get("meshQualifierList")).get("meshQualifier"))
        if name:
            major = any(text(one.get("majorTopic_YN")) == "Y" for one in (entry, *qualifiers))
            names = filter(None, (text(one.get("qualifierName")) for one in qualifiers))
            headings.append(MeshHeading(name, qualifiers=tuple(names), major=major))
    return tuple(headings)


def _links(
    item: dict[str, Any], types: set[str], title: str
) -> tuple[tuple[Notice, ...], bool, tuple[Identifier, ...]]:
    """Notices on this record, whether it is a notice itself, and what a preprint was published as."""
    notices: list[Notice] = []
    published: list[tuple[Scheme, str]] = []
    is_notice = not _NOTICE_TYPES.isdisjoint(types) or is_notice_title(title)
    for link in mappings(mapping(item.get("commentCorrectionList")).get("commentCorrection")):
        kind, collection, number = (text(link.get(name)) for name in ("type", "source", "id"))
        kind = kind.lower()
        is_notice = is_notice or kind in _NOTICE_LINKS
        if kind == "preprint of":
            scheme = {"MED": Scheme.PMID, "PMC": Scheme.PMCID}.get(collection)
            published += [(scheme, number)] if scheme else []
        if kind not in _NOTICES_ON_RECORD:
            continue
        words = " ".join(filter(None, (text(link.get("reference")), text(link.get("note")))))
        meaning = _NOTICES_ON_RECORD[kind]
        if meaning is NoticeKind.RETRACTION and "partial" in words.lower():
            meaning = NoticeKind.PARTIAL_RETRACTION
        pmid = number if collection == "MED" and number.isdigit() else ""
        notices.append(Notice(meaning, doi=_doi_in(words), pmid=pmid, date=date_in_citation(words), text=words or kind))
    retracting = (NoticeKind.RETRACTION, NoticeKind.PARTIAL_RETRACTION, NoticeKind.WITHDRAWAL)
    if not any(notice.kind in retracting for notice in notices):
        if _RETRACTED in types:
            notices.append(Notice(NoticeKind.RETRACTION, text="Retracted Publication"))
        elif title and strip_status_prefix(title) != title and not is_notice:
            withdrawn = "withdrawn" in title.lower()
            kind_of_mark = NoticeKind.WITHDRAWAL if withdrawn else NoticeKind.RETRACTION
            notices.append(Notice(kind_of_mark, text="The title carries the mark."))
    return tuple(notices), is_notice, identifiers_of(published)[0]


def _doi_in(citation: str) -> str:
    found = _DOI_IN_CITATION.search(citation)
    if found is None:
        return ""
    try:
        return normalise(Scheme.DOI, found[1])
    except BadIdentifier:
        return ""
