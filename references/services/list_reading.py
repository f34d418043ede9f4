"""Reads what a person brought as a list of references: a structured file, a Word manuscript, Markdown or plain text."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from litapp.core.brought import BROUGHT
from litapp.core.formats.docxtext import docx_paragraphs, is_docx, numbered_lines
from litapp.core.formats.importers import Entry, Limits, UnreadableFile, read_file
from litapp.core.formats.importers.encoding import find_encoding, read_lines
from litapp.core.formats.reftext import Piece, PieceKind, ReferenceText, split_lines
from litapp.core.identifiers import parse_identifier
from litapp.core.records import Record
from litapp.core.verification.witness import IDENTIFIER_ONLY
from references.models import EntryKind

TEXT_FORMATS = frozenset({"ids", "text_ids"})
"""Formats of the importers that are text to us: the whole reference stands in it, not only its identifier."""
TABLE_ENDINGS = (".csv", ".tsv", ".tab")
TEXT_KEPT = 4_000
"""Characters of an entry that are kept for showing; the whole stands in the file."""
_TEXT_LIMITS = Limits(line=1_000_000)


@dataclass(frozen=True, slots=True)
class ListItem:
    """One piece of a list. A reference has `record` (read from fields) or is matched by its `text`."""

    kind: EntryKind
    text: str
    first_line: int = 0
    last_line: int = 0
    label: str = ""
    record: Record | None = None
    claim: str = ""
    """The text to be matched, without marks and Markdown; "" where there is a record."""
    problem: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListReading:
    """A list that is being read. `items` reads on as it is iterated, and may raise UnreadableFile midway."""

    format: str
    encoding: str
    items: Iterator[ListItem]
    warnings: tuple[str, ...] = ()


def read_list(stream: BinaryIO, *, name: str = "") -> ListReading:
    """What the list is, found from its content, and its pieces: as many as it has.

    Raises UnreadableFile for what is no list of references (a PDF, an archive, a damaged file).
    """
    head = stream.read(4096)
    stream.seek(0)
    if not head.strip():
        raise UnreadableFile(
            "empty", "There is nothing in it.", "Paste the references, or choose the file that holds them."
        )
    if is_docx(head, name):
        text = split_lines(numbered_lines(docx_paragraphs(stream)))
        return ListReading("Word manuscript", "", _items_of_text(text))
    try:
        reading = read_file(stream, name=name)
    except UnreadableFile as error:
        if error.kind != "unknown_format":
            raise
        return _text(stream)
    if reading.format in TEXT_FORMATS or (reading.format == "table" and not name.lower().endswith(TABLE_ENDINGS)):
        return _text(stream)
    items = (_item_of_entry(entry) for entry in reading.entries)
    return ListReading(reading.format_label, reading.encoding, items, reading.warnings)


def read_pasted(text: str) -> ListReading:
    """The same for text."""
    return read_list(io.BytesIO(text.encode()))


def _text(stream: BinaryIO) -> ListReading:
    encoding = find_encoding(stream)
    text = split_lines(read_lines(stream, encoding, _TEXT_LIMITS))
    return ListReading("Text", encoding.label, _items_of_text(text))


def _items_of_text(text: ReferenceText) -> Iterator[ListItem]:
    return (_item_of_piece(piece) for piece in text.pieces)


def _item_of_piece(piece: Piece) -> ListItem:
    raw = _kept(piece.raw)
    if piece.kind is PieceKind.OTHER:
        return ListItem(EntryKind.OTHER, raw, piece.first_line, piece.last_line, problem=piece.why)
    if piece.why or not piece.text.strip():
        return ListItem(
            EntryKind.UNREADABLE, raw, piece.first_line, piece.last_line, piece.label,
            problem=f"{piece.why or 'Nothing stands behind its number'}. Look for a typing error, and check it again.",
        )  # fmt: skip
    alone = parse_identifier(piece.text) if len(piece.text.split()) <= 2 else None
    if alone is not None:
        record = Record(source=BROUGHT, source_id="", csl_type=IDENTIFIER_ONLY, identifiers=(alone,))
        return ListItem(EntryKind.REFERENCE, piece.text, piece.first_line, piece.last_line, piece.label, record)
    return ListItem(
        EntryKind.REFERENCE, raw, piece.first_line, piece.last_line, piece.label[:40], claim=piece.text[:TEXT_KEPT]
    )


def _item_of_entry(entry: Entry) -> ListItem:
    text = _kept(entry.text)
    if entry.record is None:
        told = f"{entry.problem.message} {entry.problem.next_step}".strip() if entry.problem else "It holds no record."
        return ListItem(EntryKind.UNREADABLE, text, entry.first_line, entry.last_line, problem=told)
    return ListItem(
        EntryKind.REFERENCE, text, entry.first_line, entry.last_line, record=entry.record, warnings=entry.warnings
    )


def _kept(text: str) -> str:
    """The text as it is kept: no NUL (PostgreSQL takes none), and not endless."""
    text = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= TEXT_KEPT else text[: TEXT_KEPT - 1] + "…"
