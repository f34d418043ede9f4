"""Reads EndNote's tagged format (Refer/BibIX: .enw, .ref, .enl as text): lines that begin with "%" and a sign.

A record begins after a blank line, or with a second %0 or %T. Meaning of the tags: EndNote, "EndNote Import" format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft, claims_in, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, names_in, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.tagged import Block, Tags
from litapp.core.records import Scheme

TAG_LINE = re.compile(r"\s{0,3}%([0-9A-Za-z@!~&+*?#<>()\[\]=\"'$^:;/|])(?:[ \t]+(.*))?\Z", re.DOTALL)
_TYPES = {
    "journal article": "article-journal", "electronic article": "article-journal", "article": "article-journal",
    "book": "book", "edited book": "book", "electronic book": "book", "book section": "chapter",
    "electronic book section": "chapter", "conference paper": "paper-conference",
    "conference proceedings": "paper-conference", "report": "report", "government document": "report",
    "thesis": "thesis", "web page": "webpage", "blog": "post-weblog", "dataset": "dataset", "patent": "patent",
    "newspaper article": "article-newspaper", "magazine article": "article-magazine", "manuscript": "manuscript",
    "unpublished work": "manuscript", "computer program": "software", "film or broadcast": "motion_picture",
    "encyclopedia": "entry-encyclopedia", "generic": "document",
}  # fmt: skip
_SPLIT = frozenset("AEKU@")


def read_refer(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of an EndNote tagged file, one at a time."""
    for number, (tags, block) in enumerate(_records(lines, limits), start=1):
        yield refer_draft(Fields(tags.pairs())).entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block]]:
    tags = Tags()
    block = Block(limits)
    blank = False
    for number, line in lines:
        found = TAG_LINE.match(line)
        if found:
            name = found[1]
            have = tags.names
            after_blank = blank and bool(have & {"T", "A", "0", "B", "J"}) and (name in have or name in "0TAF")
            if tags and (after_blank or (name == "0" and "0" in have and "T" in have)):
                yield tags, block
                tags, block = Tags(), Block(limits)
            block.add(number, line)
            tags.add(name, (found[2] or "").strip())
            blank = False
        elif not line.strip():
            blank = True
        elif tags:
            block.add(number, line)
            if tags.last in _SPLIT and tags.begun and not line[:1].isspace():
                tags.add(tags.last, line.strip())
            else:
                tags.more(line.strip())
    if tags:
        yield tags, block


def refer_draft(fields: Fields) -> Draft:
    """The record that one EndNote tagged entry states."""
    draft = Draft()
    kinds = words(fields.all("0"))
    draft.csl_type = next(
        (_TYPES[kind.lower()] for kind in kinds if kind.lower() in _TYPES), "document" if kinds else "article-journal"
    )
    draft.titled(fields.first("T"))
    journals, second = words(fields.all("J")), words(fields.all("B"))
    draft.journal = next(iter(journals + second), "")
    draft.alternatives = journals[1:] + second + words(fields.all("S"))
    draft.abbreviation = tidy(fields.first("O")) if draft.csl_type == "article-journal" else ""
    for value in fields.all("A"):
        for name in names_in(value):
            if is_et_al(name):
                draft.authors_complete = False
            elif (found := person(name, True)) is not None:
                draft.authors.append(found)
    draft.dated(*fields.all("D"), *fields.all("8"))
    draft.volume, draft.issue = tidy(fields.first("V")), tidy(fields.first("N"))
    pages = tidy(fields.first("P"))
    if draft.csl_type in ("book", "thesis", "report") and "-" not in pages:
        if pages:
            draft.dropped.append(("%P", pages))
    else:
        draft.pages = page_range(pages)
    draft.publisher = tidy(fields.first("I"))
    for value in fields.all("@"):
        draft.numbers(value)
    draft.abstracted(*fields.all("X"))
    draft.keywords = words(part for value in fields.all("K") for part in re.split(r"[;\n]", value))
    draft.languages = words(fields.all("G"))
    draft.database = tidy(fields.first("~"))
    draft.source_id = tidy((fields.peek("M") or [""])[0])
    _identifiers(fields, draft)
    draft.dropped[:0] = [(f"%{name}", value) for name, value in fields.rest()]
    return draft


def _identifiers(fields: Fields, draft: Draft) -> None:
    for value in fields.peek("R"):
        if draft.identify(Scheme.DOI, value) or draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID):
            fields.take_value("R", value)
    medline = re.search(r"pubmed|medline|\bNLM\b", " ".join([draft.database, *fields.peek("W")]), re.IGNORECASE)
    for value in fields.peek("M"):
        if (medline and re.fullmatch(r"\d{1,8}", value)) or re.match(r"(?:pmid|pubmed)\b", value, re.IGNORECASE):
            draft.identify(Scheme.PMID, value, "%M")
    links = fields.all("U", ">")
    for value in links:
        draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next((link for link in links if re.match(r"https?://", link)), "")
    draft.dropped += [("%U", link) for link in links if link != draft.url]
    for value in fields.peek("Z"):
        draft.claimed.update(claims_in(value))
        draft.identify_in(value, Scheme.PMID) if re.match(r"(?:pmid|pubmed)", value, re.IGNORECASE) else None
