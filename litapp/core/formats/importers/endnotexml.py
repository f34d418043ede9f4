"""Reads EndNote XML, as EndNote, Mendeley, Bookends and Zotero write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.formats.importers.draft import Draft, claims_in, page_range, tidy, words
from litapp.core.formats.importers.encoding import TextEncoding
from litapp.core.formats.importers.names import is_et_al, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.xmlstream import Element, local_name, read_elements, text_of, without_namespaces
from litapp.core.records import Scheme

_TYPES = {
    "Journal Article": "article-journal", "Electronic Article": "article-journal", "Book": "book",
    "Edited Book": "book",
    "Electronic Book": "book", "Book Section": "chapter", "Electronic Book Section": "chapter",
    "Conference Paper": "paper-conference", "Conference Proceedings": "paper-conference", "Report": "report",
    "Government Document": "report", "Thesis": "thesis", "Web Page": "webpage", "Dataset": "dataset",
    "Newspaper Article": "article-newspaper", "Magazine Article": "article-magazine", "Patent": "patent",
    "Manuscript": "manuscript", "Unpublished Work": "manuscript", "Computer Program": "software", "Blog": "post-weblog",
    "Film or Broadcast": "motion_picture", "Encyclopedia": "entry-encyclopedia", "Generic": "document",
}  # fmt: skip
_READ = frozenset((
    "contributors", "titles", "periodical", "dates", "keywords", "urls", "ref-type", "database", "source-app",
    "rec-number", "foreign-keys", "alt-periodical",
))  # fmt: skip
_FACES = {"italic": "i", "superscript": "sup", "subscript": "sub"}


def read_endnote_xml(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The records of an EndNote XML file, one at a time."""
    return read_elements(stream, encoding, limits, frozenset(("record",)), endnote_draft)


def endnote_draft(record: Element) -> Draft:
    """The record that one `record` element states."""
    record, draft = without_namespaces(record), Draft()
    kind = record.find("ref-type")
    draft.csl_type = _TYPES.get(
        kind.get("name", "") if kind is not None else "", "document" if kind is not None else "article-journal"
    )
    titles = {local_name(one): _styled(one) for one in record.iterfind("titles/*")}
    draft.titled(titles.get("title", ""))
    journals = words(
        [
            text_of(record.find("periodical/full-title")),
            titles.get("secondary-title", ""),
            text_of(record.find("alt-periodical/full-title")),
        ]
    )
    whole = draft.csl_type in ("book", "thesis", "report")
    draft.journal = (
        next(iter(journals), "") if not whole else next(iter(words([titles.get("secondary-title", "")])), "")
    )
    draft.abbreviation = text_of(record.find("periodical/abbr-1"))
    draft.alternatives = words([*journals, titles.get("alt-title", ""), titles.get("tertiary-title", "")])
    draft.dropped += [
        (name, value) for name, value in titles.items() if name in ("short-title", "translated-title") and value
    ]
    _people(record, draft)
    draft.volume, draft.issue = (
        tidy(_field(record, "volume")),
        tidy(_field(record, "number")) or tidy(_field(record, "issue")),
    )
    pages = page_range(_field(record, "pages"))
    if draft.csl_type in ("book", "thesis") and pages.isdigit():
        draft.dropped.append(("pages", pages))
    else:
        draft.pages = pages
    draft.dated(
        text_of(record.find("dates/year")),
        *(
            f"{text_of(record.find('dates/year'))} {text_of(one)}"
            for one in record.iterfind("dates/pub-dates/date")
            if not re.search(r"\d{4}", text_of(one))
        ),
        *(text_of(one) for one in record.iterfind("dates/pub-dates/date")),
    )
    draft.publisher = tidy(_field(record, "publisher"))
    for one in record.iterfind("isbn"):
        draft.numbers("".join(str(part) for part in one.itertext()).replace("\r", "\n"))
    draft.abstracted(_styled(record.find("abstract")))
    draft.keywords = words(text_of(one) for one in record.iterfind("keywords/keyword"))
    draft.languages = words([_field(record, "language")])
    draft.database = tidy(_field(record, "remote-database-name")) or tidy(_field(record, "remote-database-provider"))
    _identifiers(record, draft)
    notes = _field(record, "notes") + "\n" + _field(record, "research-notes")
    draft.claimed = claims_in(notes)
    taken = {
        "volume",
        "number",
        "issue",
        "pages",
        "publisher",
        "isbn",
        "abstract",
        "language",
        "electronic-resource-num",
    }
    for one in record:
        name = local_name(one)
        if name not in _READ and name not in taken and (value := text_of(one)):
            draft.dropped.append((name, value))
    return draft


def _field(record: Element, name: str) -> str:
    return text_of(record.find(name))


def _styled(element: Element | None) -> str:
    """The text of an element; italic, raised and lowered runs keep their markup."""
    if element is None:
        return ""
    if not any(one.get("face") in _FACES for one in element.iterfind("style")):
        return text_of(element)
    out = [element.text or ""]
    for one in element.iter("style"):
        content = "".join(str(part) for part in one.itertext())
        mark = _FACES.get(one.get("face", ""))
        out.append(f"<{mark}>{content}</{mark}>" if mark and content.strip() and "<" not in content else content)
        out.append(one.tail or "")
    return "".join(out)


def _people(record: Element, draft: Draft) -> None:
    for role in record.iterfind("contributors/*"):
        for one in role.iterfind("author"):
            name = " ".join("".join(str(part) for part in one.itertext()).split())
            if local_name(role) != "authors":
                if name:
                    draft.dropped.append((local_name(role), name))
            elif is_et_al(name):
                draft.authors_complete = False
            elif (found := person(name, True)) is not None:
                draft.authors.append(found)


def _identifiers(record: Element, draft: Draft) -> None:
    number = _field(record, "electronic-resource-num")
    if (
        number
        and not draft.identify(Scheme.DOI, number)
        and not draft.identify_in(number, Scheme.DOI, Scheme.PMID, Scheme.PMCID)
    ):
        draft.dropped.append(("electronic-resource-num", number))
    links = [
        link
        for one in record.iterfind("urls/*/url")
        for link in re.findall(r"https?://[^\s<>]+", "".join(str(p) for p in one.itertext()))
    ]
    for link in links:
        draft.identify_in(link, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next(iter(links), "")
    draft.dropped += [
        ("url", text_of(one)) for one in record.iterfind("urls/*/url") if text_of(one) and text_of(one) != draft.url
    ]
    accession = _field(record, "accession-num")
    draft.source_id = accession
    provider = f"{draft.database} {_field(record, 'remote-database-provider')}"
    kind = record.find("ref-type")
    if kind is not None and text_of(kind) == "0":
        provider += " PubMed"  # Mendeley writes 0 for every type, and PMIDs as accession numbers
    if (
        re.fullmatch(r"[1-9]\d{4,7}", accession)
        and re.search(r"pubmed|medline|\bnlm\b", provider, re.IGNORECASE)
        and "embase" not in provider.lower()
    ) or re.match(r"(?:pmid|pubmed|medline)\b", accession, re.IGNORECASE):
        draft.identify(Scheme.PMID, accession)
    custom = _field(record, "custom2")
    if re.fullmatch(r"PMC\d+", custom):
        draft.identify(Scheme.PMCID, custom)
