"""Looks a whole strategy over, in any dialect, as PRESS does: operators, headings, words, lines, limits.

PRESS = Peer Review of Electronic Search Strategies (McGowan et al. 2016, doi 10.1016/j.jclinepi.2016.01.021). Every
finding says what it costs; `NOT (animals NOT humans)` is never touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from litapp.core.querylang.dialects import Dialect, pieces_of
from litapp.core.querylang.findings import Effect, Finding, Fix, Outcome, Severity
from litapp.core.querylang.levels import mixed_operators
from litapp.core.querylang.lint import check_query
from litapp.core.querylang.press_lines import line_findings
from litapp.core.querylang.press_text import text_findings
from litapp.core.querylang.press_tree import filter_findings, tree_findings
from litapp.core.querylang.strategy import Line, Strategy, read_line, read_strategy
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.vocabulary import Vocabulary

_PRECEDENCE_MATTERS = frozenset(Dialect) - {Dialect.PUBMED}


def check_strategy(text: str, dialect: Dialect, vocabulary: Vocabulary | None = None) -> list[Finding]:
    """All findings on a query or a numbered list, in order of place. A line that cannot be read gives one "syntax"."""
    return check_read_strategy(read_strategy(text, dialect), vocabulary)


def check_read_strategy(strategy: Strategy, vocabulary: Vocabulary | None = None) -> list[Finding]:
    """All findings on a strategy that was read already."""
    found: list[Finding] = []
    for line in strategy.lines:
        found.extend(_line(strategy, line, vocabulary))
    found.extend(filter_findings(strategy))
    found.extend(_outside(strategy))
    lists = list(line_findings(strategy))
    if any(finding.code == "mixed_operators" for finding in found):
        lists = [finding for finding in lists if finding.code != "missing_final_combination"]
    found.extend(lists)
    unique = {(finding.code, finding.start, finding.end): finding for finding in found}
    return sorted(unique.values(), key=lambda finding: (finding.start, finding.end, finding.code))


def _outside(strategy: Strategy) -> Iterable[Finding]:
    """Filters and indexes that the interface prints beside the query: they were set on its page and are not in it."""
    for span in strategy.notes:
        yield Finding(
            "set_outside_the_query",
            Severity.NOTE,
            "This was set on the database's page. It is not part of the query and is left out here.",
            *span,
            "Write limits that you want into the query, and report the rest.",
            Effect.EITHER,
        )


def _line(strategy: Strategy, line: Line, vocabulary: Vocabulary | None) -> Iterable[Finding]:
    shift = line.span.start
    yield from (_moved(finding, shift) for finding in text_findings(line.text, strategy.dialect))
    if line.fault is not None:
        yield _of_fault(line.fault, strategy.text)
        yield from _behind_the_fault(strategy, line, vocabulary)
        return
    assert line.tree is not None
    references = strategy.is_list or strategy.numbered
    if strategy.dialect is Dialect.PUBMED and not references:
        yield from (_moved(finding, shift) for finding in check_query(line.text))
    elif strategy.dialect is Dialect.PUBMED:
        yield from (_moved(f, shift) for f in check_query(_plain_references(line.text)) if f.code != "syntax")
    else:
        yield from (_moved(finding, shift) for finding in _mixed(line.text, strategy.dialect, references=references))
    yield from tree_findings(line.tree, strategy.dialect, vocabulary)


_MOST_REPAIRS = 5
"""Parentheses that are added or taken out to look at the rest of a line that does not balance."""


def _behind_the_fault(strategy: Strategy, line: Line, vocabulary: Vocabulary | None) -> Iterable[Finding]:
    """What else is wrong with a line whose parentheses do not balance: it is balanced at its end and looked over."""
    text, fault = line.text, line.fault
    for _ in range(_MOST_REPAIRS):
        assert fault is not None
        place = fault.start - line.span.start
        if "never closed" in fault.message:
            text += ")"
        elif "has no opening one" in fault.message and text[place : place + 1] == ")":
            text = f"{text[:place]} {text[place + 1 :]}"
        else:
            return
        alone = read_line(text, line, strategy)
        fault = alone.fault
        if fault is None:
            length = len(line.text)
            inside = line.span.start + length
            yield from (
                f
                for f in _line(strategy, alone, vocabulary)
                if f.end <= inside and (f.fix is None or f.fix.end <= inside)
            )
            return


def _plain_references(text: str) -> str:
    """`#3` as `_3`, a word of the same length, for checks that know no lists."""
    return text.replace("#", "_")


def _mixed(text: str, dialect: Dialect, *, references: bool) -> list[Finding]:
    try:
        pieces = pieces_of(text, dialect, references=references)
    except QuerySyntaxError:
        return []
    return mixed_operators(pieces, text, left_to_right=dialect.reads_left_to_right, database=dialect.value)


def _of_fault(fault: QuerySyntaxError, text: str) -> Finding:
    fix = None
    if "has no opening one" in fault.message and text[fault.start : fault.end] == ")":
        fix = Fix(fault.start, fault.end, "", Outcome.OTHER)
    code = "unbalanced_parentheses" if "parenthesis" in fault.message else "syntax"
    if fault.message.startswith("There is no line"):
        code = "missing_line"
    return Finding(code, Severity.ERROR, fault.message, fault.start, fault.end, fault.hint, Effect.RECALL, fix)


def _moved(finding: Finding, shift: int) -> Finding:
    fix = finding.fix
    if fix is not None:
        fix = replace(fix, start=fix.start + shift, end=fix.end + shift)
    return replace(finding, start=finding.start + shift, end=finding.end + shift, fix=fix)
