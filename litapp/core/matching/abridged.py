"""Whether a title is another one shortened by its writer: an unbroken run of its words, or runs parted by dots.

Such a title is never taken for the same one by itself (a sibling paper may bear it); whoever asks must look at the
people, the year and the place as well, and whether another paper is called exactly so.
"""

from __future__ import annotations

import re

from litapp.core.matching.titles import TitleComparison, compare_words
from litapp.core.matching.verdicts import Agreement
from litapp.core.matching.words import TitleWords, readable, title_words

SHORTEST_ABRIDGED = 3
"""Words that must be left of a title."""
_DOTS = re.compile(r"\s*(?:\u2026|\.\s?\.\s?\.+|\[\s*(?:\u2026|\.{2,3})\s*\])\s*")
_OPEN_END = re.compile(_DOTS.pattern + r"\Z")
_TURNING_WORDS = (
    "absence absent against avoid cannot cease contrary except fail failed failing fails failure failures false "
    "ineffective inferior insufficient lack lacking lacks least less limited little minimal missing neither never no "
    "non none nonsignificant nor not null rare rarely stop stopping unless unlikely without worse"
)
_TURNING = frozenset(_TURNING_WORDS.split())
"""Words that turn what follows them round: a title that lost one of them at its beginning says something else."""
_DIRECTION = re.compile(
    r"(?:de|in)creas|reduc|declin|impair|improv|elevat|enhanc|inhibit|suppress|attenuat|prevent|"
    r"(?:high|low|great|few|bett)er\Z|(?:high|low|more|loss)\Z"
)
_OTHER_PAPER_WORDS = (
    "comment comments commentary correction corrigendum discussion editorial erratum letter notice protocol re reply "
    "response retraction retracted withdrawal withdrawn"
)
_OTHER_PAPER = frozenset(_OTHER_PAPER_WORDS.split())
"""Words that make a title that of a paper about the paper."""
_NEGATIONS_WORDS = "cannot fail failed fails lack neither never no nor not without"
_NEGATIONS = frozenset(_NEGATIONS_WORDS.split())
_PART_WORDS = "i ii iii iv v vi part parts 1 2 3 4 5"
_PART = frozenset(_PART_WORDS.split())


def is_abridged(ours: str, *theirs: str) -> bool:
    """True when `ours` is one of `theirs` cut at its beginning, its end or both, or with dots for what was left out.

    Spelling, typing and joining of words may differ as in compare_titles. What was cut off may not be a negation, a
    direction, the number of a part, or what makes it a paper about the paper; behind dots it may be anything.
    """
    return any(_abridged(ours, text) for text in theirs if text.strip())


def _abridged(ours: str, theirs: str) -> bool:
    text = readable(ours)
    open_end = bool(_OPEN_END.search(text))
    parts = [part for part in _DOTS.split(text) if part.strip()]
    whole = title_words(theirs)
    cut = [title_words(part) for part in parts]
    if not cut or sum(len(part.words) for part in cut) < SHORTEST_ABRIDGED:
        return False
    if sum(len(part.words) for part in cut) > len(whole.words):
        return False
    at = 0
    for number, part in enumerate(cut):
        last = number == len(cut) - 1
        place = _place_of(part, whole, at, broken_word=open_end or not last)
        if place is None:
            return False
        start, at = place
        if number == 0 and not _may_lead(whole.words[:start]):
            return False
    return open_end or _may_follow(whole, at)


def _place_of(part: TitleWords, whole: TitleWords, start: int, *, broken_word: bool) -> tuple[int, int] | None:
    """Where the run of words stands in the whole title (from, to); the earliest place from `start` on."""
    if not part.words:
        return None
    for begin in range(start, len(whole.words)):
        if not _begins_alike(part, whole, begin):
            continue
        for extra in (0, 1, -1, 2, -2):
            end = begin + len(part.words) + extra
            if begin < end <= len(whole.words) and _same(part, _slice(whole, begin, end), broken_word):
                return begin, end
    return None


def _begins_alike(part: TitleWords, whole: TitleWords, begin: int) -> bool:
    """Cheap look before the comparison: the first two letters agree, or the second words do."""
    one, other = part.words[0], whole.words[begin]
    if one[:1] == other[:1]:
        return True
    return len(part.words) > 1 and begin + 1 < len(whole.words) and part.words[1] == whole.words[begin + 1]


def _slice(whole: TitleWords, begin: int, end: int) -> TitleWords:
    words = whole.words[begin:end]
    joined = "".join(words)
    digits = tuple(re.findall(r"\d+", " ".join(words)))
    return TitleWords(
        words=words,
        joined=joined,
        digits=digits,
        plus=frozenset(word for word in whole.plus if word in joined),
        minus=frozenset(word for word in whole.minus if word in joined),
    )


def _same(part: TitleWords, piece: TitleWords, broken_word: bool) -> bool:
    if part.joined == piece.joined:
        return not (part.plus & piece.minus or part.minus & piece.plus)
    if broken_word and len(part.words) == len(piece.words) > 1 and part.words[:-1] == piece.words[:-1]:
        return piece.words[-1].startswith(part.words[-1])
    plain = TitleWords(part.words, part.joined, (), part.digits, (), part.plus, part.minus)
    return _agreed(compare_words(plain, piece)) and part.digits == piece.digits


def _agreed(comparison: TitleComparison) -> bool:
    """Agreement word for word: nothing cut off, no subtitle or heading left out."""
    agrees = comparison.verdict in (Agreement.SAME, Agreement.VARIANT)
    return agrees and not any(note in comparison.why for note in _ONE_SIDED)


_ONE_SIDED = ("missing in", "cut off", "on one side")
"""Notes of compare_words that tell of words which only one title has."""


def _may_lead(lead: tuple[str, ...]) -> bool:
    """True when these words may be missing at the beginning."""
    words = frozenset(lead)
    return not (words & (_TURNING | _OTHER_PAPER)) and not any(map(_DIRECTION.match, lead))


def _may_follow(whole: TitleWords, at: int) -> bool:
    """True when the words from `at` on may be missing at the end."""
    tail = whole.words[at:]
    if not tail:
        return True
    if at in whole.breaks:
        return not _PART & frozenset(tail[:2])
    return not frozenset(tail) & (_NEGATIONS | _OTHER_PAPER) and not (_PART & frozenset(tail[:1]))
