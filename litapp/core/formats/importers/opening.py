"""Opens a file of references: looks at its head, finds encoding and format, and starts the importer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from litapp.core.formats.importers.bibtex import read_bibtex
from litapp.core.formats.importers.csljson import read_csljson
from litapp.core.formats.importers.detection import find_format, refuse_binary
from litapp.core.formats.importers.embaserows import read_embase_rows
from litapp.core.formats.importers.encoding import TextEncoding, find_encoding, read_lines
from litapp.core.formats.importers.endnotexml import read_endnote_xml
from litapp.core.formats.importers.ids import read_ids, read_text_ids
from litapp.core.formats.importers.medline import read_medline
from litapp.core.formats.importers.msbib import read_msbib
from litapp.core.formats.importers.ovid import read_ovid
from litapp.core.formats.importers.pubmed import read_medline_xml, read_pubmed_xml
from litapp.core.formats.importers.rdf import read_rdf
from litapp.core.formats.importers.reading import Entry, Limits, Reading, UnreadableFile
from litapp.core.formats.importers.refer import read_refer
from litapp.core.formats.importers.refworks import read_refworks
from litapp.core.formats.importers.ris import read_ris
from litapp.core.formats.importers.tables import find_delimiter, read_table
from litapp.core.formats.importers.wos import read_wos
from litapp.core.identifiers import find_identifiers

_HEAD = 64_000
_SEARCHED = 50_000
"""Lines of a text of no known format that are searched for an identifier."""
_Lines = Iterator[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format that is read line by line."""

    label: str
    read: Callable[[_Lines, Limits], Iterator[Entry]]


LINE_FORMATS = {
    "ris": LineFormat("RIS", read_ris),
    "medline": LineFormat("PubMed (MEDLINE) text", read_medline),
    "ovid": LineFormat("Ovid", read_ovid),
    "wos": LineFormat("Web of Science", read_wos),
    "refer": LineFormat("EndNote tagged", read_refer),
    "embase_rows": LineFormat("Embase CSV, one field a row", read_embase_rows),
    "refworks": LineFormat("RefWorks tagged", read_refworks),
    "ids": LineFormat("List of identifiers", read_ids),
    "text_ids": LineFormat("Text with identifiers", read_text_ids),
}


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """A format that is read from the stream itself."""

    label: str
    read: Callable[[BinaryIO, TextEncoding, Limits], Iterator[Entry]]


STREAM_FORMATS = {
    "medline_xml": StreamFormat("MEDLINE XML", read_medline_xml),
    "pubmed_xml": StreamFormat("PubMed XML", read_pubmed_xml),
    "endnote_xml": StreamFormat("EndNote XML", read_endnote_xml),
    "word_xml": StreamFormat("Word bibliography", read_msbib),
    "rdf": StreamFormat("Zotero RDF", read_rdf),
    "csl_json": StreamFormat("CSL JSON", read_csljson),
    "bibtex": StreamFormat("BibTeX", read_bibtex),
}


def read_file(stream: BinaryIO, *, name: str = "", limits: Limits = Limits()) -> Reading:  # noqa: B008 - frozen
    """Start to read `stream`, a seekable binary file, from its start. `name` is for messages only.

    The file is gone through once to find its encoding; then entries are read as `Reading.entries` is iterated, in
    memory that does not grow with the file. Raises UnreadableFile at once for a file that is no list of references,
    and from `entries` where the rest of a file cannot be read.
    """
    stream.seek(0)
    head = stream.read(4096)
    if not head.strip():
        raise UnreadableFile("empty", "The file is empty.", "Choose another file, or export the records again.")
    refuse_binary(head)
    encoding = find_encoding(stream)
    text = _head(stream, encoding.codec, encoding.skip)
    key = _format(text, stream, encoding, limits)
    if key in STREAM_FORMATS:
        whole = STREAM_FORMATS[key]
        return Reading(key, whole.label, encoding.label, whole.read(stream, encoding, limits))
    lines = read_lines(stream, encoding, limits)
    if key == "table":
        return _table(text, encoding.label, lines, limits)
    form = LINE_FORMATS[key]
    return Reading(
        format=key,
        format_label=form.label,
        encoding=encoding.label,
        entries=form.read(lines, limits),
    )


_QUERY = re.compile(r"\A\ufeff?\s*\"?SEARCH QUERY\"?\s*[,:;\t]\s*(.+)")


def _table(text: str, encoding: str, lines: _Lines, limits: Limits) -> Reading:
    delimiter = find_delimiter(text) or ","
    label = {",": "CSV", ";": "CSV with semicolons", "\t": "Table with tabs"}.get(delimiter, "Table")
    query = _QUERY.match(text)
    stated = query[1].strip().strip('"').replace('""', '"') if query else ""
    return Reading("table", label, encoding, read_table(lines, limits, delimiter), query=stated)


def _format(text: str, stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> str:
    try:
        return find_format(text)
    except UnreadableFile as unknown:
        if unknown.kind != "unknown_format":
            raise
        for number, line in read_lines(stream, encoding, limits):
            if find_identifiers(line):
                return "text_ids"
            if number > _SEARCHED:
                break
        raise


def _head(stream: BinaryIO, codec: str, skip: int) -> str:
    stream.seek(skip)
    text = stream.read(_HEAD).decode(codec, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
