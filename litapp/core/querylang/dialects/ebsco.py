"""EBSCOhost's syntax for CINAHL: `(MH "X+")`, `TI (a OR b)`, `a N3 b`, `a W3 b`, `S1 OR S2`.

Source: EBSCO's help (field codes, proximity, wildcards). A field applies to the word, phrase or parenthesis behind it.
Words side by side are one phrase. `MH "X+"` explodes, `MH "X"` does not, `MM` = major heading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import MAJOR_FIELDS, Field, Node, Range, Span, Term
from litapp.core.querylang.dialects.prefixed import code_of, line_token, prefix, years_read
from litapp.core.querylang.dialects.qualifiers import qualifier_code, qualifier_name
from litapp.core.querylang.dialects.reader import AND_BEFORE_OR, Grammar, Kind, Token
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
    blanks_joined,
    heading_text,
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
        "TI": (Field.TITLE,),
        "AB": (Field.ABSTRACT,),
        "XB": (Field.TITLE, Field.ABSTRACT),
        "TX": (Field.ALL,),
        "MH": (Field.CINAHL_HEADING,),
        "MM": (Field.CINAHL_MAJOR,),
        "MW": (Field.HEADING_WORD,),
        "PT": (Field.PUBLICATION_TYPE,),
        "LA": (Field.LANGUAGE,),
        "AU": (Field.AUTHOR,),
        "AF": (Field.AFFILIATION,),
        "SO": (Field.JOURNAL,),
        "PY": (Field.DATE_PUBLICATION,),
        "DT": (Field.DATE_PUBLICATION,),
        "PM": (Field.PMID,),
    }
)
_PREFIX = re.compile(
    r"(TI|AB|XB|TX|MH|MM|MW|MJ|SU|PT|LA|AU|AF|SO|PY|DT|PM|IN|KW|DE|EM|ZT|ZR|RV|CA)"
    r"(?=\s*[(\"“]|\s+(?!(?:AND|OR|NOT)\b)[\w*'])(?!\w)"
)
_NEARNESS = re.compile(r"([NW])\s?(\d{1,3})(?![\w*])")
_LINE = re.compile(r"S(\d{1,4})(?![\w*])")
_LIMITED_DATES = re.compile(
    r"(?:Published Date|Publication Year)\s*:\s*(\d{4})(\d\d)?(\d\d)?\s*-\s*(\d{4})(\d\d)?(\d\d)?", re.IGNORECASE
)
_LIMITERS = re.compile(r"\s*Limiters\s+-\s+(.+?)\s*\Z", re.IGNORECASE | re.DOTALL)
WILDCARDS = Wildcards(
    reading=((re.compile(r"#"), "$"),),
    one="?",
    none_or_one="#",
)


def grammar() -> Grammar:
    """How EBSCOhost joins operands."""
    return Grammar(AND_BEFORE_OR, run_is_phrase=True, finish=_finished)


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_PREFIX, lambda m: prefix(m, m[1], FIELDS)),
        *PARENTHESES,
        (_LINE, lambda m: line_token(m, True) if references_allowed else None),
        (_NEARNESS, _nearness),
        operator_rule(),
        quoted_rule(WILDCARDS),
        (re.compile(r"[^\s()\"“”]+"), lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
    ]
    tail = _LIMITERS.search(text)
    found = scan(text, rules, 0, tail.start() if tail else len(text))
    if tail and found:
        end = tail.start()
        found = [Token(Kind.OPEN, Span(0, 0)), *found, Token(Kind.CLOSE, Span(end, end))]
        for node in _limits(tail):
            found += [Token(Kind.OPERATOR, Span(end, end), "AND"), leaf(node)]
    return found


def _limits(tail: re.Match[str]) -> list[Node]:
    """The limiters that a history prints behind a line; dates and languages are read, others kept by name."""
    nodes: list[Node] = []
    span = Span(*tail.span(1))
    for part in re.split(r"\s*;\s*", tail[1].strip()):
        dates = _LIMITED_DATES.fullmatch(part)
        language = re.fullmatch(r"(?:Language\s*:\s*)?(\w+)(?: Language)?", part)
        if dates:
            low, high = ("/".join(p for p in dates.groups()[i : i + 3] if p) for i in (0, 3))
            nodes.append(Range(low, high, Field.DATE_PUBLICATION, span))
        elif language and re.search(r"language", part, re.IGNORECASE):
            nodes.append(Term(language[1].casefold(), Field.LANGUAGE, span=span))
        elif part:
            nodes.append(Term(blanks_joined(part), Field.FILTER, span=span))
    return nodes


def _nearness(match: re.Match[str]) -> Token:
    return Token(Kind.NEAR, span_of(match), match.group(), distance=int(match[2]), ordered=match[1] == "W")


def _finished(term: Term) -> Node:
    if term.field in (Field.CINAHL_HEADING, Field.CINAHL_MAJOR):
        name, _, code = term.text.partition("/")
        explode = name.rstrip().endswith("+")
        text = heading_text(name.rstrip(" +"), qualifier_name(code) if code.strip() else "")
        return replace(term, text=text, explode=explode, phrase=True)
    found = re.fullmatch(r"(\d{4})(\d{2})?(\d{2})?\s*-\s*(\d{4})(\d{2})?(\d{2})?", term.text)
    if term.field is Field.DATE_PUBLICATION and found:
        low, high = ("/".join(p for p in found.groups()[i : i + 3] if p) for i in (0, 3))
        return Range(low, high, term.field, term.span)
    return years_read(term)


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    plain = (
        not re.search(r"[()\"“”]|\b(?:and|or|not)\b", text, re.IGNORECASE)
        and not re.search(r"\b[NWS]\d+\b", text)
        and not _PREFIX.match(f"{text.split()[0]} x")
    )
    return text if plain and not term.phrase else f'"{text}"'


def _term(term: Term) -> str | None:
    if term.field in (Field.CINAHL_HEADING, Field.CINAHL_MAJOR):
        code = qualifier_code(term.qualifier) if term.qualifier else ""
        if term.qualifier and not code:
            raise ValueError(f"There is no code for the subheading “{term.qualifier}”.")
        prefix_code = "MM" if term.field in MAJOR_FIELDS else "MH"
        return (
            f'({prefix_code} "{blanks_joined(term.heading)}{"+" if term.explode else ""}{"/" + code if code else ""}")'
        )
    return None


def _interval(node: Range) -> str:
    if node.field is not Field.DATE_PUBLICATION:
        raise ValueError("CINAHL limits by date of publication.")
    return f"DT {node.low.replace('/', '')}-{node.high.replace('/', '')}"


def _scoped(text: str, scope: Scope) -> str:
    return f"{code_of(scope, FIELDS.items(), 'CINAHL')} {text}"


def style() -> Style:
    """How EBSCOhost's syntax is written."""
    return Style(
        term=_term,
        words=_words,
        scoped=_scoped,
        near=lambda distance, ordered: f"{'W' if ordered else 'N'}{distance}",
        interval=_interval,
        reference=lambda number: f"S{number}",
    )
