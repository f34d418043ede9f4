"""Reads MeSH from NLM's descriptor XML or from a compact table, plain or gzip, and writes the compact table.

The table: UTF-8, one heading a line, tab between ui, name, tree numbers, entry terms and (optional) scope note; several
values of a field are parted by `|`. Lines that begin with `#` are remarks; the first line may name the columns.
Source of the XML's form: NLM, MeSH XML data elements (descYYYY.xml).
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from lxml import etree

from litapp.core.mesh.heading import MeshHeading

CREDIT = "Courtesy of the U.S. National Library of Medicine"
_COLUMNS = ("ui", "name", "tree_numbers", "entry_terms", "scope")
_UI = re.compile(r"D\d{6,9}")
_NUMBER = re.compile(r"[A-Z]\d{2}(\.\d{3})*")
_LONGEST_LINE = 200_000


class BadMeshFile(ValueError):
    """The file holds no MeSH that can be used. The message names the file, the place and the fault."""


@dataclass(frozen=True, slots=True)
class MeshFile:
    """What was read: the headings as lines for `MeshIndex`, and the edition's year ("" = not said)."""

    lines: tuple[str, ...]
    edition: str


def read_mesh(path: Path) -> MeshFile:
    """Read the file. Raises BadMeshFile (nothing of it is used then) or OSError."""
    lines: list[str] = []
    names: set[str] = set()
    remarks: list[str] = []
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file: Any = gzip.GzipFile(fileobj=raw) if packed else raw
            found = (
                _from_xml(file) if file.peek(200).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<" else _rows(file, remarks)
            )
            for place, heading in found:
                if heading.name.casefold() in names:
                    raise BadMeshFile(f"{path.name}, {place}: the heading “{heading.name}” stands there twice.")
                names.add(heading.name.casefold())
                lines.append(line_of(heading))
    except _BadPlace as error:
        raise BadMeshFile(f"{path.name}, {error}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadMeshFile(f"{path.name} is damaged or cut off: it cannot be unpacked to its end.") from error
    if not lines:
        raise BadMeshFile(f"{path.name} holds no MeSH headings.")
    return MeshFile(tuple(lines), _edition(path.name, remarks))


def write_mesh(headings: Iterable[str], path: Path, *, edition: str) -> int:
    """Write the compact table (gzip) and return the number of headings. The same input gives the same bytes."""
    lines = list(headings)
    text = "".join(f"{line}\n" for line in [f"# MeSH {edition}. {CREDIT}.", "\t".join(_COLUMNS), *lines])
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as file:
        file.write(text.encode())
    return len(lines)


def line_of(heading: MeshHeading) -> str:
    """A heading as a line of the table; an empty scope note is left out."""
    fields = [heading.ui, heading.name, "|".join(heading.tree_numbers), "|".join(heading.entry_terms)]
    return "\t".join([*fields, heading.scope] if heading.scope else fields)


class _BadPlace(ValueError):
    """What is wrong, and at which line or heading."""


def _rows(file: IO[bytes], remarks: list[str]) -> Iterator[tuple[str, MeshHeading]]:
    number = 0
    while raw := file.readline(_LONGEST_LINE):
        number += 1
        place = f"line {number}"
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise _BadPlace(f"{place}: this is no text in UTF-8.") from None
        if line.startswith("#"):
            remarks.append(line)
            continue
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or fields[0] == _COLUMNS[0]:
            continue
        if len(fields) < 3:
            raise _BadPlace(f"{place}: expected number, name, tree numbers, entry terms, with tabs between them.")
        ui, name, numbers, terms, scope, *_ = [*fields, "", "", ""]
        if not _UI.fullmatch(ui) or not name:
            raise _BadPlace(
                f"{place}: “{ui[:20]}” is not the number of a heading (such as D006333), or its name is missing."
            )
        if wrong := next((one for one in numbers.split("|") if one and not _NUMBER.fullmatch(one)), ""):
            raise _BadPlace(f"{place}: “{wrong[:40]}” is no tree number (such as C14.280.434).")
        yield place, MeshHeading(ui, name, _values(numbers), _without(_values(terms), name), scope)


def _from_xml(file: IO[bytes]) -> Iterator[tuple[str, MeshHeading]]:
    """The descriptors, one after the other, in little memory."""
    count = 0
    try:
        for _, record in etree.iterparse(
            file, tag="DescriptorRecord", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        ):
            count += 1
            name = _text(record.findtext("DescriptorName/String"))
            ui = _text(record.findtext("DescriptorUI"))
            place = f"heading {count}"
            if not _UI.fullmatch(ui) or not name:
                raise _BadPlace(f"{place}: it has no number (such as D006333) or no name.")
            terms = [_text(term.text) for term in record.iterfind("ConceptList/Concept/TermList/Term/String")]
            numbers = [_text(node.text) for node in record.iterfind("TreeNumberList/TreeNumber")]
            preferred = record.find("ConceptList/Concept[@PreferredConceptYN='Y']")
            scope = _text(preferred.findtext("ScopeNote")) if preferred is not None else ""
            yield place, MeshHeading(ui, name, tuple(filter(None, numbers)), _without(tuple(terms), name), scope)
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise _BadPlace(f"line {error.lineno}: the XML cannot be read. {error.msg}.") from error


def _text(found: str | None) -> str:
    return " ".join((found or "").replace("|", " ").split())


def _values(text: str) -> tuple[str, ...]:
    return tuple(part for one in text.split("|") if (part := " ".join(one.split())))


def _without(terms: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Each entry term once, and not the heading's own name."""
    seen = {name.casefold()}
    kept = []
    for term in terms:
        if term and term.casefold() not in seen:
            seen.add(term.casefold())
            kept.append(term)
    return tuple(kept)


def _edition(name: str, remarks: list[str]) -> str:
    """The year in the file's name (mesh2024, desc2024), else in its first remark."""
    for text in (name, *remarks):
        found = re.search(r"(?<!\d)(19[6-9]\d|20\d\d)(?!\d)", text)
        if found:
            return found.group()
    return ""
