"""Reads XML piece by piece without entities, network or huge trees; mends what exports break.

Mended before parsing: bytes of another encoding, control characters (also as references), bare "&", and HTML's named
entities, which XML without a document type does not know. Files that define entities of their own are refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.entities import name2codepoint
from io import RawIOBase
from typing import BinaryIO

from lxml import etree

from litapp.core.formats.importers.encoding import TextEncoding, repaired
from litapp.core.formats.importers.reading import Limits, UnreadableFile

Element = etree._Element

_CHUNK = 1 << 16
_XML_OWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(\d{1,8});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_CLOSE_NEXT = 5


class _Clean(RawIOBase):
    """The file as clean UTF-8. Counts what was read since the last element, and refuses when that is no record."""

    def __init__(self, stream: BinaryIO, encoding: TextEncoding, limits: Limits) -> None:
        stream.seek(encoding.skip)
        self._stream = stream
        errors = "surrogateescape" if encoding.codec == "utf-8" else "replace"
        self._decoder = codecs.getincrementaldecoder(encoding.codec)(errors)
        self._limits = limits
        self._rest = ""
        self._first = True
        self.since = 0
        self.line = 1

    def read(self, size: int = -1, /) -> bytes:
        while True:
            block = self._stream.read(_CHUNK)
            text = self._rest + repaired(self._decoder.decode(block, final=not block))
            if not text:
                return b""
            cut = len(text)
            if block:
                at = text.rfind("&", max(0, len(text) - 40))
                cut = at if at >= 0 and ";" not in text[at:] else cut
            self._rest, text = text[cut:], text[:cut]
            if self._first:
                text = _DECLARATION.sub(lambda found: "\n" * found[0].count("\n"), text.lstrip("\ufeff"))
                self._first = False
            self.since += len(text)
            if self.since > 2 * self._limits.record:
                raise UnreadableFile(
                    "record_too_long", "One record of this file is larger than any record.", "Export the records again."
                )
            if "<!ENTITY" in text:
                raise UnreadableFile(
                    "unsafe_xml",
                    "This XML file defines entities of its own, which no export of references does.",
                    "Export the records again from the database or reference manager.",
                )
            if text:
                return _REFERENCE.sub(_reference, _ILLEGAL.sub("", text)).encode("utf-8")


def _reference(found: re.Match[str]) -> str:
    number = int(found[1]) if found[1] else int(found[2], 16) if found[2] else None
    if number is not None:
        legal = number in (9, 10, 13) or 0x20 <= number <= 0xD7FF or 0xE000 <= number <= 0xFFFD or 0x10000 <= number <= 0x10FFFF
        return found[0] if legal else ""
    if found[3] is None:
        return "&amp;"
    if found[3] in _XML_OWN:
        return found[0]
    code = name2codepoint.get(found[3])
    return chr(code) if code else f"&amp;{found[3]};"


def iter_elements(
    stream: BinaryIO, encoding: TextEncoding, limits: Limits, names: frozenset[str] | None = None
) -> Iterator[Element]:
    """The elements of these local names (None: the children of the root), whole, one at a time; each is forgotten after.

    Raises UnreadableFile where the XML is broken, with the line.
    """
    source = _Clean(stream, encoding, limits)
    depth = 0
    inside: Element | None = None
    try:
        for event, element in etree.iterparse(
            source, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True, collect_ids=False,
        ):  # fmt: skip
            if event == "start":
                depth += 1
                if inside is None and _wanted(element, depth, names):
                    inside = element
                continue
            depth -= 1
            if element is inside:
                source.since = 0
                yield element
                inside = None
                element.clear()
                parent = element.getparent()
                if parent is not None:
                    while element.getprevious() is not None:
                        del parent[0]
    except etree.XMLSyntaxError as error:
        line = error.lineno or None
        where = f" near line {line}" if line else ""
        raise UnreadableFile(
            "damaged",
            f"The XML file is damaged or cut off{where}: {str(error.msg).split(', line')[0]}.",
            "Export the records again. What stands before this place was read.",
            line,
        ) from error


def _wanted(element: Element, depth: int, names: frozenset[str] | None) -> bool:
    return depth == 2 if names is None else local_name(element) in names


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def text_of(element: Element | None) -> str:
    """All text within an element, blanks collapsed."""
    return " ".join("".join(str(part) for part in element.itertext()).split()) if element is not None else ""


def source_text(element: Element, limits: Limits) -> tuple[str, int, int]:
    """An element as it stands (at most `limits.text` signs), its first and its last line."""
    text = etree.tostring(element, encoding="unicode", with_tail=False)
    first = element.sourceline or 0
    return text, first, first + text.count("\n")
