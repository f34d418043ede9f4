"""A record in the making: values as a file states them, cleaned of what files add, checked identifiers, the rest
dropped.

Every importer fills one `Draft` for each entry and turns it into the `Entry` that callers see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape

from litapp.core.formats.importers.dates import parse_date, years_in
from litapp.core.formats.importers.reading import IMPORT_SOURCE, Entry, Limits, Problem
from litapp.core.identifiers import BadIdentifier, arxiv_from_doi, find_identifiers, normalise
from litapp.core.records import AbstractSection, Identifier, MeshHeading, Notice, PartialDate, Person, Record, Scheme

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\u200b\u2060\ufeff]")
_LOST = re.compile("[\ud800-\udfff]")
_SHORT_END = re.compile(r"\s*([A-Za-z]{0,3}\d[\w./]*?)\s*(?:[-\u2010-―−]+|–)\s*([A-Za-z]{0,3}\d[\w./]*)\s*")
_PAGES_WORD = re.compile(r"(?:\A|\b)(?:pp?|pages?|S)\.?\s*(?=[A-Za-z]{0,2}\d)", re.IGNORECASE)
_PAGE_COUNT = re.compile(r"\d+\s*(?:p|pp|pages?|leaves|l)\.?(?:\b.*)?", re.IGNORECASE)
_SWALLOWED = re.compile(r"(?<!\s)\s{2,}+[A-Z][A-Z0-9]\s{1,2}- .*\Z", re.DOTALL)
"""A following tag that another program joined to a value ("10.1038/…     LK  - https://…")."""
_NO_VALUE = frozenset(("null", "none", "nan", "n/a", "unknown", "not available", "-", "no abstract available"))
_SIGNS = {
    Scheme.DOI: ("10.",), Scheme.PMID: ("pmid", "pubmed", "europepmc"), Scheme.PMCID: ("pmc",), Scheme.ARXIV: ("arxiv",),  # noqa: E501
}  # fmt: skip
"""What stands in every text that holds an identifier of the scheme: a quick look before the long one."""
CLAIMED_NAMES = ("verified", "verified_by", "verified_on")


_DROP_TAG = re.compile(
    r"</?(?:jats:)?(?:p|span|div|br|title|sec|sc|scp|u|font|small|big|tt|nobr|ext-link|xref|list|list-item|li|ul|ol|strike|h\d|section|a)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def tidy(text: str) -> str:
    """One line of text: entities and tags that only lay out undone, control characters out, blanks collapsed."""
    if "&" in text:
        text = unescape(unescape(text))
    if "<" in text:
        text = _DROP_TAG.sub(
            lambda found: (
                ""
                if found[0]
                .lower()
                .startswith(("<span", "</span", "<u", "</u", "<sc", "</sc", "<a", "</a", "<font", "</font"))
                else " "
            ),
            text,
        )
    if not text.isascii():
        text = _LOST.sub("\ufffd", text)
    if not text.isprintable():
        text = _CONTROL.sub("", text)
    return " ".join(text.split())


def page_range(first: str, last: str = "") -> str:
    """ "476-485" from first and last page; a first page that holds the range already counts alone."""
    first, last = _page(first), _page(last)
    if not first or not last or last == first or re.search(r"[-–—,]", first):
        return first or last
    return f"{first}-{last}"


def _page(text: str) -> str:
    text = tidy(text)
    if text.lower() in _NO_VALUE or _PAGE_COUNT.fullmatch(text):
        return ""
    text = _PAGES_WORD.sub("", text, count=1) if text[:1] in "pPsS" and not re.match(r"[sS]\d", text) else text
    found = _SHORT_END.fullmatch(text)
    return f"{found[1]}-{found[2]}" if found else text


@dataclass(slots=True)
class Draft:
    """Values of one record. Lists keep the order of the file."""

    title: str = ""
    original_title: str = ""
    authors: list[Person] = field(default_factory=list)
    authors_complete: bool = True
    journal: str = ""
    abbreviation: str = ""
    alternatives: list[str] = field(default_factory=list)
    issns: list[str] = field(default_factory=list)
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    date: PartialDate = field(default_factory=PartialDate)
    years: set[int] = field(default_factory=set)
    csl_type: str = "article-journal"
    types: list[str] = field(default_factory=list)
    abstract: list[AbstractSection] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    mesh: list[MeshHeading] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    is_notice: bool = False
    published_as: list[Identifier] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    url: str = ""
    source_id: str = ""
    is_preprint: bool = False
    identifiers: dict[Identifier, None] = field(default_factory=dict)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    claimed: dict[str, str] = field(default_factory=dict)
    database: str = ""
    whole: Record | None = None
    """A record that another parser has read; the other values do not count then."""

    def identify(self, scheme: Scheme, text: str, name: str = "") -> bool:
        """Take an identifier. What is none is kept among the dropped fields as `name`, with a warning."""
        text = _SWALLOWED.sub("", text).strip()
        if not text or text.lower() in _NO_VALUE or text in ("0", "00000000"):
            return False
        try:
            value = normalise(scheme, text)
        except BadIdentifier:
            found = next((one for one in find_identifiers(text) if one.scheme is scheme), None)
            if found is None:
                if name:
                    self.dropped.append((name, text))
                    self.warnings.append(f"{name}: “{text[:80]}” is no {scheme.value.upper()}.")
                return False
            value = found.value
        self.identifiers[Identifier(scheme, value)] = None
        if scheme is Scheme.DOI and (arxiv := arxiv_from_doi(value)):
            self.identifiers[Identifier(Scheme.ARXIV, arxiv)] = None
        return True

    def has(self, scheme: Scheme) -> bool:
        return any(one.scheme is scheme for one in self.identifiers)

    def identify_in(self, text: str, *schemes: Scheme) -> bool:
        """Take identifiers that stand in running text, of schemes that the draft does not have yet."""
        taken = False
        low = text.lower()
        missing = [scheme for scheme in schemes if any(sign in low for sign in _SIGNS[scheme]) and not self.has(scheme)]
        if missing:
            text = _SWALLOWED.sub("", text)
            if "?" in text and "&" in text and text.lstrip()[:4] == "http":
                text = text.replace("&", " ")  # an OpenURL names the record in one of its parameters
            for one in find_identifiers(text):
                if one.scheme in missing:
                    self.identifiers[one] = None
                    missing.remove(one.scheme)
                    taken = True
        return taken

    def numbers(self, text: str) -> None:
        """Take ISSNs and ISBNs from a field that holds either, any number of them; others are dropped with their
        name."""
        for part in re.split(r"[;,|\n]|\s{2,}|(?<=\))\s+|(?<=[\dXx])\s+(?=\d)|\s+(?:and|or)\s+", tidy_lines(text)):
            part = part.strip()
            if part:
                self._number(part)

    def _number(self, part: str) -> None:
        bare = re.sub(
            r"\s*\(?\b(?:print|electronic|linking|online|web|e-?issn|p-?issn|issn|isbn)\b[^)]*\)?",
            "",
            part,
            flags=re.IGNORECASE,
        ).strip(' :="')
        for scheme in (Scheme.ISSN, Scheme.ISBN):
            try:
                value = normalise(scheme, bare)
            except BadIdentifier:
                continue
            if scheme is Scheme.ISSN:
                if value not in self.issns:
                    self.issns.append(value)
            else:
                self.identifiers[Identifier(scheme, value)] = None
            return
        self.dropped.append(("ISSN/ISBN", part))

    def dated(self, *texts: str) -> None:
        """Take the first text that states a year as the date; later ones of that year add month and day."""
        for text in texts:
            found = parse_date(text)
            if found.year is None:
                continue
            self.years.update([found.year, *years_in(found.text)])
            if self.date.year is None or (
                found.year == self.date.year and self.date.month is None and found.month is not None
            ):
                self.date = found

    def abstracted(self, *texts: str) -> None:
        """Take an abstract, whose lines may be wrapped."""
        for text in texts:
            clean = tidy(text)
            if clean and clean.lower().strip(".[]") not in _NO_VALUE:
                self.abstract.append(AbstractSection(clean))

    def titled(self, text: str) -> None:
        self.title = tidy(text)

    def entry(
        self, number: int, first_line: int, last_line: int, text: str, limits: Limits, cut: bool = False
    ) -> Entry:
        """The finished entry. Without title, identifier, author and container there is nothing that could be cited."""
        shown = text[: limits.text]
        record = None if self.is_empty else self.whole or self.record()
        return Entry(
            number=number,
            first_line=first_line,
            last_line=last_line,
            text=shown,
            record=record,
            problem=EMPTY_ENTRY if record is None else None,
            dropped=tuple(dropped_field(name, value, limits) for name, value in self.dropped),
            claimed={name: value for name, value in self.claimed.items() if name in CLAIMED_NAMES and value},
            database=self.database,
            warnings=tuple(dict.fromkeys(self.warnings)),
            text_cut=cut or len(shown) < len(text),
        )

    @property
    def is_empty(self) -> bool:
        if self.whole is not None:
            return not (self.whole.title or self.whole.identifiers or self.whole.authors)
        return not (
            self.title
            or self.original_title
            or self.identifiers
            or self.authors
            or self.journal
            or self.abstract
            or self.url
        )

    def record(self) -> Record:
        years = sorted({*self.years, *([self.date.year] if self.date.year is not None else [])})
        return Record(
            source=IMPORT_SOURCE,
            source_id=self.source_id,
            title=self.title,
            original_title=self.original_title,
            authors=tuple(self.authors),
            authors_complete=self.authors_complete,
            journal=self.journal,
            journal_abbreviation=self.abbreviation,
            journal_alternatives=tuple(
                dict.fromkeys(name for name in self.alternatives if name and name != self.journal)
            ),
            issns=tuple(self.issns),
            publisher=self.publisher,
            volume=self.volume,
            issue=self.issue,
            pages=self.pages,
            date=self.date,
            years=tuple(years),
            csl_type=self.csl_type,
            publication_types=tuple(dict.fromkeys(self.types)),
            abstract=tuple(self.abstract),
            mesh=tuple(self.mesh),
            keywords=tuple(dict.fromkeys(self.keywords)),
            languages=tuple(dict.fromkeys(self.languages)),
            identifiers=tuple(self.identifiers),
            url=self.url,
            notices=tuple(self.notices),
            is_notice=self.is_notice,
            is_preprint=self.is_preprint,
            published_as=tuple(self.published_as),
            warnings=tuple(dict.fromkeys(self.warnings)),
        )


EMPTY_ENTRY = Problem(
    "empty_record",
    "This entry has no title, author, identifier or journal that could be read.",
    "Look at its lines in the file; export the record again from its database, or add it by hand.",
)


def tidy_lines(text: str) -> str:
    """As `tidy`, but line breaks stay."""
    return "\n".join(tidy(line) if "  " not in line else line.strip() for line in text.split("\n"))


def dropped_field(name: str, value: str, limits: Limits) -> str:
    """A field that is not carried, as "NAME: value"."""
    value = tidy(value)
    return f"{name}: {value}" if len(value) <= limits.value else f"{name}: {value[: limits.value]}…"


def claims_in(text: str) -> dict[str, str]:
    """What our own exports say of verification in a note: "verified: true; verified_by: …; verified_on: …"."""
    found: dict[str, str] = {}
    if "verified" in text:
        for name, value in re.findall(r"(?:\A|[;\n]\s*)(verified(?:_by|_on)?)\s*[:=]\s*([^;\n]+)", text):
            found.setdefault(name, value.strip())
    return found


def words(texts: Iterable[str]) -> list[str]:
    """Tidy texts without the empty ones."""
    return [clean for text in texts if (clean := tidy(text))]
