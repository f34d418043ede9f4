"""Web of Science's syntax: `TS=(a OR b)`, `TI="x y"`, `a NEAR/3 b`, `PY=2015-2020`, `#1 AND #2`.

Source: Web of Science's help (search operators: NEAR > SAME > NOT > AND > OR; field tags; wildcards). `TS` = title,
abstract, author keywords and Keywords Plus. Words side by side are joined by AND. A bare NEAR is NEAR/15.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import Field, Range, Term
from litapp.core.querylang.dialects.prefixed import code_of, line_token, prefix, years_read
from litapp.core.querylang.dialects.reader import NOT_AND_OR, Grammar, Kind, Token
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
    operator_rule,
    quoted_rule,
    scan,
    span_of,
)
from litapp.core.querylang.dialects.scope import Scope
from litapp.core.querylang.dialects.writer import Style

FIELDS: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "TI": (Field.TITLE,),
        "AB": (Field.ABSTRACT,),
        "AK": (Field.OTHER_TERM,),
        "KP": (Field.KEYWORDS_PLUS,),
        "TS": (Field.TITLE, Field.ABSTRACT, Field.OTHER_TERM, Field.KEYWORDS_PLUS),
        "ALL": (Field.ALL,),
        "AU": (Field.AUTHOR,),
        "SO": (Field.JOURNAL,),
        "DT": (Field.PUBLICATION_TYPE,),
        "LA": (Field.LANGUAGE,),
        "PY": (Field.DATE_PUBLICATION,),
        "AD": (Field.AFFILIATION,),
        "DO": (Field.DOI,),
        "PMID": (Field.PMID,),
    }
)
_PREFIX = re.compile(
    r"(TI|AB|AK|KP|TS|ALL|AU|SO|DT|LA|PY|AD|DO|PMID|WC|SU|CU|OG|FO|FT|UT|DOP|MH|MHX|CR)\s*=\s*(?=\S)", re.IGNORECASE
)
_LABEL = re.compile(r"(TOPIC|TITLE|ABSTRACT|AUTHOR KEYWORDS)\s*:\s*(?=[(\"\w])", re.IGNORECASE)
"""How older histories print a field."""
_LABELS: Mapping[str, str] = MappingProxyType({"TOPIC": "TS", "TITLE": "TI", "ABSTRACT": "AB", "AUTHOR KEYWORDS": "AK"})
_NEARNESS = re.compile(r"(NEAR|SAME)(?:\s*/\s*(\d+))?(?![\w*])", re.IGNORECASE)
_LINE = re.compile(r"#(\d{1,4})(?![\w*])")
DEFAULT_DISTANCE = 15
_SAME_SENTENCE = 0
WILDCARDS = Wildcards(one="?", none_or_one="$")


def grammar() -> Grammar:
    """How Web of Science joins operands."""
    return Grammar(NOT_AND_OR, implicit="AND", finish=years_read)


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_PREFIX, lambda m: prefix(m, m[1].upper(), FIELDS)),
        (_LABEL, lambda m: prefix(m, _LABELS[m[1].upper()], FIELDS)),
        *PARENTHESES,
        (_LINE, lambda m: line_token(m, references_allowed)),
        (_NEARNESS, _nearness),
        operator_rule(),
        quoted_rule(WILDCARDS),
        (re.compile(r"[^\s()\"“”]+"), lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
    ]
    return scan(text, rules)


def _nearness(match: re.Match[str]) -> Token:
    distance = int(match[2]) if match[2] else DEFAULT_DISTANCE
    return Token(Kind.NEAR, span_of(match), match.group(), distance=distance)


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    plain = not re.search(r"[()\"“”=]|\b(?:and|or|not|near|same)\b|(?:\A|\s)#", text, re.IGNORECASE)
    return text if plain and not term.phrase else f'"{text}"'


def _term(term: Term) -> str | None:
    if term.field in (Field.LANGUAGE, Field.PUBLICATION_TYPE):
        return None
    return None


def _interval(node: Range) -> str:
    if node.field is not Field.DATE_PUBLICATION or not re.fullmatch(r"\d{4}-\d{4}", f"{node.low}-{node.high}"):
        raise ValueError("Web of Science limits by years of publication.")
    return f"PY={node.low}-{node.high}"


def _near(distance: int, ordered: bool) -> str:
    if ordered:
        raise ValueError("Web of Science cannot ask for an order.")
    return f"NEAR/{distance}"


def _scoped(text: str, scope: Scope) -> str:
    return f"{code_of(scope, FIELDS.items(), 'Web of Science')}={text}"


def style() -> Style:
    """How Web of Science's syntax is written."""
    return Style(
        term=_term, words=_words, scoped=_scoped, near=_near, interval=_interval, reference=lambda number: f"#{number}"
    )
