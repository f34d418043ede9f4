"""Findings on the lines of a list: which point to which, what is combined, left out or counted one off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from litapp.core.querylang.ast import HEADING_FIELDS, And, LineReference, Node, Not, Or, Term, leaves
from litapp.core.querylang.dialects.dialect import Dialect
from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity
from litapp.core.querylang.strategy import Line, Strategy, print_lines, references_of

_FEWEST_IN_A_UNION = 4
"""Lines in an OR from which a set among single lines looks like a miscount."""
_SHORTEST_CHECKED_WORD = 4
_VARIANTS = (
    ("ise", "ize"),
    ("isa", "iza"),
    ("our", "or"),
    ("ae", "e"),
    ("oe", "e"),
    ("ys", "yz"),
    ("re", "er"),
    ("ll", "l"),
)


def line_findings(strategy: Strategy) -> Iterator[Finding]:
    """The findings on the list as a whole."""
    yield from _probable_typos(strategy)
    if not strategy.is_list:
        return
    lines = {line.number: line for line in strategy.lines}
    if not strategy.numbered:
        yield _unnumbered(strategy)
    used = {r.number for line in strategy.lines if line.tree is not None for r in references_of(line.tree)}
    if not used:
        if all(isinstance(line.tree, Or | Term) or line.tree is None for line in strategy.lines):
            yield _no_combination(strategy)
        return
    if not strategy.faults:
        for line in strategy.lines:
            if line.number not in used and line is not strategy.last:
                yield Finding(
                    "unused_line",
                    Severity.WARNING,
                    f"Line {line.number} is never used by a later line.",
                    *line.span,
                    "Check the numbers in the lines that combine.",
                    Effect.RECALL,
                )
    for line in strategy.lines:
        yield from _combination(line, lines)


def _unnumbered(strategy: Strategy) -> Finding:
    shown = print_lines([(line.number, line.text) for line in strategy.lines], strategy.dialect)
    first = strategy.lines[0]
    return Finding(
        "unnumbered_lines",
        Severity.NOTE,
        "The lines have no numbers; references are taken to count them from the top.",
        *first.span,
        "Number the lines.",
        Effect.NONE,
        Fix(0, len(strategy.text), shown, Outcome.SAME),
    )


def _no_combination(strategy: Strategy) -> Finding:
    last = strategy.last
    sign = "" if strategy.dialect.is_ovid else "S" if strategy.dialect is Dialect.CINAHL else "#"
    joined = " AND ".join(f"{sign}{line.number}" for line in strategy.lines)
    end = len(strategy.text.rstrip())
    return Finding(
        "missing_final_combination",
        Severity.WARNING,
        "No line says how these lines are combined.",
        *last.span,
        f"Add a line such as {joined}.",
        Effect.EITHER,
        Fix(end, end, f"\n{sign}{last.number + 1} {joined}", Outcome.OTHER),
    )


def _members(node: Node | None) -> tuple[LineReference, ...]:
    """The lines of an OR or AND that is made of references only; () for everything else."""
    if isinstance(node, And | Or) and all(isinstance(child, LineReference) for child in node.children):
        return tuple(child for child in node.children if isinstance(child, LineReference))
    return ()


def _is_union(line: Line | None) -> bool:
    return line is not None and isinstance(line.tree, Or) and bool(_members(line.tree))


def _combination(line: Line, lines: Mapping[int, Line]) -> Iterator[Finding]:
    members = _members(line.tree)
    if isinstance(line.tree, Or) and len(members) >= _FEWEST_IN_A_UNION:
        sets = [member for member in members if _is_union(lines.get(member.number))]
        if len(sets) == 1 and all(_is_simple(lines.get(m.number)) for m in members if m is not sets[0]):
            yield Finding(
                "set_in_union_of_lines",
                Severity.WARNING,
                f"Line {line.number} joins the set of line {sets[0].number} to single lines by OR: "
                "one whole concept becomes optional. The numbers may be one off.",
                *sets[0].span,
                "Check which lines are meant.",
                Effect.PRECISION,
            )
    if isinstance(line.tree, And) and members:
        single = [m for m in members if _in_a_union(m.number, lines) and _is_simple(lines.get(m.number))]
        if len(single) >= 2:
            yield Finding(
                "single_line_in_combination",
                Severity.WARNING,
                f"Line {line.number} combines single lines ({', '.join(str(m.number) for m in single)}) "
                "that belong to sets of their own. The numbers may be off.",
                *line.span,
                "Combine the sets.",
                Effect.RECALL,
            )
    if isinstance(line.tree, Not) and isinstance(line.tree.keep, LineReference):
        drop = line.tree.drop
        union = lines.get(drop.number) if isinstance(drop, LineReference) else None
        held = {m.number for m in _members(union.tree)} if union is not None and isinstance(union.tree, Or) else set()
        if union is not None and line.tree.keep.number in held:
            yield Finding(
                "empty_not",
                Severity.WARNING,
                f"Line {union.number} holds line {line.tree.keep.number}: nothing is left. The numbers may be off.",
                *line.tree.span,
                "Check which lines are meant.",
                Effect.RECALL,
            )


def _is_simple(line: Line | None) -> bool:
    return line is not None and line.tree is not None and not references_of(line.tree)


def _in_a_union(number: int, lines: Mapping[int, Line]) -> bool:
    return any(_is_union(line) and number in {m.number for m in _members(line.tree)} for line in lines.values())


def _probable_typos(strategy: Strategy) -> Iterator[Finding]:
    """A word that differs by one letter from a word of a heading in the same strategy."""
    terms = [
        leaf for line in strategy.lines if line.tree is not None for leaf in leaves(line.tree) if isinstance(leaf, Term)
    ]
    headings: set[str] = set()
    written: set[str] = set()
    for term in terms:
        words = re.findall(r"[^\W\d_]+", term.heading.casefold())
        (headings if term.field in HEADING_FIELDS else written).update(words)
    for term in terms:
        if term.field in HEADING_FIELDS or not re.fullmatch(r"[^\W\d_]+\*?", term.text):
            continue
        word = term.text.rstrip("*").casefold()
        if len(word) < _SHORTEST_CHECKED_WORD or word in headings:
            continue
        meant = next((h for h in sorted(headings) if _one_letter_off(word, h) and h not in written), None)
        if meant is not None:
            yield Finding(
                "probable_typo",
                Severity.WARNING,
                f"“{term.text}” is one letter off “{meant}”, a heading here that is not searched as a word.",
                *term.span,
                f"Write “{meant}”, or keep it if the misspelling is meant.",
                Effect.RECALL,
            )


def _one_letter_off(word: str, heading: str) -> bool:
    """One letter changed, dropped or doubled, other than by a spelling variant or an ending."""
    if word[0] != heading[0] or len(heading) < _SHORTEST_CHECKED_WORD:
        return False
    for british, american in _VARIANTS:
        if word.replace(british, american) == heading.replace(british, american):
            return False
    if len(word) == len(heading):
        different = [index for index, (a, b) in enumerate(zip(word, heading, strict=True)) if a != b]
        return len(different) == 1 and different[0] < len(word) - 1
    shorter, longer = sorted((word, heading), key=len)
    if len(longer) - len(shorter) != 1 or longer.startswith(shorter) or len(shorter) < 6:
        return False
    return any(longer[:i] + longer[i + 1 :] == shorter for i in range(1, len(longer) - 1))
