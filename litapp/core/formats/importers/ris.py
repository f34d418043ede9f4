"""Reads RIS as databases and reference managers really write it.

Read are: one or two blanks or tabs around the hyphen, lower-case tags, records without TY or ER, lines between records,
wrapped values with and without indentation, EndNote's further values on bare lines, tags that another program joined to
a value. A record begins with TY, or with the first tag after ER; it ends with ER, the next TY, or the file.
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

TAG_LINE = re.compile(
    r"\s{0,3}([A-Za-z][A-Za-z0-9])(?:[ \t\u00a0]{2,4}[-\u2010-\u2014\u2212]|[ \t\u00a0]-(?=[ \t\u00a0]))"
    r"[ \t\u00a0]*(.*)\Z|\s{0,3}(PMID|PMCID|DOI)[ \t]{0,2}-[ \t]+(.*)\Z",
    re.DOTALL,
)
_JOINED = re.compile(r"\s{0,3}(ER[ \t\u00a0]{1,4}-)[ \t\u00a0]*(?=[A-Z][A-Z0-9][ \t\u00a0]{1,4}-)")
"""The end of a record and the first line of the next on one line: two files put together without a line end."""
_LOOSE_ER = re.compile(r"\s*ER[ \t]*-?[ \t]*\Z")
_TYPES = {
    "JOUR": "article-journal", "JFULL": "article-journal", "EJOUR": "article-journal", "ABST": "article-journal",
    "INPR": "article-journal", "MGZN": "article-magazine", "NEWS": "article-newspaper", "BOOK": "book",
    "EDBOOK": "book",
    "EBOOK": "book", "CLSWK": "book", "CHAP": "chapter", "ECHAP": "chapter", "ENCYC": "entry-encyclopedia",
    "DICT": "entry-dictionary", "CONF": "paper-conference", "CPAPER": "paper-conference", "RPRT": "report",
    "GOVDOC": "report", "THES": "thesis", "DATA": "dataset", "AGGR": "dataset", "ELEC": "webpage", "WEB": "webpage",
    "BLOG": "post-weblog", "COMP": "software", "PAT": "patent", "UNPB": "article", "UNPD": "article",
    "MANSCPT": "manuscript",
    "VIDEO": "motion_picture", "SOUND": "song", "MAP": "map", "STAND": "standard", "STAT": "legislation",
    "BILL": "bill", "CASE": "legal_case", "HEAR": "hearing", "PCOMM": "personal_communication", "SLIDE": "speech",
    "GEN": "document", "MULTI": "document", "PAMP": "pamphlet", "SER": "book",
}  # fmt: skip
_WHOLE_WORKS = frozenset(("book", "report", "thesis"))
_COUNTED = frozenset(("BOOK", "EBOOK", "EDBOOK", "THES"))
_MANY = frozenset(
    (
        "AU",
        "A1",
        "A2",
        "A3",
        "A4",
        "ED",
        "KW",
        "SN",
        "UR",
        "L1",
        "L2",
        "L3",
        "L4",
        "LK",
        "DB",
        "DP",
        "AD",
        "M1",
        "N1",
        "LA",
        "C1",
        "PB",
        "DO",
    )
)
"""Tags whose bare lines are further values (EndNote), not the rest of a wrapped one."""
_TEXTS = frozenset(("AB", "N2", "TI", "T1", "T2", "T3", "BT", "ST", "JO", "JF"))
_ISSUE = re.compile(
    r"(?:(?:no|nr|issue|suppl(?:ement)?|pt|part|s)\b\.?\s*)?[A-Za-z]?\d{1,4}(?:\s*[-–/]\s*\d{1,4})?(?:\s*(?:suppl|pt|part|s)\b\.?\s*\w{0,4})?|suppl\w*\.?\s*\w{0,4}",
    re.IGNORECASE,
)
_MEDLINE = re.compile(r"pubmed|medline|\bNLM\b|national library of medicine", re.IGNORECASE)
_EMBASE = re.compile(r"embase|psyc|cinahl|scopus|web of science|central|biosis", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"errat|corrigend|comment|retract|republish|updates?\b|cited (?!by)|references?\b|original|replac", re.IGNORECASE
)
"""Notes that name other papers: their identifiers are not the record's own."""
_PREPRINT = re.compile(
    r"\b(?:medrxiv|biorxiv|arxiv|preprints?|research square|ssrn|psyarxiv|chemrxiv)\b", re.IGNORECASE
)


def read_ris(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[Entry]:
    """The records of a RIS file, one at a time."""
    for number, (tags, block, warnings) in enumerate(_records(lines, limits), start=1):
        draft = ris_draft(Fields(tags.pairs()))
        draft.warnings[:0] = warnings
        yield draft.entry(number, block.first, block.last, block.text, limits, block.cut)


def _records(lines: Iterator[tuple[int, str]], limits: Limits) -> Iterator[tuple[Tags, Block, list[str]]]:
    tags = Tags()
    block = Block(limits)
    typed = blank = False
    for number, line in _one_by_one(lines):
        found = TAG_LINE.match(line)
        name = (found[1] or found[3]).upper() if found else ""
        if found and blank and tags and not typed and name == tags.first and _is_record(tags):
            yield tags, block, [_NO_TYPE, _NO_END]
            tags, block = Tags(), Block(limits)
        blank = not line.strip()
        if name == "ER" or (not found and tags and _LOOSE_ER.match(line)):
            if tags:
                block.add(number, line)
                yield tags, block, [] if typed else [_NO_TYPE]
            tags, block, typed = Tags(), Block(limits), False
        elif name == "TY":
            if tags and (typed or _is_record(tags)):
                yield tags, block, [_NO_END] if typed else [_NO_TYPE, _NO_END]
            block = Block(limits)
            block.add(number, line)
            tags, typed = Tags(), True
            tags.add(name, found[2] if found else "")
        elif found:
            block.add(number, line)
            tags.add(name, (found[2] if found[1] else found[4]).strip())
        elif tags:
            block.add(number, line)
            _continue(tags, line)
    if tags and (typed or _is_record(tags)):
        yield tags, block, [_NO_END] if typed else [_NO_TYPE, _NO_END]


def _one_by_one(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if found := _JOINED.match(line):
            yield number, found[1]
            line = line[found.end() :]
        yield number, line


_NO_TYPE = "The record has no TY line; what kind of work it is was not stated."
_NO_END = "The record has no ER line; it was read up to the next record."


def _is_record(tags: Tags) -> bool:
    """Whether tags that no TY line opened are a record, not a stray line: a title or DOI, and something more."""
    names = {name for name, value in tags.pairs() if value}
    return len(names) > 1 and bool(names & {"TI", "T1", "DO", "DOI", "CT", "BT"})


def _continue(tags: Tags, line: str) -> None:
    """A line without tag belongs to the tag above: as a further value, or as the rest of a wrapped one."""
    text = line.strip()
    name, value = tags.last, tags.begun
    if not text or name == "TY":
        return
    wrapped = line[:1].isspace() or (name in ("AU", "A1") and "," not in value) or not value
    if name in _MANY and not wrapped:
        tags.add(name, text)
    else:
        tags.more(text, "\n" if name in _TEXTS else " ")


def ris_draft(fields: Fields) -> Draft:
    """The record that the tags of one RIS entry state."""
    draft = Draft()
    kind = tidy(fields.first("TY")).upper()
    draft.csl_type = _TYPES.get(kind, "document" if kind else "article-journal")
    _titles(fields, draft)
    _people(fields, draft)
    draft.dated(*_dates(fields))
    draft.volume = tidy(fields.first("VL", "VO"))
    draft.issue = tidy(fields.first("IS", "CP"))
    if draft.issue == "0":
        draft.issue = ""
    if not draft.issue:
        draft.issue = next((tidy(m) for m in fields.peek("M1") if tidy(m) != "0" and _ISSUE.fullmatch(tidy(m))), "")
        if draft.issue:
            fields.first("M1")
    if kind in _COUNTED and not fields.peek("EP") and (fields.peek("SP") or ["-"])[0].strip().isdigit():
        draft.pages = ""  # of books and theses SP is the number of pages
    else:
        draft.pages = page_range(fields.first("SP"), fields.first("EP")) or tidy(fields.first("C7"))
    draft.publisher = next(iter(words(fields.all("PB"))), "")
    for text in fields.all("SN", "BN"):
        draft.numbers(text)
    draft.abstracted(*dict.fromkeys(fields.all("AB", "N2")))
    draft.keywords = words(fields.all("KW"))
    draft.languages = words(fields.all("LA"))
    draft.database = next(iter(words(fields.all("DB") + fields.peek("DP"))), "")
    draft.source_id = tidy((fields.peek("AN", "UT", "ID") or [""])[0])
    _identifiers(fields, draft)
    for note in fields.peek("N1"):
        draft.claimed.update(claims_in(note))
    draft.is_preprint = kind == "UNPB" and bool(_PREPRINT.search(" ".join((draft.journal, draft.publisher, draft.url))))
    if draft.is_preprint:
        draft.csl_type = "article"
    draft.dropped[:0] = fields.rest()
    return draft


def _titles(fields: Fields, draft: Draft) -> None:
    whole = draft.csl_type in _WHOLE_WORKS
    draft.titled(fields.first("TI", "T1", "CT", *(["BT"] if whole else [])))
    if not draft.title and whole:
        draft.titled(fields.first("T2"))
    names = [tidy(fields.first(tag)) for tag in ("T2", "JF", "JO", "BT", "JA", "J2", "J1", "JN")]
    names += words(fields.all("T2", "JF", "JO", "JA"))
    full = [name for name in names[:4] if name]
    short = [name for name in names[4:7] if name]
    if draft.csl_type == "article-journal" and fields.peek("JF"):
        draft.journal = tidy(fields.peek("JF")[0])
    else:
        draft.journal = max(full, key=len) if full and draft.csl_type == "article-journal" else next(iter(full), "")
    draft.abbreviation = next(iter(short), "")
    if not draft.journal:
        draft.journal = draft.abbreviation or names[7]
    draft.alternatives = [
        name for name in dict.fromkeys(names) if name and name not in (draft.journal, draft.abbreviation, draft.title)
    ]
    if not draft.title and fields.peek("ST"):
        draft.titled(fields.first("ST"))
    for short_title in fields.peek("ST"):
        if tidy(short_title) == draft.title:
            fields.take_value("ST", short_title)


def _people(fields: Fields, draft: Draft) -> None:
    for value in fields.all("AU", "A1"):
        for name in names_in(value):
            if is_et_al(name):
                draft.authors_complete = False
            elif (found := person(name, True)) is not None:
                draft.authors.append(found)


def _dates(fields: Fields) -> list[str]:
    """PY says the year; DA, the date, adds to it and wins over Y1, its old name. Y2 is the day of access."""
    return (
        fields.all("PY")
        + fields.all("DA")
        + fields.all("Y1")
        + [text for text in fields.all("YR", "DP") if text[:4].isdigit()]
    )


def _identifiers(fields: Fields, draft: Draft) -> None:
    for value in fields.all("DO", "DOI"):
        draft.identify(Scheme.DOI, value, "DO")
    for value in fields.all("PMID"):
        draft.identify(Scheme.PMID, value, "PMID")
    for value in fields.all("PMCID"):
        draft.identify(Scheme.PMCID, value, "PMCID")
    database = " ".join(fields.peek("DB", "DP"))
    medline = _MEDLINE.search(database) and not _EMBASE.search(database)
    for tag in ("AN", "U1", "U2", "C2", "C3", "C5"):
        for value in fields.peek(tag):
            if _pubmed_number(tag, value, bool(medline), draft):
                fields.take_value(tag, value)
    links = fields.all("UR") + fields.all("LK", "L2", "L1", "L3", "L4")
    notes = [part for value in fields.peek("M3", "N1") for part in value.split("; ") if not _OF_OTHERS.search(part)]
    for value in links + notes:
        draft.identify_in(value, Scheme.DOI, Scheme.PMID, Scheme.PMCID, Scheme.ARXIV)
    draft.url = next((url for link in links if (url := _address(link))), "")
    draft.dropped += [("UR", link) for link in dict.fromkeys(links) if _address(link) != draft.url]


def _pubmed_number(tag: str, value: str, medline: bool, draft: Draft) -> bool:
    """PMIDs and PMCIDs from accession numbers and custom fields. A bare number counts only where the database says
    so."""
    value = tidy(value)
    if "," in value or ";" in value:
        return any(
            _pubmed_number(tag, part, False, draft) for part in re.split("[,;]", value) if not part.strip().isdigit()
        )
    if re.fullmatch(r"PMC\d+(?:\s*\[pmcid\])?", value, re.IGNORECASE):
        return draft.identify(Scheme.PMCID, value.split("[")[0])
    if re.fullmatch(r"(?:PUBMED|PMID|MEDLINE)[ :]*\d{1,8}|\d{1,8}\s*\[pmid\]", value, re.IGNORECASE):
        return draft.identify(Scheme.PMID, value)
    bare = re.fullmatch(r"[1-9]\d{4,7}", value) is not None
    if bare and ((tag == "AN" and medline) or tag == "C5" or (tag == "C2" and not draft.has(Scheme.PMID))):
        return draft.identify(Scheme.PMID, value)
    return False


def _address(link: str) -> str:
    link = re.split(r"\s", link.strip(), maxsplit=1)[0] if link.strip() else ""
    if link.startswith("//"):
        link = "https:" + link
    return link if re.match(r"https?://", link, re.IGNORECASE) else ""
