"""Ovid's syntax (MEDLINE, Embase, APA PsycInfo): `(a or b).ti,ab.`, `exp X/`, `adj3`, `or/1-8`, `limit 5 to …`.

Sources: Ovid's help (advanced searching, truncation and wildcards, operators); the published strategies of
../shared/queries. Bare `adj` = next to each other in this order; `adjN` = in any order, at most N-1 words between.
`*` or `$` = any ending, `$N` = at most N letters, `#` = one letter, `?` = none or one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import (
    HEADING_FIELDS,
    MAJOR_FIELDS,
    And,
    Field,
    LineReference,
    Node,
    Or,
    Range,
    Span,
    Term,
)
from litapp.core.querylang.dialects.dialect import Dialect
from litapp.core.querylang.dialects.ovid_limits import read_limits
from litapp.core.querylang.dialects.qualifiers import NAME_OF_CODE, qualifier_code, qualifier_name
from litapp.core.querylang.dialects.reader import AND_BEFORE_OR, Grammar, Kind, Token, references
from litapp.core.querylang.dialects.scanner import (
    PARENTHESES,
    Rule,
    Wildcards,
    heading_text,
    leaf,
    operator_rule,
    quoted_rule,
    scan,
    span_of,
)
from litapp.core.querylang.dialects.scope import Scope, scope_of_fields
from litapp.core.querylang.dialects.writer import LOWER, Style
from litapp.core.querylang.tokens import QuerySyntaxError

_FIELD_OF_CODE: Mapping[str, Field] = MappingProxyType(
    {
        "ti": Field.TITLE,
        "ab": Field.ABSTRACT,
        "tw": Field.TEXT_WORD,
        "kf": Field.OTHER_TERM,
        "kw": Field.OTHER_TERM,
        "mp": Field.MULTI_PURPOSE,
        "af": Field.ALL,
        "pt": Field.PUBLICATION_TYPE,
        "fs": Field.SUBHEADING,
        "hw": Field.HEADING_WORD,
        "sh": Field.MESH,
        "nm": Field.SUPPLEMENTARY_CONCEPT,
        "rn": Field.REGISTRY_NUMBER,
        "au": Field.AUTHOR,
        "in": Field.AFFILIATION,
        "jn": Field.JOURNAL,
        "la": Field.LANGUAGE,
        "lg": Field.LANGUAGE,
        "yr": Field.DATE_PUBLICATION,
        "ui": Field.PMID,
        "sb": Field.SUBSET,
        "do": Field.DOI,
    }
)
_CODE_OF_FIELD: Mapping[Field, str] = MappingProxyType(
    {
        **{field: code for code, field in reversed(list(_FIELD_OF_CODE.items()))},
        Field.OTHER_TERM: "kf",
        Field.LANGUAGE: "lg",
    }
)
_OTHER_CODES = (
    "xs jw ot tn dv dm dq sd so pu is mh ps md id tm tc cd ed dt dc da ep ez px bt cp oa pm st kp dj dd cm ds mf cl nu"
)
_CODE = rf"(?:{'|'.join([*_FIELD_OF_CODE, *_OTHER_CODES.split()])})"
_CODES = rf"{_CODE}(?:\s*[,.]\s*{_CODE})*"
_SUFFIX = re.compile(rf"\.\s*({_CODES})\s*(?:\.|(?=[\s)]|\Z))(?![\w*$#?])", re.IGNORECASE)
_LOOSE_SUFFIX = re.compile(rf"(?<=[)\"”])\s*\.\s*({_CODES})\s*(?:\.|(?=[\s)]|\Z))(?![\w*$#?])", re.IGNORECASE)
_WORD = re.compile(rf"(?:(?!\.\s*{_CODES}\s*(?:\.|(?=[\s)])|\Z)(?![\w*$#?]))[^\s()\"“”])+", re.IGNORECASE)
_ADJ = re.compile(r"adj\s?(\d*)(?![\w*$])", re.IGNORECASE)
_SET_LIST = re.compile(
    r"(and|or)\s*/\s*(\d+(?:\s*[-–]\s*\d+)?(?:\s*,\s*\d+(?:\s*[-–]\s*\d+)?)*)(?![\w.])", re.IGNORECASE
)
_DEDUPLICATED = re.compile(r"remove duplicates from\s+(\d+)\s*\Z", re.IGNORECASE)
_BARE_RANGE = re.compile(r"(or|and)\s+(\d+)\s*[-–]\s*(\d+)\s*\Z", re.IGNORECASE)
_USED = re.compile(r"(\d+)\s+use\s+(\w+)\s*\Z", re.IGNORECASE)
_NOTE = re.compile(r"\[[^\]]*\]?")
_OVID_NOTE = re.compile(
    r"\[mp\s*=[^\]]*\]|(?<=/)\s*\[[^\]]*\]|(?<=/[a-z]{2})\s*\[[^\]]*\]|(?<=\S)\s*\[[^\]]*\]\s*\Z", re.IGNORECASE
)
_QUALIFIER = "|".join(NAME_OF_CODE)
_AFTER_HEADING = rf"\s*/\s*((?:{_QUALIFIER})(?:\s*,\s*(?:{_QUALIFIER}))*(?=[\s)\[]|\Z))?(?=[\s),\[]|\Z)"
_NAME = r"(?:\"[^\"]+\"|“[^”]+”|'[^']+'|[^\s/()\"“”'.*:][^/()\"“”.:]*?)"
_HEADING = re.compile(rf"(?:(exp)\.?\s+)?(\*)?\s*({_NAME}){_AFTER_HEADING}", re.IGNORECASE)
_OPERATOR_INSIDE = re.compile(r"\s(?:or|not|adj\d*)\s|\A(?:and|or|not)\s", re.IGNORECASE)
_AND_INSIDE = re.compile(r"\sand\s", re.IGNORECASE)
_NAMES_WITH_AND = re.compile(r"[A-Z][^/]*?\sand\s+[A-Z]")
_LIMIT = re.compile(r"limit\s+(\d+|\S.*?)\s+to\s+(.+)\Z", re.IGNORECASE | re.DOTALL)
_HEADING_FIELDS: Mapping[Dialect, tuple[Field, Field]] = MappingProxyType(
    {
        Dialect.OVID_MEDLINE: (Field.MESH, Field.MESH_MAJOR),
        Dialect.OVID_EMBASE: (Field.EMTREE, Field.EMTREE_MAJOR),
        Dialect.OVID_PSYCINFO: (Field.THESAURUS, Field.THESAURUS_MAJOR),
    }
)
WILDCARDS = Wildcards(
    reading=(
        (re.compile(r"(?<=\w):(?=\s|\Z)"), "*"),
        (re.compile(r"[$*](\d+)"), r"*{\1}"),
        (re.compile(r"[?]"), "\2"),
        (re.compile(r"[$]"), "*"),
        (re.compile(r"[#]"), "?"),
        (re.compile("\2"), "$"),
    ),
    one="#",
    none_or_one="?",
    limited="*{}",
)


def grammar(dialect: Dialect) -> Grammar:
    """How Ovid joins operands; `dialect` says which vocabulary `.sh.` means."""
    return Grammar(AND_BEFORE_OR, run_is_phrase=True, finish=lambda term: _finished(term, dialect))


def tokens(text: str, dialect: Dialect, *, references_allowed: bool) -> list[Token]:
    """The tokens of an Ovid query or line. Raises QuerySyntaxError."""
    text = _without_notes(text)
    limit = _LIMIT.match(text.strip())
    if limit:
        return _limited(text, limit, dialect, references_allowed=references_allowed)
    if references_allowed and (command := _command(text)) is not None:
        return [leaf(command)]
    found = scan(text, _rules(dialect))
    return _with_references(found) if references_allowed else found


def _command(text: str) -> Node | None:
    """`remove duplicates from 5` is the same papers as line 5; `5 use medall` is line 5 in one of several databases."""
    span = Span(len(text) - len(text.lstrip()), len(text.rstrip()))
    same = _DEDUPLICATED.match(text.strip())
    if same:
        return LineReference(int(same[1]), span)
    bare = _BARE_RANGE.match(text.strip())
    if bare:
        raise QuerySyntaxError(
            "Ovid joins a range of lines by a slash.", *span, f"Write {bare[1].lower()}/{bare[2]}-{bare[3]}."
        )
    used = _USED.match(text.strip())
    if used:
        return And((LineReference(int(used[1]), span), Term(f"use {used[2]}", Field.FILTER, span=span)), span)
    return None


def _rules(dialect: Dialect) -> list[Rule]:
    return [
        (_LOOSE_SUFFIX, _suffix_token),
        (_SUFFIX, _suffix_token),
        *PARENTHESES,
        (_NOTE, _refused_note),
        (_SET_LIST, _set_list),
        (_ADJ, _adjacency),
        (_HEADING, lambda m: _heading(m, dialect)),
        operator_rule(),
        quoted_rule(WILDCARDS),
        (_WORD, lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
    ]


def _without_notes(text: str) -> str:
    """Ovid's own notes (`[mp=title, abstract, …]`, `/ad [Administration & Dosage]`) blanked; places stay."""
    return _OVID_NOTE.sub(lambda m: " " * len(m.group()), text)


def _refused_note(match: re.Match[str]) -> Token | None:
    raise QuerySyntaxError(
        "Square brackets are not part of Ovid's syntax.", match.start(), match.end(), "Delete this note."
    )


def _adjacency(match: re.Match[str]) -> Token:
    number = int(match[1]) if match[1] else 0
    return Token(
        Kind.NEAR, span_of(match), match.group(), distance=max(number - 1, 0) if match[1] else 0, ordered=not match[1]
    )


def _set_list(match: re.Match[str]) -> Token:
    numbers: list[int] = []
    for part in match[2].replace("–", "-").split(","):
        low, _, high = part.strip().partition("-")
        last = int(high) if high.strip() else int(low)
        if last < int(low) or last - int(low) > 1000:
            raise QuerySyntaxError("This range of lines runs backwards.", *span_of(match), "Write it as 3-6.")
        numbers.extend(range(int(low), last + 1))
    return leaf(references(numbers, match[1], span_of(match)))


def _suffix_token(match: re.Match[str]) -> Token:
    codes = [code.lower() for code in re.findall(r"[A-Za-z]{2}", match[1])]
    fields = {_FIELD_OF_CODE.get(code, Field.OTHER) for code in codes}
    own = sorted(code for code in codes if code not in _FIELD_OF_CODE)
    return Token(Kind.SUFFIX, span_of(match), scope=scope_of_fields(*fields, tag=",".join(own)))


def _heading(match: re.Match[str], dialect: Dialect) -> Token | None:
    exploded, star, name, codes = match[1], match[2], match[3], match[4]
    bare = name[0] not in "\"“'"
    if bare and (_OPERATOR_INSIDE.search(name) or _ADJ.match(name)):
        return None
    if bare and not exploded and _AND_INSIDE.search(name) and not _NAMES_WITH_AND.match(name):
        return None
    if bare and re.fullmatch(r"and|or|not", name.strip(), re.IGNORECASE):
        return None
    plain, major = _HEADING_FIELDS[dialect]
    clean = name.strip("\"“”'")
    field = major if star else plain
    span = span_of(match)
    if codes:
        parts = tuple(
            Term(heading_text(clean, qualifier_name(code)), field, True, bool(exploded), span=span)
            for code in codes.split(",")
        )
        return leaf(parts[0] if len(parts) == 1 else Or(parts, span))
    return leaf(Term(heading_text(clean), field, True, bool(exploded), span=span))


def _finished(term: Term, dialect: Dialect) -> Node:
    if term.field is Field.MESH:
        return replace(term, field=_HEADING_FIELDS[dialect][0], explode=False, phrase=True)
    if term.field is Field.SUBHEADING:
        return replace(term, text=qualifier_name(term.text), phrase=True)
    if term.field is Field.DATE_PUBLICATION and re.fullmatch(r"\d{4}", term.text):
        return Range(term.text, term.text, term.field, term.span)
    return term


def _with_references(found: list[Token]) -> list[Token]:
    """A number that stands alone between operators or parentheses is the number of a line."""
    ends = (Kind.OPERATOR, Kind.OPEN, Kind.CLOSE)
    result = []
    for position, token in enumerate(found):
        before = found[position - 1].kind if position else Kind.OPERATOR
        after = found[position + 1].kind if position + 1 < len(found) else Kind.OPERATOR
        number = re.fullmatch(r"#?(\d{1,4})", token.text.replace("?", "#")) if token.kind is Kind.WORD else None
        if number and before in ends and after in ends:
            token = leaf(references([int(number[1])], "OR", token.span))
        result.append(token)
    return result


def _limited(text: str, limit: re.Match[str], dialect: Dialect, *, references_allowed: bool) -> list[Token]:
    """`limit 5 to (english language and yr="2000 -Current")` as what it limits AND the limits."""
    offset = len(text) - len(text.lstrip())
    what, limits = limit[1], limit[2]
    start = offset + limit.start(1)
    if what.isdigit() and references_allowed:
        kept = [leaf(references([int(what)], "OR", Span(start, start + len(what))))]
    else:
        inner = scan(text, _rules(dialect), start, start + len(what))
        kept = _with_references(inner) if references_allowed else inner
    found = [Token(Kind.OPEN, Span(offset, offset)), *kept, Token(Kind.CLOSE, Span(start, start))]
    begin = offset + limit.start(2)
    joiner = Token(Kind.OPERATOR, Span(offset, start), "AND")
    for node in read_limits(limits, begin):
        found += [joiner, leaf(node)]
    return found


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    return f'"{text}"' if term.phrase or not _is_plain(text) else text


def _is_plain(text: str) -> bool:
    return (
        bool(_WORD.fullmatch(text))
        and not re.fullmatch(r"(?:and|or|not|adj\d*|limit|exp|\d+)", text, re.IGNORECASE)
        and "/" not in text
    )


def _term(term: Term) -> str | None:
    if term.field in HEADING_FIELDS:
        name = term.heading
        code = qualifier_code(term.qualifier).lower() if term.qualifier else ""
        if term.qualifier and not code:
            raise ValueError(f"Ovid has no code for the subheading “{term.qualifier}”.")
        quoted = (
            f'"{name}"'
            if re.search(r"[/().:\"'*\[\]]|\b(?:and|or|not|adj\d*)\b|\A\d+\Z", name, re.IGNORECASE)
            else name
        )
        star = "*" if term.field in MAJOR_FIELDS else ""
        return f"{'exp ' if term.explode else ''}{star}{quoted}/{code}"
    if term.field is Field.SUBHEADING:
        code = qualifier_code(term.text).lower()
        suffix = "xs" if term.tag == "xs" else "fs"
        return f"{code}.{suffix}." if code else f'"{term.text}".{suffix}.'
    return None


def codes_of(scope: Scope) -> str:
    """The field codes of a scope, joined by commas. Raises ValueError for a field Ovid does not have."""
    found = []
    for field in Field:
        if field in scope.fields and field is not Field.OTHER:
            if field not in _CODE_OF_FIELD:
                raise ValueError(f"Ovid has no field “{field.value}”.")
            found.append(_CODE_OF_FIELD[field])
    return ",".join([*found, *(scope.tag.split(",") if scope.tag else [])])


def style(dialect: Dialect) -> Style:
    """How Ovid's syntax is written."""
    del dialect
    return Style(
        term=_term,
        words=_words,
        scoped=lambda text, scope: f"{text}.{codes_of(scope)}.",
        near=_near,
        interval=_no_range,
        reference=str,
        operators=LOWER,
    )


def _near(distance: int, ordered: bool) -> str:
    if not ordered:
        return f"adj{distance + 1}"
    if distance == 0:
        return "adj"
    raise ValueError("Ovid cannot ask for an order at a distance.")


def _no_range(node: Range) -> str:
    if node.field is Field.DATE_PUBLICATION and node.low == node.high and re.fullmatch(r"\d{4}", node.low):
        return f'"{node.low}".yr.'
    raise ValueError("Ovid limits by date in a line of its own.")
