"""A citation as text: the fields of a found record are looked for in it; it is never parsed first and then trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litapp.core.brought import BROUGHT
from litapp.core.identifiers import find_identifiers
from litapp.core.matching import JournalNames
from litapp.core.matching.fields import journal_names
from litapp.core.matching.journals import NO_JOURNAL_NAMES, is_preprint_server, same_journal
from litapp.core.normalise import journal_key, title_key
from litapp.core.records import Identifier, PartialDate, Person, Record, Scheme
from litapp.core.verification.citation_names import Names, names_in
from litapp.core.verification.citation_places import Place, place_in
from litapp.core.verification.citation_titles import Span, guessed_span, span_of_title

_NUMBERING = re.compile(r"\A\s*(?:\[\^?\w{1,6}\]:?|\(\d{1,4}\)|\d{1,4}(?:\.(?!\d)\)?|\)|(?=\s)))\s*")
_BULLET = re.compile(r"\A\s*[-*\u2022\u2013]\s+")
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\((?:[^()\\]|\\.|\([^()]*\))*\)")
_ADDRESS = re.compile(
    r"<?(?:https?://|www\.)\S+|\b(?:doi|digital object identifier)\s*[:=]?\s*(?:https?://\S+|10\.\d{4,9}/\S+)"
    r"|\b10\.\d{4,9}/\S+|\bPMID\s*[:=]?\s*\d+|\bPMC\s?\d+|\bPMCID\s*[:=]?\s*(?:PMC)?\d+"
    r"|(?<=[.,;] )\d{4}\.\d{5}(?:v\d+)?\.?\s*\Z|\barXiv\s*:\s*(?:\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)
_KIND_MARK = re.compile(r"\s?\[(?P<kind>[JMDCNPSRGZ]|EB|DB|CP)(?:/(?:OL|CD|MT|DK))?\](?=\s*[.,:]|\s*\Z)")
"""Mark of the kind of document after the title in Chinese reference lists (GB/T 7714)."""
_CHATTER = re.compile(
    r"\s*(?:\((?:full text|link|pdf|accessed[^)]*)\)|\bavailable (?:at|from)\s*:?.*|\baccessed (?:on )?[\w ,]+\.?|"
    r"\bepub (?:ahead of print|\d{4})[^.]*\.?|\[(?:DOI|PubMed|Google Scholar|CrossRef|PMC free article|Abstract)\])",
    re.IGNORECASE,
)
_PLACE_OF_JOURNAL = re.compile(r"\([^()]*:\s*(?:1[6-9]|20)\d\d\s*\)")
"""What tells journals of one name apart: "(Chicago, Ill. : 1960)"."""
_YEAR_AFTER_NAMES = re.compile(r"[(\[]?\b((?:1[6-9]|20)\d\d)[a-z]?\b[^()\[\]]{0,20}[)\]]?[\s.,:;*_'\u2018\u201c\"]*\Z")
LONGEST_JOURNAL = 250
"""Characters of a journal's name with all that libraries put behind it."""
_NAME_ALONE = re.compile(
    r"\A(?P<name>[^\W\d][^\d;:()]{3,150}?(?:\s\([^()\d]*\))?)(?:[,.]\s*e?\d[\w.-]*)?\Z", re.IGNORECASE
)
"""A journal's name with at most an article number behind it, as the last thing of a citation."""
_BARE_ARXIV = re.compile(r"(?<=[.,;] )(\d\d(?:0[1-9]|1[0-2])\.\d{5})(?:v\d+)?\.?\s*\Z")
_TYPES = (
    ("thesis", re.compile(r"\b(?:thesis|dissertation|habilitationsschrift)\b", re.IGNORECASE)),
    (
        "book",
        re.compile(r"\bISBN\b|\b\d+(?:st|nd|rd|th) ed(?:ition|n)?\b|\b(?:University )?Press\b|\bPublish(?:ers|ing)\b"),
    ),
    ("report", re.compile(r"\b(?:technical report|working paper|white paper|government printing)\b", re.IGNORECASE)),
    ("webpage", re.compile(r"\baccessed\b.*\bhttps?://|\bhttps?://.*\baccessed\b", re.IGNORECASE)),
)


def read_citation(text: str) -> Record:
    """What a citation says before any source was asked: its identifiers, and nothing else."""
    return Record(source=BROUGHT, source_id="", csl_type="", identifiers=_identifiers(text))


def _identifiers(text: str) -> tuple[Identifier, ...]:
    """All identifiers in the text; a bare arXiv number counts at its very end, where no page or number can stand."""
    found = find_identifiers(text)
    bare = _BARE_ARXIV.search(text)
    return found or (Identifier(Scheme.ARXIV, bare[1]),) if bare else found


@dataclass(frozen=True, slots=True)
class Reading:
    """A found record laid over the text: where its title stands, and how many of its words are there (0 to 1)."""

    record: Record
    span: Span


def plain_citation(text: str) -> str:
    """The citation without numbering, links, identifiers and what is not part of it, on one line."""
    text = _LINK.sub(r"\1", text).replace("\\(", "(").replace("\\)", ")")
    text = _BULLET.sub("", text)
    text = _NUMBERING.sub("", text)
    text = _ADDRESS.sub(" ", text)
    text = _KIND_MARK.sub("", text)
    text = _CHATTER.sub(" ", text)
    text = text.replace("**", "").replace("__", "").replace("...", "\u2026")
    return " ".join(text.split()).strip(" ;")


def best_reading(text: str, records: Iterable[Record]) -> Reading | None:
    """The record whose title, and then whose people, are most nearly in the (plain) text; None where none is. One of
    whose title little is there counts only with its people, and people come first."""
    best: tuple[tuple[bool, float, int, bool], Reading] | None = None
    years, folded = set(re.findall(r"\b(?:1[6-9]|20)\d\d\b", text)), text.lower()
    for record in records:
        for title in filter(None, (record.title, record.original_title)):
            span = span_of_title(text, title, journal_names(record))
            if span is None:
                continue
            people = sum(map(folded.__contains__, filter(None, map(_family, record.authors[:6]))))
            dated = bool(years & {str(year) for year in (*record.years, record.year)})
            first = _family(record.authors[0]) in folded if record.authors else True
            if _is_a_name(text[span.start : span.end], record):
                continue
            if span.share < SURE_SHARE and not (first or people >= MANY_PEOPLE):
                continue
            rank = (people > 0, round(span.share, 2), people, dated)
            if best is None or rank > best[0]:
                best = rank, Reading(record, span)
    return best[1] if best else None


SURE_SHARE = 0.8
"""Share of a found title's words that must stand in the text where neither its first author nor several people do."""
MANY_PEOPLE = 2


def _family(person: Person) -> str:
    """The family name, or the last word of a name in one piece, for looking it up in a text."""
    return (person.family or (person.literal.split() or [""])[-1]).lower()


def _is_a_name(text: str, record: Record) -> bool:
    """True when what looks like the record's title is its journal's or an author's name, which the title repeats."""
    key = title_key(text)
    return key in {title_key(name) for name in (*journal_names(record), *(person.name for person in record.authors))}


def guessed_title(text: str) -> str:
    """What is probably the title, from the citation's build alone: good for searching."""
    plain = plain_citation(text)
    span = guessed_span(plain)
    return plain[span.start : span.end] if span else ""


def claim_of(text: str, records: Sequence[Record], *, journals: JournalNames = NO_JOURNAL_NAMES) -> Record:
    """The citation as a claimed record: what stands in the text where the most similar of `records` has its fields.

    A field that cannot be told apart with certainty is left empty, so that nothing is accused for our reading of it.
    Without a similar record the citation's build alone says where the title is.
    """
    plain = plain_citation(text)
    reading = best_reading(plain, records)
    span = reading.span if reading else guessed_span(plain)
    if span is None:
        return read_citation(text)
    found = reading.record if reading else None
    before, after = plain[: span.start], plain[span.end :]
    names_first = bool(re.search(r"[^\W\d_]{2}", before))
    names = names_in(before if names_first else after, found.authors if found else (), leading=names_first)
    if not names_first and found and _is_place(names, found):
        names = Names()
    rest = after if names_first else after[names.end :]
    named = _named_journal(rest, found)
    behind = rest[named.end() :] if named else rest
    written = behind.strip(" .,;:)*_")
    place = place_in(behind) if written else Place() if names_first else place_in(before)
    journal = named[0] if named else _journal(rest, place, found, journals)
    year = _year(before, behind, place, found)
    return Record(
        source=BROUGHT,
        source_id="",
        title=plain[span.start : span.end].strip(" .,;:*_\"“”«»'‘’"),
        authors=names.people,
        authors_complete=names.complete,
        journal=journal,
        volume=place.volume,
        issue=place.issue,
        pages=place.pages,
        date=PartialDate(year=year),
        csl_type=next((kind for kind, pattern in _TYPES if pattern.search(text)), ""),
        identifiers=_identifiers(text),
    )


def _is_place(names: Names, found: Record) -> bool:
    """True when what was read as people behind the title is the journal, or the found record names nobody."""
    theirs = journal_names(found)
    return not found.authors or any(same_journal(person.name, name) for person in names.people for name in theirs)


def _named_journal(rest: str, found: Record | None) -> re.Match[str] | None:
    """The found record's journal where its whole name stands right behind the title; it may hold years and numbers."""
    names = sorted(journal_names(found), key=len, reverse=True) if found else ()
    behind = r"(?=\W*(?:\d|\(|vol\b|no\b|pp?\b|\Z))"
    patterns = (rf"(?<=[\W_]){re.escape(name)}{behind}" for name in names if len(name) > SHORTEST_WHOLE_NAME)
    found_at = (re.compile(pattern, re.IGNORECASE).search(rest) for pattern in patterns)
    return next((at for at in found_at if at and not rest[: at.start()].strip(" .,;:()[]*_\"“”«»'‘’")), None)


SHORTEST_WHOLE_NAME = 12
"""Characters: shorter names may be the beginning of another journal's."""


def _year(before: str, behind: str, place: Place, found: Record | None) -> int | None:
    """The year of the citation; one that the found record carries, where several numbers could be one."""
    outside = _PLACE_OF_JOURNAL.sub(" ", f"{before} | {behind}")
    pages = {place.volume, place.issue, *re.findall(r"\d+", place.pages)} - {str(place.year)}
    years = [
        int(y) for y in re.findall(r"(?<![\w/.-])(?:1[6-9]|20)\d\d(?=[a-z]?\b(?![./-]?\d))", outside) if y not in pages
    ]
    if place.year and place.year not in years and str(place.year) in outside:
        years.append(place.year)
    theirs = {*found.years, found.year} if found else set()
    stated = _YEAR_AFTER_NAMES.search(before)
    first = int(stated[1]) if stated else place.year if place.year in years else None
    return next((year for year in years if year in theirs), first or (years[0] if years else None))


def _journal(rest: str, place: Place, found: Record | None, journals: JournalNames) -> str:
    """The name of the journal as it stands in the text after title and names."""
    raw = _balanced(place.before.strip(" .,;:*_()[]\"“”«»'‘’"))
    alone = None if place.found else _NAME_ALONE.match(raw)
    raw = re.sub(r"\A(?:In|in):?\s+", "", raw)
    theirs = journal_names(found) if found else ()
    pieces = [raw, *(part.strip(" ,;:()") for part in re.split(r"(?<=\w\w)\.\s+|[;(]|,\s", raw))]
    for piece in filter(None, pieces):
        if any(same_journal(piece, name) or journals.same(piece, name) for name in theirs):
            return piece
    folded = f" {journal_key(rest)} "
    for name in theirs:
        if len(journal_key(name)) >= 4 and f" {journal_key(name)} " in folded and not _longer(folded, name):
            return name
    if is_preprint_server(rest):
        return raw if is_preprint_server(raw) else ""
    if not place.found:
        raw = alone["name"] if alone else ""
    if not raw or len(raw) > LONGEST_JOURNAL or not raw[0].isupper():
        return ""
    return raw


def _balanced(name: str) -> str:
    """The name with the bracket at its end or beginning that stripping took off."""
    for opening, closing in ("()", "[]"):
        missing = name.count(opening) - name.count(closing)
        name = name + closing if missing > 0 else opening + name if missing < 0 else name
    return name


def _longer(folded: str, name: str) -> bool:
    """True where the text goes on with another word of a journal's name ("Lancet" within "Lancet Oncology")."""
    tail = folded.split(f" {journal_key(name)} ", 1)[1].split()
    return bool(tail) and not tail[0][0].isdigit() and tail[0] not in ("vol", "volume", "in", "p", "pp", "et", "online")
