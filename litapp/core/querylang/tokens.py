"""Cuts a PubMed query into tokens and reports what could not be cut: open quotes, open or stray brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from litapp.core.querylang.ast import TEXT_FIELDS, Span
from litapp.core.querylang.fields import field_of_tag


class QuerySyntaxError(ValueError):
    """The query cannot be read. `message` and `hint` are for the person who wrote it; `start` and `end` are the
    character positions to point at."""

    def __init__(self, message: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.hint = message, start, end, hint


class Kind(Enum):
    """What a token is."""

    OPEN = auto()
    CLOSE = auto()
    WORD = auto()
    QUOTED = auto()
    TAG = auto()
    OPERATOR = auto()
    COLON = auto()
    REFERENCE = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `text` is without quotes or brackets; operators are upper case, `as_written` tells how they stood."""

    kind: Kind
    text: str
    span: Span
    as_written: str = ""


STRAIGHT_QUOTE = '"'
CURLY_QUOTES = "“”„‟«»＂"
"""Characters that word processors put in place of a straight quote. They are read as quotes (and reported)."""
_QUOTES = STRAIGHT_QUOTE + CURLY_QUOTES
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_DOI = re.compile(rf"10\.\d{{4,9}}/[^\s\[\]{_QUOTES}]+")
_WORD = re.compile(rf"[^\s()\[\]{_QUOTES}]+")
_LINE_NUMBER = re.compile(r"#\d+\Z")


def tokenize(text: str, *, references: bool = False) -> list[Token]:
    """The tokens of a PubMed query, in order. `references` = it is a line of a numbered list, `#3` is another line.

    Raises QuerySyntaxError.
    """
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
            continue
        token = _next_token(text, position, tokens[-1] if tokens else None, references)
        tokens.append(token)
        position = token.span.end
    return _settle_lower_case_operators(tokens)


def _next_token(text: str, position: int, previous: Token | None, references: bool) -> Token:
    char = text[position]
    if char in "()":
        return Token(Kind.OPEN if char == "(" else Kind.CLOSE, char, Span(position, position + 1))
    if char in _QUOTES:
        return _quoted(text, position)
    if char == "[":
        return _tag(text, position)
    if char == "]":
        raise QuerySyntaxError(
            "This closing bracket has no opening one.", position, position + 1, "A field tag looks like [tiab]."
        )
    if char == ":" and previous is not None and previous.kind in (Kind.TAG, Kind.QUOTED):
        return Token(Kind.COLON, ":", Span(position, position + 1))
    return _word(text, position, references)


def _quoted(text: str, start: int) -> Token:
    end = next((i for i in range(start + 1, len(text)) if text[i] in _QUOTES), -1)
    if end < 0:
        raise QuerySyntaxError(
            "This quotation mark is never closed.",
            start,
            start + 1,
            "Add the second quotation mark or delete this one.",
        )
    words = " ".join(text[start + 1 : end].split())
    if not words.replace("*", "").strip():
        raise QuerySyntaxError("There is nothing between these quotation marks.", start, end + 1)
    return Token(Kind.QUOTED, words, Span(start, end + 1), text[start : end + 1])


def _tag(text: str, start: int) -> Token:
    end = text.find("]", start)
    inner = text.find("[", start + 1)
    if end < 0 or 0 <= inner < end:
        raise QuerySyntaxError(
            "This bracket is never closed.", start, start + 1, "A field tag looks like [tiab] or [mh]."
        )
    name = " ".join(text[start + 1 : end].split())
    if not name:
        raise QuerySyntaxError("This field tag is empty.", start, end + 1, "Write a tag such as [tiab], or delete it.")
    return Token(Kind.TAG, name, Span(start, end + 1))


def _word(text: str, start: int, references: bool) -> Token:
    doi = _DOI.match(text, start)
    if doi:
        word = doi.group()
        while word.endswith(")") and word.count(")") > word.count("("):
            word = word[:-1]
        if "(" in word and word.count("(") > word.count(")"):
            word = word[: word.index("(")]
        return Token(Kind.WORD, word, Span(start, start + len(word)), word)
    found = _WORD.match(text, start)
    word = found.group() if found else text[start]
    span = Span(start, start + len(word))
    if _LINE_NUMBER.match(word):
        if references:
            return Token(Kind.REFERENCE, word[1:], span, word)
        raise QuerySyntaxError(
            f"{word} points to another line of a search history, which is not part of this query.",
            *span,
            "Put the text of that line here, in parentheses.",
        )
    return Token(Kind.OPERATOR if word in _OPERATORS else Kind.WORD, word, span, word)


def _settle_lower_case_operators(tokens: list[Token]) -> list[Token]:
    """Lower-case "and", "or", "not" are operators, except inside an unquoted name with the tag of a vocabulary field:
    `prevention and control[sh]`, `wounds and injuries[mh]`."""
    settled = list(tokens)
    start = 0
    while start < len(settled):
        if settled[start].kind is not Kind.WORD:
            start += 1
            continue
        end = start
        while end < len(settled) and settled[end].kind is Kind.WORD:
            end += 1
        named = end < len(settled) and settled[end].kind is Kind.TAG and _is_vocabulary_tag(settled[end].text)
        first = start
        while first < end and settled[first].text.upper() in _OPERATORS:
            first += 1
        for index in range(start, end):
            token = settled[index]
            if token.text.upper() in _OPERATORS and not (named and first < index < end - 1):
                settled[index] = Token(Kind.OPERATOR, token.text.upper(), token.span, token.text)
        start = end
    return settled


def _is_vocabulary_tag(tag: str) -> bool:
    return field_of_tag(tag.split(":", 1)[0]) not in TEXT_FIELDS
