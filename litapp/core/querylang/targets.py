"""What each database can look in, and how a term's fields are said there: exactly, wider or narrower.

Source of the map: the vendors' help pages (see the dialects' modules). Where two sources differ the choice is an option
of the translation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.querylang.ast import Field
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.dialects.scope import TIAB
from litapp.core.querylang.translation import Meaning

Fields = frozenset[Field]
TI, AB, OT, HW, KP = (
    frozenset({field})
    for field in (Field.TITLE, Field.ABSTRACT, Field.OTHER_TERM, Field.HEADING_WORD, Field.KEYWORDS_PLUS)
)
WORDS = TIAB | HW
"""Title, abstract, keywords and words of headings: what .mp. and [tw] have in common."""

PRINTABLE: Mapping[Dialect, tuple[Fields, ...]] = MappingProxyType(
    {
        Dialect.PUBMED: (TIAB, TI, OT),
        Dialect.OVID_MEDLINE: (TI, AB, OT, HW),
        Dialect.OVID_EMBASE: (TI, AB, OT, HW),
        Dialect.OVID_PSYCINFO: (TI, AB, OT, HW),
        Dialect.EMBASE_COM: (TI, AB, OT, HW),
        Dialect.CENTRAL: (OT | HW, TI, AB),
        Dialect.WEB_OF_SCIENCE: (TIAB | KP, TI, AB, OT, KP),
        Dialect.SCOPUS: (WORDS, TI | AB, TI, AB, OT, HW),
        Dialect.CINAHL: (TI, AB, HW),
    }
)
"""Sets of fields that the database looks in by one code."""
JOINS_FIELDS = OVID | {Dialect.EMBASE_COM, Dialect.CENTRAL}
"""Databases in which one term may carry several field codes."""
_NAMES: Mapping[Field, str] = MappingProxyType(
    {
        Field.TITLE: "title",
        Field.ABSTRACT: "abstract",
        Field.OTHER_TERM: "author keywords",
        Field.HEADING_WORD: "words of headings",
        Field.KEYWORDS_PLUS: "Keywords Plus",
    }
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a term is looked for in the target: `parts` are joined by OR."""

    parts: tuple[Fields, ...]
    meaning: Meaning
    why: str


def place(wanted: Fields, target: Dialect) -> Placement:
    """The target's fields that come closest to `wanted`: the same, else more, else less. `parts` () = none of them."""
    printable = PRINTABLE[target]
    parts = [option for option in printable if option <= wanted]
    missing = wanted - frozenset().union(*parts)
    for field in sorted(missing, key=list(Field).index):
        covering = [option for option in printable if field in option]
        if covering and field not in frozenset().union(*parts):
            parts.append(min(covering, key=len))
    parts = [part for part in parts if not any(part < other for other in parts)]
    parts = _without_doubles(parts)
    found: Fields = frozenset().union(*parts)
    if not parts:
        return Placement((), Meaning.LOST, f"{target.value} cannot look in {_named(wanted)} alone.")
    if target in JOINS_FIELDS:
        parts = [found]
    more, less = found - wanted, wanted - found
    if less and more:
        why = f"Also looked for in {_named(more)}, not in {_named(less)}."
        return Placement(tuple(parts), Meaning.CHECK, why)
    if less:
        return Placement(tuple(parts), Meaning.NARROWER, f"Not looked for in {_named(less)} here.")
    if more:
        return Placement(tuple(parts), Meaning.WIDER, f"Also looked for in {_named(more)} here.")
    return Placement(tuple(parts), Meaning.EXACT, "")


def _without_doubles(parts: list[Fields]) -> list[Fields]:
    kept: list[Fields] = []
    for part in sorted(parts, key=len, reverse=True):
        if not part <= frozenset().union(*kept):
            kept.append(part)
    return sorted(kept, key=lambda part: min(list(Field).index(field) for field in part))


def _named(fields: Fields) -> str:
    names = [_NAMES.get(field, field.value) for field in Field if field in fields]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
