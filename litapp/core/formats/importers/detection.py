"""Tells the format of a file from its content; its name counts for nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from litapp.core.formats.importers.embaserows import FIRST_ROWS
from litapp.core.formats.importers.ids import looks_like_ids
from litapp.core.formats.importers.ledger import LEDGER_START
from litapp.core.formats.importers.reading import UnreadableFile
from litapp.core.formats.importers.tables import find_delimiter
from litapp.core.identifiers import find_identifiers

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
    (b"\xd0\xcf\x11\xe0", "office", "This is an old Word or Excel file.", "Save it as CSV or plain text, and choose that file."),  # noqa: E501
    (b"SQLite format 3", "database", "This is a database of a reference manager, not an export.", _AGAIN),
)  # fmt: skip


def refuse_binary(head: bytes) -> None:
    """Raises UnreadableFile for a file that is no text, with what it is and what to do."""
    for mark, kind, message, next_step in _BINARY:
        if head.startswith(mark):
            raise UnreadableFile(kind, message, next_step)


_RIS_TAG = re.compile(
    r"(?m)^\s{0,3}(?:\ufeff)?([A-Za-z][A-Za-z0-9])(?:[ \t\u00a0]{2,4}[-\u2010-\u2014\u2212]|[ \t\u00a0]-[ \t\u00a0])"
)
_RIS_NAMES = frozenset(
    ("TI", "T1", "AU", "A1", "PY", "Y1", "JO", "JF", "T2", "VL", "SP", "EP", "DO", "UR", "AB", "N2", "KW", "ER")
)


def find_format(text: str) -> str:
    """The key of the format of a file that begins with `text`. Raises UnreadableFile where there is none."""
    text = text.lstrip("\ufeff \t\r\n")
    for key, test in _TESTS:
        if test(text):
            return key
    if re.match(r"(?i)<!doctype html|<html", text):
        raise UnreadableFile(
            "web_page",
            "This is a web page, not a list of records: often the database's page that asks to sign in.",
            "Export the records again, and open the file to see that it holds them.",
        )
    raise UnreadableFile(
        "unknown_format",
        "The format of this file was not recognised.",
        "Export the records as RIS, PubMed (.nbib), BibTeX, EndNote XML or CSV, and choose that file.",
    )


def _has(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.search(text) is not None


def _ris_without_type(text: str) -> bool:
    names = [name.upper() for name in _RIS_TAG.findall(text)]
    return (
        len(names) >= 4
        and len(_RIS_NAMES.intersection(names)) >= 4
        and ("ER" in names or "TI" in names or "T1" in names)
    )


def _is_table(text: str) -> bool:
    return find_delimiter(text) is not None


_JSON_NAMES = re.compile(r'"(?:title|DOI|issued|author|container-title|itemType|type)"\s*:')


def _is_json(text: str) -> bool:
    return text[:1] in "[{" and re.match(r"[\[{]\s*[\[{\"]", text) is not None and _JSON_NAMES.search(text) is not None


def _xml(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: text.startswith("<") and compiled.search(text) is not None


_TESTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("ledger", lambda text: LEDGER_START.match(text) is not None),
    ("pubmed_xml", _xml(r"<(?:\w+:)?(?:PubmedArticleSet|PubmedArticle|PubmedBookArticle)[\s>]")),
    ("medline_xml", _xml(r"<(?:\w+:)?(?:MedlineCitationSet|MedlineCitation)[\s>]")),
    (
        "endnote_xml",
        _xml(
            r"(?i)<(?:\w+:)?records?(?:\s[^<>]*)?>[\s\S]{0,4000}<(?:\w+:)?(?:database|ref-type|source-app|contributors|titles|rec-number)\b"
        ),
    ),
    (
        "word_xml",
        _xml(
            r"schemas\.(?:openxmlformats|microsoft)\.\S*/bibliography|purl\.oclc\.org/ooxml/officeDocument/bibliography|<(?:\w+:)?Sources[\s>][\s\S]*<(?:\w+:)?SourceType>"
        ),
    ),
    ("rdf", _xml(r"<(?:rdf:)?RDF\b")),
    ("csl_json", _is_json),
    ("bibtex", _has(r"(?m)^[^\n%]{0,200}?@[ \t]*[A-Za-z][\w-]*\s*[{(]\s*(?:[^\s,{}=\"]*\s*,|[\w-]+\s*=|jabref)")),
    (
        "ovid",
        _has(
            r"(?m)^\s{0,3}<\s*\d{1,9}\s*\.?\s*>\s*\n(?:\s*\n)*(?:\s?[A-Z][A-Z0-9] {1,2}- |[A-Z][A-Za-z -]{2,40}\s*\n\s)"
        ),
    ),
    ("ris", _has(r"(?im)^(?:\d+\.\s*)?\s{0,3}\ufeff?TY[ \t\u00a0]{1,4}[-\u2010-\u2014\u2212]")),
    (
        "wos",
        _has(r"(?m)^\ufeff?(?:FN .*\n(?:VR .*\n)?(?:.*\n)?PT [A-Z]|PT [JBSP]\s*\n(?:[A-Z][A-Z0-9] .*\n|   .*\n)+)"),
    ),
    (
        "medline",
        _has(
            r"(?m)^(?:PMID ?- ?\d|PMID-|OWN {1,2}- (?:NLM|ERIC))|\A(?:.*\n){0,20}?(?:[A-Z]{2,4} {0,2}- .*\n(?: {6}.*\n)*){3,}[\s\S]*^(?:FAU|JT|DP|PT) {1,2}- "  # noqa: E501
        ),
    ),
    ("ris", _ris_without_type),
    ("refer", _has(r"(?m)^%[0TA] \S[\s\S]*?^%[A-Z0-9@] ")),
    ("refer", _has(r"(?m)^%[0T] \S")),
    ("embase_rows", lambda text: FIRST_ROWS.search(text) is not None and not _is_table(text)),
    ("refworks", _has(r"(?m)^RT [A-Z][a-z]+.*\n(?:[A-Z][A-Z0-9] .*\n)+")),
    ("table", _is_table),
    ("ids", looks_like_ids),
    ("text_ids", lambda text: bool(find_identifiers(text))),
)
