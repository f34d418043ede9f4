"""Whether two names mean the same journal: words and their abbreviations in order, to the last one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from litapp.core.matching.mojibake import repair_mojibake
from litapp.core.matching.spelling import american
from litapp.core.normalise import journal_key

_FILLER_WORDS = (
    "a al an and at but by d da das de del della der des di die do e ed edited edition ein el en et for fur i il "
    "im in its l la le les lo los na nd of on online or part print section ser series sect st suppl supplement "
    "supplements supplementum the to u und van voor vol volume von with y zur za"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that an abbreviation leaves out (ISO 4 rule 7.4), and words that only name an edition."""

_TABLE = MappingProxyType(
    {
        "bmj": "british medical journal",
        "cmaj": "canadian medical association journal",
        "embo": "european molecular biology organization",
        "faseb": "federation of american societies for experimental biology",
        "intl": "international",
        "jama": "journal of the american medical association",
        "neurips": "advances in neural information processing systems",
        "nips": "advances in neural information processing systems",
        "nejm": "new england journal of medicine",
        "plos": "public library of science",
        "pnas": "proceedings of the national academy of sciences",
        "qjm": "quarterly journal of medicine",
    }
)
"""Names that are spoken as initials and cannot be read off word by word. Facts, kept few."""

_OFFICIAL = re.compile(
    r"\s*(?:[:;.=/]|\s-\s)\s*(?:(?:the|an?|le|la|il)\s+)?(?:official|conference\b|(?:\w+\s+)?journal\b|"
    r"offizielle\w*|organe?|officiel\w*|oficial|ufficiale|publication|zeitschrift|revue|(?-i:[A-Z]{2,7})\s*\Z).*\Z",
    re.IGNORECASE | re.DOTALL,
)
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_PLACE = re.compile(r"\s+of the united states(?: of america)?\b|\s+(?:usa|u s a|u s|us)\Z")
_PROCEEDINGS = re.compile(
    r"\A(?:(?:in\s+)?proceedings of (?:the )?|proc\.? (?:of )?(?:the )?)?(?:(?:19|20)\d\d\s+)?"
    r"(?:\d+(?:st|nd|rd|th)\s+|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|"
    r"(?:twen|thir|for|fif)ty(?:-|\s)?\w*)\s+)?(?:annual\s+)?",
    re.IGNORECASE,
)
_CONFERENCE = re.compile(r"\b(?:conference|symposium|workshop|congress|meeting|conf|symp)\b", re.IGNORECASE)
_YEARS = re.compile(r"\b(?:19|20)\d\d\b")
_PREPRINT = re.compile(
    r"\b(?:ar\s?xiv|bio\s?rxiv|med\s?rxiv|corr|ssrn|research\s?square|preprints?(?:\.org)?|chemrxiv|psyarxiv|osf|"
    r"authorea|techrxiv|openrxiv)\b",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1100-\u11ff\u3040-\u9fff\uac00-\ud7af]"
)


@dataclass(frozen=True, slots=True)
class JournalNames:
    """Known names of journals. `ids` maps a journal key (core.normalise.journal_key) to the journals it can mean."""

    ids: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def from_names(cls, journals: Iterable[Iterable[str]]) -> JournalNames:
        """Build from one list of names (full title, abbreviations ...) per journal."""
        ids: defaultdict[str, set[int]] = defaultdict(set)
        for number, names in enumerate(journals):
            for name in names:
                if key := journal_key(name):
                    ids[key].add(number)
        return cls(MappingProxyType({key: frozenset(numbers) for key, numbers in ids.items()}))

    def find(self, name: str) -> frozenset[int]:
        """The journals that `name` can mean; empty when the list does not hold it."""
        return self.ids.get(journal_key(name), frozenset()) if self.ids and name else frozenset()

    def knows(self, name: str) -> bool:
        """True when the list holds a journal of this name."""
        return bool(self.find(name))

    def same(self, a: str, b: str) -> bool:
        """True when some journal of the list has both names."""
        return bool(self.find(a) & self.find(b))


NO_JOURNAL_NAMES = JournalNames()


def is_preprint_server(name: str) -> bool:
    """True for "arXiv preprint arXiv:2101.1", "bioRxiv", "medRxiv" ..."""
    return bool(_PREPRINT.search(name))


def same_server(a: str, b: str) -> bool:
    """True when both names hold the name of one preprint server."""
    servers = [{re.sub(r"\W", "", found.lower()) for found in _PREPRINT.findall(name)} for name in (a, b)]
    return bool(servers[0] & servers[1])


def is_other_script(text: str) -> bool:
    """True for a text most of whose letters are not Latin, so that it cannot be compared with one that is."""
    if text.isascii():
        return False
    letters = [c for c in text if c.isalpha()]
    return 2 * len(_OTHER_SCRIPT.findall(text)) > len(letters)


@lru_cache(maxsize=16384)
def _plain(name: str) -> str:
    """The key of a name without what libraries add: sponsors after a colon, place and year in brackets."""
    text = repair_mojibake(name)
    shorter = _OFFICIAL.sub("", text)
    if len(shorter.strip()) >= 3:
        text = shorter
    text = _without_own_initials(text)
    bare = _BRACKETED.sub("", text)
    key = journal_key(bare if bare.strip() else text)
    if _CONFERENCE.search(key):
        key = _PROCEEDINGS.sub("", _YEARS.sub("", key).strip(), count=1)
    return _PLACE.sub("", key).strip()


def _without_own_initials(name: str) -> str:
    """ "X of Y : XY" and "XY X of Y" without the initials that the name itself gives."""
    head, colon, tail = name.rpartition(":")
    if colon and " " not in tail.strip() and _are_initials(tail, head):
        return head
    first, _, rest = name.partition(" ")
    return rest if rest and _are_initials(first, rest) else name


def _are_initials(word: str, name: str) -> bool:
    letters, words = journal_key(word), journal_key(name).split()
    if len(letters) < 3 or len(words) < 3:
        return False
    solid = "".join(w[0] for w in words if w not in _FILLERS)
    return letters in (solid, "".join(w[0] for w in words), solid + solid[-1:]) or solid.startswith(letters)


def _words(key: str) -> list[str]:
    words: list[str] = []
    for word in key.split():
        words += _TABLE[word].split() if word in _TABLE else [american(word)]
    return words


@lru_cache(maxsize=32768)
def same_journal(ours: str, theirs: str) -> bool:
    """True when the two names can be one journal's. A sibling ("Lancet" / "Lancet Infectious Diseases") never is.

    A name in two languages ("Journal of X = Giornale di X") agrees by either half.
    """
    if journal_key(ours) == journal_key(theirs) or _same_name(ours, theirs):
        return True
    halves = [(half, theirs) for half in _languages(ours)] + [(half, ours) for half in _languages(theirs)]
    return any(_same_name(half, other) for half, other in halves)


def _languages(name: str) -> list[str]:
    """The two halves of a bilingual name; [] for any other."""
    halves = re.split(r"\s*=\s*|(?<=[a-z])-(?=[A-Z][a-z]+ )", name, maxsplit=1)
    return [half for half in halves if len(half.split()) >= 2] if len(halves) == 2 else []


def _same_name(ours: str, theirs: str) -> bool:
    left, right = _plain(ours), _plain(theirs)
    if left == right or left.replace(" ", "") == right.replace(" ", ""):
        return True
    a, b = _words(left), _words(right)
    solid_a, solid_b = _solid(a), _solid(b)
    if solid_a == solid_b:
        return True
    return _abbreviates(solid_a, solid_b) or _abbreviates(solid_b, solid_a) or _spoken(left, b) or _spoken(right, a)


def _solid(words: list[str]) -> list[str]:
    """Words that carry the name. Single letters do ("J Phys A"), unless nothing but fillers is left."""
    return [w for i, w in enumerate(words) if w not in _FILLERS or (len(w) == 1 and i == len(words) - 1)] or words


def _abbreviates(short: list[str], full: list[str]) -> bool:
    """Every word of `short` shortens the next word of `full`, in order, and none of `full` is left over."""
    return len(short) <= len(full) and _fits(short, full, 0, 0)


def _fits(short: list[str], full: list[str], i: int, j: int) -> bool:
    while i < len(short) and j < len(full):
        if not _shortens(short[i], full[j]):
            return _initials_at(short, full, i, j)
        if _fits_initials_first(short, full, i, j):
            return True
        i, j = i + 1, j + 1
    return i == len(short) and j == len(full)


def _fits_initials_first(short: list[str], full: list[str], i: int, j: int) -> bool:
    return len(short[i]) >= 2 and len(full) - j > len(short) - i and _initials_at(short, full, i, j)


def _initials_at(short: list[str], full: list[str], i: int, j: int) -> bool:
    """One word of `short` stands for the first letters of several words of `full` ("IEEE", "AIDS")."""
    word = short[i]
    count = len(word)
    if count < 2 or count > 7 or j + count > len(full):
        return False
    if any(full[j + k][0] != letter for k, letter in enumerate(word)):
        return False
    return _fits(short, full, i + 1, j + count)


def _shortens(short: str, word: str) -> bool:
    if word.startswith(short) or short.startswith(word):
        return short == word or min(len(short), len(word)) >= (1 if len(short) < len(word) else 4)
    if short[0] != word[0] or len(short) < 3 or len(short) >= len(word):
        return False
    return short[-1] in word[2:] and _subsequence(short, word) and (len(short) <= 5 or short[:4] == word[:4])


def _subsequence(short: str, word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in short)


def _spoken(short: str, full: list[str]) -> bool:
    """A name of one word that is the initials of the other ("PNAS", "JCO"), fillers counted or not. A conference is
    often called by the initials of its subject ("CVPR")."""
    if " " in short or not 2 <= len(short) <= 8:
        return False
    solid = "".join(w[0] for w in _solid(full))
    if short in ("".join(w[0] for w in full), solid):
        return True
    return len(short) >= 3 and solid.endswith(short) and bool(_CONFERENCE.search(" ".join(full)))
