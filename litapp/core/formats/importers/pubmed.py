"""Reads PubMed XML from a file: the parser is the one that reads PubMed's answers (`formats.pubmedxml`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.formats.importers.draft import EMPTY_ENTRY
from litapp.core.formats.importers.encoding import TextEncoding
from litapp.core.formats.importers.reading import IMPORT_SOURCE, Entry, Limits
from litapp.core.formats.importers.xmlstream import iter_elements, source_text
from litapp.core.formats.pubmedxml import pubmed_record

_NAMES = frozenset(("PubmedArticle", "PubmedBookArticle", "MedlineCitation"))


def read_pubmed_xml(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The records of a PubMed XML file, one at a time."""
    for number, element in enumerate(iter_elements(stream, encoding, limits, _NAMES), start=1):
        text, first, last = source_text(element, limits)
        record = pubmed_record(element, IMPORT_SOURCE)
        readable = bool(record.title or record.identifiers or record.authors)
        yield Entry(
            number=number,
            first_line=first,
            last_line=last,
            text=text[: limits.text],
            record=record if readable else None,
            problem=None if readable else EMPTY_ENTRY,
            database="PubMed",
            warnings=record.warnings,
            text_cut=len(text) > limits.text,
        )
