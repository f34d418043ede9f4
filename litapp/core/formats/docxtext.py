"""Reads the paragraphs of a Word file (.docx) as text, so that its list of references can be split.

Only the main text, its footnotes and endnotes are read, within limits; nothing is unpacked to disk, no entity of the
XML is resolved, deleted text of tracked changes is left out.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from lxml import etree

from litapp.core.formats.importers.reading import UnreadableFile
from litapp.core.identifiers import find_identifiers

LARGEST_PART = 60_000_000
"""Bytes of one part of the file, unpacked."""
MOST_PARAGRAPHS = 200_000
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_REL_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MAIN, _LINKS = "word/document.xml", "word/_rels/document.xml.rels"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
ADVICE = "Save the manuscript again as .docx in Word or LibreOffice, or paste its reference section as text."


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph: its number in the document (from 1), its text (line breaks kept), whether Word numbers or bullets
    it (the number itself is not in the file), and its heading level (0 = none)."""

    number: int
    text: str
    listed: bool = False
    heading: int = 0


def is_docx(head: bytes, name: str = "") -> bool:
    """Whether a file that begins with `head` may be a Word file."""
    return head[:4] == b"PK\x03\x04" and (name.lower().endswith((".docx", ".docm")) or b"word/" in head or not name)


def docx_paragraphs(stream: BinaryIO) -> tuple[Paragraph, ...]:
    """All paragraphs, those of tables among them; notes behind the main text.

    Raises UnreadableFile for a file that is no Word file, is encrypted or damaged, or is larger than the limits.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            names = set(archive.namelist())
            if _MAIN not in names:
                raise UnreadableFile("no_docx", "This is not a Word file: it holds no main text.", ADVICE)
            links = _links(archive) if _LINKS in names else {}
            parts = [_MAIN, *(note for note in _NOTES if note in names)]
            paragraphs = [found for part in parts for found in _paragraphs(_root(archive, part), links)]
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError, RuntimeError) as error:
        raise UnreadableFile(
            "damaged", "This Word file is damaged or encrypted and cannot be opened.", ADVICE
        ) from error
    return tuple(
        Paragraph(number, text, listed, heading)
        for number, (text, listed, heading) in enumerate(paragraphs, start=1)
    )  # fmt: skip


def numbered_lines(paragraphs: tuple[Paragraph, ...]) -> Iterator[tuple[int, str]]:
    """The paragraphs as lines for `reftext.split_lines`: headings and list items are marked as Markdown marks them,
    each paragraph stands for itself."""
    for paragraph in paragraphs:
        mark = "#" * paragraph.heading + " " if paragraph.heading else "• " if paragraph.listed else ""
        yield paragraph.number, ""
        text = paragraph.text.strip()
        if text:
            yield paragraph.number, mark + " ".join(text.split())


def _root(archive: zipfile.ZipFile, part: str) -> etree._Element:
    """One part's XML. What the zip's directory says of sizes is not believed: reading stops at the limit."""
    with archive.open(part) as stream:
        body = stream.read(LARGEST_PART + 1)
    if len(body) > LARGEST_PART:
        raise UnreadableFile("too_large", "The text of this Word file is too large to be a manuscript.", ADVICE)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile("damaged", "The text of this Word file is damaged.", ADVICE) from error
    if b"<!DOCTYPE" in body[:4096] or root.getroottree().docinfo.internalDTD is not None:
        raise UnreadableFile("damaged", "This Word file holds declarations that no word processor writes.", ADVICE)
    return root


def _links(archive: zipfile.ZipFile) -> dict[str, str]:
    return {link.get("Id", ""): link.get("Target", "") for link in _root(archive, _LINKS)}


def _paragraphs(root: etree._Element, links: Mapping[str, str]) -> Iterator[tuple[str, bool, int]]:
    number = 0
    for space in (_W, _STRICT):
        for element in root.iter(f"{space}p"):
            number += 1
            if number > MOST_PARAGRAPHS:
                raise UnreadableFile("too_large", "This Word file has too many paragraphs for a manuscript.", ADVICE)
            yield _text(element, space, links), _is_listed(element, space), _heading(element, space)


def _text(paragraph: etree._Element, space: str, links: Mapping[str, str]) -> str:
    """The visible text; the address behind a link is added where it holds an identifier that the words do not."""
    parts: list[str] = []
    targets: list[str] = []
    for element in paragraph.iter():
        if element.tag == f"{space}t":
            if next(element.iterancestors(f"{space}p")) is paragraph:
                parts.append(element.text or "")
        elif element.tag == f"{space}tab":
            parts.append(" ")
        elif element.tag in (f"{space}br", f"{space}cr"):
            parts.append("\n")
        elif element.tag == f"{space}noBreakHyphen":
            parts.append("-")
        elif element.tag == f"{space}hyperlink" and element.get(_REL_ID):
            targets.append(links.get(element.get(_REL_ID, ""), ""))
    text = "".join(parts)
    known = set(find_identifiers(text))
    added = [target for target in targets if len(target) < 2000 and set(find_identifiers(target)) - known]
    return " ".join([text, *dict.fromkeys(added)]) if added else text


def _is_listed(paragraph: etree._Element, space: str) -> bool:
    number = paragraph.find(f"{space}pPr/{space}numPr/{space}numId")
    return number is not None and number.get(f"{space}val") != "0"


def _heading(paragraph: etree._Element, space: str) -> int:
    style = paragraph.find(f"{space}pPr/{space}pStyle")
    name = (style.get(f"{space}val") or "") if style is not None else ""
    lowered = name.lower().replace(" ", "")
    for word in ("heading", "berschrift", "titre", "rubrik", "kop"):
        head, found, level = lowered.partition(word)
        if found and len(head) <= 2 and level.isdecimal():
            return min(int(level) or 1, 6)
    return 0
