"""The list of authors within a citation, as far as it can be read with certainty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litapp.core.matching.authors import compare_authors
from litapp.core.matching.verdicts import Agreement
from litapp.core.records import Person

_ET_AL = re.compile(
    r"[,;.]?\s*(?:\bet\s+al\b\.?|\band (?:others|colleagues|co-?workers)\b|\bu\.\s?a\.|\u2026|\.\.\.).*\Z", re.DOTALL
)
_YEAR = re.compile(r"[(\[]?\b(?:1[6-9]|20)\d\d[a-z]?\b[)\]]?\s*[.,:]?\s*\Z")
_ROLE = re.compile(r"\(\s*(?:eds?|editors?)\.?\s*\)|,\s*eds?\.(?=\s|\Z)|,\s*editors?\b", re.IGNORECASE)
_INITIALS = r"(?:[A-Z\u00c0-\u00de](?:[.\u00b7]|(?=[A-Z\u00c0-\u00de\s.-]|\Z))\s?-?\s?){1,5}"
_ONLY_INITIALS = re.compile(rf"\A{_INITIALS}(?:\s?(?:Jr|Sr|II|III|IV)\.?)?\Z")
_FAMILY_FIRST = re.compile(
    rf"\A(?P<family>[^\d,;]{{2,60}}?)\s+(?P<given>{_INITIALS})(?P<suffix>\s(?:Jr|Sr|II|III|IV|2nd|3rd)\.?)?\Z"
)
_GIVEN_FIRST = re.compile(rf"\A(?P<given>{_INITIALS})(?:(?<=[.\s\u00b7])|\s)(?P<family>[^\d,;]{{2,60}})\Z")
_PARTICLES = r"(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|zu|bin|ibn|st\.?|mac|mc|o['\u2019])"
_FULL_NAME = re.compile(
    rf"\A(?:[A-Z\u00c0-\u00de][\w'\u2019.-]*\s+){{1,3}}(?:{_PARTICLES}\s+)*[A-Z\u00c0-\u00de][\w'\u2019-]+\Z"
)


@dataclass(frozen=True, slots=True)
class Names:
    """People in the order of the text; `complete` is False behind "et al.". `end` is where the list ends in the text
    (of use where it follows the title)."""

    people: tuple[Person, ...] = ()
    complete: bool = True
    end: int = 0


def names_in(text: str, expected: Sequence[Person], *, leading: bool) -> Names:
    """The authors in `text`: all that stands before the title (`leading`), or the first sentences behind it.

    Where the list cannot be read piece by piece, the expected authors that stand in it are taken, as an unfinished
    list: nothing is accused for a list that was not understood.
    """
    if leading:
        names = _read(text, expected)
        return names if names is not None else _expected(text, expected)
    best = Names()
    for stop in re.finditer(r"\.(?=\s|\Z)|\Z", text):
        part = text[: stop.start()].strip(' .,;:*_()\u201d"\u00bb')
        names = _read(part) if part else None
        if names is not None and names.people:
            best = Names(names.people, names.complete, stop.end())
        elif best.people or stop.start() > 400:
            break
    return best


def _read(text: str, expected: Sequence[Person] = ()) -> Names | None:
    """The list, or None when some piece of it is no name. Where it can be read in two ways, the one that has more of
    the expected people counts."""
    text = _YEAR.sub("", text.strip(" .,;:*_-\u2013\u2014\u201c\"\u00ab'\u2018")).strip(" .,;:(-\u2013")
    text = _ROLE.sub("", text)
    shorter = _ET_AL.sub("", text)
    complete = shorter == text
    text = re.sub(r"[,;]?\s+(?:and|und|et|y|&|\u0438)\s+|\s*&\s*", ", ", shorter)
    pieces = [
        " ".join(piece.split()).strip(" .") if len(piece) > 4 else piece.strip()
        for piece in re.split(r";" if ";" in text else r",", text)
    ]
    pieces = [piece for piece in (p.strip() for p in pieces) if piece]
    readings = _readings(pieces)
    if not readings:
        return None
    return Names(tuple(_likeliest(readings, tuple(expected))), complete)


def _likeliest(readings: list[list[Person]], expected: tuple[Person, ...]) -> list[Person]:
    """The first way to read a list of names, unless another one has more of the expected people, or as many and the
    whole name of the first of them."""
    best, most = readings[0], compare_authors(tuple(readings[0]), expected).matched
    for people in readings[1:]:
        matched = compare_authors(tuple(people), expected).matched
        first = bool(expected) and compare_authors((people[0],), expected[:1]).verdict is not Agreement.DIFFERS
        if matched > most or (matched == most > 0 and first and len(people) < len(best)):
            best, most = people, matched
    return best


def _readings(pieces: list[str]) -> list[list[Person]]:
    """Every way in which all pieces are names, the usual one first."""
    ways = (_in_order(pieces), _first_inverted(pieces), _all_inverted(pieces))
    return [people for people in ways if people and all(map(_sure, people))]


_GIVEN = re.compile(r"\A(?:[A-Z\u00c0-\u017e][\w'\u2019-]*\.?[\s-]?){1,4}\Z")
_WORD = r"[A-Z\u00c0-\u017e]['\u2019]?[A-Z]?[^\W\dA-Z_][\w'\u2019-]*"
_ONE_NAME = re.compile(rf"\A(?:{_PARTICLES}\s+){{0,3}}{_WORD}\Z")
_FAMILY = re.compile(rf"\A(?:{_PARTICLES}\s+){{0,3}}{_WORD}(?:\s(?:{_PARTICLES}\s+)?{_WORD}){{0,2}}\Z")


def _first_inverted(pieces: list[str]) -> list[Person]:
    """Whole given names, those of the first person behind a comma: "Smith, Alice B., Charles Jones"."""
    if len(pieces) < 2 or not (_FAMILY.match(pieces[0]) and _GIVEN.match(pieces[1])):
        return []
    if not all(_FULL_NAME.match(piece) for piece in pieces[2:]):
        return []
    first = Person(family=pieces[0], given=pieces[1].rstrip(" ."))
    return [first, *(Person(literal=piece) for piece in pieces[2:])]


def _all_inverted(pieces: list[str]) -> list[Person]:
    """Whole given names behind a comma: "Smith, Alice B., Jones, Charles"."""
    pairs = list(zip(pieces[::2], pieces[1::2], strict=False))
    if len(pieces) % 2 or not all(_ONE_NAME.match(a) and _GIVEN.match(b) for a, b in pairs):
        return []
    return [Person(family=a, given=b.rstrip(" .")) for a, b in pairs]


def _in_order(pieces: list[str]) -> list[Person]:
    """One person a piece, initials beside or behind the family name."""
    people: list[Person] = []
    for piece in pieces:
        if "," in piece:
            family, _, given = piece.partition(",")
            people.append(Person(family=family.strip(), given=given.strip()))
        elif _ONLY_INITIALS.match(piece) and people and not people[-1].given:
            people[-1] = Person(family=people[-1].family or people[-1].literal, given=piece)
        elif re.fullmatch(r"(?:Jr|Sr|II|III|IV)\.?", piece) and people:
            continue
        elif (found := _FAMILY_FIRST.match(piece)) or (found := _GIVEN_FIRST.match(piece)):
            people.append(Person(family=found["family"].strip(), given=found["given"].strip()))
        elif _FULL_NAME.match(piece) or len(piece.split()) >= 2:
            people.append(Person(literal=piece))
        else:
            people.append(Person(family=piece))
    return people


def _sure(person: Person) -> bool:
    if person.literal:
        return bool(_FULL_NAME.match(person.literal)) or bool(
            re.search(
                r"\b(?:group|collaborat\w+|consort\w+|investigators|committee|network|trial|study|team|society|force)\b",
                person.literal,
                re.IGNORECASE,
            )
        )
    return bool(person.given) and bool(re.search(r"[^\W\d_]{2}", person.family)) and len(person.family.split()) <= 5


_ENDS_WITH_INITIALS = re.compile(r"[^\W\d_]{2}[\w'\u2019-]*,?\s(?:[A-Z]\.?[\s-]?){1,4}\Z|\bet al\Z")
_NEXT_SENTENCE = re.compile(
    r"\.\s+(?=[\"'\u201c(\[]?(?:[A-Z\d\u00c0-\u017f][\w'\u2019-]+|A\s+[a-z]))(?![A-Z]{1,3}[.,])"
)


_NAME_GOES_ON = re.compile(
    rf"(?:{_PARTICLES}\s+){{0,2}}[A-Z\u00c0-\u00de][\w'\u2019-]+(?:\s[A-Z]\w+)?"
    r"(?:,\s(?:&\s|and\s)?[A-Z]|\s(?:and|&)\s[A-Z]|,?\set\sal)"
)
"""After an initial: the family name of a person whose given names come first ("Taylor J. Ridley, Jeffrey ...")."""


def names_before_title(text: str) -> int:
    """Where the list of names ends with which `text` begins ("Smith AB, Jones C. Title ..."); 0 where it begins with
    no such list. The shortest one counts: what follows could be mistaken for names too."""
    for stop in _NEXT_SENTENCE.finditer(text[:3000]):
        head = text[: stop.start()]
        if _NAME_GOES_ON.match(text, stop.end()):
            continue
        if _ENDS_WITH_INITIALS.search(head) and _read(head) is not None:
            return stop.end()
        if re.search(r"[^\W\d_]{3}\Z", head) and not head.endswith("et al"):
            return 0
    return 0


def _expected(text: str, expected: Sequence[Person]) -> Names:
    """Those of the expected authors that stand in the text, in the text's order; of several people of one name each
    takes a place of its own. Where most are there but not all, only those before the first that was not found: it may
    stand there in another form. Where none is, the first name as it was written."""
    taken: set[int] = set()
    found: list[tuple[int, Person] | None] = []
    last = 0
    for one in expected:
        family = one.family or (one.literal.split() or [""])[-1]
        places = (
            [m.start() for m in _places_of(family, text) if m.start() not in taken and _fits(one, text, m)]
            if family
            else []
        )
        if places:
            last = next((place for place in places if place >= last), places[0])
            taken.add(last)
        found.append((last, one) if places else None)
    if None in found:
        cut = found.index(None)
        there = [pair for pair in found if pair is not None]
        found = list(found[:cut]) if 2 * len(there) >= len(found) or _ET_AL.search(text) else list(there)
    people = sorted((pair for pair in found if pair is not None), key=lambda pair: pair[0])
    if not people and len(re.findall(r"[^\W\d_]{3,}", text)) >= 2:
        return Names((Person(literal=" ".join(text.split(",")[0].split())),), complete=False)
    return Names(tuple(one for _, one in people), complete=False)


def _places_of(family: str, text: str) -> Iterator[re.Match[str]]:
    """Where a family name stands as a word of its own; one letter only as a capital before a comma or full stop."""
    if len(family) == 1:
        return re.finditer(rf"(?<![\w.]){re.escape(family)}(?=,|\s[A-Z])", text)
    return re.finditer(rf"(?<!\w){re.escape(family)}(?!\w)", text, re.IGNORECASE)


def _fits(one: Person, text: str, family: re.Match[str]) -> bool:
    """False where initials stand beside the family name and none is the given name's: somebody else of this name."""
    given = one.given or one.literal
    behind = re.match(r"[,\s]+([A-Z])(?![a-z])", text[family.end() :])
    before = re.search(r"(?<!\w)([A-Z])\.\s?\Z", text[: family.start()])
    letters = {found[1] for found in (behind, before) if found}
    theirs = {word[0].upper() for word in re.split(r"[\s.-]+", given) if word}
    return not theirs or not letters or bool(letters & theirs)
