"""Reads BibTeX and BibLaTeX: broken entries cost themselves only, macros and crossref are resolved, LaTeX is Unicode.

DOIs, addresses and keys are taken as they stand. Parents of crossref may come before or after their children.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.formats.importers.bibnames import bib_people
from litapp.core.formats.importers.bibsplit import MONTHS, BibEntry, read_fields, split_entries
from litapp.core.formats.importers.draft import CLAIMED_NAMES, Draft, claims_in, page_range, tidy
from litapp.core.formats.importers.encoding import TextEncoding, read_lines
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.latex import latex_to_unicode
from litapp.core.records import Scheme

_NOT_ENTRIES = frozenset(("string", "preamble", "comment"))
_TYPES = {
    "article": "article-journal", "periodical": "article-journal", "suppperiodical": "article-journal", "book": "book",
    "mvbook": "book", "collection": "book", "mvcollection": "book", "proceedings": "book", "mvproceedings": "book",
    "reference": "book", "booklet": "pamphlet", "inbook": "chapter", "incollection": "chapter", "bookinbook": "chapter",
    "suppbook": "chapter", "inreference": "entry-encyclopedia", "inproceedings": "paper-conference",
    "conference": "paper-conference", "techreport": "report", "report": "report", "manual": "report",
    "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis", "online": "webpage", "electronic": "webpage",
    "www": "webpage", "webpage": "webpage", "dataset": "dataset", "software": "software", "patent": "patent",
    "unpublished": "manuscript", "misc": "document",
}  # fmt: skip
_NUMBERED = frozenset(
    ("report", "patent", "dataset", "document", "manuscript", "book", "thesis", "software", "standard")
)
"""Types whose number is their own (of a report, a patent, a series), not an issue of a journal."""
_VERBATIM = frozenset(
    (
        "doi",
        "url",
        "eprint",
        "pmid",
        "pmcid",
        "file",
        "urldate",
        "issn",
        "isbn",
        "crossref",
        "ids",
        "bdsk-url-1",
        "bdsk-url-2",
        "adsurl",
        "biburl",
        "verified",
        "verified_on",
    )
)
_CROSSREF = re.compile(r"(?i)\bcrossref\s*=\s*[{\"]?\s*([^\s,{}\"]+)")
_PAGE_DASH = re.compile(r"\s*(?:-{1,3}|–|—|−|\u2010)\s*")
_ESCAPED_ENTITY = re.compile(r"\{?\\&\}?(?=(?:amp|lt|gt|quot|#\d+|#x[0-9a-fA-F]+|nbsp|[A-Za-z]{2,8});)")


def read_bibtex(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The entries of a BibTeX file, one at a time."""
    parents = _parents(stream, encoding, limits)
    strings = dict(MONTHS)
    keys: dict[str, int] = {}
    number = 0
    for entry in split_entries(read_lines(stream, encoding, limits), limits):
        kind = entry.kind.lower()
        if kind == "string":
            read_fields(entry, strings)
            strings.update(_macros(entry))
        if kind in _NOT_ENTRIES:
            continue
        number += 1
        read_fields(entry, strings)
        draft = bib_draft(entry, parents.get(entry.get("crossref").lower()) if entry.get("crossref") else None)
        draft.warnings[:0] = entry.repairs
        key = entry.key.lower()
        if key and key in keys:
            draft.warnings.append(f"The citation key {entry.key} was used before, in line {keys[key]}.")
        elif key:
            keys[key] = entry.first_line
        shown = f"@{entry.kind}{{{entry.text.rstrip()}\n}}"
        yield draft.entry(number, entry.first_line, entry.last_line, shown, limits, entry.cut)


def _macros(entry: BibEntry) -> dict[str, str]:
    """The macros of an @string entry, whose first one stands where other entries have their key."""
    macros = dict(entry.fields)
    return {name: value for name, value in macros.items() if name}


def _parents(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> dict[str, BibEntry]:
    """The entries that others name in crossref, by key in lower case."""
    wanted: set[str] = set()
    for _, line in read_lines(stream, encoding, limits):
        if "rossref" in line or "ROSSREF" in line:
            wanted.update(found.lower() for found in _CROSSREF.findall(line))
    parents: dict[str, BibEntry] = {}
    if not wanted:
        return parents
    strings = dict(MONTHS)
    for entry in split_entries(read_lines(stream, encoding, limits), limits):
        kind = entry.kind.lower()
        if kind == "string":
            read_fields(entry, strings)
            strings.update(_macros(entry))
        elif kind not in _NOT_ENTRIES:
            read_fields(entry, strings)
            if entry.key.lower() in wanted:
                parents.setdefault(entry.key.lower(), entry)
    return parents


def bib_text(value: str) -> str:
    """A text field as Unicode on one line; entities that were escaped for LaTeX are undone."""
    value = " ".join(value.split())
    if "&" in value:
        value = _ESCAPED_ENTITY.sub("&", value)
    text = tidy(latex_to_unicode(value)).replace("\u00a0", " ")
    return re.sub(r"</?(?:strong|em)\s*>", lambda found: found[0].replace("strong", "b").replace("em", "i"), text)


def bib_draft(entry: BibEntry, parent: BibEntry | None = None) -> Draft:
    """The record that one entry states, with what it inherits from its crossref parent."""
    pairs = [(name, value.strip().strip("{}").strip() if name in _VERBATIM else value) for name, value in entry.fields]
    if parent is not None:
        pairs += _inherited(entry, parent)
    fields = Fields(pairs)
    draft = Draft(source_id=entry.key)
    kind = entry.kind.lower()
    draft.csl_type = _TYPES.get(kind, "document")
    _titles(fields, draft, kind)
    people, complete = bib_people(
        " ".join(re.sub(r"(?<!\\)%[^\n]*\n", " ", " and ".join(fields.all("author", "authors"))).split())
    )
    draft.authors, draft.authors_complete = people, complete
    _where(fields, draft)
    _identifiers(fields, draft)
    draft.abstracted(*(bib_text(value) for value in fields.all("abstract")))
    draft.keywords = [
        word
        for value in fields.all("keywords", "keyword", "author_keywords", "keywords-plus")
        for part in re.split(r"[;,]", bib_text(value))
        if (word := part.strip())
    ]
    draft.languages = [bib_text(value) for value in fields.all("language", "langid")]
    for name in CLAIMED_NAMES:
        value = bib_text(fields.first(name))
        if value:
            draft.claimed[name] = value
    for note in fields.peek("note", "annote"):
        draft.claimed = {**claims_in(note), **draft.claimed}
    fields.all("crossref")
    draft.dropped += [(name, bib_text(value) if name not in _VERBATIM else value) for name, value in fields.rest()]
    return draft


def _inherited(entry: BibEntry, parent: BibEntry) -> list[tuple[str, str]]:
    own = {name for name, _ in entry.fields}
    out = []
    for name, value in parent.fields:
        target = (
            "booktitle" if name == "title" and entry.kind.lower() not in ("book", "proceedings", "collection") else name
        )
        if target not in own and name not in ("author", "crossref", "doi", "url", "pages", "abstract", "keywords"):
            out.append((target, value))
    return out


def _titles(fields: Fields, draft: Draft, kind: str) -> None:
    draft.title = bib_text(fields.first("title"))
    subtitle = bib_text(fields.first("subtitle"))
    if subtitle:
        draft.title = (
            f"{draft.title}{'' if draft.title.endswith((':', '?', '!')) else ':'} {subtitle}"
            if draft.title
            else subtitle
        )
    names = [
        bib_text(fields.first(name))
        for name in ("fjournal", "journal", "journaltitle", "booktitle", "maintitle", "series")
    ]
    full = [name for name in names[:4] if name]
    if draft.csl_type in ("chapter", "paper-conference") and names[3]:
        full.insert(0, names[3])
    short = bib_text(fields.first("shortjournal", "journal-iso", "journal_iso", "abbrev_source_title", "abbr_journal"))
    draft.journal = (full or [short or ""])[0]
    if kind in ("book", "proceedings", "collection") and draft.journal == names[3] and names[3]:
        draft.journal = "" if names[3].lower() == draft.title.lower() else draft.journal
    if not draft.title and names[3] and kind in ("book", "proceedings", "collection"):
        draft.title, draft.journal = names[3], ""
    draft.abbreviation = short
    draft.alternatives = [name for name in [*full, *names[4:]] if name]


def _where(fields: Fields, draft: Draft) -> None:
    draft.volume = bib_text(fields.first("volume"))
    if draft.csl_type in _NUMBERED:
        draft.issue = bib_text(fields.first("issue"))
    else:
        draft.issue = bib_text(fields.first("number", "issue"))
    pages = _PAGE_DASH.sub("-", bib_text(fields.first("pages")))
    draft.pages = page_range(pages) or bib_text(fields.first("eid", "article-number", "art_number", "articleno"))
    year, month, day = fields.first("year"), bib_text(fields.first("month")), bib_text(fields.first("day"))
    day = day or (re.findall(r"\b\d{1,2}\b", month) or [""])[0] if not month.isdigit() else day
    year = bib_text(year)
    stated = [bib_text(value) for value in fields.all("date")]
    if re.fullmatch(r"\d{4}", year) and month:
        draft.dated(f"{year}/{month.split()[0] if month.split() else ''}/{day}")
        draft.dated(year)
    draft.dated(*stated, year)
    draft.publisher = bib_text(fields.first("publisher", "institution", "school", "organization"))
    for value in fields.all("issn", "isbn", "eissn"):
        draft.numbers(value.replace("{", "").replace("}", ""))


def _identifiers(fields: Fields, draft: Draft) -> None:
    for value in fields.all("doi"):
        draft.identify(
            Scheme.DOI, value.replace("{", "").replace("}", "") if "{" in value and "\\" not in value else value, "doi"
        )
    for value in fields.all("pmid"):
        draft.identify(Scheme.PMID, value, "pmid")
    for value in fields.all("pmcid", "pmc"):
        draft.identify(Scheme.PMCID, value, "pmcid")
    kind = " ".join(fields.peek("archiveprefix", "eprinttype")).lower()
    for value in fields.peek("eprint", "arxivid"):
        scheme = Scheme.PMID if "pubmed" in kind or "pmid" in kind else Scheme.ARXIV
        if (
            "arxiv" in kind
            or scheme is Scheme.PMID
            or re.fullmatch(r"(?:arxiv:)?\d{4}\.\d{4,5}(?:v\d+)?", value, re.IGNORECASE)
        ) and draft.identify(scheme, value):
            fields.take_value("eprint", value)
            fields.all("archiveprefix", "eprinttype", "arxivid")
    links = [
        value.replace("\\_", "_").replace("\\%", "%").replace("\\&", "&").replace("\\#", "#").replace("\\~{}", "~")
        for value in fields.all("url")
    ]
    links += re.findall(r"\\url\{([^{}\s]+)\}", " ".join(fields.peek("howpublished", "note")))
    for value in (
        links
        + [value for value in fields.peek("eprint") if "://" in value]
        + [value for value in fields.peek("note") if value.strip("{} ").upper().startswith("PMID")]
    ):
        value = value.replace("{", "").replace("}", "")
        draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next((link for link in links if re.match(r"(?:https?|ftp)://", link)), "")
    draft.dropped += [("url", link) for link in links if link != draft.url]
    if not draft.has(Scheme.DOI):
        for note in fields.peek("note", "annote"):
            if re.search(r"\bdoi\s*[:=]", note, re.IGNORECASE) and len(note) < 200:
                draft.identify_in(note, Scheme.DOI)
    draft.is_preprint = draft.csl_type == "document" and any(one.scheme is Scheme.ARXIV for one in draft.identifiers)
