"""What the dialects with fields in front (`TI=(a OR b)`, `TITLE(a)`, `TI a`) have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from litapp.core.querylang.ast import Field, Node, Range, Term
from litapp.core.querylang.dialects.reader import Kind, Token, references
from litapp.core.querylang.dialects.scanner import leaf, span_of
from litapp.core.querylang.dialects.scope import Scope, scope_of_fields
from litapp.core.querylang.tokens import QuerySyntaxError


def prefix(match: re.Match[str], code: str, fields: Mapping[str, tuple[Field, ...]]) -> Token:
    """A field in front of what it applies to; a code that only this database has becomes Field.OTHER."""
    known = fields.get(code)
    scope = scope_of_fields(*known) if known else scope_of_fields(Field.OTHER, tag=code)
    return Token(Kind.PREFIX, span_of(match), code, scope=scope)


def line_token(match: re.Match[str], allowed: bool) -> Token:
    """A reference to another line. Raises QuerySyntaxError where the query is no line of a list."""
    if not allowed:
        raise QuerySyntaxError(
            f"{match.group()} points to another line of a list, which is not part of this query.",
            *span_of(match),
            "Put the text of that line here, in parentheses.",
        )
    return leaf(references([int(match[1])], "OR", span_of(match)))


def code_of(scope: Scope, codes: Iterable[tuple[str, tuple[Field, ...]]], name: str) -> str:
    """The one code for a scope. Raises ValueError if the database has none."""
    if scope.tag:
        return scope.tag
    for code, fields in codes:
        if scope_of_fields(*fields).fields == scope.fields:
            return code
    raise ValueError(f"{name} cannot look in exactly these fields: {', '.join(sorted(scope.fields))}.")


def years_read(term: Term) -> Node:
    """A term in the date field as a range of years: `2015-2020`, `2015`."""
    if term.field is not Field.DATE_PUBLICATION:
        return term
    found = re.fullmatch(r"(\d{4})\s*(?:[-–]\s*(\d{4}))?", term.text)
    return Range(found[1], found[2] or found[1], term.field, term.span) if found else term


def phrase_of_field(term: Term, fields: Iterable[Field]) -> Node:
    """Terms of vocabulary fields are whole names, not words."""
    return replace(term, phrase=True) if term.field in set(fields) else term
