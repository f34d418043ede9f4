"""Tells the format of a file from its content; its name counts for nothing."""

from __future__ import annotations

import re

from litapp.core.formats.importers.reading import UnreadableFile

_AGAIN = "Export the records again as RIS, and choose that file."
_BINARY = (
    (b"PK\x03\x04", "archive", "This is a ZIP archive (Word, Excel and EndNote libraries are such archives too).",
     "Unpack it, or save the list as RIS, CSV or plain text, and choose that file."),
    (b"\x1f\x8b", "archive", "This is a compressed file.", "Unpack it and choose the file inside."),
    (b"BZh", "archive", "This is a compressed file.", "Unpack it and choose the file inside."),
    (b"\xfd7zXZ", "archive", "This is a compressed file.", "Unpack it and choose the file inside."),
    (b"7z\xbc\xaf", "archive", "This is a compressed archive.", "Unpack it and choose the file inside."),
    (b"Rar!", "archive", "This is a compressed archive.", "Unpack it and choose the file inside."),
    (b"%PDF", "pdf", "This is a PDF, not a list of records.", _AGAIN),
    (b"{\\rtf", "rtf", "This is a formatted document (RTF), not a list of records.", _AGAIN),
    (b"\xd0\xcf\x11\xe0", "office", "This is an old Word or Excel file.", "Save it as CSV or plain text, and choose that file."),
    (b"SQLite format 3", "database", "This is a database of a reference manager, not an export.", _AGAIN),
)  # fmt: skip


def refuse_binary(head: bytes) -> None:
    """Raises UnreadableFile for a file that is no text, with what it is and what to do."""
    for mark, kind, message, next_step in _BINARY:
        if head.startswith(mark):
            raise UnreadableFile(kind, message, next_step)


def find_format(text: str) -> str:
    """The key of the format of a file that begins with `text`. Raises UnreadableFile where there is none."""
    if re.search(r"(?im)^\s{0,3}TY(?:[ \t]{1,2}-|\t-)", text):
        return "ris"
    raise UnreadableFile(
        "unknown_format",
        "The format of this file was not recognised.",
        "Export the records as RIS, PubMed (.nbib), BibTeX, EndNote XML or CSV, and choose that file.",
    )
