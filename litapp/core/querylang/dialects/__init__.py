"""Every dialect in one pair of functions: `parse_in` reads a query, `print_in` writes it."""

from __future__ import annotations

from litapp.core.querylang import tokens as pubmed
from litapp.core.querylang.ast import Node
from litapp.core.querylang.dialects import central, ebsco, embase, europepmc, ovid, ovid_limits, proquest, scopus, wos
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.dialects.reader import Grammar, Kind, Token, read
from litapp.core.querylang.dialects.writer import Style, write
from litapp.core.querylang.parser import parse
from litapp.core.querylang.printer import print_pubmed

__all__ = ["OVID", "Dialect", "parse_in", "pieces_of", "print_in"]


def parse_in(text: str, dialect: Dialect, *, references: bool = False) -> Node:
    """The tree of one query, or with `references` of one line of a numbered list.

    Raises QuerySyntaxError (one, with the place and a hint) for everything that cannot be read.
    """
    if dialect is Dialect.PUBMED:
        return parse(text, references=references)
    tokens, grammar = _cut(text, dialect, references)
    return read(tokens, grammar, len(text))


def pieces_of(text: str, dialect: Dialect, *, references: bool = False) -> list[tuple[str, int, int]]:
    """Operators and parentheses of a text (and "" for all else) with their places. Raises QuerySyntaxError."""
    if dialect is Dialect.PUBMED:
        signs = {pubmed.Kind.OPEN: "(", pubmed.Kind.CLOSE: ")"}
        return [
            (t.text if t.kind is pubmed.Kind.OPERATOR else signs.get(t.kind, ""), *t.span)
            for t in pubmed.tokenize(text, references=references)
        ]
    names = {Kind.OPEN: "(", Kind.CLOSE: ")"}
    tokens, _ = _cut(text, dialect, references)
    return [(t.text if t.kind is Kind.OPERATOR else names.get(t.kind, ""), *t.span) for t in tokens]


def _cut(text: str, dialect: Dialect, references: bool) -> tuple[list[Token], Grammar]:
    if dialect in OVID:
        return ovid.tokens(text, dialect, references_allowed=references), ovid.grammar(dialect)
    match dialect:
        case Dialect.EMBASE_COM:
            return embase.tokens(text, references_allowed=references), embase.grammar()
        case Dialect.CENTRAL:
            return central.tokens(text, references_allowed=references), central.grammar()
        case Dialect.WEB_OF_SCIENCE:
            return wos.tokens(text, references_allowed=references), wos.grammar()
        case Dialect.SCOPUS:
            return scopus.tokens(text, references_allowed=references), scopus.grammar()
        case Dialect.CINAHL:
            return ebsco.tokens(text, references_allowed=references), ebsco.grammar()
        case Dialect.EUROPE_PMC:
            return europepmc.tokens(text), europepmc.grammar()
        case _:
            return proquest.tokens(text, references_allowed=references), proquest.grammar()


def print_in(tree: Node, dialect: Dialect) -> str:
    """The tree as a query with explicit parentheses. Raises ValueError for what the dialect cannot say."""
    if dialect is Dialect.PUBMED:
        return print_pubmed(tree)
    if dialect in OVID and (limited := ovid_limits.limit_line(tree)) is not None:
        return limited
    if dialect is Dialect.CENTRAL and (parts := central.tail_of(tree)) is not None:
        return f"{write(parts[0], _style(dialect))} {parts[1]}"
    return write(tree, _style(dialect))


def _style(dialect: Dialect) -> Style:
    if dialect in OVID:
        return ovid.style(dialect)
    match dialect:
        case Dialect.EMBASE_COM:
            return embase.style()
        case Dialect.CENTRAL:
            return central.style()
        case Dialect.WEB_OF_SCIENCE:
            return wos.style()
        case Dialect.SCOPUS:
            return scopus.style()
        case Dialect.CINAHL:
            return ebsco.style()
        case Dialect.EUROPE_PMC:
            return europepmc.style()
        case _:
            raise ValueError(f"Nothing is written in {dialect.value}'s syntax.")
