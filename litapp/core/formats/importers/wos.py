"""Reads Web of Science's tagged format (.txt, .ciw, .isi), with full records, Derwent and MEDLINE entries.

Meaning of the tags: Clarivate, Web of Science Core Collection Field Tags. A record runs from PT to ER.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litapp.core.formats.importers.draft import Draft, page_range, tidy, words
from litapp.core.formats.importers.fields import Fields
from litapp.core.formats.importers.names import is_et_al, names_in, person
from litapp.core.formats.importers.reading import Entry, Limits
from litapp.core.formats.importers.tagged import Block, Tags
from litapp.core.records import Person, Scheme

TAG_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?\Z", re.DOTALL)
_LISTS = frozenset(("AU", "AF", "BA", "BF", "BE", "CA", "CR", "C1", "RI", "OI", "ED"))
_KINDS = {"J": "article-journal", "B": "book", "S": "chapter", "P": "patent"}


def read_wos(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of a Web of Science file, one at a time."""
    for number, (tags, block) in enumerate(_records(lines, limits), start=1):
        yield wos_draft(Fields(tags.pairs())).entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block]]:
    tags = Tags()
    block = Block(limits)
    for number, line in lines:
        found = TAG_LINE.match(line)
        name = found[1] if found else ""
        if name in ("FN", "VR") and not tags:
            continue
        if name in ("ER", "EF") and found and not (found[2] or "").strip():
            if tags:
                if name == "ER":
                    block.add(number, line)
                yield tags, block
            tags, block = Tags(), Block(limits)
            continue
        if name == "PT" and tags:
            yield tags, block
            tags, block = Tags(), Block(limits)
        if found:
            block.add(number, line)
            tags.add(name, (found[2] or "").strip())
        elif tags and line.strip():
            block.add(number, line)
            if tags.last in _LISTS:
                tags.add(tags.last, line.strip())
            else:
                tags.more(line.strip())
    if tags:
        yield tags, block


def wos_draft(fields: Fields) -> Draft:
    """The record that one Web of Science entry, or one row of its tab-delimited form, states."""
    draft = Draft(database="Web of Science")
    draft.source_id = tidy(fields.first("UT"))
    draft.titled(fields.first("TI"))
    draft.journal = tidy(fields.first("SO"))
    draft.abbreviation = tidy(fields.first("JI", "J9"))
    draft.alternatives = words(fields.all("SE", "J9", "JI"))
    draft.types = [part for value in fields.all("DT") for part in words(value.split(";"))]
    draft.csl_type = _kind(tidy(fields.first("PT")), draft.types)
    if draft.journal.strip(". ").lower() == draft.title.strip(". ").lower():
        draft.journal = ""
    elif draft.csl_type == "book" and draft.journal:
        draft.csl_type = "chapter"
    _people(fields, draft)
    draft.volume, draft.issue = tidy(fields.first("VL")), tidy(fields.first("IS"))
    first, last = tidy(fields.first("BP")), tidy(fields.first("EP"))
    draft.pages = f"{first}-{last}" if first and first == last else page_range(first, last)
    draft.pages = draft.pages or page_range(fields.first("PS")) or tidy(fields.first("AR"))
    year, day = fields.first("PY"), fields.first("PD")
    draft.dated(f"{year} {day}" if year and day and not re.search(r"\d{4}", day) else "", year, day, *fields.all("EA"))
    draft.abstracted(*fields.all("AB"))
    draft.keywords = [word for value in fields.all("DE", "ID") for word in words(value.split(";"))]
    draft.languages = words(fields.all("LA"))
    draft.publisher = tidy(fields.first("PU"))
    for value in fields.all("SN", "EI", "BN"):
        draft.numbers(value)
    draft.identify(Scheme.DOI, fields.first("DI"), "DI")
    for value in fields.all("PM"):
        draft.identify(Scheme.PMID, value, "PM")
    found = re.fullmatch(r"MEDLINE:(\d{1,8})", draft.source_id)
    if found:
        draft.identify(Scheme.PMID, found[1])
    draft.is_preprint = any("preprint" in kind.lower() for kind in draft.types)
    draft.dropped[:0] = fields.rest()
    return draft


def _kind(letter: str, types: list[str]) -> str:
    low = " ".join(types).lower()
    if "proceedings paper" in low and letter != "J":
        return "paper-conference"
    if "book chapter" in low:
        return "chapter"
    return _KINDS.get(letter, "article-journal")


def _people(fields: Fields, draft: Draft) -> None:
    short = _names(fields.all("AU"), draft)
    full = _names(fields.all("AF"), draft)
    names = full if len(full) >= len(short) else short
    if not names:
        names = _names(fields.all("BF") or fields.all("BA"), draft)
    draft.authors = names + [Person(literal=tidy(value)) for value in fields.all("CA") if tidy(value)]


def _names(values: list[str], draft: Draft) -> list[Person]:
    people = []
    for value in values:
        for name in names_in(value):
            if is_et_al(name):
                draft.authors_complete = False
            elif (found := person(_derwent(name))) is not None:
                people.append(found)
    return people


def _derwent(name: str) -> str:
    """Derwent and old entries have no comma: "YANG Y"."""
    found = re.fullmatch(r"\s*([A-Z'’ -]{2,})\s+([A-Z]{1,3})\s*", name)
    return f"{found[1]}, {found[2]}" if found else name
