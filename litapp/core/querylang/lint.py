"""Looks at a PubMed query as a person wrote it and says what may go wrong: one finding per place."""

from __future__ import annotations

import re

from litapp.core.querylang.ast import MESH_FIELDS, Field, Node, Not, Proximity, Range, Term, children_of, leaves
from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity
from litapp.core.querylang.levels import mixed_operators
from litapp.core.querylang.parser import parse
from litapp.core.querylang.tokens import CURLY_QUOTES, Kind, QuerySyntaxError, Token, tokenize

MAX_TERMS = 2_000
"""More terms than this are reported: longer than any published strategy in our collection by a factor of ten."""
MIN_STEM = 4
"""PubMed wants this many letters in front of the first `*`. Source: NLM Technical Bulletin, May-June 2024."""


def check_query(text: str) -> list[Finding]:
    """All findings, in order of place. A query that cannot be read gives exactly one finding of code "syntax"."""
    try:
        tokens = tokenize(text)
        tree = parse(text)
    except QuerySyntaxError as error:
        return [Finding("syntax", Severity.ERROR, error.message, error.start, error.end, error.hint)]
    findings = [*_token_findings(tokens), *_mixed_operators(tokens, text), *_leaf_findings(tree), *_nested_not(tree)]
    return sorted(findings, key=lambda f: (f.start, f.end, f.code))


def _token_findings(tokens: list[Token]) -> list[Finding]:
    found = []
    for index, token in enumerate(tokens):
        if token.kind is Kind.QUOTED and any(char in CURLY_QUOTES for char in token.as_written):
            found.append(
                Finding(
                    "curly_quotes",
                    Severity.WARNING,
                    "These are typographic quotation marks, which databases do not read as quotes.",
                    *token.span,
                    'They are read here as straight quotes (") and sent as such.',
                    Effect.EITHER,
                    Fix(*token.span, f'"{token.text}"', Outcome.SAME),
                )
            )
        if token.kind is Kind.OPERATOR and token.as_written != token.text:
            found.append(
                Finding(
                    "lower_case_operator",
                    Severity.WARNING,
                    f"“{token.as_written}” is read as the operator {token.text}.",
                    *token.span,
                    f"Write {token.text}, or put the whole name in quotes if the word belongs to it.",
                    Effect.NONE,
                    Fix(*token.span, token.text, Outcome.SAME),
                )
            )
        if token.kind is Kind.WORD and re.match(r"'\w", token.text):
            found.append(
                Finding(
                    "single_quote",
                    Severity.WARNING,
                    "A single quotation mark does not make a phrase in PubMed.",
                    *token.span,
                    'Use straight double quotes (").',
                    Effect.PRECISION,
                    _double_quotes(tokens, index),
                )
            )
    return found


def _double_quotes(tokens: list[Token], index: int) -> Fix | None:
    """`'older adult*'` in double quotes; None where the closing single quote is not found among the next words."""
    words = []
    for token in tokens[index:]:
        if token.kind is not Kind.WORD:
            break
        words.append(token)
        if token.text.rstrip("*").endswith("'") and (len(words) > 1 or len(token.text) > 2):
            text = " ".join(word.text for word in words).strip("'")
            return Fix(words[0].span.start, words[-1].span.end, f'"{text.replace(chr(39) + "*", "*")}"', Outcome.FEWER)
    return None


def _mixed_operators(tokens: list[Token], text: str) -> list[Finding]:
    """AND beside OR, or NOT in front of another operator, without parentheses (PubMed reads left to right)."""
    kinds = {Kind.OPEN: "(", Kind.CLOSE: ")"}
    return mixed_operators(
        [
            (token.text if token.kind is Kind.OPERATOR else kinds.get(token.kind, ""), token.span.start, token.span.end)
            for token in tokens
        ],
        text,
        left_to_right=True,
        database="PubMed",
    )


def _leaf_findings(tree: Node) -> list[Finding]:
    found = []
    count = 0
    for leaf in leaves(tree):
        count += 1
        if isinstance(leaf, Term):
            found.extend(_term_findings(leaf))
        elif isinstance(leaf, Range) and _reversed(leaf):
            found.append(
                Finding(
                    "reversed_range",
                    Severity.WARNING,
                    f"This range ends ({leaf.high}) before it begins ({leaf.low}).",
                    *leaf.span,
                    "Swap the two dates.",
                    Effect.RECALL,
                )
            )
        elif isinstance(leaf, Proximity) and "*" in leaf.text:
            found.append(
                Finding(
                    "truncated_proximity",
                    Severity.WARNING,
                    "PubMed does not truncate words inside a proximity search.",
                    *leaf.span,
                    "Write the word forms out, joined by OR.",
                    Effect.RECALL,
                )
            )
    if count > MAX_TERMS:
        found.append(
            Finding(
                "too_many_terms",
                Severity.WARNING,
                f"The query has {count:,} terms. Sources may refuse or shorten queries this long.",
                *tree.span,
                "Use truncation or headings in place of lists, or split the search.",
            )
        )
    return found


def _term_findings(term: Term) -> list[Finding]:
    found = []
    if term.field is Field.UNKNOWN:
        found.append(
            Finding(
                "unknown_tag",
                Severity.WARNING,
                f"PubMed does not know the field tag [{term.tag}].",
                *term.span,
                "Common tags: [tiab], [ti], [mh], [pt], [au], [dp].",
            )
        )
    if term.truncated and term.field in MESH_FIELDS:
        found.append(
            Finding(
                "truncated_heading",
                Severity.WARNING,
                "A truncated heading is matched by its letters only, and other databases do not know it.",
                *term.span,
                "Write the heading in full; narrower headings are included without a star.",
                Effect.RECALL,
            )
        )
    elif term.truncated and any(0 <= word.find("*") < MIN_STEM for word in re.split(r"[^\w*]+", term.text)):
        found.append(
            Finding(
                "short_truncation",
                Severity.WARNING,
                f"PubMed needs at least {MIN_STEM} letters in front of *.",
                *term.span,
                "Lengthen the stem or write the words out.",
                Effect.RECALL,
            )
        )
    return found


def _reversed(leaf: Range) -> bool:
    def number(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split("/"))

    low, high = number(leaf.low), number(leaf.high)
    shorter = min(len(low), len(high))
    return low[:shorter] > high[:shorter]


def _nested_not(tree: Node) -> list[Finding]:
    """Nothing is said against `NOT (animals NOT humans)`; only a NOT that takes away what it keeps is reported."""
    found = []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Not) and node.keep == node.drop:
            found.append(
                Finding("empty_not", Severity.WARNING, "This NOT takes away everything it stands behind.", *node.span)
            )
        stack.extend(children_of(node))
    return found
