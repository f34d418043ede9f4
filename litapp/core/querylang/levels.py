"""AND beside OR (or NOT before either) without parentheses: found on the tokens of any dialect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity

Piece = tuple[str, int, int]
"""AND, OR, NOT, ( or ) or "" for anything else, with its start and end."""


def mixed_operators(pieces: Iterable[Piece], text: str, *, left_to_right: bool, database: str) -> list[Finding]:
    """One finding for each level of parentheses where operators are mixed, with parentheses that change no result."""
    found: list[Finding] = []
    levels: list[list[Piece]] = [[]]
    opened: list[int] = []
    for piece in pieces:
        if piece[0] == "(":
            levels.append([])
            opened.append(piece[1])
            continue
        if piece[0] == ")" and len(levels) > 1:
            inner = levels.pop()
            found.extend(_mixed(inner, text, left_to_right, database))
            levels[-1].append(("", opened.pop(), piece[2]))
            continue
        levels[-1].append(piece)
    for level in levels:
        found.extend(_mixed(level, text, left_to_right, database))
    return found


def _mixed(level: Sequence[Piece], text: str, left_to_right: bool, database: str) -> list[Finding]:
    operators = [index for index, piece in enumerate(level) if piece[0]]
    kinds = {level[index][0] for index in operators}
    found = []
    if {"AND", "OR"} <= kinds:
        second = next(index for index in operators if level[index][0] != level[operators[0]][0])
        reads = "from left to right" if left_to_right else "with AND before OR"
        found.append(
            Finding(
                "mixed_operators",
                Severity.WARNING,
                f"AND and OR stand side by side without parentheses. {database} reads them {reads}; "
                "other databases do not.",
                *level[second][1:],
                "Put parentheses around the terms that belong together.",
                Effect.EITHER,
                _around(level, text, operators, second, left_to_right=left_to_right),
            )
        )
    for place, index in enumerate(operators):
        after = {level[later][0] for later in operators[place + 1 :]}
        before = {level[earlier][0] for earlier in operators[:place]}
        if level[index][0] == "NOT" and (after - {"NOT"} or "OR" in before):
            found.append(
                Finding(
                    "not_without_parentheses",
                    Severity.WARNING,
                    "NOT stands beside other operators without parentheses: what it takes away depends on the order.",
                    *level[index][1:],
                    "Put parentheses around everything in front of NOT, and around what it takes away.",
                    Effect.EITHER,
                    _around(level, text, operators, index, left_to_right=True)
                    if left_to_right and "OR" in before
                    else None,
                )
            )
    return found


def _around(
    level: Sequence[Piece], text: str, operators: Sequence[int], index: int, *, left_to_right: bool
) -> Fix | None:
    """Parentheses where the database reads them anyway: around all that stands before (left to right), else around the
    first run of AND."""
    if left_to_right:
        start, end = level[0][1], level[index - 1][2]
    else:
        first = next(i for i in operators if level[i][0] == "AND")
        last = first
        while last + 2 < len(level) and _next_operator(level, last) == "AND":
            last = next(i for i in range(last + 1, len(level)) if level[i][0])
        before = [i for i in operators if i < first]
        after = [i for i in operators if i > last]
        start = level[before[-1] + 1][1] if before else level[0][1]
        end = level[after[0] - 1][2] if after else level[-1][2]
    return Fix(start, end, f"({text[start:end]})", Outcome.SAME) if end > start else None


def _next_operator(level: Sequence[Piece], index: int) -> str:
    return next((piece[0] for piece in level[index + 1 :] if piece[0]), "")
