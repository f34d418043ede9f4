"""A search strategy as people write it: one query, or a numbered list of lines that point to each other.

Read are `#1`, `1.`, `1`, `S1` and lists without numbers (Ovid: references then count the lines), lines that go on in
the next physical line, and counts of hits at the end of a line. Every line has its tree or one positioned fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from litapp.core.querylang.ast import And, LineReference, Near, Node, Not, Or, Span, children_of
from litapp.core.querylang.dialects import Dialect, parse_in
from litapp.core.querylang.parser import MAX_DEPTH
from litapp.core.querylang.tokens import QuerySyntaxError

LARGEST_GAP = 3
"""Numbers that a list may skip (a line that got lost) before something is no longer taken for its next line."""
_NUMBERED = re.compile(
    r"[ \t]*(?:Search\s+)?(?P<sign>#|S)?\s?(?P<number>\d{1,3})(?:[ \t]*[-–][ \t]*(?P<high>\d{1,3}))?(?P<dot>[.):]?)"
    r"(?P<gap>[ \t]+(?!(?:and|or|not)\s(?!\s*\d+\s*[-–]\s*\d+\s*$))|(?=\[|\(\()|[ \t]*\Z)",
    re.M | re.I,
)
_HITS_IN_PARENTHESES = re.compile(
    r"\s*[(\[]\s*(\d{1,3}(?:,\d{3})+|\d+)\s*(?:hits|results)?\s*[)\]]\s*\Z", re.IGNORECASE
)
_HITS_IN_COLUMN = re.compile(r"(?:[ \t]{2,}|\t)(\d{1,3}(?:,\d{3})+|\d+)\s*\Z")
_SESSION = re.compile(
    r"\s*\b(?:Sort by\s*:|Filters(?: applied)?\s*:|Databases?\s*="
    r"|Indexes\s*=|Timespan\s*=|Search language\s*=|DocType\s*=|Refined by\s*:|Editions\s*:).*\Z",
    re.IGNORECASE | re.DOTALL,
)
_SEARCH = re.compile(r"\s*Search\s*:?\s+(?=\S)")
_SEARCH_LABEL = re.compile(r"\s*Search\s*:\s*(?=\S)")
_ONLY_REFERENCES = re.compile(
    r"[\s()]*(?:#|S)?\d{1,3}(?:[\s()]+(?:and|or|not)[\s()]+(?:#|S)?\d{1,3})+[\s()]*\Z", re.IGNORECASE
)
_SET_LIST = re.compile(r"\s*\(?\s*(?:and|or)\s*/\s*\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `span` is the place of its query in the text read; `tree` is None when `fault` says why.

    `label` is its number as printed (`#3`, `3.`, "" where the list has none); `hits` the count printed beside it.
    """

    number: int
    label: str
    text: str
    span: Span
    tree: Node | None = None
    fault: QuerySyntaxError | None = None
    hits: int | None = None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy in one dialect. `numbered` = the text numbers its lines; a single query is a list of one line."""

    dialect: Dialect
    text: str
    lines: tuple[Line, ...]
    numbered: bool
    notes: tuple[Span, ...] = ()

    @property
    def is_list(self) -> bool:
        """True for more than one line."""
        return len(self.lines) > 1

    @property
    def faults(self) -> tuple[QuerySyntaxError, ...]:
        """The faults of all lines, in order of place."""
        return tuple(line.fault for line in self.lines if line.fault is not None)

    @property
    def last(self) -> Line:
        """The line with the highest number: the result of a published list."""
        return max(self.lines, key=lambda line: line.number)

    def line(self, number: int) -> Line | None:
        """The line of that number."""
        return next((line for line in self.lines if line.number == number), None)

    def tree(self, number: int | None = None) -> Node:
        """The tree of a line (the last one) with every reference replaced by what it points to.

        Raises QuerySyntaxError for a line that cannot be read, does not exist or points to itself.
        """
        line = self.last if number is None else self.line(number)
        if line is None:
            raise QuerySyntaxError(f"There is no line {number}.", 0, 0)
        return _Resolver({line.number: line for line in self.lines}).tree_of(line)


def read_strategy(text: str, dialect: Dialect) -> Strategy:
    """The strategy in `text`. Never raises: what cannot be read is the `fault` of its line, placed in `text`."""
    pieces, numbered = _pieces(text, dialect)
    notes: list[Span] = []
    lines = []
    several = len(pieces) > 1
    for number, label, span in pieces:
        body, hits, note = _trimmed(text, span, several)
        if note is not None:
            notes.append(note)
        lines.append(_line(text, number, label, body, hits, dialect, references=several or numbered))
    lines = _checked(lines)
    return Strategy(dialect, text, tuple(lines), numbered, tuple(notes))


def _line(
    text: str, number: int, label: str, span: Span, hits: int | None, dialect: Dialect, *, references: bool
) -> Line:
    body = text[span.start : span.end]
    shown = _with_hash(body) if references and dialect is not Dialect.CINAHL and not dialect.is_ovid else body
    try:
        tree = parse_in(shown, dialect, references=references)
    except QuerySyntaxError as fault:
        fault = _back(fault, body, shown)
        moved = QuerySyntaxError(fault.message, span.start + fault.start, span.start + fault.end, fault.hint)
        return Line(number, label, body, span, None, moved, hits)
    shift = span.start
    placed = _moved(tree, shift) if shown == body else _moved(tree, shift, _map_back(body))
    return Line(number, label, body, span, placed, None, hits)


def strategy_of_lines(items: Sequence[tuple[int, str, int | None]], dialect: Dialect) -> Strategy:
    """A strategy of (number, query, hits), written out as its numbered text. Never raises."""
    several = len(items) > 1
    parts: list[str] = []
    lines: list[Line] = []
    position = 0
    for number, body, hits in sorted(items):
        label = f"{line_sign(dialect)}{number}" if several else ""
        start = position + len(label) + (1 if label else 0)
        span = Span(start, start + len(body))
        lines.append(_line(" " * start + body, number, label, span, hits, dialect, references=several))
        parts.append(f"{label} {body}" if label else body)
        position = span.end + 1
    return Strategy(dialect, "\n".join(parts), tuple(_checked(lines)), several)


def read_line(text: str, line: Line, strategy: Strategy) -> Line:
    """`line` read again with another text in its place."""
    span = Span(line.span.start, line.span.start + len(text))
    references = strategy.is_list or strategy.numbered
    padded = " " * line.span.start + text
    return _line(padded, line.number, line.label, span, line.hits, strategy.dialect, references=references)


_BARE = re.compile(r"(?<![\w#.])(?:S)?(\d{1,3})(?![\w.])")


def _with_hash(body: str) -> str:
    """`1 AND 2` as `#1 AND #2`, where a line is nothing but numbers and operators."""
    return _BARE.sub(r"#\1", body) if _ONLY_REFERENCES.match(body) else body


def _map_back(body: str) -> list[int]:
    """Place in the text with `#` added -> place in the text as written."""
    places: list[int] = []
    position = 0
    for match in _BARE.finditer(body):
        places.extend(range(position, match.start()))
        places.append(match.start())
        places.extend(range(match.start(1), match.end(1)))
        position = match.end()
    places.extend(range(position, len(body) + 1))
    return places


def _back(fault: QuerySyntaxError, body: str, shown: str) -> QuerySyntaxError:
    if shown == body:
        return fault
    places = _map_back(body)
    return QuerySyntaxError(
        fault.message, places[min(fault.start, len(places) - 1)], places[min(fault.end, len(places) - 1)], fault.hint
    )


def _moved(node: Node, shift: int, places: Sequence[int] | None = None) -> Node:
    """The tree with its places moved by `shift` (after looking them up in `places`)."""
    start, end = node.span
    if places is not None:
        start, end = places[min(start, len(places) - 1)], places[min(end, len(places) - 1)]
    span = Span(start + shift, end + shift)
    if isinstance(node, And | Or):
        return replace(node, children=tuple(_moved(child, shift, places) for child in node.children), span=span)
    if isinstance(node, Not):
        return replace(node, keep=_moved(node.keep, shift, places), drop=_moved(node.drop, shift, places), span=span)
    if isinstance(node, Near):
        return replace(node, left=_moved(node.left, shift, places), right=_moved(node.right, shift, places), span=span)
    return replace(node, span=span)


def _trimmed(text: str, span: Span, several: bool) -> tuple[Span, int | None, Span | None]:
    """The query proper of a line, its hits, and what the interface printed about the session."""
    start, end = span
    prefix = _SEARCH.match(text, start, end)
    if prefix and (several or _SEARCH_LABEL.match(text, start, end)):
        start = prefix.end()
    note = None
    session = _SESSION.search(text, start, end)
    if session and session.start() > start:
        begin = session.start() + len(session.group()) - len(session.group().lstrip())
        note = Span(begin, begin + len(session.group().strip()))
        end = session.start()
    hits = None
    found = _HITS_IN_PARENTHESES.search(text, start, end) or _HITS_IN_COLUMN.search(text, start, end)
    if found and found.start() > start and several:
        hits, end = int(found[1].replace(",", "")), found.start()
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return Span(start, end), hits, note


def _pieces(text: str, dialect: Dialect) -> tuple[list[tuple[int, str, Span]], bool]:
    """(number, label, place) of every line, and whether the text numbers them."""
    numbered = _numbered_lines(text)
    if numbered:
        return numbered, True
    physical = [(m.start(), m.end()) for m in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if len(physical) > 1 and _refers_to_lines(text, physical, dialect):
        return [(i, "", Span(*place)) for i, place in enumerate(physical, start=1)], False
    return [(1, "", Span(0, len(text)))], False


def _refers_to_lines(text: str, physical: Iterable[tuple[int, int]], dialect: Dialect) -> bool:
    """True when a physical line is nothing but references (`or/1-8`, `1 or 2`): then lines are lines of a list."""
    for start, end in physical:
        line = text[start:end].strip()
        if (
            _SET_LIST.match(line)
            or _ONLY_REFERENCES.match(line)
            or re.match(r"limit\s+\d+\s+to\s", line, re.IGNORECASE)
        ):
            return dialect.is_ovid or "#" in line or _ONLY_REFERENCES.match(line) is not None
    return False


def _numbered_lines(text: str) -> list[tuple[int, str, Span]]:
    """Lines that begin with the next number of a list, upwards from 1 (or downwards to 1); [] if there are none."""
    starts = []
    for match in re.finditer(r"^[^\n]*\S[^\n]*", text, re.MULTILINE):
        number = _NUMBERED.match(text, match.start(), match.end())
        if number:
            starts.append(number)
        elif not starts:
            return []
    if not starts:
        return []
    first = int(starts[0]["number"])
    step = -1 if len(starts) > 1 and int(starts[1]["number"]) == first - 1 else 1
    if step == 1 and first not in (0, 1):
        return []
    sign = starts[0]["sign"] or ""
    chosen: list[re.Match[str]] = []
    expected = first
    for match in starts:
        here = int(match["number"])
        ahead = (here - expected) * step
        if (match["sign"] or "") != sign or not 0 <= ahead <= (LARGEST_GAP if sign or match["dot"] else 0):
            if (match["sign"] or "") != sign or ahead < 0 or ahead > LARGEST_GAP or not chosen:
                continue
            if not _looks_like_a_line(text, match):
                continue
        chosen.append(match)
        expected = int(match["high"] or here) + step
    if not chosen or (len(chosen) == 1 and not sign and not chosen[0]["dot"]):
        return []
    ends = [*(match.start() for match in chosen[1:]), len(text)]
    return [
        (int(m["number"]), text[m.start() : m.start("gap")].strip(), Span(m.end(), end))
        for m, end in zip(chosen, ends, strict=True)
    ]


def _looks_like_a_line(text: str, match: re.Match[str]) -> bool:
    """A number after a gap in the numbering counts when a wide blank follows it, as in a printed table."""
    return len(match["gap"]) >= 2 or text[match.end() : match.end() + 1] in "("


def _checked(lines: list[Line]) -> list[Line]:
    """Lines whose references point nowhere or to themselves get a fault."""
    known = {line.number for line in lines}
    result = []
    for line in lines:
        for reference in references_of(line.tree) if line.tree is not None else ():
            message = ""
            if reference.number == line.number:
                message = f"Line {line.number} points to itself."
            elif reference.number not in known:
                message = f"There is no line {reference.number}."
            if message:
                fault = QuerySyntaxError(message, *reference.span, "Check the numbers of the lines.")
                line = replace(line, tree=None, fault=fault)
                break
        result.append(line)
    return result


def references_of(tree: Node) -> list[LineReference]:
    """Every reference to a line in a tree, left to right."""
    found: list[LineReference] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, LineReference):
            found.append(node)
        stack.extend(reversed(children_of(node)))
    return found


class _Resolver:
    """Replaces references by the trees they point to."""

    def __init__(self, lines: Mapping[int, Line]) -> None:
        self._lines = lines
        self._done: dict[int, Node] = {}
        self._open: set[int] = set()

    def tree_of(self, line: Line) -> Node:
        if line.tree is None:
            raise line.fault or QuerySyntaxError("This line cannot be read.", *line.span)
        if line.number not in self._done:
            if line.number in self._open or len(self._open) > MAX_DEPTH:
                raise QuerySyntaxError(f"Line {line.number} points to itself through other lines.", *line.span)
            self._open.add(line.number)
            self._done[line.number] = self._resolved(line.tree)
            self._open.discard(line.number)
        return self._done[line.number]

    def _resolved(self, node: Node) -> Node:
        if isinstance(node, LineReference):
            target = self._lines.get(node.number)
            if target is None:
                raise QuerySyntaxError(f"There is no line {node.number}.", *node.span)
            return self.tree_of(target)
        if isinstance(node, And | Or):
            return replace(node, children=tuple(self._resolved(child) for child in node.children))
        if isinstance(node, Not):
            return replace(node, keep=self._resolved(node.keep), drop=self._resolved(node.drop))
        if isinstance(node, Near):
            return replace(node, left=self._resolved(node.left), right=self._resolved(node.right))
        return node


def print_lines(lines: Iterable[tuple[int, str]], dialect: Dialect) -> str:
    """Numbered lines as the dialect's interface shows them."""
    return "\n".join(f"{line_sign(dialect)}{number} {text}" for number, text in lines)


def line_sign(dialect: Dialect) -> str:
    """What stands in front of a line's number."""
    return "" if dialect.is_ovid else "S" if dialect is Dialect.CINAHL else "#"
