"""What of a record is compared when looking for duplicates, computed once a record."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.dedupe.kinds import Level, level_of
from litapp.core.dedupe.places import page_parts, place_of
from litapp.core.matching.names import PARTICLES, SUFFIXES, is_et_al
from litapp.core.matching.spelling import ROMAN
from litapp.core.matching.words import ARTICLES, TitleWords, title_words
from litapp.core.normalise import journal_key, title_key
from litapp.core.records import Person, Record, Scheme

_LANGUAGE = (
    "afrikaans|arabic|bulgarian|chinese|croatian|czech|danish|dutch|english|finnish|french|german|greek|"
    "hebrew|hungarian|icelandic|italian|japanese|korean|lithuanian|norwegian|persian|polish|portuguese|"
    "romanian|russian|serbian|slovak|slovenian|spanish|swedish|thai|turkish|ukrainian|undetermined|"
    "vietnamese"
)
_TAILS = re.compile(
    rf"(?:\s*<original>.*|[.?!\])]\s*\(?(?:{_LANGUAGE})(?:,? (?:{_LANGUAGE}))*\)?|"
    rf"\s*[\[(](?:in )?(?:{_LANGUAGE})(?: original)?[\])]|"
    r"\s*[\[(](?:erratum|corrected|published erratum|comment|see comment|retract|update)\b[^\])]*[\])]?|"
    r"\s*\(?reprint(?:ed)? (?:from|of|in)\b.*|\s*[\[(]?(?:abstract|review|letter)s?[\])]|[\s*†‡]+)\s*\.?\s*\Z",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\A\s*(?:reprint of\s*:?|review[- ]artikel\s*:|review article\s*:|withdrawn[.:]?|retracted[.:]?)\s*", re.I
)
_PART = re.compile(
    r"\b(?:part|pt|chapter|section|paper|report|lecture|volume)s?\s+(?:no\s+)?"
    r"(\d{1,2}|[ivx]{1,5}|one|two|three|four|five|a|b)\b"
)
_PART_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_NCT = re.compile(r"\bNCT\s?\d{8}\b", re.IGNORECASE)
_COCHRANE = re.compile(r"\b(?:cd|mr)\d{6}\b", re.IGNORECASE)
_COCHRANE_VERSION = re.compile(r"\.pub(\d+)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_MEETING = re.compile(r"(?<=\w)[.:]?\s*conference\s*(?::|publication).*\Z", re.IGNORECASE)
_GENERIC_WORDS = (
    "abstract abstracts annual answer answers author authors book books case chair column comment comments "
    "commentary contents correspondence cover discussion editor editorial editors erratum forum foreword from "
    "highlights home index in interview introduction introducing issue issues january february march april may "
    "june july august september october november december journal letter letters list meeting message more new "
    "news note notes obituary of on opinion overview page perspective perspectives preface president proceedings "
    "question questions quarterly remarks reply report response review reviewer reviewers reviews section special "
    "summary symposium table thanks this to update view volume welcome word year"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())
_NO_AUTHOR = frozenset({"anonymous", "anon", "noauthorlisted", "noauthors", "unknown", "na", "author", "editor"})
ABSTRACT_LETTERS = 700
"""Letters of an abstract's first section that are compared."""


@dataclass(frozen=True, slots=True)
class Features:
    """One record, ready to be compared.

    `core` is the folded title without articles, joined; `part` its number in a series. `first` holds the keys that the
    first author's family name can have, `people` those of all authors. `starts` are the first pages it can have (Excel
    turns "4-20" into a date), `length` the number of pages; `generic`: a title that many records bear.
    """

    record: Record
    title: TitleWords
    core: str
    level: Level
    part: str
    first: frozenset[str]
    people: frozenset[str]
    year: int | None
    journal: str
    journal_name: str
    issns: frozenset[str]
    volume: str
    issue: str
    issues: frozenset[str]
    starts: frozenset[str]
    letters: str
    length: int | None
    doi: str
    pmid: str
    trial: str
    trials: frozenset[str]
    cochrane: str
    version: str
    generic: bool


def clean_title(title: str) -> str:
    """A title without language names, notes and reprint marks that databases add at its ends."""
    title = _LEADS.sub("", title)
    while True:
        shorter = _TAILS.sub("", title)
        if shorter == title or len(shorter) < 8:
            return title
        title = shorter


def name_keys(person: Person) -> frozenset[str]:
    """The keys that a person's family name can have; several where the parts of the name are not told apart."""
    words = title_key(person.literal or person.family).split()
    if not words:
        return frozenset()
    plain = [w for w in words if w not in PARTICLES and w not in SUFFIXES] or words
    joined = "".join(plain)
    if joined in _NO_AUTHOR:
        return frozenset()
    if not person.literal:
        keys = {joined, plain[-1], plain[0], "".join(words)}
        given = title_key(person.given).split()
        if len(plain) == 1 and len(given) == 1 and len(given[0]) > 3:
            keys.add(given[0])
        return frozenset(key for key in keys if len(key) > 1) or frozenset(keys)
    named = [w for w in plain if len(w) > 2] or plain
    return frozenset({named[0], named[-1], joined, "".join(plain[-2:]), "".join(plain[:2])})


def _part_of(words: tuple[str, ...]) -> str:
    found = _PART.findall(" ".join(words))
    if not found:
        last = words[-1] if words else ""
        return ROMAN.get(last, "") if last in ("i", "ii", "iii", "iv", "vi", "vii", "viii") else ""
    return ",".join(ROMAN.get(n, _PART_NUMBERS.get(n, n.lstrip("0"))) for n in found)


def trials_named(record: Record) -> frozenset[str]:
    """The registry numbers (ClinicalTrials.gov, ISRCTN) in title, keywords and abstract of a report of one trial, or of
    two; empty where more are named: then the record is about trials, as a review is."""
    texts = (record.title, *record.keywords, *(section.text for section in record.abstract))
    found = {
        "".join(one[0].upper().split())
        for text in texts
        if "NCT" in text or "ISRCTN" in text
        for one in _REGISTERED.finditer(text)
    }
    return frozenset(found) if len(found) <= _MOST_TRIALS else frozenset()


def is_generic(words: list[str]) -> bool:
    """True for titles that many records bear: "Editorial", "In this issue", "Annual report 2011"."""
    telling = [word for word in words if word not in _GENERIC and not word.isdigit() and len(word) > 2]
    return len(telling) < 2 or sum(map(len, telling)) < 10


def features_of(record: Record) -> Features:
    """Compute the features of one record."""
    title = title_words(clean_title(record.title))
    content = [word for word in title.words if word not in ARTICLES and word != "and"]
    place = place_of(record)
    starts, letters, length = page_parts(place.pages)
    authors = [person for person in record.authors if not is_et_al(person)]
    people = [name_keys(person) for person in authors]
    doi = record.doi
    cochrane = _COCHRANE.search(record.pages) or (_COCHRANE.search(doi) if "14651858" in doi else None)
    version = _COCHRANE_VERSION.search(doi) if cochrane else None
    trial = _NCT.search(f"{record.volume} {record.pages} {record.journal} {record.title}")
    year = record.date.year
    core = "".join(content)
    journal = _MEETING.sub("", record.journal or record.journal_abbreviation)
    return Features(
        record=record,
        title=title,
        core=core,
        level=level_of(record, letters, length),
        part=_part_of(title.words),
        first=people[0] if people else frozenset(),
        people=frozenset().union(*people),
        year=year,
        journal=journal_key(journal),
        journal_name=journal,
        issns=frozenset(record.issns),
        volume=place.volume,
        issue=record.issue.strip(),
        issues=place.issues,
        starts=starts,
        letters=letters,
        length=length,
        doi=doi,
        pmid=record.pmid,
        trial=trial[0].upper().replace(" ", "") if trial else record.identifier(Scheme.PMCID),
        trials=trials_named(record),
        cochrane=cochrane[0].lower() if cochrane else "",
        version=version[1] if version else ("1" if cochrane and doi else ""),
        generic=is_generic(content),
    )


_REGISTERED = re.compile(r"\b(?:NCT|ISRCTN) ?\d{8}\b")
_MOST_TRIALS = 2


def fingerprint(f: Features) -> tuple[object, ...]:
    """Everything of a record that comparing looks at: two records with equal fingerprints stand alike to any third."""
    abstract = f.record.abstract[0].text[:ABSTRACT_LETTERS] if f.record.abstract else ""
    ids = tuple(f.record.identifier(scheme) for scheme in (Scheme.PMCID, Scheme.ARXIV))
    return (
        f.title.words, f.core, f.level, f.part, f.first, f.people, f.year, f.journal, f.journal_name, f.issns, f.volume,
        f.issue, f.issues, f.starts, f.letters, f.length, f.doi, f.pmid, f.trial, f.trials, f.cochrane, f.version,
        f.generic, abstract, ids,
    )  # fmt: skip
