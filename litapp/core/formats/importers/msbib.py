"""Reads the bibliography of Word (Sources.xml, office bibliography namespace)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.formats.importers.bibnames import bib_people
from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.encoding import TextEncoding
from litapp.core.formats.importers.names import person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.xmlstream import Element, local_name, read_elements, text_of
from litapp.core.records import Person, Scheme

_TYPES = {
    "JournalArticle": "article-journal", "ArticleInAPeriodical": "article-magazine", "Book": "book",
    "BookSection": "chapter",
    "ConferenceProceedings": "paper-conference", "Report": "report", "InternetSite": "webpage",
    "DocumentFromInternetSite": "webpage", "ElectronicSource": "webpage", "Patent": "patent", "Misc": "document",
}  # fmt: skip
_READ = frozenset((
    "SourceType", "Tag", "Guid", "LCID", "RefOrder", "Title", "Year", "Month", "Day", "Pages", "Volume", "Issue",
    "StandardNumber", "Publisher", "Institution", "JournalName", "PeriodicalTitle", "BookTitle", "ConferenceName",
    "InternetSiteTitle", "PublicationTitle", "URL", "Author", "DOI", "BIBTEX_KeyWords", "BIBTEX_Abstract",
    "AbbreviatedCaseNumber",
))  # fmt: skip


def read_msbib(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The sources of a Word bibliography, one at a time."""
    return read_elements(stream, encoding, limits, frozenset(("Source",)), msbib_draft)


def msbib_draft(source: Element) -> Draft:
    """The record that one `Source` element states."""
    fields: dict[str, str] = {}
    for one in source:
        if local_name(one) != "Author":
            fields.setdefault(local_name(one), text_of(one))

    def value(name: str) -> str:
        return tidy(fields.get(name, ""))

    draft = Draft(source_id=value("Tag"))
    draft.csl_type = _TYPES.get(value("SourceType"), "document")
    draft.titled(value("Title"))
    names = words(
        fields.get(name, "")
        for name in (
            "JournalName",
            "PeriodicalTitle",
            "BookTitle",
            "ConferenceName",
            "PublicationTitle",
            "InternetSiteTitle",
        )
    )
    draft.journal = next(iter(names), "")
    draft.alternatives = names[1:]
    draft.publisher = value("Publisher") or value("Institution")
    draft.volume, draft.issue, draft.pages = value("Volume"), value("Issue"), page_range(value("Pages"))
    draft.dated(f"{value('Year')}/{value('Month')}/{value('Day')}" if value("Month") else "", value("Year"))
    number = re.sub(r":?(?:ISSN|ISBN|DOI):", " ", value("StandardNumber"))
    if number:
        draft.identify_in(number, Scheme.DOI)
        if not draft.has(Scheme.DOI):
            draft.numbers(number.strip())
    draft.identify(Scheme.DOI, value("DOI"), "DOI")
    draft.url = value("URL")
    draft.identify_in(draft.url, Scheme.DOI, Scheme.PMID, Scheme.PMCID)
    draft.keywords = words(fields.get("BIBTEX_KeyWords", "").split(";"))
    draft.abstracted(value("BIBTEX_Abstract"))
    _people(source, draft)
    draft.dropped += [(name, text) for name, text in fields.items() if name not in _READ and text]
    return draft


def _people(source: Element, draft: Draft) -> None:
    for group in source:
        if local_name(group) != "Author":
            continue
        for role in group:
            people = [found for one in role.iter() for found in _persons(one)]
            if local_name(role) == "Author":
                draft.authors += people
            else:
                draft.dropped += [(local_name(role), one.name) for one in people]


def _persons(element: Element) -> list[Person]:
    """The persons of one element. Programs that export to Word put several into one ("Adam and Other, Cezary")."""
    parts = {local_name(one): text_of(one) for one in element}
    middle = parts.get("Middle", "")
    found = re.match(r"(.*?)\s*\band\s+(.*,.*)", middle)
    if found and local_name(element) == "Person":
        first = " ".join(filter(None, (parts.get("First", ""), found[1])))
        return [Person(family=parts.get("Last", ""), given=first), *bib_people(found[2])[0]]
    one = _person(element)
    return [one] if one else []


def _person(element: Element) -> Person | None:
    if local_name(element) == "Corporate":
        whole = text_of(element)
        return Person(literal=whole) if whole else None
    if local_name(element) != "Person":
        return None
    parts = {local_name(one): text_of(one) for one in element}
    family, given = parts.get("Last", ""), " ".join(filter(None, (parts.get("First", ""), parts.get("Middle", ""))))
    if not family:
        return person(given, True)
    return Person(family=family, given=given) if given else Person(family=family)
