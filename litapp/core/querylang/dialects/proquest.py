"""ProQuest's syntax, read only: `SU.EXACT.EXPLODE("X")`, `TI(a OR b)`, `a NEAR/3 b`, `S1 OR S2`.

Source: ProQuest's search tips. Nothing is written in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import Field, Node, Term
from litapp.core.querylang.dialects.prefixed import line_token, prefix
from litapp.core.querylang.dialects.reader import AND_BEFORE_OR, Grammar, Kind, Token
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
    operator_rule,
    quoted_rule,
    scan,
    span_of,
)

_FIELDS: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "TI": (Field.TITLE,),
        "AB": (Field.ABSTRACT,),
        "TIAB": (Field.TITLE, Field.ABSTRACT),
        "IF": (Field.OTHER_TERM,),
        "NOFT": (Field.MULTI_PURPOSE,),
        "SU.EXACT": (Field.THESAURUS,),
        "MAINSUBJECT.EXACT": (Field.THESAURUS,),
        "SU.EXACT.EXPLODE": (Field.THESAURUS,),
        "MAINSUBJECT.EXACT.EXPLODE": (Field.THESAURUS,),
        "SU": (Field.HEADING_WORD,),
        "LA": (Field.LANGUAGE,),
        "AU": (Field.AUTHOR,),
    }
)
_PREFIX = re.compile(
    r"((?:SU|MAINSUBJECT|MJSUB)(?:\.EXACT)?(?:\.EXPLODE)?|TIAB|TI|AB|IF|NOFT|LA|AU|PUB|YR|DTYPE|PD)\s*(?=\()", re.I
)
_NEARNESS = re.compile(r"(NEAR|N|PRE|P)(?:\s*/\s*(\d+))(?![\w*])", re.IGNORECASE)
_WILDCARDS = Wildcards(reading=((re.compile(r"\$(\d+)|\[\*(\d+)\]"), "*"),))


def grammar() -> Grammar:
    """How ProQuest joins operands."""
    return Grammar(AND_BEFORE_OR, implicit="AND", finish=_finished)


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_PREFIX, _prefix),
        *PARENTHESES,
        (re.compile(r"S(\d{1,4})(?![\w*])"), lambda m: line_token(m, True) if references_allowed else None),
        (_NEARNESS, lambda m: Token(Kind.NEAR, span_of(m), m.group(), distance=int(m[2]), ordered=m[1][0] in "Pp")),
        operator_rule(),
        quoted_rule(_WILDCARDS),
        (re.compile(r"[^\s()\"“”]+"), lambda m: Token(Kind.WORD, span_of(m), _WILDCARDS.read(m.group()))),
    ]
    return scan(text, rules)


def _prefix(match: re.Match[str]) -> Token:
    code = match[1].upper()
    token = prefix(match, code, _FIELDS)
    if token.scope is not None and Field.THESAURUS in token.scope.fields and not code.endswith("EXPLODE"):
        return replace(token, scope=replace(token.scope, explode=False))
    return token


def _finished(term: Term) -> Node:
    return replace(term, phrase=True) if term.field is Field.THESAURUS else term
