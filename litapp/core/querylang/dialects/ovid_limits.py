"""Ovid's limits, which stand in a line of their own: `limit 5 to (english language and yr="2000 -Current")`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import DATE_FIELDS, And, Field, LineReference, Node, Range, Span, Term
from litapp.core.querylang.dialects.scanner import blanks_joined
from litapp.core.querylang.tokens import QuerySyntaxError

_DATE_LIMIT = re.compile(
    r"(yr|ed|dt|dc|da|ez|rd|ep|up)\s*=\s*[\"“]?\s*(\d{4,8})?\s*(?:([-–])\s*(\d{4,8}|current)?)?\s*[\"”]?", re.IGNORECASE
)
_DATE_FIELD: Mapping[str, Field] = MappingProxyType(
    {
        "yr": Field.DATE_PUBLICATION,
        "ed": Field.DATE_ENTRY,
        "dt": Field.DATE_CREATE,
        "dc": Field.DATE_CREATE,
        "da": Field.DATE_ENTRY,
        "ez": Field.DATE_ENTRY,
        "rd": Field.DATE_MODIFICATION,
        "up": Field.DATE_MODIFICATION,
        "ep": Field.DATE_ELECTRONIC,
    }
)
_LIMIT_OF_DATE: Mapping[Field, str] = MappingProxyType(
    {
        Field.DATE_PUBLICATION: "yr",
        Field.DATE_ENTRY: "ed",
        Field.DATE_CREATE: "dt",
        Field.DATE_MODIFICATION: "rd",
        Field.DATE_ELECTRONIC: "ep",
    }
)
NOW = "3000"
"""The year that stands for "up to now", as in PubMed."""
FIRST = "1000"
"""The year that stands for "from the beginning"."""


def read_limits(text: str, begin: int) -> list[Node]:
    """The limits behind `limit 5 to`, placed from `begin`. Raises QuerySyntaxError."""
    body = text.strip()
    begin += text.index(body[0]) if body else 0
    if body.startswith("(") and body.endswith(")"):
        body, begin = body[1:-1], begin + 1
    nodes: list[Node] = []
    position = 0
    for part in re.split(r"(\s+and\s+)", body, flags=re.IGNORECASE):
        if not re.fullmatch(r"\s+and\s+", part, re.IGNORECASE) and part.strip():
            span = Span(begin + position, begin + position + len(part))
            nodes.append(_one_limit(part.strip(), span))
        position += len(part)
    if not nodes:
        raise QuerySyntaxError("This limit is empty.", begin, begin + len(text))
    return nodes


def _one_limit(text: str, span: Span) -> Node:
    date = _DATE_LIMIT.fullmatch(text)
    if date and (date[2] or date[4]):
        low = _day(date[2]) if date[2] else FIRST
        high = NOW if date[3] and (not date[4] or date[4].lower() == "current") else _day(date[4] or date[2])
        return Range(low, high, _DATE_FIELD[date[1].lower()], span)
    if "=" in text:
        raise QuerySyntaxError(f"The limit “{text}” is not understood.", *span, 'For example yr="2000 -Current".')
    language = re.fullmatch(r"(\w+) language|english", text, re.IGNORECASE)
    if language:
        return Term((language[1] or "english").casefold(), Field.LANGUAGE, span=span)
    return Term(blanks_joined(text), Field.FILTER, span=span)


def _day(digits: str) -> str:
    parts = [digits[:4], digits[4:6], digits[6:8]]
    return "/".join(part for part in parts if part)


def limit_of(node: Node) -> str | None:
    """A date range, a language or a filter as Ovid's limit; None for everything else."""
    if isinstance(node, Range) and node.field in DATE_FIELDS:
        name = _LIMIT_OF_DATE.get(node.field)
        if name is None:
            return None
        low, high = node.low.replace("/", ""), node.high.replace("/", "")
        end = "Current" if high.startswith(NOW) else high
        return f'{name}="{low}-{end}"' if name != "yr" or end != "Current" else f'{name}="{low} -Current"'
    if isinstance(node, Term) and node.field is Field.FILTER:
        return node.text
    if isinstance(node, Term) and node.field is Field.LANGUAGE:
        return f"{node.text} language"
    return None


def limit_line(tree: Node) -> str | None:
    """`limit 5 to yr="2015-2020"` for a reference to a line AND its limits; None for everything else."""
    if not isinstance(tree, And) or not isinstance(tree.children[0], LineReference):
        return None
    limits = [limit_of(child) for child in tree.children[1:]]
    if any(limit is None for limit in limits):
        return None
    text = " and ".join(limit for limit in limits if limit is not None)
    return f"limit {tree.children[0].number} to {f'({text})' if len(limits) > 1 else text}"
