"""Reads a PubMed query into a tree, left to right as PubMed does, without recursion.

PubMed gives its operators no precedence: `a OR b AND c` is `(a OR b) AND c`. Two terms side by side mean AND.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from litapp.core.querylang.ast import (
    DATE_FIELDS,
    And,
    Field,
    LineReference,
    Node,
    Not,
    Or,
    Proximity,
    Range,
    Span,
    Term,
)
from litapp.core.querylang.fields import field_of_tag
from litapp.core.querylang.tokens import Kind, QuerySyntaxError, Token, tokenize

MAX_DEPTH = 100
"""Deepest nesting of a tree. Real strategies stay below 15; without a limit a pasted text could exhaust the stack."""

_DATE = r"\d{4}(?:/\d{1,2}(?:/\d{1,2})?)?"
_DATE_RANGE = re.compile(r"\s*(\S+(?:\s\S+)*?)\s*:\s*(\S.*?)\s*\Z")
_NUMBER_RANGE = re.compile(r"(\d+)\s*:\s*(\d+)\Z")
_DATE_LIKE = re.compile(rf"{_DATE}\Z")
_DISTANCE = re.compile(r"~\s*(\d{1,4})\Z")
_NO_EXPLOSION = frozenset({"noexp", "no exp", "no explosion"})


@dataclass(slots=True)
class _Level:
    """What has been read so far between one pair of parentheses."""

    open_token: Token | None
    kind: str = ""  # "", "AND", "OR", "NOT": how `items` are joined
    items: list[Node] = field(default_factory=list)
    depth: int = 0
    operator: Token | None = None


def parse(text: str, *, references: bool = False) -> Node:
    """The tree of a PubMed query. With `references` it is a line of a numbered list and `#3` stands for another line.

    Raises QuerySyntaxError (one, with the place and a hint) on an empty query, unbalanced parentheses, quotes or
    brackets, an operator without a term, a tag without a term, an unreadable date, or nesting deeper than MAX_DEPTH.
    """
    if not text.strip():
        raise QuerySyntaxError("The query is empty.", 0, len(text), "Write at least one word to search for.")
    tokens = tokenize(text, references=references)
    levels = [_Level(None)]
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind is Kind.OPEN:
            if len(levels) > MAX_DEPTH:
                raise _too_deep(token.span)
            levels.append(_Level(token))
            position += 1
        elif token.kind is Kind.CLOSE:
            _close(levels, token)
            position += 1
            if position < len(tokens) and tokens[position].kind is Kind.TAG:
                raise QuerySyntaxError(
                    "A field tag cannot stand behind a parenthesis.",
                    *tokens[position].span,
                    "Put the tag behind each word or phrase inside the parentheses.",
                )
        elif token.kind is Kind.OPERATOR:
            _operator(levels[-1], token)
            position += 1
        elif token.kind is Kind.REFERENCE:
            _add(levels[-1], LineReference(int(token.text), token.span), 0)
            position += 1
        else:
            node, position = _operand(tokens, position)
            _add(levels[-1], node, 0)
    if len(levels) > 1:
        opened = levels[-1].open_token
        span = opened.span if opened else Span(0, 1)
        raise QuerySyntaxError(
            "This parenthesis is never closed.", *span, "Add a closing parenthesis or delete this one."
        )
    return _finish(levels[0])[0]


def _operator(level: _Level, token: Token) -> None:
    if level.operator is not None:
        raise QuerySyntaxError(
            f"Two operators follow each other: {level.operator.as_written} {token.as_written}.",
            level.operator.span.start,
            token.span.end,
            "Keep one of them; “and not” is written NOT.",
        )
    if not level.items:
        raise QuerySyntaxError(
            f"{token.as_written} has nothing in front of it.", *token.span, "Put a term in front of it or delete it."
        )
    level.operator = token


def _close(levels: list[_Level], token: Token) -> None:
    if len(levels) == 1:
        raise QuerySyntaxError(
            "This closing parenthesis has no opening one.",
            *token.span,
            "Delete it or add an opening parenthesis where the group begins.",
        )
    level = levels.pop()
    opened = level.open_token.span.start if level.open_token else 0
    if not level.items:
        raise QuerySyntaxError("There is nothing between these parentheses.", opened, token.span.end)
    node, depth = _finish(level)
    _add(levels[-1], _with_span(node, Span(opened, token.span.end)), depth)


def _finish(level: _Level) -> tuple[Node, int]:
    if level.operator is not None:
        raise QuerySyntaxError(
            f"{level.operator.as_written} has nothing behind it.",
            *level.operator.span,
            "Put a term behind it or delete it.",
        )
    return _joined(level), level.depth


def _joined(level: _Level) -> Node:
    if len(level.items) == 1:
        return level.items[0]
    span = Span(level.items[0].span.start, level.items[-1].span.end)
    if level.kind == "NOT":
        return Not(level.items[0], level.items[1], span)
    return (And if level.kind == "AND" else Or)(tuple(level.items), span)


def _add(level: _Level, node: Node, depth: int) -> None:
    """Join `node` (of nesting `depth`) to what the level holds, with the waiting operator or, without one, AND."""
    if not level.items:
        level.items, level.depth = [node], depth
        return
    kind = level.operator.text if level.operator else "AND"
    level.operator = None
    if level.kind and (level.kind != kind or kind == "NOT"):
        level.items = [_joined(level)]
        level.kind = ""
    if not level.kind:
        level.kind = kind
        level.depth += 1
    level.items.append(node)
    level.depth = max(level.depth, depth + 1)
    if level.depth > MAX_DEPTH:
        raise _too_deep(node.span)


def _too_deep(span: Span) -> QuerySyntaxError:
    return QuerySyntaxError(
        f"The query is nested more than {MAX_DEPTH} levels deep here.",
        *span,
        "Remove parentheses that are not needed, or group terms joined by the same operator.",
    )


def _with_span(node: Node, span: Span) -> Node:
    return replace(node, span=span) if isinstance(node, And | Or | Not) else node


def _operand(tokens: list[Token], position: int) -> tuple[Node, int]:
    """The word, phrase, range or proximity at `position`, and the position behind it."""
    node, after = _term(tokens, position)
    if after < len(tokens) and tokens[after].kind is Kind.COLON:
        colon = tokens[after]
        if after + 1 >= len(tokens) or tokens[after + 1].kind not in (Kind.QUOTED, Kind.WORD):
            raise QuerySyntaxError("This range has no end.", *colon.span, 'Write it as "2015"[dp] : "2020"[dp].')
        high, after = _term(tokens, after + 1)
        return _range(node, high), after
    return node, after


def _term(tokens: list[Token], position: int) -> tuple[Node, int]:
    token = tokens[position]
    if token.kind is Kind.TAG:
        raise QuerySyntaxError(
            f"The field tag [{token.text}] has no term in front of it.", *token.span, "Put a word in front of it."
        )
    if token.kind is Kind.COLON:
        raise QuerySyntaxError("This colon joins nothing.", *token.span, "A range looks like 2015:2020[dp].")
    end = position + 1
    if token.kind is Kind.WORD:
        while end < len(tokens) and tokens[end].kind is Kind.WORD:
            end += 1
    text = " ".join(t.text for t in tokens[position:end])
    if not text.replace("*", "").strip():
        raise QuerySyntaxError(
            "A wildcard needs letters.", token.span.start, tokens[end - 1].span.end, "For example neoplas*."
        )
    tag = tokens[end] if end < len(tokens) and tokens[end].kind is Kind.TAG else None
    span = Span(token.span.start, (tag or tokens[end - 1]).span.end)
    node = _tagged(text, token.kind is Kind.QUOTED, tag, span)
    return node, end + (tag is not None)


def _tagged(text: str, phrase: bool, tag: Token | None, span: Span) -> Node:
    if tag is None:
        return Term(text, phrase=phrase, span=span)
    name, _, suffix = tag.text.partition(":")
    suffix = suffix.strip().casefold()
    known = field_of_tag(name)
    if known is Field.UNKNOWN:
        return Term(text, known, phrase, tag=tag.text, span=span)
    if known in DATE_FIELDS:
        parts = _DATE_RANGE.match(text)
        if parts and ":" in text:
            return _checked_range(parts[1], parts[2], known, span)
    if known is Field.PMID:
        numbers = _NUMBER_RANGE.match(text)
        if numbers:
            return Range(numbers[1], numbers[2], known, span)
    if not suffix:
        return Term(text, known, phrase, span=span)
    if suffix in _NO_EXPLOSION:
        return Term(text, known, phrase, explode=False, span=span)
    distance = _DISTANCE.match(suffix)
    if distance:
        return Proximity(text, known, int(distance[1]), span)
    raise QuerySyntaxError(
        f"The field tag [{tag.text}] is not understood.",
        *tag.span,
        "After the colon PubMed knows noexp, as in [mh:noexp], and ~ with a number, as in [tiab:~3].",
    )


def _range(low: Node, high: Node) -> Range:
    span = Span(low.span.start, high.span.end)
    if not isinstance(low, Term) or not isinstance(high, Term):
        raise QuerySyntaxError("A range joins two dates.", *span, "Write it as 2015:2020[dp].")
    known = high.field if high.field is not Field.UNTAGGED else low.field
    if low.field not in (known, Field.UNTAGGED) or high.field not in (known, Field.UNTAGGED):
        raise QuerySyntaxError(
            "The two ends of this range have different field tags.", *span, "Use the same tag on both."
        )
    if known in DATE_FIELDS:
        return _checked_range(low.text, high.text, known, span)
    if known is Field.PMID and low.text.isdigit() and high.text.isdigit():
        return Range(low.text, high.text, known, span)
    raise QuerySyntaxError(
        "A range needs dates and a date tag.", *span, 'For example "2015/01/01"[dp] : "2020/12/31"[dp].'
    )


def _checked_range(low: str, high: str, known: Field, span: Span) -> Range:
    ends = [end.replace("-", "/") for end in (low, high)]
    for end in ends:
        if not _DATE_LIKE.match(end):
            raise QuerySyntaxError(
                f"“{end}” is not a date that can be searched.", *span, "Write 2015, 2015/06 or 2015/06/30."
            )
    return Range(ends[0], ends[1], known, span)
