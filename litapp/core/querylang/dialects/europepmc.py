"""Europe PMC's syntax: `TITLE:"x y"`, `ABSTRACT:(a OR b)`, `FIRST_PDATE:[2015-01-01 TO 2020-12-31]`.

Source: Europe PMC's search syntax reference. Words side by side are joined by AND.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import Field, Range, Term
from litapp.core.querylang.dialects.prefixed import code_of, prefix
from litapp.core.querylang.dialects.reader import AND_BEFORE_OR, Grammar, Kind, Token
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
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
        "ABSTRACT": (Field.ABSTRACT,),
        "TITLE_ABS": (Field.TITLE, Field.ABSTRACT),
        "KW": (Field.OTHER_TERM, Field.HEADING_WORD),
        "AUTH": (Field.AUTHOR,),
        "JOURNAL": (Field.JOURNAL,),
        "PUB_TYPE": (Field.PUBLICATION_TYPE,),
        "LANG": (Field.LANGUAGE,),
        "AFF": (Field.AFFILIATION,),
        "GRANT_ID": (Field.GRANT,),
        "CHEM": (Field.SUPPLEMENTARY_CONCEPT,),
        "EXT_ID": (Field.PMID,),
        "DOI": (Field.DOI,),
    }
)
_PREFIX = re.compile(r"([A-Z][A-Z_]+)\s*:\s*(?=[\w\"“(*])")
_INTERVAL = re.compile(
    r"(FIRST_PDATE|E_PDATE|P_PDATE_D|PUB_YEAR|FIRST_IDATE|UPDATE_DATE)\s*:\s*\[\s*(\S+)\s+TO\s+(\S+)\s*\]"
)
_YEAR = re.compile(r"PUB_YEAR\s*:\s*(\d{4})(?![\w*])")
_DATE_FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "FIRST_PDATE": Field.DATE_PUBLICATION,
        "PUB_YEAR": Field.DATE_PUBLICATION,
        "E_PDATE": Field.DATE_ELECTRONIC,
        "P_PDATE_D": Field.DATE_PRINT,
        "FIRST_IDATE": Field.DATE_ENTRY,
        "UPDATE_DATE": Field.DATE_MODIFICATION,
    }
)
_NAMES: Mapping[Field, str] = MappingProxyType({f: n for n, f in _DATE_FIELDS.items() if n != "PUB_YEAR"})
WILDCARDS = Wildcards()


def grammar() -> Grammar:
    """How Europe PMC joins operands."""
    return Grammar(AND_BEFORE_OR, implicit="AND")


def tokens(text: str) -> list[Token]:
    """The tokens of a query. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_INTERVAL, _interval_token),
        (_YEAR, lambda m: leaf(Range(m[1], m[1], Field.DATE_PUBLICATION, span_of(m)))),
        (_PREFIX, lambda m: prefix(m, m[1], FIELDS)),
        *PARENTHESES,
        operator_rule(),
        quoted_rule(WILDCARDS),
        (re.compile(r"[^\s()\"“”]+"), lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
    ]
    return scan(text, rules)


def _interval_token(match: re.Match[str]) -> Token:
    low, high = match[2].replace("-", "/"), match[3].replace("-", "/")
    return leaf(Range(low, high, _DATE_FIELDS[match[1]], span_of(match)))


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    plain = not re.search(r"[()\"“”:]|\b(?:and|or|not)\b", text, re.IGNORECASE)
    return text if plain and not term.phrase else f'"{text}"'


def _interval(node: Range) -> str:
    if node.field not in _NAMES:
        raise ValueError(f"Europe PMC has no field “{node.field.value}”.")
    return f"{_NAMES[node.field]}:[{node.low.replace('/', '-')} TO {node.high.replace('/', '-')}]"


def style() -> Style:
    """How Europe PMC's syntax is written."""
    return Style(
        term=lambda term: None,
        words=_words,
        scoped=_scoped,
        near=_no_near,
        interval=_interval,
        reference=_no_reference,
    )


def _scoped(text: str, scope: Scope) -> str:
    return f"{code_of(scope, FIELDS.items(), 'Europe PMC')}:{text}"


def _no_near(distance: int, ordered: bool) -> str:
    raise ValueError("Europe PMC cannot ask for nearness.")


def _no_reference(number: int) -> str:
    raise ValueError("Europe PMC has no lists of numbered searches.")
