"""Boolean queries of the form field:value, as Europe PMC and arXiv take them, evaluated over sets of articles.

Operators stand in capitals and are read from left to right; terms side by side are joined by AND.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from litapp.core.querylang import Field, Range, Term
from litapp.sandbox.corpus.evaluate import Evaluator

_TOKEN = re.compile(
    r"\s*(?:(?P<open>\()|(?P<close>\))|(?P<operator>ANDNOT|AND|OR|NOT)(?=[\s(]|\Z)|"
    r'(?:(?P<field>[A-Za-z_]+):)?(?:\[(?P<low>[^\]\s]+)\s+TO\s+(?P<high>[^\]\s]+)\]|"(?P<quoted>[^"]*)"|'
    r'(?P<word>[^\s()"]+)))'
)
_DEEPEST = 100


class FieldedError(ValueError):
    """The query cannot be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One term: `field` "" = none was given; `low` and `high` are filled for a range."""

    field: str
    text: str
    quoted: bool = False
    low: str = ""
    high: str = ""


def evaluate(query: str, find: Callable[[Asked], int], everything: int) -> int:
    """The set that the query finds, as bits. `find` gives the set of one term. Raises FieldedError."""
    tokens = []
    position = 0
    text = query.strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None or found.end() == position:
            raise FieldedError(f"unexpected {text[position]!r}")
        tokens.append(found)
        position = found.end()
    if not tokens:
        raise FieldedError("nothing is asked")
    bits, end = _group(tokens, 0, find, everything, 0)
    if end != len(tokens):
        raise FieldedError("a bracket is closed that was not opened")
    return bits


def _group(
    tokens: list[re.Match[str]], start: int, find: Callable[[Asked], int], everything: int, depth: int
) -> tuple[int, int]:
    """The set of the terms up to the closing bracket, and the place of that bracket (or the end)."""
    if depth > _DEEPEST:
        raise FieldedError("too many brackets")
    bits: int | None = None
    operator = ""
    place = start
    while place < len(tokens) and not tokens[place]["close"]:
        token = tokens[place]
        if token["operator"]:
            word = "NOT" if token["operator"] in ("NOT", "ANDNOT") else token["operator"]
            if operator and not (operator == "AND" and word == "NOT"):
                raise FieldedError("two operators stand side by side")
            operator, place = word, place + 1
            continue
        if token["open"]:
            part, place = _group(tokens, place + 1, find, everything, depth + 1)
            if place >= len(tokens):
                raise FieldedError("a bracket is not closed")
        else:
            part = find(_asked(token))
        place += 1
        bits = _joined(bits, operator, part, everything)
        operator = ""
    if operator or bits is None:
        raise FieldedError("an operator has no term")
    return bits, place


def _joined(bits: int | None, operator: str, part: int, everything: int) -> int:
    if bits is None:
        return everything & ~part if operator == "NOT" else part
    if operator == "OR":
        return bits | part
    return bits & ~part if operator == "NOT" else bits & part


def _asked(token: re.Match[str]) -> Asked:
    if token["low"]:
        return Asked(token["field"] or "", "", low=token["low"], high=token["high"])
    quoted = token["quoted"] is not None
    return Asked(token["field"] or "", token["quoted"] if quoted else token["word"], quoted)


def find_text(evaluator: Evaluator, text: str, field: Field, *, quoted: bool) -> int:
    """Articles with a word, or with just this phrase, in a field of PubMed's."""
    phrase = quoted and field not in (Field.AUTHOR, Field.FIRST_AUTHOR)
    found = evaluator.find(Term(text.strip(), field, phrase=phrase)) if text.strip() else None
    if found is None or (phrase and found.quoted_not_found):
        return 0
    return found.bits


def find_days(evaluator: Evaluator, low: str, high: str) -> int:
    """Articles published between two days (YYYY, YYYY/MM or YYYY/MM/DD)."""
    return evaluator.find(Range(low, high, Field.DATE_PUBLICATION)).bits
