"""Reads tables of references (CSV, semicolon- or tab-separated) of databases, screening tools and people.

Column names are matched by meaning (`columns`). Ovid's and Web of Science's tables carry tags as column names and are
read as those formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from litapp.core.formats.importers.columns import is_header, meanings
from litapp.core.formats.importers.csvrows import Row, read_rows
from litapp.core.formats.importers.draft import Draft, claims_in, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, person
from litapp.core.formats.importers.ovid import ovid_draft
from litapp.core.formats.importers.reading import Entry, Limits, UnreadableFile
from litapp.core.formats.importers.sources import parse_source
from litapp.core.formats.importers.wos import wos_draft
from litapp.core.records import Identifier, Person, Scheme

DELIMITERS = (",", "\t", ";", "|")
_HEADER_WITHIN = 40
_TYPES = {
    "article": "article-journal", "journal article": "article-journal", "journalarticle": "article-journal",
    "jour": "article-journal", "review": "article-journal", "book": "book", "books": "book", "book chapter": "chapter",
    "booksection": "chapter", "book section": "chapter", "chapter": "chapter", "chap": "chapter",
    "conference paper": "paper-conference",
    "conferencepaper": "paper-conference", "conference proceeding": "paper-conference",
    "proceedings article": "paper-conference",
    "ieee conferences": "paper-conference", "conf": "paper-conference", "thesis": "thesis", "dissertation": "thesis",
    "thes": "thesis",
    "report": "report", "rprt": "report", "preprint": "article", "posted content": "article", "dataset": "dataset",
    "webpage": "webpage", "patent": "patent", "article-journal": "article-journal",
    "paper-conference": "paper-conference",
    "newspaperarticle": "article-newspaper", "magazinearticle": "article-magazine", "software": "software",
}  # fmt: skip
_EXCEL = re.compile(r'="(.*)"\Z', re.DOTALL)
_PYTHON_LIST = re.compile(r"\[\s*['\"].*['\"]\s*\]\Z", re.DOTALL)
_PYTHON_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


def find_delimiter(text: str) -> str | None:
    """The sign that parts the cells, for text whose first lines hold a header of references; None for other text."""
    lines = text.split("\n")[:_HEADER_WITHIN]
    for delimiter in DELIMITERS:
        numbered = iter([(number, line) for number, line in enumerate(lines, start=1)])
        if any(is_header(row.cells) or _tag_columns(row.cells) for row in read_rows(numbered, delimiter, Limits())):
            return delimiter
    return None


def _tag_columns(cells: list[str]) -> str:
    """ "ovid" or "wos" where the column names are the tags of these formats."""
    tags = {cell.strip().strip("\ufeff").upper() for cell in cells}
    if {"TI", "SO", "AU"} <= tags:
        return "wos" if {"PT", "UT"} <= tags or {"PY", "VL", "BP"} <= tags else "ovid"
    return ""


def read_table(lines: Iterator[tuple[int, str]], limits: Limits, delimiter: str) -> Iterator[Entry]:
    """One entry for each row below the header. A row without any value is no record."""
    rows = read_rows(lines, delimiter, limits)
    header = _header(rows)
    names = [name.strip().strip("\ufeff") for name in header.cells]
    tags = _tag_columns(names)
    kinds = meanings(names)
    number = 0
    for row in rows:
        cells = [_cell(cell) for cell in row.cells]
        if not any(cells):
            continue
        number += 1
        named = [
            (name or f"column {place + 1}", cell) for place, (name, cell) in enumerate(zip(names, cells, strict=False))
        ]
        if tags == "wos":
            draft = wos_draft(Fields((name.upper(), cell) for name, cell in named))
        elif tags == "ovid":
            draft = ovid_draft(Fields((name.upper(), re.sub(r"\n\s*\n", "\n", cell)) for name, cell in named))
        else:
            draft = _TableDraft(names, kinds, cells).draft()
        extra = [cell for cell in cells[len(names) :] if cell]
        if extra:
            draft.dropped += [("cell beyond the header", cell) for cell in extra]
            draft.warnings.append(
                f"The row has {len(cells)} cells, the header {len(names)}: a cell may stand in a wrong column."
            )
        if row.open_quote:
            draft.warnings.append(
                "A quotation mark in this row is never closed; the row was read as far as its line goes."
            )
        yield draft.entry(number, row.first_line, row.last_line, row.text, limits)


def _header(rows: Iterator[Row]) -> Row:
    for count, row in enumerate(rows):
        if row.cells and (is_header(row.cells) or _tag_columns(row.cells)):
            return row
        if count > _HEADER_WITHIN:
            break
    raise UnreadableFile(
        "no_header",
        "The table has no header row with column names such as Title, Authors, Year or DOI.",
        "Add a first row with the names of the columns, and choose the file again.",
        1,
    )


def _cell(text: str) -> str:
    """A cell without Excel's formula quoting, and without the apostrophe that keeps a spreadsheet from calculating."""
    text = text.strip()
    found = _EXCEL.match(text)
    if found:
        text = found[1].replace('""', '"').strip()
    if (
        text[:1] == "'"
        and text.lstrip("' \u00a0\n")[:1] in ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
        and text[1:2] != "'"
    ):
        text = text[1:]
    return "" if text.lower() in ("null", "nan", "none", "n/a") else text


class _TableDraft:
    """The record of one row."""

    def __init__(self, names: list[str], kinds: list[str], cells: list[str]) -> None:
        pairs = list(zip(kinds, cells, strict=False))
        self._fields = Fields(pairs)
        self._header = {name.lower() for name in names}
        self._unknown = [
            (name or "column", cell) for name, kind, cell in zip(names, kinds, cells, strict=False) if not kind and cell
        ]

    def draft(self) -> Draft:
        fields, draft = self._fields, Draft()
        draft.titled(fields.first("title"))
        draft.original_title = tidy(fields.first("original_title"))
        if not draft.title:
            draft.title = draft.original_title
        self._people(draft)
        self._where(draft)
        kind = [tidy(value) for value in fields.all("type")]
        draft.types = [value for value in kind if value.lower() not in ("jour", "j", "journalarticle")]
        draft.csl_type = next((_TYPES[value.lower()] for value in kind if value.lower() in _TYPES), "article-journal")
        draft.is_preprint = draft.csl_type == "article"
        draft.abstracted(*dict.fromkeys(fields.all("abstract")))
        if not draft.abstract:
            draft.abstracted(*fields.all("original_abstract"))
        draft.keywords = [
            word
            for value in fields.all("keywords")
            for word in words(_list(value, r";|\||\n" if re.search(r"[;|\n]", value) else ","))
        ]
        draft.languages = [word for value in fields.all("language") for word in words(re.split(r"[;|]", value))]
        draft.publisher = tidy(fields.first("publisher"))
        for value in fields.all("issn", "isbn"):
            draft.numbers(re.sub(r"(?<=[\dXx])\s+(?=\d{4})", "; ", value))
        draft.source_id = tidy((fields.peek("accession") or [""])[0])
        draft.database = tidy(fields.first("database")) or draft.database
        self._identifiers(draft)
        for name in ("verified", "verified_by", "verified_on"):
            value = tidy(fields.first(name))
            if value:
                draft.claimed[name] = value
        for note in fields.peek("notes"):
            draft.claimed = {**claims_in(note), **draft.claimed}
        draft.dropped += [(name or "column", value) for name, value in fields.rest() if name] + self._unknown
        return draft

    def _people(self, draft: Draft) -> None:
        full = self._fields.all("authors_full")
        for value in full or self._fields.all("authors"):
            people, complete = people_in_cell(value)
            draft.authors_complete = draft.authors_complete and complete
            draft.authors += people
        if full:
            self._fields.all("authors")

    def _where(self, draft: Draft) -> None:
        fields = self._fields
        journals = words(fields.all("journal"))
        draft.journal = (journals or [""])[0]
        draft.alternatives = journals[1:]
        draft.abbreviation = tidy(fields.first("abbreviation"))
        draft.volume, draft.issue = tidy(fields.first("volume")), tidy(fields.first("issue"))
        stated = page_range(fields.first("pages"))
        draft.pages = page_range(fields.first("first_page"), fields.first("last_page"))
        if not draft.pages or stated.startswith(f"{draft.pages}-"):
            draft.pages = stated
        draft.pages = draft.pages or tidy(fields.first("article_number"))
        fields.all("pages") if draft.pages else None
        year, month, day = fields.first("year"), fields.first("month"), fields.first("day")
        stated = re.sub(r"\.0\Z", "", year.strip())
        if re.fullmatch(r"\d{4}", stated) and month:
            stated = f"{stated}/{month}/{day}"
        draft.dated(stated, *fields.all("date"))
        for line in fields.all("source"):
            self._source_line(line, draft)
        if not draft.journal:
            draft.journal = draft.abbreviation

    def _source_line(self, line: str, draft: Draft) -> None:
        source = parse_source(line)
        if not (source.volume or source.date.year or source.pages):
            if self._header & {"eid", "source title", "lens id"}:
                draft.database = tidy(line)
            elif not draft.journal:
                draft.journal = tidy(line)
            return
        draft.journal = draft.journal or source.journal
        if not draft.volume or draft.volume == source.volume:
            draft.volume = draft.volume or source.volume
            draft.issue = draft.issue or source.issue
            draft.pages = draft.pages or page_range(source.pages)
        if draft.date.year is None or (draft.date.month is None and source.date.year == draft.date.year):
            draft.date = source.date

    def _identifiers(self, draft: Draft) -> None:
        fields = self._fields
        for value in fields.all("doi"):
            draft.identify(Scheme.DOI, value, "DOI")
        for value in fields.all("pmid"):
            draft.identify(Scheme.PMID, re.sub(r"\.0\Z", "", value), "PMID")
        for value in fields.all("pmcid"):
            draft.identify(Scheme.PMCID, re.sub(r"\.0\Z", "", value), "PMCID")
        for value in fields.all("arxiv"):
            draft.identify(Scheme.ARXIV, value)
        for value in fields.all("openalex") + [v for v in fields.peek("accession") if "openalex.org/W" in v]:
            draft.identify(Scheme.OPENALEX, value)
        links = [
            part
            for value in fields.all("url")
            for part in re.split(r"\s+|(?<=\w)[;|](?=https?:)", value.strip())
            if part
        ]
        for value in links + fields.peek("notes"):
            if re.search(r"doi\.org/|doi:|pubmed|PMID|PMC\d|arxiv", value, re.IGNORECASE):
                draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
        draft.url = next((link for link in links if re.match(r"https?://", link)), "")
        draft.dropped += [("URL", link) for link in links if link != draft.url]
        draft.identifiers = dict.fromkeys(Identifier(one.scheme, one.value) for one in draft.identifiers)


def _list(value: str, pattern: str) -> list[str]:
    if _PYTHON_LIST.match(value):
        return [(one or two).replace("\\'", "'") for one, two in _PYTHON_ITEM.findall(value)]
    return re.split(pattern, value)


def people_in_cell(value: str) -> tuple[list[Person], bool]:
    """The names that one cell holds, whatever parts them, and whether the list is complete."""
    complete = True
    people = []
    for name in _split_cell((unescape(unescape(value)) if "&" in value else value).strip()):
        if is_et_al(name):
            complete = False
            continue
        shorter = _ENDS_ET_AL.sub("", " ".join(name.split())) if "et al" in name else name
        complete = complete and shorter == name
        found = person(shorter.strip(" "), True)
        if found is not None:
            people.append(found)
    return people, complete


_ENDS_ET_AL = re.compile(r" ?,? ?\bet al\.?\Z")
_SHORT_NAME = re.compile(
    r"\s*(?:[^,]*\S\s+(?:[^\W\d_a-z]{1,4}|(?:[^\W\d_]\w?\.[-\s]?)+)(?:\s+(?:Jr|Sr|2nd|3rd|I{2,3})\.?)?|(?:[^\W\d_]\.[\s-]?)+\s*[^,]+)\.?\s*"
)


def _split_cell(value: str) -> list[str]:
    if _PYTHON_LIST.match(value):
        return _list(value, "")
    for separator in (";", "|", "\n"):
        if separator in value:
            return [name for name in value.split(separator) if name.strip()]
    if " and " in value:
        parts = re.split(r"\s+and\s+", value)
        if all("," in part for part in parts) or "," not in value:
            return parts
    if "," not in value:
        return [value]
    pieces = [piece.strip() for piece in re.sub(r",?\s+(?:and|&)\s+", ", ", value).split(",") if piece.strip()]
    if all(" " in piece or is_et_al(piece) for piece in pieces) and len(pieces) > 1:
        if not any(piece.endswith(".") for piece in pieces[:-1]):
            pieces[-1] = pieces[-1].rstrip(".")  # PubMed ends the list with a full stop
        return pieces
    short = sum(bool(_SHORT_NAME.fullmatch(piece)) or " " in piece for piece in pieces)
    initials = [re.fullmatch(r"(?:[^\W\d_]\w?\.[-\s]?)+|[A-Z]{1,3}", piece) is not None for piece in pieces]
    if len(pieces) % 2 == 0 and all(initials[1::2]) and not any(initials[0::2]):
        return [f"{pieces[at]}, {pieces[at + 1]}" for at in range(0, len(pieces), 2)]
    if len(pieces) == 2 and short < 2:
        return [value]
    if short >= 0.7 * len(pieces):
        return pieces
    return [value]
