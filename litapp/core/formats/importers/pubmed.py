"""Reads PubMed XML from a file: the parser is the one that reads PubMed's answers (`formats.pubmedxml`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from litapp.core.formats.importers.draft import Draft
from litapp.core.formats.importers.encoding import TextEncoding
from litapp.core.formats.importers.reading import IMPORT_SOURCE, Entry, Limits
from litapp.core.formats.importers.xmlstream import Element, read_elements, without_namespaces
from litapp.core.formats.pubmedxml import pubmed_record

_NAMES = frozenset(("PubmedArticle", "PubmedBookArticle"))
_BARE = frozenset(("MedlineCitation",))


def read_pubmed_xml(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The records of a PubMed XML file, one at a time."""
    return read_elements(stream, encoding, limits, _NAMES, _draft)


def read_medline_xml(stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> Iterator[Entry]:
    """The records of an old MedlineCitationSet, one at a time."""
    return read_elements(stream, encoding, limits, _BARE, _draft)


def _draft(element: Element) -> Draft:
    record = pubmed_record(without_namespaces(element), IMPORT_SOURCE)
    return Draft(whole=record, database="PubMed", warnings=list(record.warnings))
