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
from litapp.core.formats.importers.encoding import TextEncoding, find_encoding, read_lines, read_text
from litapp.core.formats.importers.endnotexml import read_endnote_xml
from litapp.core.formats.importers.ids import read_ids, read_text_ids
from litapp.core.formats.importers.ledger import read_ledger
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
    "ledger": LineFormat("LitLedger reference ledger (YAML)", read_ledger),
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
    if not head.strip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x00"):
        raise UnreadableFile("empty", "The file is empty.", "Choose another file, or export the records again.")
    refuse_binary(head)
    encoding = find_encoding(stream)
    text = next(read_text(stream, encoding, _HEAD), "")
    key = _format(text, stream, encoding, limits)
    label, query = "", ""
    if key in STREAM_FORMATS:
        label, entries = STREAM_FORMATS[key].label, STREAM_FORMATS[key].read(stream, encoding, limits)
    else:
        lines = read_lines(stream, encoding, limits)
        if key == "table":
            delimiter = find_delimiter(text) or ","
            label = _TABLES.get(delimiter, "Table")
            entries, query = read_table(lines, limits, delimiter), _query(text)
        else:
            label, entries = LINE_FORMATS[key].label, LINE_FORMATS[key].read(lines, limits)
            query = _query(text) if key == "embase_rows" else ""
    return Reading(key, label, encoding.label, _bounded(entries, limits), query=query)


def _bounded(entries: Iterator[Entry], limits: Limits) -> Iterator[Entry]:
    for entry in entries:
        if entry.number > limits.records:
            raise UnreadableFile(
                "too_many_records",
                f"The file has more than {limits.records:,} records.",
                "Split it into parts and import them one after the other.",
                entry.first_line,
            )
        yield entry


_TABLES = {",": "CSV", ";": "CSV with semicolons", "\t": "Table with tabs"}
_QUERY = re.compile(r"\A\ufeff?\s*\"?SEARCH QUERY\"?\s*[,:;\t]\s*(.+)")


def _query(text: str) -> str:
    """The search that Embase writes above its records."""
    found = _QUERY.match(text)
    return found[1].strip().strip('"').replace('""', '"') if found else ""


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
