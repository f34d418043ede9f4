"""What a sentence of a summary lacks: a reference, a known reference, or figures that the cited text holds.

A citation is `[@key]` (stored) or a number in square brackets that nobody could resolve (`[7]`, `[2, 5]`, `[1-3]`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.markup import plain_text
from litapp.core.matrix.spans import sentences

KEY = r"@[A-Za-z0-9][A-Za-z0-9_:.+/-]*"
_KEYS = re.compile(rf"\[\s*{KEY}(?:\s*[;,]\s*{KEY})*\s*\]")
_NUMBERS = re.compile(r"\[\s*\d{1,4}(?:\s*[,;\u2013-]\s*\d{1,4})*\s*\]")
_ONE_KEY = re.compile(KEY)
_ONLY_CITATIONS = re.compile(rf"(?:(?:{_KEYS.pattern}|{_NUMBERS.pattern})[\s.;,]*)+")
_FIGURE = re.compile(r"(?<![A-Za-z0-9@_])\d+(?:[,\u202f\u2009\u00a0]\d{3})*(?:[.\u00b7]\d+)?(?![A-Za-z0-9_]*\])")


class Lack(StrEnum):
    """Why a sentence waits for a person."""

    NO_REFERENCE = "no reference"
    UNKNOWN_REFERENCE = "unknown reference"
    UNKNOWN_FIGURE = "unknown figure"


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence with the keys that it cites, the numbers that name no reference, and what it lacks."""

    text: str
    keys: tuple[str, ...]
    lacks: tuple[Lack, ...]
    told: tuple[str, ...] = ()
    """One sentence a lack, for the person who decides."""

    @property
    def name(self) -> str:
        """sha256 of the sentence without its spacing: a decision on it stands until the sentence changes."""
        return claim_name(self.text)


def claim_name(sentence: str) -> str:
    """The name under which a person's decision on a sentence is kept."""
    return hashlib.sha256(" ".join(sentence.split()).encode()).hexdigest()


def cited_keys(text: str) -> list[str]:
    """The keys that a text cites, in the order of their first citation."""
    found = [key[1:] for group in _KEYS.findall(text) for key in _ONE_KEY.findall(group)]
    return list(dict.fromkeys(found))


def unresolved_numbers(text: str) -> list[str]:
    """What stands in square brackets like a reference number, but names none: "[7]", in the order of the text."""
    return list(dict.fromkeys(_NUMBERS.findall(text)))


def with_keys(text: str, keys: Sequence[str]) -> str:
    """The text with each `[n]` as `[@key]`, n counted in `keys` from 1. A group that holds a number which is none of
    them stays as it is."""

    def keyed(found: re.Match[str]) -> str:
        numbers: list[int] = []
        for first, last in re.findall(r"(\d+)(?:\s*[\u2013-]\s*(\d+))?", found[0]):
            numbers += range(int(first), int(last or first) + 1)
        if not numbers or any(not 1 <= number <= len(keys) for number in numbers):
            return found[0]
        return "[" + "; ".join(f"@{keys[number - 1]}" for number in numbers) + "]"

    return _NUMBERS.sub(keyed, text)


def claims(text: str, sources: Mapping[str, str]) -> list[Claim]:
    """Every sentence of `text` with what it lacks. `sources` holds, by key, the text that may be cited: title and
    abstract (or more) as the ledger has them."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        parts: list[str] = []
        for start, end in sentences(paragraph):
            part = paragraph[start:end]
            if parts and _ONLY_CITATIONS.fullmatch(part):
                parts[-1] += f" {part}"
            elif parts and (led := _ONLY_CITATIONS.match(part)):
                parts[-1] += f" {led[0].strip()}"
                parts.append(part[led.end() :])
            else:
                parts.append(part)
        found += [_claim(part, sources) for part in parts]
    return found


def _claim(sentence: str, sources: Mapping[str, str]) -> Claim:
    keys, numbers = cited_keys(sentence), unresolved_numbers(sentence)
    unknown = [f"[{key}]" for key in keys if key not in sources] + numbers
    lacks: list[Lack] = []
    told: list[str] = []
    if unknown:
        lacks.append(Lack.UNKNOWN_REFERENCE)
        told.append(f"No reference of the list is {', '.join(unknown)}.")
    if not keys and not numbers:
        lacks.append(Lack.NO_REFERENCE)
        told.append("It names no reference.")
    else:
        known = {_plain(figure) for key in keys for figure in _FIGURE.findall(plain_text(sources.get(key, "")))}
        bare = _NUMBERS.sub(" ", _KEYS.sub(" ", sentence))
        strange = [figure for figure in dict.fromkeys(_FIGURE.findall(bare)) if _plain(figure) not in known]
        if strange:
            lacks.append(Lack.UNKNOWN_FIGURE)
            told.append(f"The cited text does not hold {', '.join(strange)}.")
    return Claim(sentence, tuple(keys), tuple(lacks), tuple(told))


def _plain(figure: str) -> str:
    """A figure without its thousands separators, with a full stop as decimal point: "6,425" and "6425" are one."""
    return re.sub(r"[,\u202f\u2009\u00a0]", "", figure).replace("\u00b7", ".")


def with_numbers(text: str, numbers: Mapping[str, int]) -> str:
    """The text with each `[@key]` as `[n]`, for reading and editing; a group with an unknown key stays as it is."""

    def numbered(found: re.Match[str]) -> str:
        keys = [key[1:] for key in _ONE_KEY.findall(found[0])]
        return f"[{', '.join(str(numbers[key]) for key in keys)}]" if all(key in numbers for key in keys) else found[0]

    return _KEYS.sub(numbered, text)
