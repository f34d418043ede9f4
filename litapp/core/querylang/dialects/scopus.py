"""Scopus' syntax: `TITLE-ABS-KEY(a OR b)`, `a W/3 b`, `AND NOT`, `PUBYEAR > 2014 AND PUBYEAR < 2021`, `{exact}`.

Source: Scopus' search guide. `TITLE-ABS-KEY` also looks in index terms. Precedence has changed in 2025/26 (AND NOT
before AND before OR is used here), so mixed lines are always printed with parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import Field, Range, Term
from litapp.core.querylang.dialects.prefixed import code_of, line_token, prefix
from litapp.core.querylang.dialects.reader import NOT_AND_OR, Grammar, Kind, Token
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
    blanks_joined,
    leaf,
    operator_rule,
    quoted_rule,
    scan,
    span_of,
)
from litapp.core.querylang.dialects.scope import Scope
from litapp.core.querylang.dialects.writer import Style

FIELDS: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "TITLE": (Field.TITLE,),
        "ABS": (Field.ABSTRACT,),
        "AUTHKEY": (Field.OTHER_TERM,),
        "TITLE-ABS": (Field.TITLE, Field.ABSTRACT),
        "TITLE-ABS-KEY": (Field.TITLE, Field.ABSTRACT, Field.OTHER_TERM, Field.HEADING_WORD),
        "KEY": (Field.OTHER_TERM, Field.HEADING_WORD),
        "INDEXTERMS": (Field.HEADING_WORD,),
        "ALL": (Field.ALL,),
        "AUTH": (Field.AUTHOR,),
        "AFFIL": (Field.AFFILIATION,),
        "SRCTITLE": (Field.JOURNAL,),
        "DOCTYPE": (Field.PUBLICATION_TYPE,),
        "LANGUAGE": (Field.LANGUAGE,),
        "DOI": (Field.DOI,),
        "PMID": (Field.PMID,),
    }
)
_PREFIX = re.compile(
    r"(TITLE-ABS-KEY-AUTH|TITLE-ABS-KEY|TITLE-ABS|TITLE|ABS|AUTHKEY|KEY|INDEXTERMS|ALL|AUTH|AFFIL|AFFILCOUNTRY|SRCTITLE"
    r"|EXACTSRCTITLE|DOCTYPE|LANGUAGE|DOI|PMID|ISSN|CHEMNAME|CASREGNUMBER|REF|SUBJAREA|SRCTYPE|TRADENAME)\s*(?=\()",
    re.IGNORECASE,
)
_YEAR = r"PUBYEAR\s*(?P<op{0}>[<>]=?|=|AFT|BEF|IS)\s*(?P<year{0}>\d{{4}})"
_YEARS = re.compile(rf"{_YEAR.format(1)}(?:\s+AND\s+{_YEAR.format(2)})?", re.IGNORECASE)
_LIMIT = re.compile(r"(LIMIT-TO|EXCLUDE)\s*\(\s*([A-Z]+)\s*,\s*[\"“]?([^\"”()]*)[\"”]?\s*\)", re.IGNORECASE)
_NEARNESS = re.compile(r"(W|PRE)\s*/\s*(\d+)(?![\w*])", re.IGNORECASE)
_LINE = re.compile(r"#(\d{1,4})(?![\w*])")
_EXACT = re.compile(r"\{([^{}]+)\}")
EXACT = "exact"
"""The tag of a term in braces: matched to the letter."""
FIRST, NOW = 1000, 3000
WILDCARDS = Wildcards(one="?")


def grammar() -> Grammar:
    """How Scopus joins operands."""
    return Grammar(NOT_AND_OR, implicit="AND")


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_LIMIT, _limit),
        (_YEARS, _years),
        (_PREFIX, lambda m: prefix(m, m[1].upper(), FIELDS)),
        *PARENTHESES,
        (_LINE, lambda m: line_token(m, references_allowed)),
        (_NEARNESS, _nearness),
        (re.compile(r"AND\s+NOT(?![\w*])", re.IGNORECASE), lambda m: Token(Kind.OPERATOR, span_of(m), "NOT")),
        operator_rule(),
        (_EXACT, lambda m: leaf(Term(blanks_joined(m[1]), phrase=True, tag=EXACT, span=span_of(m)))),
        quoted_rule(WILDCARDS),
        (re.compile(r"[^\s()\"“”{}]+"), lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
    ]
    return scan(text, rules)


def _limit(match: re.Match[str]) -> Token:
    tag = f"{match[1].upper()} {match[2].upper()}"
    return leaf(Term(blanks_joined(match[3]), Field.FILTER, tag=tag, span=span_of(match)))


def _years(match: re.Match[str]) -> Token:
    low, high = FIRST, NOW
    for number in ("1", "2"):
        if match[f"year{number}"] is None:
            continue
        year = int(match[f"year{number}"])
        match match[f"op{number}"].upper():
            case ">" | "AFT":
                low = max(low, year + 1)
            case ">=":
                low = max(low, year)
            case "<" | "BEF":
                high = min(high, year - 1)
            case "<=":
                high = min(high, year)
            case _:
                low, high = max(low, year), min(high, year)
    return leaf(Range(str(low), str(high), Field.DATE_PUBLICATION, span_of(match)))


def _nearness(match: re.Match[str]) -> Token:
    return Token(Kind.NEAR, span_of(match), match.group(), distance=int(match[2]), ordered=match[1].upper() == "PRE")


def _words(term: Term) -> str:
    if term.tag == EXACT:
        return f"{{{term.text}}}"
    text = WILDCARDS.write(term.text)
    plain = not re.search(r"[()\"“”{}]|\b(?:and|or|not|w/\d+|pre/\d+|pubyear)\b|(?:\A|\s)#", text, re.IGNORECASE)
    return text if plain and not term.phrase else f'"{text}"'


def _term(term: Term) -> str | None:
    if term.field is Field.FILTER and " " in term.tag:
        kind, field = term.tag.split(" ", 1)
        return f'{kind}({field}, "{term.text}")'
    return None


def _interval(node: Range) -> str:
    if node.field is not Field.DATE_PUBLICATION or not re.fullmatch(r"\d{4}-\d{4}", f"{node.low}-{node.high}"):
        raise ValueError("Scopus limits by years of publication.")
    low, high = int(node.low), int(node.high)
    parts = [f"PUBYEAR > {low - 1}"] if low > FIRST else []
    parts += [f"PUBYEAR < {high + 1}"] if high < NOW or not parts else []
    return " AND ".join(parts) if len(parts) == 1 else f"({' AND '.join(parts)})"


def _scoped(text: str, scope: Scope) -> str:
    if scope.tag == EXACT:
        scope = replace(scope, tag="")
    inner = text if text.startswith("(") and text.endswith(")") and _one_group(text) else f"({text})"
    return f"{code_of(scope, FIELDS.items(), 'Scopus')}{inner}"


def _one_group(text: str) -> bool:
    """True when the first parenthesis closes with the last character."""
    depth = 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def style() -> Style:
    """How Scopus' syntax is written."""
    return Style(
        term=_term,
        words=_words,
        scoped=_scoped,
        near=lambda distance, ordered: f"{'PRE' if ordered else 'W'}/{distance}",
        interval=_interval,
        reference=lambda number: f"#{number}",
        operators=MappingProxyType({"AND": "AND", "OR": "OR", "NOT": "AND NOT"}),
    )
