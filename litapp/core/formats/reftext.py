# ruff: noqa: RUF001 - dashes, brackets and stops of all scripts are what these patterns look for
"""Splits pasted text, Markdown and paragraphs of a manuscript into reference entries; nothing of the text disappears.

A piece is either a reference or a stray piece ("not a reference"), with its lines. What a reference says is not parsed
here: its text is matched against what sources return. Known shapes: numbered, bracketed, bulleted, footnotes, tables,
author-year blocks, hanging and broken lines, and assistants' prose around and below all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from litapp.core.formats.reftext_entries import split_entries
from litapp.core.formats.reftext_pieces import (
    HEADING,
    OUTSIDE,
    Line,
    Piece,
    PieceKind,
    ReferenceText,
    joined,
    make_piece,
)
from litapp.core.formats.reftext_signs import heading_level, is_back_matter, is_reference_heading, read_mark, signs
from litapp.core.identifiers import Identifier, parse_identifier
from litapp.core.records import Scheme

__all__ = ["Piece", "PieceKind", "ReferenceText", "split_lines", "split_text"]

NO_IDENTIFIER = "is no PMID, DOI, PMCID or arXiv id"
_LISTED_SCHEMES = (Scheme.PMID, Scheme.DOI, Scheme.PMCID, Scheme.ARXIV)
_RULE = re.compile(r"[\s\-*_=~—–|:+#>]*")
_FOOTNOTE = re.compile(r"\s*\[\^[^\]\s]{1,30}\]\s?[:：]")


def split_text(text: str) -> ReferenceText:
    """The pieces of `text`; its lines count from 1. A text that holds only identifiers gives one piece for each."""
    return split_lines(enumerate(re.split(r"\r\n|\r|\n", text), start=1))


def split_lines(numbered: Iterable[tuple[int, str]]) -> ReferenceText:
    """The same for numbered lines (paragraphs of a document keep their numbers; a number may come more than once)."""
    lines = list(_lines(numbered))
    pieces = _identifier_list(lines) or _by_sections(lines) or split_entries(lines, under_heading=False)
    return _numbered(pieces)


def _lines(numbered: Iterable[tuple[int, str]]) -> Iterator[Line]:
    gap = True
    for number, raw in numbered:
        line = raw.expandtabs(4).replace("\x0c", " ").replace("\ufeff", "").rstrip()
        body = re.sub(r"^(?:\s*>)+\s?", "", line)
        if not body.strip() or _RULE.fullmatch(body):
            gap = True
            continue
        stripped = body.strip()
        yield Line(number, stripped, len(body) - len(body.lstrip()), gap)
        gap = False


def _numbered(pieces: Iterable[Piece]) -> ReferenceText:
    """In the text's order, references numbered."""
    number, result = 0, []
    for piece in sorted(pieces, key=lambda piece: (piece.first_line, piece.kind is PieceKind.OTHER)):
        if piece.kind is PieceKind.REFERENCE:
            number += 1
        result.append(
            Piece(
                piece.kind,
                piece.first_line,
                piece.last_line,
                piece.raw,
                piece.text,
                number if piece.kind is PieceKind.REFERENCE else 0,
                piece.label,
                piece.identifiers,
                piece.why,
            )
        )
    return ReferenceText(tuple(result))


# -- lists of identifiers ----------------------------------------------------------------------------------------------


def _identifier_list(lines: Sequence[Line]) -> list[Piece]:
    """One piece an identifier, if the text is a list of identifiers; else []. A value that is none stays an entry."""
    if not lines:
        return []
    pieces: list[Piece] = []
    good, headings = 0, 0
    for line in lines:
        found = _identifiers_of_array(line.body) or _identifiers_of_line(line.body)
        if found is None:
            if re.fullmatch(r"\W*(?:pmids?|dois?|ids?|identifiers?|#.*)\W*", line.body, re.IGNORECASE):
                pieces.append(make_piece(PieceKind.OTHER, [line], line.body, why=HEADING))
                headings += 1
                continue
            if len(line.body.split()) > 2:
                return []
            why = f"“{line.body[:60]}” {NO_IDENTIFIER}"
            pieces.append(make_piece(PieceKind.REFERENCE, [line], line.body, why=why))
            continue
        good += 1
        for text, identifier in found:
            pieces.append(make_piece(PieceKind.REFERENCE, [line], text, identifiers=(identifier,)))
    return pieces if good and good >= 0.5 * (len(lines) - headings) else []


def _identifiers_of_array(body: str) -> list[tuple[str, Identifier]]:
    """The identifiers of a JSON array of texts ("" entries are nothing); [] where the line is none."""
    if not (body.startswith("[") and body.endswith("]")):
        return []
    try:
        values = [value for value in json.loads(body) if value != ""]
    except (ValueError, RecursionError, TypeError):
        return []
    found = [(str(value), parse_identifier(str(value))) for value in values if isinstance(value, str | int)]
    known = [(text, one) for text, one in found if one is not None and one.scheme in _LISTED_SCHEMES]
    return known if len(known) == len(values) else []


def _identifiers_of_line(body: str) -> list[tuple[str, Identifier]] | None:
    """The identifiers that the line consists of, each with its text; [] for brackets only; None if there is more."""
    mark = read_mark(body)
    for text in (body, mark.rest if mark is not None else ""):
        value = text.strip(" \t\"',;[]")
        if not value and text:
            return []
        whole = parse_identifier(value) if value else None
        if whole is not None and whole.scheme in _LISTED_SCHEMES:
            return [(value, whole)]
    found = []
    for token in re.split(
        r"[\s,;\"']+", re.sub(r"\b(?:PMIDs?|DOIs?|PMCIDs?)\s*[:=]\s*", " ", body, flags=re.IGNORECASE)
    ):
        if not token.strip("[]()"):
            continue
        one = parse_identifier(token)
        if one is None or one.scheme not in _LISTED_SCHEMES:
            return None
        found.append((token, one))
    return found


# -- the reference section ---------------------------------------------------------------------------------------------


def _by_sections(lines: Sequence[Line]) -> list[Piece]:
    """Pieces of a text that has a heading "References" or the like; [] if it has none, or nothing below it."""
    pieces: list[Piece] = []
    for inside, part in _sections(lines):
        if inside:
            pieces.append(make_piece(PieceKind.OTHER, part[:1], part[0].body, why=HEADING))
            pieces += split_entries(part[1:], under_heading=True)
        else:
            pieces += _outside(part)
    has_section = any(is_reference_heading(line.body) for line in lines)
    return pieces if has_section and any(piece.kind is PieceKind.REFERENCE for piece in pieces) else []


def _sections(lines: Sequence[Line]) -> Iterator[tuple[bool, list[Line]]]:
    """Stretches of the text, each with whether it is a reference section (which then begins with its heading)."""
    part: list[Line] = []
    inside, level = False, 6
    for line in lines:
        opens = is_reference_heading(line.body)
        own = heading_level(line.body)
        closes = inside and not opens and (is_back_matter(line.body) or (own is not None and own <= level))
        if opens or closes:
            if part:
                yield inside, part
            part, inside = [], opens
            level = own or (2 if opens else 6)
        part.append(line)
    if part:
        yield inside, part


def _outside(part: Sequence[Line]) -> list[Piece]:
    """Text outside the section: footnotes, and lists that are plainly of references; all else is one piece."""
    found = [
        piece
        for piece in split_entries(part, under_heading=False)
        if piece.kind is PieceKind.REFERENCE
        and (_FOOTNOTE.match(piece.raw) or (piece.label and signs(piece.text) >= 3))
    ]
    taken = {number for piece in found for number in range(piece.first_line, piece.last_line + 1)}
    pieces: list[Piece] = list(found)
    run: list[Line] = []
    for line in part:
        if line.number in taken:
            if run:
                pieces.append(make_piece(PieceKind.OTHER, run, joined([one.body for one in run]), why=OUTSIDE))
            run = []
        else:
            run.append(line)
    if run:
        pieces.append(make_piece(PieceKind.OTHER, run, joined([one.body for one in run]), why=OUTSIDE))
    return pieces
