"""Whether two names can be one person: family names, particles, initials, name order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from rapidfuzz.distance import DamerauLevenshtein

from litapp.core.matching.mojibake import repair_mojibake
from litapp.core.normalise import initials_key, title_key
from litapp.core.records import Person

_PARTICLE_WORDS = (
    "a abu af al am ap av bin ben da dal das de del della delle den der des di do dos du e el et ibn im la las le les "
    "lo los of op san santa t te ten ter the und van vande vanden vander ver vom von y zu zum zur"
)
PARTICLES = frozenset(_PARTICLE_WORDS.split())
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "4th", "junior", "senior", "phd", "md"})
_GROUP = re.compile(
    r"\b(?:group|groups|investigators?|collaborat\w+|consortium|consortia|committee|network|society|association|team|"
    r"trialists?|initiative|project|panel|working|workgroup|task force|taskforce|council|academy|federation|"
    r"organi[sz]ation|institute|university|centers?|centres?|department|ministry|agency|foundation|college|hospital|"
    r"study|trial|program|programme|registry|members|authors|writing|steering|on behalf|for the|commission|board|"
    r"partnership|alliance|union|office|service|services|groupe|gruppe|arbeitsgruppe|groupo|grupo|equipe|force|grp|"
    r"think tank)\b",
    re.IGNORECASE,
)
_SURE_GROUP = re.compile(
    r"\b(?:groups?|grp|investigators|collaborat\w+|consorti\w+|committee|network|trialists|study|society|"
    r"association|working party|task force|organi[sz]ation)\b",
    re.IGNORECASE,
)
_KNOWN_GROUPS = frozenset({"ieee", "acm", "who", "cdc", "nice", "fda", "ema", "unicef"})
_ET_AL = frozenset({"et al", "et alii", "others", "and others", "and colleagues", "et coll", "al"})
_OTHER_SCRIPT = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1100-\u11ff\u3040-\u9fff\uac00-\ud7af]"
)
_GLUED = re.compile(r"[A-Z]{1,4}")


class NameMatch(IntEnum):
    """How well two names fit. GIVEN_CLASH: the family name fits, the given names cannot be one person's."""

    NONE = 0
    GIVEN_CLASH = 1
    VARIANT = 2
    SAME = 3


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name ready for comparison.

    `family` are folded words without particles and suffixes, `whole` the family name joined with its particles, `core`
    without them; `given` the folded given names, `initials` of them. `literal`: the order of the parts is unknown and
    all words are in `family`.
    """

    shown: str
    family: tuple[str, ...]
    whole: str
    core: str
    given: tuple[str, ...]
    initials: str
    literal: bool
    group: bool
    other_script: bool
    before: str = ""
    """The family name before a given name was joined to it (see read_name)."""


def is_group(person: Person) -> bool:
    """True for a study group, society or institution standing among the authors, also one cut into name and given."""
    if person.literal:
        return bool(_GROUP.search(person.literal)) or person.literal.lower() in _KNOWN_GROUPS
    if person.given:
        return bool(_SURE_GROUP.search(f"{person.family} {person.given}"))
    family = person.family.strip()
    return family.lower() in _KNOWN_GROUPS or (
        re.search(r"\w[\s-]\w", family) is not None and bool(_GROUP.search(family))
    )


def is_et_al(person: Person) -> bool:
    """True for an "et al." that an importer took for an author."""
    text = person.literal or person.family
    return len(text) < 16 and title_key(text) in _ET_AL


def read_name(person: Person) -> Name:
    """Cut and fold one name."""
    if person.literal and not is_group(person) and "," in person.literal:
        before, _, after = person.literal.partition(",")
        person = Person(family=before.strip(), given=after.strip())
    text = repair_mojibake(person.literal or person.family)
    given_text = repair_mojibake(person.given)
    other_script = not text.isascii() and bool(_OTHER_SCRIPT.search(text))
    words = title_key(text.replace("-", " ")).split()
    given_words = title_key(given_text.replace(".", " ")).split()
    before = "".join(words)
    while (
        not person.literal
        and len(given_words) > 1
        and len(given_words[0]) > 2
        and words
        and all(word in PARTICLES for word in words)
    ):
        words.append(given_words.pop(0))
    moved: list[str] = []
    while (
        len(given_words) > 1 and given_words[-1] in PARTICLES and len(given_words[-1]) > 1 and not given_text.isupper()
    ):
        moved.insert(0, given_words.pop())
    family = tuple(w for w in words if w not in PARTICLES and w not in SUFFIXES and not w.isdigit()) or tuple(words)
    given = tuple(w for w in given_words if w not in SUFFIXES or (len(given_words) == 1 and w in ("md", "phd")))
    if person.literal:
        family = tuple(w for w in words if w not in SUFFIXES and not w.isdigit()) or tuple(words)
    return Name(
        shown=person.name,
        family=family,
        whole="".join([*moved, *words]),
        core="".join(family),
        given=given,
        initials=_initials(given_text, given) if given else "",
        literal=bool(person.literal),
        group=is_group(person),
        other_script=other_script,
        before=before,
    )


def _initials(given_text: str, given: tuple[str, ...]) -> str:
    text = given_text.strip()
    if not text:
        return ""
    letters = text.replace(".", "").replace(" ", "").replace("-", "")
    if letters.isupper() and len(letters) <= 4 and all(len(word) <= 4 for word in given):
        return title_key(letters).replace(" ", "")
    return initials_key(" ".join(given)) if given else ""


def _smooth(key: str) -> str:
    """The same key for ä/ae/a, ö/oe/o, ü/ue/u, å/aa/a and for common ways to write sounds in Latin letters."""
    return key.replace("ae", "a").replace("oe", "o").replace("ue", "u").replace("aa", "a").replace("ss", "s")


def compare_names(a: Name, b: Name) -> NameMatch:
    """How well two names fit as one person's."""
    if a.other_script != b.other_script:
        return NameMatch.VARIANT
    if a.literal or b.literal:
        match = _literal_match(a, b)
        shared = not {w for w in a.family if len(w) > 2}.isdisjoint(b.family)
        return NameMatch.VARIANT if match is NameMatch.NONE and shared and _cut_elsewhere(a, b) else match
    if _family_matches(a, b):
        if initials_fit(a.initials, b.initials):
            same = a.core == b.core and a.initials == b.initials
            return NameMatch.SAME if same else NameMatch.VARIANT
        return NameMatch.VARIANT if _glued_or_swapped(a, b) else NameMatch.GIVEN_CLASH
    return NameMatch.VARIANT if _swapped(a, b) or _misspelt(a, b) or _cut_elsewhere(a, b) else NameMatch.NONE


def _family_matches(a: Name, b: Name) -> bool:
    if a.core == b.core or a.whole == b.whole:
        return True
    if _smooth(a.core) == _smooth(b.core) or _smooth(a.whole) == _smooth(b.whole):
        return True
    if a.whole == b.core or b.whole == a.core:
        return True
    if a.before and b.before and (a.before == b.core or b.before == a.core):
        return True
    return _element(a.family, b.family) or _element(b.family, a.family)


def _element(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """True when `part` is a run of words of a compound family name ("García" of "García López")."""
    if not part or len(part) >= len(whole) or sum(map(len, part)) < 3:
        return False
    joined = "".join(part)
    return any(
        "".join(whole[start:end]) == joined for start in range(len(whole)) for end in range(start + 1, len(whole) + 1)
    )


def initials_fit(a: str, b: str) -> bool:
    """True when two sets of initials can be one person's: one is missing, or the leading one of either is in the
    other ("W. Larry" and "Larry")."""
    return not a or not b or a[0] == b[0] or a[0] in b or b[0] in a


def _glued_or_swapped(a: Name, b: Name) -> bool:
    """Family names agree but initials do not: a second family name taken for a given name, or the reverse."""
    extra_a, extra_b = set(a.family) - set(b.family), set(b.family) - set(a.family)
    return any(word[0] in b.initials for word in extra_a) or any(word[0] in a.initials for word in extra_b)


def _swapped(a: Name, b: Name) -> bool:
    """Family and given name exchanged ("Lei Wang" / "Wang Lei"), also where one side has only initials."""
    if not a.given or not b.given:
        return False
    given_a, given_b = "".join(a.given), "".join(b.given)
    if a.core == given_b and (given_a == b.core or (len(given_a) <= 2 and given_a[0] == b.core[:1])):
        return True
    return b.core == given_a and (given_b == a.core or (len(given_b) <= 2 and given_b[0] == a.core[:1]))


def _cut_elsewhere(a: Name, b: Name) -> bool:
    """The same words cut into family and given names in two ways ("Brismar Wendel, S" / "Wendel, S B"): all the first
    letters agree, and there are at least three."""
    return len(letters_of(a)) >= 3 and letters_of(a) == letters_of(b)


def letters_of(name: Name) -> list[str]:
    """First letters of all words of a name, sorted."""
    return sorted("".join(word[0] for word in name.family) + name.initials)


def _misspelt(a: Name, b: Name) -> bool:
    """One letter (two in long names) differs, or the first is lost, and the given names fit: a slip of the pen or of a
    registry's encoding."""
    if not a.initials or not b.initials or a.initials[0] != b.initials[0]:
        return False
    shorter = min(len(a.core), len(b.core))
    if shorter >= 5 and (a.core == b.core[1:] or b.core == a.core[1:]):
        return True
    if shorter < 4 or a.core[0] != b.core[0]:
        return False
    allowed = 2 if shorter >= 9 else 1
    return DamerauLevenshtein.distance(a.core, b.core, score_cutoff=allowed) <= allowed


def _literal_match(a: Name, b: Name) -> NameMatch:
    """At least one name is printed in one piece: either end of it may be the family name."""
    if a.literal and b.literal:
        if a.whole == b.whole or sorted(a.family) == sorted(b.family):
            return NameMatch.SAME
        return _best_reading(a, _readings(b))
    literal, parted = (a, b) if a.literal else (b, a)
    return _best_reading(parted, _readings(literal))


def _readings(literal: Name) -> list[Name]:
    words = literal.family
    return [
        Name(
            literal.shown,
            family,
            "".join(family),
            "".join(f for f in family if f not in PARTICLES) or "".join(family),
            given,
            "".join(_initial_of(word) for word in given),
            False,
            False,
            literal.other_script,
        )
        for family, given in (
            *((words[cut:], words[:cut]) for cut in range(1, len(words))),
            *((words[:cut], words[cut:]) for cut in range(1, len(words))),
            (words, ()),
        )
    ]


def _initial_of(word: str) -> str:
    return word if len(word) <= 2 else word[0]


def _best_reading(parted: Name, readings: list[Name]) -> NameMatch:
    if parted.literal:
        own = _readings(parted)
        return max((_strict(one, other) for one in own for other in readings), default=NameMatch.NONE)
    return max((_strict(parted, other) for other in readings), default=NameMatch.NONE)


def _strict(a: Name, b: Name) -> NameMatch:
    """Like compare_names for a guessed reading: the whole family name must agree."""
    core_a, core_b = _smooth(a.core), _smooth(b.core)
    if core_a != core_b and _smooth(a.whole) not in (core_b, _smooth(b.whole)):
        return NameMatch.NONE
    if initials_fit(a.initials, b.initials) or "".join(a.given) == "".join(b.given):
        return NameMatch.VARIANT
    return NameMatch.NONE
