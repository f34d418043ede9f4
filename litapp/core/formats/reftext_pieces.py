# ruff: noqa: RUF001 - dashes, brackets and stops of all scripts are what these patterns look for
"""The pieces that a text of references falls into, its lines, and an entry's text on one line without Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.formats.reftext_signs import has_identifier
from litapp.core.identifiers import Identifier


class PieceKind(StrEnum):
    REFERENCE = "reference"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of the text. `number` counts the references from 1 (0 for other pieces); `label` is the mark as it was
    printed ("12"). `raw` is the piece as it stands, `text` the same on one line without marks and Markdown. `why` says
    why it is no reference, or ("" in most cases) what is wrong with one that cannot be looked up."""

    kind: PieceKind
    first_line: int
    last_line: int
    raw: str
    text: str
    number: int = 0
    label: str = ""
    identifiers: tuple[Identifier, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceText:
    """All pieces of a text, in its order."""

    pieces: tuple[Piece, ...]

    @property
    def references(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.kind is PieceKind.REFERENCE)

    @property
    def others(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.kind is PieceKind.OTHER)


OUTSIDE, HEADING, STRAY, ANNOTATION = (
    "outside the list of references",
    "a heading",
    "shows no sign of a reference",
    "speaks about the reference above it",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds text: its number, its text, its indent, and whether a blank line stands before it."""

    number: int
    body: str
    indent: int
    gap: bool


def make_piece(
    kind: PieceKind,
    lines: Sequence[Line],
    text: str,
    *,
    label: str = "",
    identifiers: tuple[Identifier, ...] = (),
    why: str = "",
) -> Piece:
    """A piece of these lines; not numbered yet."""
    raw = "\n".join(line.body for line in lines)
    return Piece(kind, lines[0].number, lines[-1].number, raw, text, 0, label, identifiers, why)


_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?((?:[^()\s\\<>]|\\.|\([^()\s]*\))+)>?(?:\s+\"[^\"]*\")?\s*\)"
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|~>&-])")


def joined(lines: Sequence[str]) -> str:
    """Lines as one: a word or an identifier that was cut at a line's end is put together again (its hyphen stays)."""
    text = ""
    for line in lines:
        line = line.strip()
        if not text:
            text = line
            continue
        last = text.rsplit(maxsplit=1)[-1]
        in_address = ("://" in last or "10." in last) and last[-1] in "/._-"
        cut_word = last[-1] in "-‐‑\u00ad" and len(last) > 1 and (line[:1].islower() or line[:1].isdigit())
        text = text.rstrip("\u00ad") + line if (in_address and " " not in line[:1]) or cut_word else f"{text} {line}"
    return " ".join(text.split())


def plain(text: str) -> str:
    """Text without Markdown: links become their words, with the address at the end where it holds an identifier."""
    addresses: list[str] = []

    def link(found: re.Match[str]) -> str:
        address = _ESCAPED.sub(r"\1", found[2])
        if has_identifier(address) or not found[1].strip():
            addresses.append(address)
        return "" if found[1].strip().lower() in ("doi", "link", "pubmed", "crossref", "source", "url") else found[1]

    text = _LINK.sub(link, text)
    for _ in range(2):
        text = _EMPHASIS.sub(r"\2", text)
    text = _ESCAPED.sub(r"\1", text.replace("\u00ad", ""))
    return " ".join(" ".join([text, *addresses]).split())
