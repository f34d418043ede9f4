"""Embase.com's syntax: `'lung tumor'/exp`, `x:ti,ab,kw`, `(a NEAR/3 b):ti`, `[english]/lim`, `#1 AND #2`.

Source: Embase.com's help (search syntax), the published strategies of ../shared/queries. Operators are read from left
to right; `NEAR/n` = in any order, `NEXT/n` = in this order, n words apart, which is n-1 words between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import HEADING_FIELDS, MAJOR_FIELDS, Field, Node, Range, Term
from litapp.core.querylang.dialects.qualifiers import qualifier_name
from litapp.core.querylang.dialects.reader import LEFT_TO_RIGHT, Grammar, Kind, Token, references
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    QUOTED,
    SINGLE_QUOTED,
    Rule,
    Wildcards,
    blanks_joined,
    leaf,
    operator_rule,
    quoted_rule,
    scan,
    span_of,
)
from litapp.core.querylang.dialects.scope import Scope, scope_of_fields
from litapp.core.querylang.dialects.writer import Style
from litapp.core.querylang.tokens import QuerySyntaxError

_FIELD_OF_CODE: Mapping[str, Field] = MappingProxyType(
    {
        "ti": Field.TITLE,
        "ab": Field.ABSTRACT,
        "kw": Field.OTHER_TERM,
        "de": Field.HEADING_WORD,
        "lnk": Field.SUBHEADING,
        "it": Field.PUBLICATION_TYPE,
        "la": Field.LANGUAGE,
        "au": Field.AUTHOR,
        "jt": Field.JOURNAL,
        "ta": Field.JOURNAL,
        "py": Field.DATE_PUBLICATION,
        "ff": Field.AFFILIATION,
        "ad": Field.AFFILIATION,
        "rn": Field.REGISTRY_NUMBER,
        "do": Field.DOI,
        "ui": Field.PMID,
        "tt": Field.TRANSLITERATED_TITLE,
    }
)
_CODE_OF_FIELD: Mapping[Field, str] = MappingProxyType(
    {**{field: code for code, field in reversed(list(_FIELD_OF_CODE.items()))}, Field.AFFILIATION: "ff"}
)
_SUFFIX = re.compile(r"\s*:\s*([a-z]{2,3}(?:\s*,\s*[a-z]{2,3})*)(?![\w*])", re.IGNORECASE)
_WORD = re.compile(r"(?:(?!:[A-Za-z]{2,3}(?:,[A-Za-z]{2,3})*(?![\w*]))[^\s()\"“”\[\]/])+")
_HEADING = re.compile(
    r"(?:['‘’]((?:[^'‘’]|(?<=\w)['’](?=\w))+)['‘’]|[\"“]([^\"”]+)[\"”]|([^\s()\"'\[\]/:]+))"
    r"\s*/\s*(exp|de|mj|it|lnk|dd_\w+|dm_\w+)((?:/\w+)*)(?![\w*])",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\[([^\]]+)\]\s*/\s*(lim|py|sd|la)(?![\w*])", re.IGNORECASE)
_DAYS = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4})")
_NEARNESS = re.compile(r"(NEAR|NEXT)(?:\s*/\s*(\d+))?(?![\w*])", re.IGNORECASE)
_LINE = re.compile(r"#(\d{1,4})(?![\w*])")
_STRAY = re.compile(r"[\[\]/]")
_NOW = "3000"
"""The year that stands for "up to now": `[1-1-2020]/sd` = added since that day."""
WILDCARDS = Wildcards(one="?", none_or_one="$")


def grammar() -> Grammar:
    """How Embase.com joins operands."""
    return Grammar(LEFT_TO_RIGHT, implicit="AND", finish=_finished)


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_LIMIT, _limit),
        *PARENTHESES,
        (_LINE, lambda m: _line(m, references_allowed)),
        (_SUFFIX, _suffix_token),
        (_HEADING, _heading),
        (_NEARNESS, _nearness),
        operator_rule(),
        quoted_rule(WILDCARDS, SINGLE_QUOTED),
        quoted_rule(WILDCARDS, QUOTED),
        (_WORD, _word),
        (_STRAY, _stray),
    ]
    return scan(text, rules)


def _word(match: re.Match[str]) -> Token | None:
    if match.group()[0] in "'‘’":
        return None
    return Token(Kind.WORD, span_of(match), WILDCARDS.read(match.group()))


def _stray(match: re.Match[str]) -> Token | None:
    raise QuerySyntaxError(
        f"“{match.group()}” is not understood here.",
        *span_of(match),
        "A heading is written 'name'/exp, a limit [english]/lim.",
    )


def _line(match: re.Match[str], allowed: bool) -> Token:
    if not allowed:
        raise QuerySyntaxError(
            f"{match.group()} points to another line of a list, which is not part of this query.",
            *span_of(match),
            "Put the text of that line here, in parentheses.",
        )
    return leaf(references([int(match[1])], "OR", span_of(match)))


def _suffix_token(match: re.Match[str]) -> Token:
    codes = [code.strip().lower() for code in match[1].split(",")]
    fields = {_FIELD_OF_CODE.get(code, Field.OTHER) for code in codes}
    own = sorted(code for code in codes if code not in _FIELD_OF_CODE)
    return Token(Kind.SUFFIX, span_of(match), scope=scope_of_fields(*fields, tag=",".join(own)))


def _heading(match: re.Match[str]) -> Token:
    name = blanks_joined(match[1] or match[2] or match[3])
    kind = match[4].lower()
    more = [part.lower() for part in match[5].split("/") if part]
    span = span_of(match)
    if kind == "it":
        return leaf(Term(name, Field.PUBLICATION_TYPE, True, span=span))
    if kind == "lnk":
        return leaf(Term(name, Field.SUBHEADING, True, span=span))
    major = kind == "mj" or "mj" in more
    links = [part for part in [kind, *more] if part.startswith(("dd_", "dm_"))]
    text = f"{name}/{'/'.join(links)}" if links else name
    return leaf(
        Term(text, Field.EMTREE_MAJOR if major else Field.EMTREE, True, kind == "exp" or "exp" in more, span=span)
    )


def _limit(match: re.Match[str]) -> Token:
    text, kind, span = blanks_joined(match[1]), match[2].lower(), span_of(match)
    if kind == "py":
        low, _, high = text.partition("-")
        if not re.fullmatch(r"\d{4}", low.strip()) or (high and not re.fullmatch(r"\d{4}", high.strip())):
            raise QuerySyntaxError(f"“{text}” is no range of years.", *span, "Write it as [2015-2020]/py.")
        return leaf(Range(low.strip(), (high or low).strip(), Field.DATE_PUBLICATION, span))
    if kind == "sd":
        days = _DAYS.findall(text)
        if days:
            ends = ["/".join([d[2], d[1].zfill(2), d[0].zfill(2)]) for d in days]
            return leaf(Range(ends[0], ends[1] if len(ends) > 1 else _NOW, Field.DATE_ENTRY, span))
    if kind == "la" or text.casefold() == "english":
        return leaf(Term(text.casefold(), Field.LANGUAGE, span=span))
    return leaf(Term(text.casefold(), Field.FILTER, span=span))


def _nearness(match: re.Match[str]) -> Token:
    distance = max(int(match[2]) - 1, 0) if match[2] else 0
    return Token(Kind.NEAR, span_of(match), match.group(), distance=distance, ordered=match[1].upper() == "NEXT")


def _finished(term: Term) -> Node:
    if term.field is Field.SUBHEADING:
        return replace(term, text=qualifier_name(term.text), phrase=True)
    if term.field is Field.DATE_PUBLICATION and re.fullmatch(r"\d{4}", term.text):
        return Range(term.text, term.text, term.field, term.span)
    return term


def quoted(text: str) -> str:
    """Words in single quotes; an apostrophe inside a word may stay, any other single quote goes."""
    return "'" + re.sub(r"(?<!\w)['’‘]|['’‘](?!\w)", " ", text).strip() + "'"


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    plain = all(
        _WORD.fullmatch(word) and not re.search(r"['‘’:]|\A#", word) for word in text.split()
    ) and not re.search(r"\b(?:and|or|not|near|next)\b", text, re.IGNORECASE)
    return text if plain and not term.phrase else quoted(text)


def _term(term: Term) -> str | None:
    if term.field in HEADING_FIELDS:
        if term.field not in (Field.EMTREE, Field.EMTREE_MAJOR):
            raise ValueError(f"Embase.com has no field “{term.field.value}”.")
        ending = "/exp" if term.explode else "/de"
        links = f"/{term.qualifier}" if term.qualifier else ""
        return f"{quoted(term.heading)}{ending}{'/mj' if term.field in MAJOR_FIELDS else ''}{links}"
    if term.field is Field.FILTER:
        return f"[{term.text}]/lim"
    if term.field is Field.LANGUAGE:
        return f"[{term.text}]/lim" if term.text == "english" else f"[{term.text}]/la"
    if term.field is Field.PUBLICATION_TYPE:
        return f"{quoted(term.text)}/it"
    if term.field is Field.SUBHEADING:
        return f"{quoted(term.text)}:lnk"
    return None


def _codes(scope: Scope) -> str:
    unknown = [field.value for field in scope.fields if field not in _CODE_OF_FIELD and field is not Field.OTHER]
    if unknown:
        raise ValueError(f"Embase.com has no field “{unknown[0]}”.")
    found = sorted(_CODE_OF_FIELD[field] for field in scope.fields if field is not Field.OTHER)
    if len(found) > 2:
        found = [code for code in _FIELD_OF_CODE if code in found]
    return ",".join([*found, *(scope.tag.split(",") if scope.tag else [])])


def _interval(node: Range) -> str:
    if node.field is Field.DATE_PUBLICATION and re.fullmatch(r"\d{4}", node.low) and re.fullmatch(r"\d{4}", node.high):
        return f"[{node.low}-{node.high}]/py"
    if node.field is Field.DATE_ENTRY and node.low.count("/") == 2 and node.high == _NOW:
        return f"[{'-'.join(str(int(part)) for part in reversed(node.low.split('/')))}]/sd"
    if node.field is Field.DATE_ENTRY and node.low.count("/") == 2 and node.high.count("/") == 2:
        ends = ["-".join(str(int(part)) for part in reversed(end.split("/"))) for end in (node.low, node.high)]
        return f"[{ends[0]} to {ends[1]}]/sd"
    raise ValueError("Embase.com limits by years of publication and days of entry only.")


def style() -> Style:
    """How Embase.com's syntax is written."""
    return Style(
        term=_term,
        words=_words,
        scoped=lambda text, scope: f"{text}:{_codes(scope)}",
        near=lambda distance, ordered: f"{'NEXT' if ordered else 'NEAR'}/{distance + 1}",
        interval=_interval,
        reference=lambda number: f"#{number}",
    )
