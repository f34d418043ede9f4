"""Reads RefWorks' tagged format: two letters, a blank, a value; a record begins with RT."""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, names_in, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.tagged import Block, Tags
from litapp.core.records import Scheme

TAG_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?\Z", re.DOTALL)
_TYPES = {
    "journal": "article-journal", "journal article": "article-journal", "book, whole": "book", "book, edited": "book",
    "book, section": "chapter", "conference proceedings": "paper-conference", "report": "report",
    "dissertation/thesis": "thesis", "dissertation": "thesis", "web page": "webpage",
    "newspaper article": "article-newspaper", "magazine article": "article-magazine", "monograph": "book",
    "journal, electronic": "article-journal", "patent": "patent", "unpublished material": "manuscript",
}  # fmt: skip
_MANY = frozenset(("A1", "A2", "K1", "UL"))


def read_refworks(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of a RefWorks file, one at a time."""
    for number, (tags, block) in enumerate(_records(lines, limits), start=1):
        yield refworks_draft(Fields(tags.pairs())).entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block]]:
    tags = Tags()
    block = Block(limits)
    for number, line in lines:
        found = TAG_LINE.match(line)
        if found and found[1] == "RT":
            if tags:
                yield tags, block
            tags, block = Tags(), Block(limits)
        elif not tags:
            continue
        if found:
            block.add(number, line)
            tags.add(found[1], (found[2] or "").strip())
        elif line.strip():
            block.add(number, line)
            tags.more(line.strip())
    if tags:
        yield tags, block


def refworks_draft(fields: Fields) -> Draft:
    """The record that one RefWorks entry states."""
    draft = Draft()
    kind = tidy(fields.first("RT")).lower()
    draft.csl_type = _TYPES.get(kind, "document")
    draft.titled(fields.first("T1"))
    draft.original_title = tidy(fields.first("OT"))
    names = [tidy(fields.first(tag)) for tag in ("JF", "T2", "JO")]
    draft.journal = next((name for name in names if name), "")
    draft.abbreviation = names[2]
    draft.alternatives = [name for name in names[:2] if name]
    for value in fields.all("A1"):
        for name in names_in(value):
            if is_et_al(name):
                draft.authors_complete = False
            elif (found := person(name, True)) is not None:
                draft.authors.append(found)
    draft.dated(*fields.all("YR"), *fields.all("FD"))
    draft.volume, draft.issue = tidy(fields.first("VO")), tidy(fields.first("IS"))
    draft.pages = page_range(fields.first("SP"), fields.first("OP"))
    draft.publisher = tidy(fields.first("PB"))
    for value in fields.all("SN"):
        draft.numbers(value)
    draft.abstracted(*fields.all("AB"))
    draft.keywords = words(part for value in fields.all("K1") for part in value.split(";"))
    draft.languages = words(fields.all("LA"))
    draft.database = tidy(fields.first("DB", "DS"))
    draft.source_id = tidy((fields.peek("AN", "ID") or [""])[0])
    for value in fields.all("DO"):
        draft.identify(Scheme.DOI, value, "DO")
    if re.search(r"pubmed|medline", draft.database, re.IGNORECASE):
        for value in fields.peek("AN"):
            if re.fullmatch(r"\d{1,8}", value):
                draft.identify(Scheme.PMID, value)
    links = fields.all("UL", "LK")
    for value in links + fields.peek("ID"):
        draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next((link for link in links if re.match(r"https?://", link)), "")
    draft.dropped += [("UL", link) for link in links if link != draft.url]
    draft.dropped[:0] = fields.rest()
    return draft
