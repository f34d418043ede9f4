"""An entry of arXiv's Atom feed as a record, in the shape of the feed before and after the change of 2025/26."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from litapp.core.identifiers import BadIdentifier, normalise_arxiv
from litapp.core.normalise import strip_status_prefix
from litapp.core.records import Identifier, Notice, NoticeKind, Person, Record, Scheme
from litapp.providers.markup import abstract_sections, inline, title_line
from litapp.providers.reading import date_of_iso, identifiers_of, text

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
_ID = re.compile(r"https?://(?:export\.)?arxiv\.org/abs/(.+?)(?:v(\d+))?\Z", re.IGNORECASE)
_WHAT = r"(?:paper|article|manuscript|submission|preprint|e-?print|work|note|version|draft)"
_WITHDRAWN = re.compile(
    rf"\A\W*(?:(?:this|the)\s+{_WHAT}(?:\s+\S+){{0,4}}?\s+)?(?:(?:has|have|was|is|being|been)\s+)*withdrawn\b|"
    rf"\b(?:this|the)\s+{_WHAT}\s+(?:(?:has|have|was|is|been|now)\s+)+withdrawn\b|"
    rf"\b{_WHAT}\s+withdrawn\s+(?:by|due|because|as|for)\b",
    re.IGNORECASE,
)


def is_error(entry: etree._Element) -> bool:
    """True for the entry by which arXiv reports an error: never a paper, though it has a title and an author."""
    place = _of(entry, f"{ATOM}id")
    return "/api/errors" in place or (not place and _of(entry, f"{ATOM}title").strip().lower() == "error")


def error_text(entry: etree._Element) -> str:
    """What arXiv says went wrong."""
    return _of(entry, f"{ATOM}summary")


def record_of(entry: etree._Element) -> Record:
    """The record of one paper in the version that came. `date` is the day of the first version; `years` has both.

    The DOI in the feed is that of the published article, so it stands in `published_as`; the DOI of the arXiv paper
    itself is not in the feed.
    """
    address = _of(entry, f"{ATOM}id")
    number, version = _number(address)
    title = title_line(_of(entry, f"{ATOM}title"))
    summary, comment = _of(entry, f"{ATOM}summary"), _of(entry, f"{ARXIV}comment")
    first, this = date_of_iso(_of(entry, f"{ATOM}published")), date_of_iso(_of(entry, f"{ATOM}updated"))
    published, warnings = _published(entry)
    reference = _of(entry, f"{ARXIV}journal_ref")
    if reference:
        warnings = (*warnings, f"arXiv gives as the published version: {reference}.")
    if version > 1:
        warnings = (*warnings, f"This is version {version} of the paper.")
    categories = _terms(entry.findall(f"{ATOM}category"))
    return Record(
        source="arxiv",
        source_id=number,
        title=title,
        authors=tuple(_people(entry.findall(f"{ATOM}author"))),
        journal="arXiv",
        publisher="arXiv",
        date=first if first.year is not None else this,
        years=tuple(sorted({date.year for date in (first, this) if date.year is not None})),
        csl_type="article",
        publication_types=("preprint",),
        abstract=abstract_sections(summary),
        keywords=categories,
        identifiers=(Identifier(Scheme.ARXIV, number),) if number else (),
        url=re.sub(r"\Ahttp://", "https://", address) if number else "",
        notices=_notices(title, summary, comment),
        is_preprint=True,
        published_as=published,
        warnings=warnings,
    )


def _of(entry: etree._Element, name: str) -> str:
    return text(entry.findtext(name))


def _number(address: str) -> tuple[str, int]:
    """arXiv id without version, and the version (0 = not said); "" for an address of another kind."""
    found = _ID.match(address)
    if found is None:
        return "", 0
    try:
        return normalise_arxiv(found[1]), int(found[2] or 0)
    except BadIdentifier:
        return "", 0


def _people(authors: Iterable[etree._Element]) -> Iterable[Person]:
    """Names as printed, not parted; arXiv puts blanks before the names of collaborations."""
    names = (inline(_of(author, f"{ATOM}name")) for author in authors)
    return (Person(literal=name) for name in names if name)


def _published(entry: etree._Element) -> tuple[tuple[Identifier, ...], tuple[str, ...]]:
    """DOIs of the published article; arXiv puts several into one element at times."""
    values = (part for element in entry.findall(f"{ARXIV}doi") for part in re.split(r"[\s,;]+", text(element.text)))
    return identifiers_of((Scheme.DOI, value) for value in values)


def _terms(categories: Iterable[etree._Element]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (text(element.get("term")) for element in categories))))


def _notices(title: str, summary: str, comment: str) -> tuple[Notice, ...]:
    """A withdrawal, which arXiv tells only in words: in the comment, or at the start of the abstract."""
    for words in (comment, " ".join(summary.split()[:40])):
        if _WITHDRAWN.search(words):
            return (Notice(NoticeKind.WITHDRAWAL, text=inline(words)),)
    if title and strip_status_prefix(title) != title:
        return (Notice(NoticeKind.WITHDRAWAL, text="The title carries the mark."),)
    return ()
