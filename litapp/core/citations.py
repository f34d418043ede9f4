"""Citation keys: `FirstAuthor_Year_Word`, ASCII, unique without regard to case, never changed once given.

The rule
- FirstAuthor: family name of the first author, whole: particles, hyphenated and double names are joined with capitals
  ("van der Berg" -> VanDerBerg, "García-López" -> GarciaLopez, "O'Neill" -> ONeill, "KELLER" -> Keller). A group as
  first author gives its first three words that are no stop words ("RECOVERY Collaborative Group" ->
  RecoveryCollaborativeGroup). Other scripts are transliterated by anyascii. No author: `Anon`.
  A name that a source returned in one string is parted as `cited_names` says ("Pavel Dyachenko" -> Dyachenko).
- Year: the year of publication as the record states it, or `nd`.
- Word: the first word of the title that is no stop word, has at least three letters and is no number; hyphens part
  words; marks such as "RETRACTED:" are not part of the title. Where there is none, the first word; no title:
  `Untitled`.
- Each part is letters and digits only, at most 30 signs; a first part that begins with a digit gets an `X` before it.
- A key that is taken gets `_a`, then `_b` ... `_z`, `_aa` ... The record that came first keeps the plain key.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import count

from anyascii import anyascii

from litapp.core.cited_names import cited_authors
from litapp.core.markup import plain_text
from litapp.core.normalise import strip_status_prefix, title_key
from litapp.core.records import Person, Record

__all__ = ["TITLE_STOP_WORDS", "assign_citation_keys", "base_key", "citation_key"]

LONGEST_PART = 30
"""Characters of one part of a key."""

TITLE_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be between by can do does for from has have how if in into is it its no non not of on or "
        "our over than that the their these this to under use using versus via vs was were what when where which who "
        "why will with within without "
        "der die das ein eine und von zur zum le la les un une des du et el los las una y del il lo gli",
    )
)


def base_key(record: Record) -> str:
    """The key that `record` would get if no other were taken (see the rule above)."""
    return "_".join((_author_part(cited_authors(record)), _year_part(record.year), _word_part(record.title)))


def citation_key(record: Record, taken: AbstractSet[str]) -> str:
    """A free key for `record`. `taken` holds every key of the project ever given; case does not tell keys apart."""
    return _free_key(base_key(record), {key.lower() for key in taken})


def assign_citation_keys(records: Iterable[Record], taken: AbstractSet[str]) -> list[str]:
    """Free keys for many records, in their order, each also different from those before it."""
    used = {key.lower() for key in taken}
    keys = []
    for record in records:
        key = _free_key(base_key(record), used)
        used.add(key.lower())
        keys.append(key)
    return keys


def _free_key(base: str, used: set[str]) -> str:
    if base.lower() not in used:
        return base
    return next(key for number in count() if (key := f"{base}_{_letters(number)}").lower() not in used)


def _letters(number: int) -> str:
    """0 -> a, 25 -> z, 26 -> aa."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _author_part(authors: tuple[Person, ...]) -> str:
    first = next((person for person in authors if person.family or person.literal), None)
    if first is None:
        return "Anon"
    words = _name_words(first.family or first.literal)
    if not first.family:
        words = [word for word in words if word.lower() not in TITLE_STOP_WORDS][:3] or words[:3]
    part = "".join(_capitalised(word) for word in words)[:LONGEST_PART]
    if not part:
        return "Anon"
    return part if part[0].isalpha() else f"X{part}"[:LONGEST_PART]


def _name_words(name: str) -> list[str]:
    """ASCII words of a name. An apostrophe parts words, so that "O'Neill" keeps both capitals; those that only
    transliteration brings ("Solov'ev") do not."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", plain_text(name)))
    return [ascii_word for word in words if (ascii_word := re.sub(r"[^A-Za-z0-9]", "", anyascii(word)))]


def _capitalised(word: str) -> str:
    """First letter large. Words all in capitals become small, inner capitals of others stay ("McDonald")."""
    return word[:1].upper() + (word[1:].lower() if word.isupper() else word[1:])


def _year_part(year: int | None) -> str:
    return str(year) if year is not None and 0 < year < 10_000 else "nd"


def _word_part(title: str) -> str:
    words = title_key(strip_status_prefix(plain_text(title))).split()
    if not words:
        return "Untitled"
    chosen = next(
        (
            word
            for word in words
            if word not in TITLE_STOP_WORDS and not word.isdigit() and sum(letter.isalpha() for letter in word) >= 3
        ),
        next((word for word in words if not word.isdigit()), words[0]),
    )
    return chosen.capitalize()[:LONGEST_PART]
