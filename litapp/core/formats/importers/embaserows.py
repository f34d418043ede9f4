"""Reads Embase's row format: each row is a field name and its values; a blank row ends a record."""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.csvrows import read_rows
from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, names_in, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.sources import parse_source
from litapp.core.formats.importers.tagged import Block
from litapp.core.records import Scheme

FIRST_ROWS = re.compile(
    r'(?m)^"?(?:TITLE|AUTHOR NAMES|SOURCE)"?,"?[^\n]*\n(?:[^\n]*\n){0,12}?"?(?:AUTHOR NAMES|SOURCE|SOURCE TITLE|PUBLICATION YEAR|PUBLICATION TYPE)"?,'  # noqa: E501
)
_NAME = re.compile(r"[A-Z][A-Za-z/() ,&-]{2,60}")


def read_embase_rows(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of an Embase file in row format, one at a time."""
    number = 0
    tags: list[tuple[str, str]] = []
    block = Block(limits)
    for row in read_rows(lines, ",", limits):
        cells = [cell.strip() for cell in row.cells]
        name = cells[0].upper() if cells else ""
        if (not any(cells) or name == "TITLE") and any(tag == "TITLE" for tag, _ in tags):
            number += 1
            yield embase_draft(Fields(tags)).entry(number, block.first, block.last, block.text, limits, block.cut)
            tags, block = [], Block(limits)
        if not any(cells) or name == "SEARCH QUERY" or set(name) == {"-"}:
            continue
        for line, text in enumerate(row.text.split("\n"), start=row.first_line):
            block.add(line, text)
        tags += [(name, cell) for cell in cells[1:] if cell]
    if tags:
        number += 1
        yield embase_draft(Fields(tags)).entry(number, block.first, block.last, block.text, limits, block.cut)


def embase_draft(fields: Fields) -> Draft:
    """The record that the rows of one Embase entry state."""
    draft = Draft(database="Embase")
    draft.titled(" ".join(fields.all("TITLE")))
    draft.original_title = tidy(fields.first("ORIGINAL TITLE"))
    for value in fields.all("AUTHOR NAMES"):
        for name in names_in(value):
            if is_et_al(name):
                draft.authors_complete = False
            elif (found := person(name)) is not None:
                draft.authors.append(found)
    line = " ".join(fields.all("SOURCE"))
    source = parse_source(line)
    draft.journal = tidy(fields.first("SOURCE TITLE")) or source.journal
    draft.volume = tidy(fields.first("VOLUME")) or source.volume
    draft.issue = tidy(fields.first("ISSUE")) or source.issue
    draft.pages = page_range(fields.first("FIRST PAGE"), fields.first("LAST PAGE")) or page_range(source.pages)
    draft.dated(*fields.all("PUBLICATION YEAR"), *fields.all("DATE OF PUBLICATION"))
    if draft.date.year is None:
        draft.date = source.date
    draft.types = words(fields.all("PUBLICATION TYPE"))
    kinds = " ".join(draft.types).lower()
    draft.csl_type = "chapter" if "chapter" in kinds else "book" if kinds == "book" else "article-journal"
    draft.is_preprint = "preprint" in kinds
    draft.abstracted(*(fields.all("ABSTRACT") or fields.all("ORIGINAL ABSTRACT")))
    keywords = [
        name for name in dict.fromkeys(name for name, _ in fields.pairs) if "KEYWORDS" in name or "EMTREE" in name
    ]
    draft.keywords = words(fields.all(*keywords))
    draft.languages = words(fields.all("LANGUAGE OF ARTICLE"))
    draft.publisher = tidy(fields.first("BOOK PUBLISHER"))
    for value in fields.all("ISSN", "ISBN"):
        draft.numbers(value)
    draft.identify(Scheme.DOI, fields.first("DOI"), "DOI")
    draft.identify(Scheme.PMID, fields.first("MEDLINE PMID", "PMID"), "MEDLINE PMID")
    draft.source_id = tidy(fields.first("PUI", "EMBASE ACCESSION ID"))
    links = fields.all("EMBASE LINK", "FULL TEXT LINK", "OPEN URL LINK")
    for link in links:
        draft.identify_in(link, Scheme.DOI, Scheme.PMID)
    draft.url = next((link for link in links if link.startswith("http")), "")
    draft.dropped += [("LINK", link) for link in links if link != draft.url]
    draft.dropped[:0] = fields.rest()
    return draft
