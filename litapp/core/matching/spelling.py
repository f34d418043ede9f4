"""British and American spelling, numbers as words, and other ways to write the same word. Words are folded ASCII."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ORDINAL_WORDS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"

NUMBERS = MappingProxyType(
    {word: str(n) for n, word in enumerate(_NUMBER_WORDS.split())}
    | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
    | {word: f"{n}th" for n, word in enumerate(_ORDINAL_WORDS.split())}
    | {"1st": "1th", "2nd": "2th", "3rd": "3th"}
)
"""Cardinal words give their digits, ordinals digits and "th"."""

ROMAN = MappingProxyType({word: str(n) for n, word in enumerate(_ROMAN.split(), 1)})
"""Roman numerals to twenty. "i", "v" and "x" are only numerals beside a number on the other side."""

_TABLE = MappingProxyType(
    {
        "ageing": "aging",
        "aluminium": "aluminum",
        "amongst": "among",
        "artefact": "artifact",
        "artefacts": "artifacts",
        "cheque": "check",
        "cosy": "cozy",
        "disc": "disk",
        "discs": "disks",
        "draught": "draft",
        "enrol": "enroll",
        "enrols": "enrolls",
        "fulfil": "fulfill",
        "gramme": "gram",
        "grammes": "grams",
        "grey": "gray",
        "judgement": "judgment",
        "judgements": "judgments",
        "kerb": "curb",
        "manoeuvre": "maneuver",
        "manoeuvres": "maneuvers",
        "mould": "mold",
        "moulds": "molds",
        "orientated": "oriented",
        "plough": "plow",
        "practise": "practice",
        "programme": "program",
        "programmes": "programs",
        "pyjamas": "pajamas",
        "sceptic": "skeptic",
        "sceptical": "skeptical",
        "skilful": "skillful",
        "speciality": "specialty",
        "specialities": "specialties",
        "storey": "story",
        "tonne": "ton",
        "towards": "toward",
        "tyre": "tire",
        "v": "versus",
        "vs": "versus",
        "whilst": "while",
    }
)

_DOUBLED_L = re.compile(
    r"(?:cancel|channel|counsel|dial|distil|enrol|equal|fuel|fulfil|initial|instal|jewel|label|level|marvel|model|panel|"
    r"rival|signal|spiral|total|travel|tunnel)l(?=ed|er|ing|ment|ation|or)"
)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"is(?=(?:e|ed|es|er|ers|ing|ation|ations|ational|able)\Z)"), "iz"),
    (re.compile(r"ys(?=(?:e|ed|es|er|ers|ing)\Z)"), "yz"),
    (re.compile(r"(?<=[bt])re(?=s?\Z)"), "er"),
    (re.compile(r"(?<=[bt])red\Z"), "ered"),
    (re.compile(r"(?<=fib)re(?=optic)"), "er"),
    (re.compile(r"ogue(?=s?\Z)"), "og"),
    (re.compile(r"(?<=[fpc])ence(?=s?\Z)"), "ense"),
    (re.compile(r"(?<=lic)enc"), "ens"),
    (re.compile(r"(?<=def)enc"), "ens"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"\Aleuco"), "leuko"),
)


@lru_cache(maxsize=65536)
def american(word: str) -> str:
    """One spelling for the British and American forms of `word`; never meant to be read. Numbers stay as they are."""
    if len(word) < 4 or word in NUMBERS:
        return _TABLE.get(word, word)
    word = _TABLE.get(word, word)
    for pattern, replacement in _RULES:
        word = pattern.sub(replacement, word)
    found = _DOUBLED_L.search(word)
    if found:
        word = word[: found.end() - 1] + word[found.end() :]
    if len(word) > 4:
        word = word.replace("ae", "e").replace("oe", "e").replace("our", "or")
    return word


def number_value(word: str) -> str:
    """Digits (ordinals with "th") for a number word, "" for any other word."""
    if word.isdigit():
        return word.lstrip("0") or "0"
    if word in NUMBERS:
        return NUMBERS[word]
    if word.endswith("th") and word[:-2].isdigit():
        return word
    return ""


def same_number(a: str, b: str) -> bool:
    """True when both words write one number: "two" and "2", "II" and "2", "first" and "1st"."""
    first, second = number_value(a), number_value(b)
    if first and second:
        return first == second
    return bool(first and ROMAN.get(b) == first) or bool(second and ROMAN.get(a) == second)
