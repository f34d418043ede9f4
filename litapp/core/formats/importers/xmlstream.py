"""Reads XML piece by piece without entities, network or huge trees; mends what exports break.

Mended before parsing: bytes of another encoding, control characters (also as references), bare "&", and HTML's named
entities, which XML without a document type does not know. Files that define entities of their own are refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from html.entities import name2codepoint
from io import RawIOBase
from typing import Any, BinaryIO

from lxml import etree

from litapp.core.formats.importers.draft import Draft
from litapp.core.formats.importers.encoding import TextEncoding, repaired
from litapp.core.formats.importers.reading import Entry, Limits, Problem, UnreadableFile

Element = etree._Element

_CHUNK = 1 << 16
_XML_OWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(\d{1,8});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


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
        legal = (
            number in (9, 10, 13)
            or 0x20 <= number <= 0xD7FF
            or 0xE000 <= number <= 0xFFFD
            or 0x10000 <= number <= 0x10FFFF
        )
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
    """The elements of these local names (None: the children of the root), whole, one at a time; each is forgotten
    after.

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
            if inside is not None and element is inside:
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


def read_elements(
    stream: BinaryIO, encoding: TextEncoding, limits: Limits, names: frozenset[str], make: Callable[[Element], Draft]
) -> Iterator[Entry]:
    """The entry of each element of these names. Where the XML is broken, the rest is read element by element: what can
    be read still is, what cannot is an entry with a problem."""
    number = 0
    try:
        for element in iter_elements(stream, encoding, limits, names):
            number += 1
            text, first, last = source_text(element, limits)
            yield make(element).entry(number, first, last, text, limits)
        return
    except UnreadableFile as error:
        if error.kind != "damaged":
            raise
        broken = error
    pieces = 0
    for text, line in _pieces(stream, encoding, limits, names):
        pieces += 1
        if pieces <= number:
            continue
        yield _piece_entry(text, line, pieces, limits, make)
    if not pieces:
        raise broken


def _piece_entry(text: str, line: int, number: int, limits: Limits, make: Callable[[Element], Draft]) -> Entry:
    last = line + text.count("\n")
    try:
        element = etree.fromstring(
            text.encode(),
            etree.XMLParser(
                resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
            ),
        )
    except etree.XMLSyntaxError as error:
        problem = Problem(
            "broken_xml",
            f"The XML of this record is broken: {str(error.msg).split(', line')[0]}.",
            "Look at its lines in the file, or export the record again.",
        )
        return Entry(number, line, last, text[: limits.text], None, problem, text_cut=len(text) > limits.text)
    return make(element[0] if local_name(element) == "wrapped" else element).entry(number, line, last, text, limits)


def _pieces(
    stream: BinaryIO, encoding: TextEncoding, limits: Limits, names: frozenset[str]
) -> Iterator[tuple[str, int]]:
    """The text of each element of these names, found by its tags alone, and its line."""
    source = _Clean(stream, encoding, limits)
    alternatives = "|".join(sorted(names))
    opening = re.compile(rf"<((?:\w+:)?(?:{alternatives}))(?=[\s>])[^<>]*>")
    spaces = ""
    buffer, place, line = "", 0, 1
    while True:
        block = source.read()
        source.since = 0
        buffer = buffer[place:] + block.decode("utf-8")
        place = 0
        if not spaces:
            spaces = " ".join(
                dict.fromkeys(re.findall(r"xmlns(?::\w+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')", buffer[:4000]))
            )
        while True:
            found = opening.search(buffer, place)
            if not found:
                line += buffer.count("\n", place)
                place = len(buffer)
                break
            closing = re.compile(rf"</{re.escape(found[1])}\s*>").search(buffer, found.end())
            following = opening.search(buffer, found.end())
            if closing is None and following is None and block:
                line += buffer.count("\n", place, found.start())
                place = found.start()
                break
            ends = [one.end() if one is closing else one.start() for one in (closing, following) if one is not None]
            end = min(ends, default=len(buffer))
            line += buffer.count("\n", place, found.start())
            text = buffer[found.start() : end]
            yield (f"<wrapped {spaces}>{text}</wrapped>" if spaces else text), line
            line += text.count("\n")
            place = end
        if not block:
            return
        if len(buffer) - place > limits.record:
            raise UnreadableFile(
                "record_too_long",
                "One record of this file is larger than any record.",
                "Export the records again.",
                line,
            )


def _wanted(element: Element, depth: int, names: frozenset[str] | None) -> bool:
    return depth == 2 if names is None else local_name(element) in names


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def without_namespaces(element: Element) -> Element:
    """The same element, its names and those within it without their namespaces."""
    for one in element.iter():
        if isinstance(one.tag, str) and one.tag.startswith("{"):
            one.tag = local_name(one)
    return element


def text_of(element: Element | None) -> str:
    """All text within an element, blanks collapsed."""
    return " ".join("".join(str(part) for part in element.itertext()).split()) if element is not None else ""


def source_text(element: Element, limits: Limits) -> tuple[str, int, int]:
    """An element as it stands (at most `limits.text` signs), its first and its last line."""
    text = etree.tostring(element, encoding="unicode", with_tail=False)
    line: Any = element.sourceline
    first = int(line or 0)
    return text, first, first + text.count("\n")
