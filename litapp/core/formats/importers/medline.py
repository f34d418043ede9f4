"""Reads PubMed's tagged format (.nbib, "MEDLINE"/"PubMed" text files), also as ERIC and older PubMed write it.

Meaning of the tags: NLM, MEDLINE/PubMed Data Element (Field) Descriptions. A record begins after a blank
line, or with a second PMID.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft, claims_in, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.sources import parse_source
from litapp.core.formats.importers.tagged import Block, Tags
from litapp.core.formats.pubmeddates import date_in_citation
from litapp.core.identifiers import find_identifiers
from litapp.core.records import Identifier, MeshHeading, Notice, NoticeKind, Person, Scheme

TAG_LINE = re.compile(r"\s?([A-Z][A-Z0-9]{1,4}) {0,3}-(?: ?(.*))\Z", re.DOTALL)
_NOTICES = {
    "RIN": NoticeKind.RETRACTION, "RPI": NoticeKind.CORRECTION, "ECI": NoticeKind.CONCERN, "EIN": NoticeKind.CORRECTION,
    "CRI": NoticeKind.CORRECTION, "PRIN": NoticeKind.PARTIAL_RETRACTION, "RRI": NoticeKind.RETRACTION,
}  # fmt: skip
_OF_OTHERS = ("ROF", "EFR", "ECF", "PROF")
_TYPES = {
    "preprint": "article", "book": "book", "books": "book", "book chapter": "chapter", "reports - research": "report",
    "technical report": "report", "dissertations/theses - doctoral dissertations": "thesis",
    "academic dissertation": "thesis", "dataset": "dataset",
}  # fmt: skip


_FIRST = frozenset(("PMID", "OWN"))
"""Tags that stand at the head of a record, PMID before all others."""


def read_medline(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of a PubMed text file, one at a time."""
    for number, (tags, block) in enumerate(_records(lines, limits), start=1):
        yield medline_draft(Fields(tags.pairs())).entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block]]:
    tags = Tags()
    block = Block(limits)
    blank = False
    for number, line in lines:
        if not line.strip():
            blank = True
            continue
        found = TAG_LINE.match(line) if not line.startswith("  ") else None
        if found:
            name = found[1]
            if tags and (blank or (name in _FIRST and (name in tags or (name == "PMID" and "TI" in tags)))):
                yield tags, block
                tags, block = Tags(), Block(limits)
            block.add(number, line)
            tags.add(name, (found[2] or "").strip())
            blank = False
        elif tags:
            if blank and not line[:1].isspace():
                continue  # a remark between records
            block.add(number, line)
            tags.more(line.strip())
            blank = False
    if tags:
        yield tags, block


def medline_draft(fields: Fields) -> Draft:
    """The record that one PubMed entry states."""
    draft = Draft(database="ERIC" if "ERIC" in fields.peek("OWN") else "PubMed")
    draft.source_id = tidy((fields.peek("PMID", "OID") or [""])[0])
    for value in fields.all("PMID"):
        if value.strip("0 "):
            draft.identify(Scheme.PMID, value, "PMID")
    _titles(fields, draft)
    _people(fields, draft)
    _where(fields, draft)
    _identifiers(fields, draft)
    draft.abstracted(*fields.all("AB"))
    draft.types = words(fields.all("PT"))
    draft.is_preprint = "Preprint" in draft.types
    low = [kind.lower() for kind in draft.types]
    draft.csl_type = next((_TYPES[kind] for kind in low if kind in _TYPES), "article-journal")
    if draft.csl_type == "article-journal" and "BTI" in fields and not draft.journal:
        draft.csl_type = "book"
    draft.languages = words(fields.all("LA"))
    draft.keywords = words(fields.all("OT"))
    draft.mesh = [_heading(value) for value in words(fields.all("MH"))]
    _notices(fields, draft)
    fields.all("SO", "OWN")
    for note in fields.peek("GN"):
        draft.claimed.update(claims_in(note))
    draft.dropped[:0] = fields.rest()
    return draft


def _titles(fields: Fields, draft: Draft) -> None:
    for part in words(fields.all("TI")):
        joint = "" if not draft.title else " " if draft.title[-1] in ".:?!;" else ": "
        draft.title += joint + part
    draft.original_title = tidy(fields.first("TT"))
    if draft.title in ("[Not Available].", "[Not Available]", "") and draft.original_title:
        draft.title = draft.original_title
        draft.warnings.append("The file gives the title in the original language only.")
    book = tidy(fields.first("BTI", "CTI"))
    draft.journal = tidy(fields.first("JT"))
    draft.abbreviation = tidy(fields.first("TA"))
    if book and draft.title and book != draft.title:
        draft.journal = draft.journal or book
    draft.title = draft.title or book
    if not draft.journal:
        draft.journal = draft.abbreviation or ("" if book else parse_source(" ".join(fields.peek("SO"))).journal)


def _people(fields: Fields, draft: Draft) -> None:
    full = "FAU" in fields
    for name, value in fields.pairs:
        if name == "CN" and value:
            draft.authors.append(Person(literal=tidy(value).rstrip(".")))
        elif name == ("FAU" if full else "AU") and value:
            if is_et_al(value):
                draft.authors_complete = False
            elif (found := person(value)) is not None:
                draft.authors.append(found)
    fields.all("FAU", "AU", "CN")


def _where(fields: Fields, draft: Draft) -> None:
    draft.volume, draft.issue = tidy(fields.first("VI")), tidy(fields.first("IP"))
    draft.pages = page_range(fields.first("PG"))
    draft.dated(*fields.all("DP"), *fields.peek("DEP"))
    draft.publisher = tidy(fields.first("PB"))
    for value in fields.all("IS", "ISSN", "ISBN"):
        draft.numbers(re.sub(r"[EP]?ISSN-", "", value))
    source = parse_source(" ".join(fields.peek("SO")))
    if not draft.volume and not draft.issue and not draft.pages and source.volume:
        draft.volume, draft.issue, draft.pages = source.volume, source.issue, page_range(source.pages)
    elif not draft.pages and source.volume == draft.volume:
        draft.pages = page_range(source.pages)
    if draft.date.year is None:
        draft.date = source.date


def _identifiers(fields: Fields, draft: Draft) -> None:
    for value in fields.peek("LID", "AID"):
        if value.endswith("[doi]") or re.match(r"(?:doi:|https?://(?:dx\.)?doi\.org/)", value, re.IGNORECASE):
            draft.identify(Scheme.DOI, value, "AID")
            fields.take_value("LID", value)
            fields.take_value("AID", value)
    for value in fields.all("PMC", "PMCID"):
        draft.identify(Scheme.PMCID, value, "PMC")
    for value in fields.peek("GN"):
        if value.lower().startswith("arxiv:") and draft.identify(Scheme.ARXIV, value):
            fields.take_value("GN", value)
    if not draft.has(Scheme.DOI):
        found = re.search(r"\bdoi:\s*(10\.\S+)", " ".join(fields.peek("SO")), re.IGNORECASE)
        if found:
            draft.identify_in(found[0], Scheme.DOI)
    pmid = next((one.value for one in draft.identifiers if one.scheme is Scheme.PMID), "")
    links = [value for value in fields.peek("LID", "AID", "URL") if value.startswith("http")]
    draft.url = f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else next(iter(links), "")


def _heading(text: str) -> MeshHeading:
    """ "Occupational Health/*history": a star marks a major topic, of the heading or of a subheading."""
    descriptor, *qualifiers = text.split("/")
    major = "*" in text
    return MeshHeading(descriptor.strip("* "), qualifiers=tuple(q.strip("* ") for q in qualifiers), major=major)


def _notices(fields: Fields, draft: Draft) -> None:
    for tag, kind in _NOTICES.items():
        for text in words(fields.all(tag)):
            found = {one.scheme: one.value for one in find_identifiers(text)}
            draft.notices.append(
                Notice(kind, found.get(Scheme.DOI, ""), found.get(Scheme.PMID, ""), date_in_citation(text), text)
            )
    if "Retracted Publication" in draft.types and not any(n.kind is NoticeKind.RETRACTION for n in draft.notices):
        draft.notices.append(Notice(NoticeKind.RETRACTION, text="Retracted Publication"))
    kinds = {"Retraction of Publication", "Retraction Notice", "Published Erratum", "Expression of Concern"}
    draft.is_notice = bool(kinds & set(draft.types)) or any(tag in fields for tag in _OF_OTHERS)
    if draft.is_preprint:
        for text in fields.all("UIN"):
            draft.published_as += [Identifier(one.scheme, one.value) for one in find_identifiers(text)]
