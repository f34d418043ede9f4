"""Cuts a text into the tokens of a dialect: a list of patterns is tried at each place, the first that fits is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litapp.core.querylang.ast import Node, Span, Term
from litapp.core.querylang.dialects.reader import Kind, Token
from litapp.core.querylang.tokens import QuerySyntaxError

Make = Callable[[re.Match[str]], Token | None]
"""Makes a token of a match; None = it is none after all, the next pattern is tried."""
Rule = tuple[re.Pattern[str], Make]

QUOTES = '"“”„‟«»＂'
"""Straight and typographic double quotes."""
QUOTED = re.compile(rf"[{QUOTES}]([^{QUOTES}]*)[{QUOTES}]")
SINGLE_QUOTED = re.compile(r"['‘’]((?:[^'‘’]|(?<=\w)['’](?=\w))*)['‘’]")
_LETTERS = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Wildcards:
    """A dialect's wildcard characters and how they are written in the tree, and back.

    `reading` is a list of (pattern, replacement); `writing` maps the tree's `*`, `?` and `$`. `limited` writes `*{2}`.
    A wildcard without a match in `writing` becomes `*`.
    """

    reading: tuple[tuple[re.Pattern[str], str], ...] = ()
    one: str = ""
    none_or_one: str = ""
    limited: str = ""

    def read(self, text: str) -> str:
        """The text with the tree's wildcards."""
        for pattern, replacement in self.reading:
            text = pattern.sub(replacement, text)
        return text

    def write(self, text: str) -> str:
        """The text with the dialect's wildcards. A wildcard it lacks becomes `*`."""
        text = re.sub(r"\*\{(\d+)\}", lambda m: f"\0{m[1]}\0", text)
        text = text.replace("?", "\1").replace("$", "\2")
        text = text.replace("\1", self.one or "*").replace("\2", self.none_or_one or "*")
        text = re.sub("\0(\\d+)\0", lambda m: self.limited.format(m[1]) if self.limited else "*", text)
        return re.sub(r"\*{2,}", "*", text)

    def lacking(self, text: str) -> str:
        """The wildcard of `text` (as in the tree) that the dialect has not, or ""."""
        if not self.limited and re.search(r"\*\{\d+\}", text):
            return "*{n}"
        if not self.one and "?" in text:
            return "?"
        return "$" if not self.none_or_one and "$" in text else ""


def scan(text: str, rules: Sequence[Rule], start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of `text[start:end]`. Raises QuerySyntaxError where nothing fits."""
    end = len(text) if end is None else end
    tokens: list[Token] = []
    position = start
    while position < end:
        if text[position].isspace():
            position += 1
            continue
        for pattern, make in rules:
            match = pattern.match(text, position, end)
            token = make(match) if match else None
            if match and token is not None:
                if token.kind is not Kind.WORD or _LETTERS.search(token.text):
                    tokens.append(token)
                elif token.text.strip("*?$"):
                    raise QuerySyntaxError(
                        f"“{token.text}” holds no letter or digit to search for.", *token.span, "Delete it."
                    )
                else:
                    raise QuerySyntaxError("A wildcard needs letters.", *token.span, "For example neoplas*.")
                position = max(match.end(), position + 1)
                break
        else:
            raise _unreadable(text, position)
    return tokens


def _unreadable(text: str, position: int) -> QuerySyntaxError:
    char = text[position]
    if char in QUOTES or char in "'‘’":
        return QuerySyntaxError(
            "This quotation mark is never closed.",
            position,
            position + 1,
            "Add the second quotation mark or delete this one.",
        )
    return QuerySyntaxError(f"“{char}” is not understood here.", position, position + 1, "Delete it.")


def span_of(match: re.Match[str]) -> Span:
    """The place of a match."""
    return Span(match.start(), match.end())


def blanks_joined(text: str) -> str:
    """Blanks and line breaks as one blank each."""
    return " ".join(text.split())


PARENTHESES: tuple[Rule, ...] = (
    (re.compile(r"\("), lambda m: Token(Kind.OPEN, span_of(m))),
    (re.compile(r"\)"), lambda m: Token(Kind.CLOSE, span_of(m))),
)


def operator_rule(pattern: str = r"(?:AND|OR|NOT)(?![\w*?$\-/])") -> Rule:
    """Operators in any case."""
    return re.compile(pattern, re.IGNORECASE), lambda m: Token(Kind.OPERATOR, span_of(m), m.group().upper())


def quoted_rule(wildcards: Wildcards, pattern: re.Pattern[str] = QUOTED) -> Rule:
    """A phrase in quotes."""

    def make(match: re.Match[str]) -> Token:
        words = wildcards.read(blanks_joined(match[1]))
        if not _LETTERS.search(words):
            raise QuerySyntaxError("There is nothing between these quotation marks.", match.start(), match.end())
        return Token(Kind.PHRASE, span_of(match), words)

    return pattern, make


def word_rule(wildcards: Wildcards, pattern: str) -> Rule:
    """A word."""
    return re.compile(pattern), lambda m: Token(Kind.WORD, span_of(m), wildcards.read(m.group()))


def leaf(node: Node) -> Token:
    """A token that is a node already."""
    return Token(Kind.LEAF, node.span, node=node)


def heading_text(name: str, qualifier: str = "") -> str:
    """A heading's text in the tree: `name/qualifier`."""
    clean = blanks_joined(name)
    return f"{clean}/{qualifier}" if qualifier else clean


def plain(term: Term) -> Node:
    """A term that needs no further reading."""
    return term
