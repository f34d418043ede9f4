"""Cochrane Library's syntax for CENTRAL: `[mh "X"]`, `MeSH descriptor: [X] explode all trees`, `(a NEAR/3 b):ti,ab,kw`.

Source: Cochrane Library's help (search manager); the published strategies of ../shared/queries. `:kw` holds index
terms beside keywords. Bare NEAR is NEAR/6; NEXT = next to each other, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from litapp.core.querylang.ast import MESH_FIELDS, And, Field, Node, Or, Range, Span, Term
from litapp.core.querylang.dialects.qualifiers import qualifier_code, qualifier_name
from litapp.core.querylang.dialects.reader import AND_BEFORE_OR, Grammar, Kind, Token, references
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
from litapp.core.querylang.dialects.scope import Scope, scope_of_fields
from litapp.core.querylang.dialects.writer import Style
from litapp.core.querylang.tokens import QuerySyntaxError

_FIELDS_OF_CODE: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "ti": (Field.TITLE,),
        "ab": (Field.ABSTRACT,),
        "kw": (Field.OTHER_TERM, Field.HEADING_WORD),
        "pt": (Field.PUBLICATION_TYPE,),
        "au": (Field.AUTHOR,),
        "so": (Field.JOURNAL,),
        "doi": (Field.DOI,),
    }
)
_SUFFIX = re.compile(
    r"\s*:\s*((?:ti|ab|kw|pt|au|so|doi|an|tb|crg)(?:\s*,\s*(?:ti|ab|kw|pt|au|so|doi|an|tb|crg))*)(?![\w*])", re.I
)
_WORD = re.compile(r"(?:(?!:(?:ti|ab|kw|pt|au|so|doi|an|tb|crg)(?![\w*]))[^\s()\"“”\[\]])+", re.IGNORECASE)
_MH = re.compile(
    r"\[\s*mh\s+(\^)?\s*(?:[\"“]\s*(\^)?([^\"”\]\[]+)[\"”]|([^\]\[/\"]+))?\s*(\[mj\])?\s*(?:/\s*([A-Za-z, ]+?))?\s*\]",
    re.I,
)
_TREES = (
    r"(explode\s+all\s+trees|this\s+term\s+only|explode\s+(?:tree\s*)?(?:trees?\s*)?\d+(?:\s*(?:,|and)\s*\d+)*"
    r"|in\s+all\s+MeSH\s+products)"
)
_DESCRIPTOR = re.compile(
    rf"MeSH\s+descriptor\s*:?\s*(?:\[\s*([^\]]*?)\s*\]|([^\[\]()#]+?))\s*(?:,\s*)?{_TREES}"
    r"(?:\s+and\s+with\s+qualifiers?(?:\(s\))?\s*:?\s*\[?\s*([^\]\n)]+?)\s*(?:\]|(?=[)\n]|\Z)))?",
    re.IGNORECASE,
)
_FLOATING = re.compile(
    r"(?:Any\s+)?MeSH\s+descriptor\s+with\s+qualifiers?(?:\(s\))?\s*:?\s*"
    r"(?:\[\s*([^\]]+?)\s*\]|([A-Za-z]{2}(?:\s*,\s*[A-Z]{2})*)(?![\w*]))",
    re.IGNORECASE,
)
_BARE_DESCRIPTOR = re.compile(r"MeSH\s+descriptor\s*:?\s*\[\s*([^\]]+?)\s*\]", re.IGNORECASE)
_NEARNESS = re.compile(r"(NEAR|NEXT)(?:\s*/\s*(\d+))?(?![\w*])", re.IGNORECASE)
_SET_LIST = re.compile(r"\{\s*(and|or)\s+((?:#\d+(?:\s*-\s*#\d+)?\s*,?\s*)+)\}", re.IGNORECASE)
_LINE = re.compile(r"#(\d{1,4})(?![\w*])")
_TAIL = re.compile(
    r"\s*(?:,\s*)?(?:\(?\s*Word variations have (?:not )?been searched\s*\)?"
    r"|(?:with\s+)?(?:Publication\s+Year|Cochrane\s+Library\s+publication\s+date)\s+(?:from|between)\s+"
    r"(?P<low>[A-Za-z0-9 ]+?)\s+(?:to|and)\s+"
    r"(?P<high>[A-Za-z]{3,9}\s+\d{4}|\d{4}|present)"
    r"|in\s+(?P<part>Trials|Cochrane\s+Reviews|Other\s+Reviews|Protocols|Clinical\s+Answers"
    r"|Editorials|Special\s+collections)"
    r"(?:\s*\([^()]*\))?)\s*\Z",
    re.IGNORECASE,
)
_NOW = "3000"
DEFAULT_DISTANCE = 5
"""Words between for a bare NEAR (NEAR/6)."""
WILDCARDS = Wildcards(one="?")


def grammar() -> Grammar:
    """How the Cochrane Library joins operands."""
    return Grammar(AND_BEFORE_OR, implicit="AND", finish=_finished)


def tokens(text: str, *, references_allowed: bool) -> list[Token]:
    """The tokens of a query or line. Raises QuerySyntaxError."""
    rules: list[Rule] = [
        (_MH, _mh),
        (_FLOATING, _floating),
        (_DESCRIPTOR, _descriptor),
        (_BARE_DESCRIPTOR, lambda m: leaf(Term(blanks_joined(m[1]), Field.MESH, True, span=span_of(m)))),
        (_SET_LIST, _set_list),
        *PARENTHESES,
        (_LINE, lambda m: _line(m, references_allowed)),
        (_SUFFIX, _suffix_token),
        (_NEARNESS, _nearness),
        operator_rule(),
        quoted_rule(WILDCARDS),
        (_WORD, lambda m: Token(Kind.WORD, span_of(m), WILDCARDS.read(m.group()))),
        (re.compile(r"[\[\]]"), _stray),
    ]
    end, limits = _tails(text)
    found = scan(text, rules, 0, end)
    if limits and found:
        found = [Token(Kind.OPEN, Span(0, 0)), *found, Token(Kind.CLOSE, Span(end, end))]
        for node in limits:
            found += [Token(Kind.OPERATOR, Span(end, end), "AND"), leaf(node)]
    return found


def _tails(text: str) -> tuple[int, list[Node]]:
    """The end of the query proper and the limits that the search manager prints behind it."""
    end = len(text)
    limits: list[Node] = []
    while tail := _TAIL.search(text, 0, end):
        span = Span(tail.start() + len(tail.group()) - len(tail.group().lstrip()), tail.end())
        if tail["low"]:
            year = re.search(r"library", tail.group(), re.IGNORECASE) is None
            field = Field.DATE_PUBLICATION if year else Field.DATE_ENTRY
            limits.insert(0, Range(_when(tail["low"]), _when(tail["high"]), field, span))
        elif tail["part"]:
            limits.insert(0, Term(blanks_joined(tail["part"]).casefold(), Field.FILTER, span=span))
        end = tail.start()
    return end, limits


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _when(text: str) -> str:
    words = text.split()
    year = next((word for word in words if re.fullmatch(r"\d{4}", word)), _NOW)
    month = next((_MONTHS.index(word[:3].lower()) + 1 for word in words if word[:3].lower() in _MONTHS), 0)
    return f"{year}/{month:02d}" if month else year


def _mh(match: re.Match[str]) -> Token:
    name = match[3] or match[4] or ""
    code = match[6] or ""
    if not code and "/" in name:
        name, _, code = name.partition("/")
    span = span_of(match)
    if not name.strip():
        if not code:
            raise QuerySyntaxError("This heading is empty.", *span, 'Write it as [mh "Heading"].')
        return leaf(Term(qualifier_name(code), Field.SUBHEADING, True, span=span))
    field = Field.MESH_MAJOR if match[5] else Field.MESH
    return _qualified(name, code, field, not (match[1] or match[2]), span)


def _descriptor(match: re.Match[str]) -> Token:
    name = match[1] if match[1] is not None else match[2]
    explode = "only" not in match[3].lower()
    code = (match[4] or "").strip()
    if not name.strip():
        if not code:
            raise QuerySyntaxError("This heading is empty.", *span_of(match), "Write MeSH descriptor: [Heading].")
        return leaf(Term(qualifier_name(code.split(" - ")[0]), Field.SUBHEADING, True, span=span_of(match)))
    return _qualified(name, code, Field.MESH, explode, span_of(match))


def _floating(match: re.Match[str]) -> Token:
    code = (match[1] or match[2]).split(" - ")[0]
    return leaf(Term(qualifier_name(code), Field.SUBHEADING, True, span=span_of(match)))


def _set_list(match: re.Match[str]) -> Token:
    """`{or #1-#4, #7}`: the lines joined."""
    numbers: list[int] = []
    for low, high in re.findall(r"#(\d+)(?:\s*-\s*#(\d+))?", match[2]):
        last = int(high or low)
        if not int(low) <= last <= int(low) + 1000:
            raise QuerySyntaxError("This range of lines runs backwards.", *span_of(match), "Write it as {or #3-#6}.")
        numbers.extend(range(int(low), last + 1))
    return leaf(references(numbers, match[1], span_of(match)))


def _qualified(name: str, codes: str, field: Field, explode: bool, span: Span) -> Token:
    """A heading, or one for each of its subheadings (`DT, TH` or `drug therapy - DT, therapy - TH`) joined by OR."""
    parts = [qualifier_name(code.split(" - ")[0]) for code in codes.split(",") if code.strip()] or [""]
    terms = tuple(Term(heading_text(name, part), field, True, explode, span=span) for part in parts)
    return leaf(terms[0] if len(terms) == 1 else Or(terms, span))


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
    fields = [field for code in codes for field in _FIELDS_OF_CODE.get(code, (Field.OTHER,))]
    own = sorted(code for code in codes if code not in _FIELDS_OF_CODE)
    return Token(Kind.SUFFIX, span_of(match), scope=scope_of_fields(*fields, tag=",".join(own)))


def _nearness(match: re.Match[str]) -> Token:
    ordered = match[1].upper() == "NEXT"
    default = 0 if ordered else DEFAULT_DISTANCE
    distance = max(int(match[2]) - 1, 0) if match[2] else default
    return Token(Kind.NEAR, span_of(match), match.group(), distance=distance, ordered=ordered)


def _stray(match: re.Match[str]) -> Token | None:
    raise QuerySyntaxError(
        f"“{match.group()}” is not understood here.", *span_of(match), 'A heading is written [mh "Heading"].'
    )


def _finished(term: Term) -> Node:
    return replace(term, phrase=True) if term.field is Field.SUBHEADING else term


def _words(term: Term) -> str:
    text = WILDCARDS.write(term.text)
    plain = all(_WORD.fullmatch(word) and not word.startswith("#") for word in text.split()) and not re.search(
        r"\b(?:and|or|not|near|next|with|in|MeSH)\b", text, re.IGNORECASE
    )
    return text if plain and not term.phrase else f'"{text}"'


def _term(term: Term) -> str | None:
    if term.field in MESH_FIELDS:
        code = qualifier_code(term.qualifier) if term.qualifier else ""
        if term.qualifier and not code:
            raise ValueError(f"There is no code for the subheading “{term.qualifier}”.")
        star = "^" if not term.explode else ""
        major = "[mj]" if term.field is Field.MESH_MAJOR else ""
        return f'[mh {star}"{term.heading}"{major}{"/" + code if code else ""}]'
    if term.field is Field.SUBHEADING:
        code = qualifier_code(term.text)
        if not code:
            raise ValueError(f"There is no code for the subheading “{term.text}”.")
        return f"[mh /{code}]"
    return None


def _codes(scope: Scope) -> str:
    fields = set(scope.fields)
    found = []
    for code, of_code in _FIELDS_OF_CODE.items():
        if fields.issuperset(of_code):
            found.append(code)
            fields -= set(of_code)
    if fields - {Field.OTHER}:
        raise ValueError(f"CENTRAL has no field “{sorted(fields)[0]}”.")
    return ",".join([*found, *(scope.tag.split(",") if scope.tag else [])])


def _no_range(node: Range) -> str:
    raise ValueError("CENTRAL limits by date outside the search.")


def style() -> Style:
    """How the Cochrane Library's syntax is written."""
    return Style(
        term=_term,
        words=_words,
        scoped=lambda text, scope: f"{text}:{_codes(scope)}",
        near=_near,
        interval=_no_range,
        reference=lambda number: f"#{number}",
    )


def _near(distance: int, ordered: bool) -> str:
    if not ordered:
        return f"NEAR/{distance + 1}"
    return "NEXT" if distance == 0 else f"NEXT/{distance + 1}"


def tail_of(tree: Node) -> tuple[Node, str] | None:
    """What stands before the limits of a line, and the limits as they are printed; None without limits."""
    if not isinstance(tree, And):
        return None
    tails = [text for text in map(_tail_text, tree.children[1:]) if text is not None]
    if len(tails) < len(tree.children) - 1 or _tail_text(tree.children[0]) is not None:
        return None
    return tree.children[0], ", ".join(tails)


def _tail_text(node: Node) -> str | None:
    if (
        isinstance(node, Range)
        and node.field is Field.DATE_PUBLICATION
        and re.fullmatch(r"\d{8}", node.low + node.high)
    ):
        return f"with Publication Year from {node.low} to {node.high}"
    parts = ("trials", "cochrane reviews", "other reviews", "protocols", "editorials", "special collections")
    if isinstance(node, Term) and node.field is Field.FILTER and node.text in parts:
        return f"in {node.text.title() if node.text == 'trials' else node.text}"
    return None
