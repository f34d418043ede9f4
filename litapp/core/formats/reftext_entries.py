# ruff: noqa: RUF001 - dashes, brackets and stops of all scripts are what these patterns look for
"""Splits the lines of a list into entries: which line begins one, goes on with it, or stands apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from litapp.core.formats.reftext_pieces import (
    ANNOTATION,
    HEADING,
    STRAY,
    Line,
    Piece,
    PieceKind,
    joined,
    make_piece,
    plain,
)
from litapp.core.formats.reftext_signs import (
    Mark,
    MarkKind,
    field_label,
    has_identifier,
    has_place,
    has_year,
    heading_level,
    is_annotation,
    is_chat,
    is_reference_heading,
    plausible,
    read_mark,
    signs,
    starts_like_author,
)
from litapp.core.identifiers import Identifier, find_identifiers

_WIDEST_WRAPPED = 130
"""Characters of the longest line of a text whose lines were broken for a page."""
_LONGEST_WITHOUT_AUTHOR = 600
_ENDED = re.compile(r"(?:[.!?…。．»”\"’)\]>}*_]|\d|https?://\S+|10\.\d{4,9}/\S+)\Z")
_GOES_ON = re.compile(
    r"(?:[a-zà-ÿ(),;:.&–—-]|doi\b|https?:|pmid\b|pmcid\b|epub\b|available\b|retrieved\b|"
    r"accessed\b)"
)
_OPEN_END = re.compile(r"(?:[,;:&(–—‐‑-]|\b(?:and|of|the|in|for|with|a|an|et|to|on|by)|\b[Vv]ol\.|\bno\.|\bpp?\.)\Z")


@dataclass(slots=True)
class _Draft:
    """A piece in the making."""

    lines: list[Line]
    mark: Mark | None = None
    why: str = ""
    labels: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        first = self.mark.rest if self.mark is not None else self.lines[0].body
        return joined([first, *(line.body for line in self.lines[1:])])

    @property
    def indent(self) -> int:
        return self.lines[0].indent


def split_entries(lines: Sequence[Line], *, under_heading: bool) -> list[Piece]:
    """Entries of a stretch of lines."""
    expanded = [part for line in lines for part in _inline_items(line)]
    drafts = _Splitter(expanded).drafts()
    return [_judged(draft, drafts, under_heading) for draft in drafts]


def _inline_items(line: Line) -> list[Line]:
    """The items of a list that was pasted as one line: "1. A … 2. B … 3. C …". Only where each is a reference."""
    mark = read_mark(line.body)
    if mark is None or mark.number is None or len(line.body) < 120:
        return [line]
    parts, rest, number = [], line.body, mark.number
    while True:
        number += 1
        shape = {MarkKind.BRACKET: rf"[\[(（［]{number}[\])）］]"}.get(mark.kind, rf"{number}[.)]")
        cut = next(
            (
                m.start()
                for m in re.finditer(
                    rf"(?<=\s){shape}\s*(?=[^\W\d_a-zà-ÿ]|(?:v[ao]n|d[aeiou]|de[nr]|d[eo]s|l[ae]|al|el)\b)", rest[3:]
                )
                if _complete(rest[3 : m.start() + 3].strip())
            ),
            None,
        )
        if cut is None:
            break
        parts.append(rest[: cut + 3].strip())
        rest = rest[cut + 3 :]
    parts.append(rest.strip())
    return [Line(line.number, body, line.indent, line.gap and place == 0) for place, body in enumerate(parts)]


def _complete(text: str) -> bool:
    """Whether the text could be a whole reference that ends here."""
    dated = has_year(text) or has_identifier(text) or "in press" in text.lower()
    placed = has_place(text) or has_identifier(text) or starts_like_author(text)
    ended = bool(_ENDED.search(text)) and not _OPEN_END.search(text)
    return dated and placed and ended and signs(text) >= 2


class _Splitter:
    """Walks over the lines and decides of each whether it begins an entry, goes on with one, or stands apart."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._open: _Draft | None = None
        self._drafts: list[_Draft] = []
        self._last: int | None = None
        widths = [len(line.body) for line in lines]
        widest = max(widths, default=0)
        full = sum(width >= 0.7 * widest for width in widths)
        self._wrapped = widest <= _WIDEST_WRAPPED and full >= 0.3 * len(widths)
        marks = [read_mark(line.body) for line in lines]
        bare = sum(
            mark is not None and mark.kind is MarkKind.BARE and plausible(mark, expected=False) for mark in marks
        )
        self._bare = bare >= max(1, 0.2 * len(lines))
        numbers = [mark.number for mark in marks if mark is not None and mark.number is not None]
        steps = sum(b - a == 1 for a, b in pairwise(numbers))
        self._counted = len(numbers) >= 3 and steps >= 0.7 * (len(numbers) - 1)
        self._margin = min((line.indent for line in lines), default=0)
        deeper = sum(line.indent > self._margin for line in lines)
        self._hanging = 0.25 * len(lines) <= deeper <= 0.85 * len(lines) and not numbers
        self._blocks = not numbers and self._set_in_blocks()

    def _set_in_blocks(self) -> bool:
        """Whether blank lines part the entries: most blocks are one reference, of several lines."""
        blocks: list[list[str]] = []
        for line in self._lines:
            if line.gap or not blocks:
                blocks.append([])
            blocks[-1].append(line.body)
        whole = sum(_complete(joined(block)) and sum(_complete(part) for part in block) <= 1 for block in blocks)
        return len(blocks) >= 3 and len(self._lines) >= 1.5 * len(blocks) and whole >= 0.6 * len(blocks)

    def drafts(self) -> list[_Draft]:
        for line in self._lines:
            self._take(line)
        return self._drafts

    def _take(self, line: Line) -> None:
        if heading_level(line.body) is not None or is_reference_heading(line.body):
            self._close()
            self._drafts.append(_Draft([line], why=HEADING))
            return
        row = _table_row(line.body)
        if row is not None:
            self._begin(line, Mark(MarkKind.TABLE, "", row))
            self._close()
            return
        mark = self._mark_of(line)
        if mark is None:
            if self._open is not None and self._belongs(self._open, line):
                self._add(line)
            else:
                self._begin(line, None)
        elif mark.kind is MarkKind.BULLET:
            self._bullet(line, mark)
        else:
            self._last = mark.number if mark.number is not None else self._last
            self._begin(line, mark)

    def _begin(self, line: Line, mark: Mark | None) -> None:
        self._open = _Draft([line], mark)
        self._drafts.append(self._open)
        label = field_label(line.body)
        if label:
            self._open.labels.add(label)

    def _add(self, line: Line) -> None:
        assert self._open is not None
        self._open.lines.append(line)
        if label := field_label(line.body):
            self._open.labels.add(label)

    def _close(self) -> None:
        self._open = None

    def _mark_of(self, line: Line) -> Mark | None:
        """The line's mark if it is one here: a year, a page or a volume at a line's beginning is none."""
        mark = read_mark(line.body)
        if mark is None or mark.kind in (MarkKind.BULLET, MarkKind.FOOTNOTE):
            return mark
        expected = self._last is not None and mark.number == self._last + 1
        if not plausible(mark, expected=expected) or (mark.kind is MarkKind.BARE and not self._bare):
            return None
        if self._open is not None and not line.gap and not expected and mark.kind is not MarkKind.BRACKET:
            text = self._open.text
            unfinished = not _ENDED.search(text) or bool(_OPEN_END.search(text))
            if unfinished and (self._open.mark is not None or signs(text) >= 1) and not text.endswith(":"):
                return None
        return mark

    def _bullet(self, line: Line, mark: Mark) -> None:
        """An item of its own, or a line below one."""
        top = self._open
        if top is None or top.mark is None or (top.mark.kind is MarkKind.BULLET and line.indent <= top.indent):
            label = field_label(line.body)
            if top is not None and label and label not in top.labels and (top.mark is not None or top.labels):
                self._add(line)
                return
            self._begin(line, mark)
            return
        label = field_label(line.body)
        if label and label not in top.labels:
            self._add(line)
        elif is_annotation(mark.rest) or line.indent > top.indent or signs(mark.rest) < 2:
            if signs(top.text) < 2 and not is_annotation(mark.rest):
                self._add(line)
            else:
                self._drafts.append(_Draft([line], mark, why=ANNOTATION))
        else:
            self._begin(line, mark)

    def _belongs(self, top: _Draft, line: Line) -> bool:
        """Whether an unmarked line goes on with the open entry."""
        text, body = top.text, line.body
        label = field_label(body)
        if label:
            return label not in top.labels and (top.mark is not None or bool(top.labels) or not _is_whole(body))
        finished = bool(_ENDED.search(text)) and not _OPEN_END.search(text)
        if finished and (is_chat(body) or (top.mark is not None and is_annotation(body))) and signs(body) < 3:
            return False
        if line.gap:
            return self._belongs_after_gap(top, line, text)
        if top.mark is None and (self._blocks or (self._hanging and line.indent > self._margin)):
            return True
        opens = text.endswith((":", "：")) and not starts_like_author(text)
        if top.mark is None and (is_chat(text) or opens) and signs(text) < 3:
            return False
        if top.mark is None and line.indent > top.indent:
            return True
        if top.mark is None and self._hanging and not _GOES_ON.match(body):
            return False
        named = starts_like_author(body)
        if not finished:
            strong = signs(body) >= 3 and not self._wrapped
            return not (strong and (signs(text) == 0 or (named and has_year(text) and not text.endswith((",", "&")))))
        if named and _complete(text):
            return self._counted and top.mark is not None and top.mark.number is not None and not _complete(body)
        if _GOES_ON.match(body):
            return not (_is_whole(body) and _complete(text))
        if self._counted and top.mark is not None and top.mark.number is not None:
            return True
        if _complete(text):
            if not has_place(text) and not has_identifier(text) and has_place(body):
                return True
            return self._wrapped and signs(body) < 3
        if top.mark is None and not self._wrapped:
            return not (signs(text) < 2 and signs(body) >= 2) and not (signs(text) == 0 and signs(body) == 0)
        return True

    @staticmethod
    def _belongs_after_gap(top: _Draft, line: Line, text: str) -> bool:
        if top.mark is None:
            return bool(
                _GOES_ON.match(line.body) and not _complete(text) and signs(text) >= 1 and signs(line.body) >= 1
            )
        if line.indent > top.indent and not is_annotation(line.body):
            return True
        return signs(text) < 2 and signs(line.body) >= 1 and not is_chat(line.body) and not _complete(line.body)


def _is_whole(body: str) -> bool:
    """Whether the line is an identifier or a link and nothing else."""
    return len(body.split()) <= 2 and has_identifier(body)


def _table_row(body: str) -> str | None:
    """The cells of a Markdown table's row, parted by ". "; None if it is none."""
    if not (body.startswith("|") and body.endswith("|") and body.count("|") >= 3):
        return None
    cells = [cell.strip() for cell in body.strip("|").split("|")]
    if cells and re.fullmatch(r"\[?\d{1,4}\]?\.?", cells[0]):
        cells = cells[1:]
    return ". ".join(cell.rstrip(".") for cell in cells if cell)


def _judged(draft: _Draft, drafts: Sequence[_Draft], under_heading: bool) -> Piece:
    """A piece: a reference, or not and why."""
    text = plain(draft.text)
    if draft.why:
        return make_piece(PieceKind.OTHER, draft.lines, text, why=draft.why)
    label = draft.mark.label if draft.mark is not None else ""
    if _is_reference(draft, text, drafts, under_heading):
        raw = "\n".join(line.body for line in draft.lines)
        found = _own_identifiers(raw)
        return make_piece(PieceKind.REFERENCE, draft.lines, text, label=label, identifiers=found)
    return make_piece(PieceKind.OTHER, draft.lines, text, label=label, why=STRAY)


def _is_reference(draft: _Draft, text: str, drafts: Sequence[_Draft], under_heading: bool) -> bool:
    strength = signs(text)
    if draft.mark is None:
        if is_chat(text) and strength < 4:
            return False
        if under_heading and strength >= 1 and starts_like_author(text) and len(text) >= 20:
            return True
        known = starts_like_author(text) or has_identifier(text) or has_place(text)
        if not under_heading and not starts_like_author(text) and len(text) > _LONGEST_WITHOUT_AUTHOR:
            return False
        return strength >= 2 and (under_heading or known)
    if len(draft.labels) >= 2:
        return True
    kind = draft.mark.kind
    if kind in (MarkKind.BULLET, MarkKind.TABLE):
        if strength >= 2:
            return True
        return under_heading and strength >= 1 and not is_annotation(text) and kind is MarkKind.BULLET
    if under_heading or kind is MarkKind.FOOTNOTE:
        return bool(text)
    alike = [other for other in drafts if other.mark is not None and other.mark.kind is kind and not other.why]
    strong = sum(signs(plain(other.text)) >= 2 for other in alike)
    return (
        strength >= 2 or (2 * strong > len(alike) and strength >= 1) or (len(alike) >= 3 and strong >= 0.8 * len(alike))
    )


def _own_identifiers(raw: str) -> tuple[Identifier, ...]:
    """What the entry names: a DOI broken over two lines is whole again."""
    return find_identifiers(re.sub(r"\\([()\[\]_.~-])", r"\1", raw))
