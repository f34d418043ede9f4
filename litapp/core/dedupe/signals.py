"""How two records stand to each other field by field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from litapp.core.dedupe.features import ABSTRACT_LETTERS, Features
from litapp.core.matching.journals import same_journal
from litapp.core.matching.titles import compare_words
from litapp.core.matching.verdicts import Agreement
from litapp.core.normalise import title_key

YES, UNKNOWN, NO = 1, 0, -1


class Title(StrEnum):
    """How two titles stand: EQUAL words, one a PART of the other (subtitle, cut), a few letters differ (SLIP), a few
    words differ (TWIN), OTHER."""

    EQUAL = "equal"
    PART = "part"
    SLIP = "slip"
    TWIN = "twin"
    OTHER = "other"


AGREEING = frozenset({Title.EQUAL, Title.PART, Title.SLIP})


@dataclass(frozen=True, slots=True)
class Signals:
    """Agreement of two records field by field: 1 agrees, 0 not stated, -1 differs.

    `likeness` of the titles is 0 to 1; `contained`: one begins or ends with the other. `span`: both give the same range
    of at least three pages. `exact_page`: the first page is certain on both sides and not page 1.
    """

    title: Title
    likeness: float
    contained: bool
    author: int
    shared_people: float
    journal: int
    volume: int
    issue: int
    pages: int
    span: bool
    exact_page: bool
    year_gap: int | None
    doi: int
    pmid: int

    @property
    def near_year(self) -> bool:
        """Years at most one apart, or one of them not stated."""
        return self.year_gap is None or self.year_gap <= 1


def signals(a: Features, b: Features) -> Signals:
    """Compare the fields of two records."""
    title, likeness = title_relation(a, b)
    smaller = min(len(a.people), len(b.people))
    pages = _pages(a, b)
    return Signals(
        title=title,
        likeness=likeness,
        contained=title is not Title.EQUAL and _contained(a, b),
        author=author_relation(a, b),
        shared_people=len(a.people & b.people) / smaller if smaller else 0.0,
        journal=_journal(a, b),
        volume=_volume(a, b),
        issue=UNKNOWN if not (a.issues and b.issues) else YES if a.issues & b.issues else NO,
        pages=pages,
        span=pages == YES and a.length is not None and a.length == b.length and a.length >= 3,
        exact_page=pages == YES and len(a.starts) == len(b.starts) == 1 and a.starts != {"1"},
        year_gap=abs(a.year - b.year) if a.year and b.year else None,
        doi=_equal(a.doi, b.doi),
        pmid=_equal(a.pmid, b.pmid),
    )


def _equal(a: str, b: str) -> int:
    return UNKNOWN if not a or not b else YES if a == b else NO


def _volume(a: Features, b: Features) -> int:
    """A supplement's volume may be told as the issue of the journal's volume."""
    if a.volume == b.volume or not a.volume or not b.volume:
        return _equal(a.volume, b.volume)
    return YES if _supplement_of(a, b) or _supplement_of(b, a) else NO


def _supplement_of(a: Features, b: Features) -> bool:
    return re.search(rf"(?<!\d){a.volume}(?!\d)", b.issue) is not None and len(b.issue) > 2


def _contained(a: Features, b: Features) -> bool:
    short, long = sorted((a.core, b.core), key=len)
    return len(short) >= 15 and (long.startswith(short) or long.endswith(short))


def author_relation(a: Features, b: Features) -> int:
    """Whether the first authors can be one person."""
    if not a.first or not b.first:
        return UNKNOWN
    if a.first & b.first:
        return YES
    return YES if any(fuzz.ratio(x, y) >= 85 for x in a.first for y in b.first) else NO


def _journal(a: Features, b: Features) -> int:
    if a.issns and b.issns and a.issns & b.issns:
        return YES
    if not a.journal or not b.journal:
        return UNKNOWN
    if a.journal == b.journal or same_journal(a.journal_name, b.journal_name) or _same_meeting(a.journal, b.journal):
        return YES
    return NO


_MEETING = re.compile(r"\b(?:conference|symposium|workshop|congress|meeting)\b")


def _same_meeting(a: str, b: str) -> bool:
    """Names of one conference: the plain name within the full one, or its initials among the other's words."""
    for name, other in ((a, b), (b, a)):
        if not _MEETING.search(name):
            continue
        plain = _MEETING_EXTRAS.sub(" ", name).split()
        if len(plain) >= 3 and " ".join(plain) in " ".join(_MEETING_EXTRAS.sub(" ", other).split()):
            return True
        initials = "".join(word[0] for word in plain if word not in ("of", "on", "the", "and", "in", "for"))
        if len(initials) >= 3 and initials in other.split():
            return True
    return False


_MEETING_EXTRAS = re.compile(r"\b(?:proceedings|of the|annual|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b")


def _pages(a: Features, b: Features) -> int:
    if not a.starts or not b.starts:
        return UNKNOWN
    if not a.starts & b.starts:
        return NO
    lettered = {a.letters, b.letters} - {"", "e"}
    return NO if len(lettered) > 1 else YES


def title_relation(a: Features, b: Features) -> tuple[Title, float]:
    """Relation of two titles and their likeness (for ranking, and for titles garbled on the way)."""
    if a.core == b.core and a.core:
        return Title.EQUAL, 1.0
    if not a.core or not b.core:
        return Title.OTHER, 0.0
    likeness = fuzz.ratio(a.core, b.core) / 100
    short, long = sorted((a.core, b.core), key=len)
    contained = _contained(a, b)
    if likeness >= 0.75 or contained:
        verdict = compare_words(a.title, b.title).verdict
        agrees = verdict in (Agreement.SAME, Agreement.VARIANT)
        if agrees and not contained and len(long) - len(short) <= 12:
            return Title.SLIP, likeness
        if agrees or (len(short) >= 40 and long.startswith(short)):
            return (Title.TWIN if _tells(a, b) else Title.PART), likeness
    return (Title.TWIN if likeness >= 0.55 or contained else Title.OTHER), likeness


def _tells(a: Features, b: Features) -> bool:
    """True when the words that only the longer title has make another report of it ("five-year follow-up", "in men",
    "study protocol"), and are not merely a subtitle that was left out."""
    short, long = sorted((a.title.words, b.title.words), key=len)
    extra = [word for word in long if word not in set(short)]
    if any(word in _TELLING for word in extra):
        return True
    return 0 < len(extra) <= 2 and not any(word in _PLAIN for word in extra)


_TELLING_WORDS = (
    "addendum baseline comment commentary con correction design editorial erratum extension final followup follow "
    "hoc interim letter long part pilot preliminary pro protocol rationale reply response secondary short "
    "subgroup summary supplement update updated year years"
)
_TELLING = frozenset(_TELLING_WORDS.split())
_PLAIN_WORDS = (
    "analysis article case clinical cohort comparative controlled experience experimental literature metaanalysis "
    "meta multicenter multicentre observational overview perspective prospective qualitative randomised "
    "randomized report reports results retrospective review series studies study survey synthesis systematic "
    "trial"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())

_LABELS = re.compile(
    r"\A\W*(?:unlabell?ed\W+|abstract\W+)*(?:background|objectives?|aims?|purpose|introduction|rationale|context|methods|"
    r"results|importance|study design)?(?: and (?:aims?|objectives?|purpose))?\s*(?:\(s\))?\s*[:.]+\s*",
    re.IGNORECASE,
)
_NEEDED = 120
"""Letters of an abstract that both sides need before it says anything."""


def abstract_relation(a: Features, b: Features) -> int:
    """Whether two abstracts begin alike; labels such as "OBJECTIVE:" and cut endings do not count."""
    first, second = (_abstract_letters(f) for f in (a, b))
    length = min(len(first), len(second), 400)
    if length < _NEEDED:
        return UNKNOWN
    likeness = fuzz.ratio(first[:length], second[:length])
    return YES if likeness >= 85 else NO if likeness < 60 else UNKNOWN


def _abstract_letters(f: Features) -> str:
    if not f.record.abstract:
        return ""
    return title_key(_LABELS.sub("", f.record.abstract[0].text[:ABSTRACT_LETTERS])).replace(" ", "")
