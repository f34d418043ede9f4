"""Reads Ovid's tagged formats: "<1. >" before each record, then tags ("TI  - …") or long labels on lines of their
own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, names_in, person, without_degrees
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.sources import parse_source
from litapp.core.formats.importers.tagged import Block, Tags
from litapp.core.records import Scheme

NUMBER_LINE = re.compile(r"\s{0,3}<\s*(\d{1,9})\s*\.?\s*>\s*\Z")
_TAG_LINE = re.compile(r"\s?([A-Z][A-Z0-9]) {1,2}-(?: (.*))?\Z", re.DOTALL)
_LABELS = {
    "accession number": "AN", "unique identifier": "UI", "author": "AU", "authors": "AU", "authors full name": "AF",
    "title": "TI", "chapter title": "CH", "source": "SO", "abstract": "AB", "doi number": "DO", "doi": "DO",
    "digital object identifier": "DO", "issn": "IS", "issn print": "IS", "isbn": "IB", "publication type": "PT",
    "language": "LG", "year of publication": "YR", "publication date": "DP", "author keywords": "KW", "keywords": "KW",
    "key phrase identifiers": "ID", "database": "DB", "publisher": "PB", "document type": "DT", "pmid": "PM",
    "pubmed id": "PM", "medline identifier": "PM", "original title": "OT", "institution": "IN", "references": "CR",
    "score": "SCORE", "author e-mail": "EM", "status": "ST", "subject headings": "MH", "vernacular title": "OT",
    "journal subset": "SB", "nlm journal code": "JC", "link to the ovid full text or citation": "XL", "url": "UR",
    "correspondence address": "AD", "country of publication": "CP", "date of publication": "DP", "volume": "VO",
    "issue": "IP", "pagination": "PG", "journal name": "JN", "local messages": "LM", "entry date": "ED",
}  # fmt: skip
_AU_NOTE = re.compile(r"\s*\[[^\]]*(?:\]|\Z)")
_TITLE_NOTE = re.compile(
    r"\s*\[(?:References|Article|Miscellaneous|Review(?: Article)?|Letter|Editorial|Report|Book|Comment|Original Article|Abstract|Erratum|Case Report|News|Departments?|Research)s?\]\.?\s*\Z",  # noqa: E501
    re.IGNORECASE,
)
_MEDLINE = re.compile(r"medline|pubmed", re.IGNORECASE)


def read_ovid(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of an Ovid file, one at a time."""
    for number, (tags, block) in enumerate(_records(lines, limits), start=1):
        yield ovid_draft(Fields(tags.pairs())).entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block]]:
    tags = Tags()
    block = Block(limits)
    began = False
    for number, line in lines:
        if NUMBER_LINE.match(line):
            if began:
                yield tags, block
            tags, block, began = Tags(), Block(limits), True
            block.add(number, line)
            continue
        if not line.strip():
            continue
        found = _TAG_LINE.match(line)
        label = _LABELS.get(line.strip().lower()) if not line[:1].isspace() else None
        if found or label:
            began = True
            block.add(number, line)
            tags.add(label or (found[1] if found else ""), (found[2] or "").strip() if found and not label else "")
        elif tags:
            block.add(number, line)
            tags.more(line.strip(), "\n")
    if began:
        yield tags, block


def ovid_draft(fields: Fields) -> Draft:
    """The record that one Ovid entry states."""
    draft = Draft()
    database = tidy(fields.first("DB", "VN"))
    draft.database = "" if database == "Ovid Technologies" else database
    title = tidy(fields.first("TI"))
    chapter = tidy(fields.first("CH"))
    draft.title = _TITLE_NOTE.sub("", chapter or title).strip()
    if re.fullmatch(r'"[^"]*"\.?', draft.title):
        draft.title = draft.title.strip('".')
    draft.original_title = tidy(fields.first("OT")) if len(fields.peek("OT")) == 1 else ""
    draft.types = [part for value in fields.all("PT") for part in words(re.split(r"[;.]\s", value))]
    _people(fields, draft)
    _where(fields, draft, title if chapter else "")
    draft.abstracted(*fields.all("AB"))
    draft.keywords = words(part for value in fields.all("KW", "ID", "MH", "DE") for part in re.split(r";|\n", value))
    draft.languages = [word.rstrip(".") for word in words(fields.all("LG", "LA"))]
    draft.publisher = tidy(fields.first("PB", "PU"))
    for value in fields.all("IS", "IT", "IL", "IB", "ES"):
        draft.numbers(value)
    draft.source_id = tidy((fields.peek("UI", "AN") or [""])[0]).rstrip(".")
    for value in fields.all("DO", "DI"):
        draft.identify(Scheme.DOI, value, "DO")
    for value in fields.all("PM"):
        draft.identify(Scheme.PMID, value.split()[0] if value.split() else "", "PM")
    if _MEDLINE.search(draft.database) and re.fullmatch(r"\d{1,8}", draft.source_id):
        draft.identify(Scheme.PMID, draft.source_id)
    links = words(fields.all("UR", "XL", "IU"))
    draft.url = next((link for link in links if link.startswith("http")), "")
    draft.dropped += [("XL", link) for link in links if link != draft.url]
    draft.dropped[:0] = fields.rest()
    return draft


def _people(fields: Fields, draft: Draft) -> None:
    for value in fields.all("AU") or fields.all("AF"):
        editor = re.fullmatch(r"[^;\n]*\[ed[^\]]*\][^;\n]*", value, re.IGNORECASE)
        value = value if editor else _AU_NOTE.sub("", value)
        for line in value.split("\n") if ";" not in value else [value.replace("\n", " ")]:
            for name in _separate(line):
                if "[ed" in name.lower():
                    draft.dropped.append(("AU", name))
                    continue
                name = without_degrees(_AU_NOTE.sub("", name))
                if is_et_al(name):
                    draft.authors_complete = False
                elif (found := person(name)) is not None:
                    draft.authors.append(found)


def _separate(line: str) -> list[str]:
    """Names parted by ";"; degrees that are parted so too ("RN; PhD; FAAN 1") stay with their name."""
    names: list[str] = []
    for part in names_in(line):
        if names and not without_degrees("x, " + part.strip()).strip("x, "):
            continue
        names.append(part.strip())
    return [name for name in names if name]


def _where(fields: Fields, draft: Draft, book: str) -> None:
    lines = "\n".join(fields.all("SO"))
    source = parse_source(lines.split("\nSeries Information")[0])
    kinds = " ".join(draft.types).lower()
    draft.journal = tidy(fields.first("JN", "JT")) or ("" if "patent" in kinds else source.journal) or book
    if re.search(r"\bbook\b|chapter|monograph", kinds):
        draft.csl_type = "chapter" if book or "chapter" in kinds else "book"
    elif "patent" in kinds:
        draft.csl_type = "patent"
    draft.volume = tidy(fields.first("VO", "VI")) or ("" if "patent" in kinds else source.volume)
    draft.issue = tidy(fields.first("IP")) or ("" if "patent" in kinds else source.issue)
    draft.pages = page_range(fields.first("PG")) or page_range(source.pages)
    draft.dated(*fields.all("YR"))
    if draft.date.year is None or source.date.year == draft.date.year:
        draft.date = source.date if source.date.year is not None else draft.date
    draft.dated(*fields.all("DP"))
    if draft.date.year is not None:
        draft.years.add(draft.date.year)
