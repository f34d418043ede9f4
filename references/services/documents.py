"""Turns an evidence summary into documents: core's Markdown, citations formatted by pandoc, then Word, Markdown, HTML.

Core's text lists the references in groups with citations, and a reference list behind. Here both become one: each group
holds the references as the chosen style prints them, the marks in front, each under the number that the text cites.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from litapp.core.formats.csljson import to_csl
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.matrixtable import anchor
from litapp.core.formats.summary import EvidenceSummary
from litapp.core.formats.summarytext import (
    FLOW_HEADING,
    LIST_HEADING,
    MATRIX_HEADING,
    REFERENCES_HEADING,
    evidence_summary_markdown,
    matrix_document_markdown,
    numbers_of,
)
from litapp.core.identifiers import Identifier, Scheme, identifier_url
from references.services.document_page import page_of
from references.services.pandoc import Block, DocumentError, format_references, read_markdown, run_pandoc, write_docx
from references.services.word_template import (
    DETAIL_STYLE,
    MARK_STYLE,
    MATRIX_STYLE,
    NOTICE_STYLE,
    QUERY_STYLE,
    REFERENCE_STYLE,
    section_break,
    word_template,
)

_WIDE = 5
"""Columns of a matrix from which on it gets pages that lie across."""


class DocumentChanged(DocumentError):
    """Core's text does not have the parts that are put together here: a fault of LitLedger, not of the user."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The summary could not be put together ({what}).", "Tell your administrator; use .bib or .ris meanwhile."
        )


def summary_docx(summary: EvidenceSummary, style: str, *, matrix_alone: bool = False) -> bytes:
    """The summary (or its matrix alone) as a Word file. Raises UnknownStyle and the errors of `pandoc`."""
    return docx_of(summary_blocks(summary, style, matrix_alone=matrix_alone), summary, matrix_alone=matrix_alone)


def docx_of(blocks: Sequence[Block], summary: EvidenceSummary, *, matrix_alone: bool = False) -> bytes:
    """A Word file of the document's blocks, in our styles."""
    title, *rest = blocks
    name = "literature matrix" if matrix_alone else "evidence summary"
    footer = f"LitLedger {name}" + (" · SANDBOX DATA, do not cite" if summary.sandbox else "")
    meta = {
        "title": {"t": "MetaInlines", "c": title["c"][1][0]["c"]},
        "lang": {"t": "MetaString", "c": "en"},
    }
    return write_docx(
        [_for_word(block) for block in _across(_with_figure(rest, summary))],
        meta,
        template=word_template(footer),
        epoch=summary.generated_at,
    )


def summary_markdown(summary: EvidenceSummary, style: str, *, matrix_alone: bool = False) -> bytes:
    """The same as Markdown that any reader shows (CommonMark with tables). Raises like `summary_docx`."""
    return markdown_of(summary_blocks(summary, style, matrix_alone=matrix_alone))


def markdown_of(blocks: Sequence[Block]) -> bytes:
    """Markdown of the document's blocks; numbers in the text are no links there, for want of places to lead to."""
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": [_for_markdown(block) for block in blocks]}
    writer = ["-f", "json", "-t", "gfm-raw_html-tex_math_dollars-tex_math_gfm", "--wrap=none"]
    return run_pandoc(writer, json.dumps(_unlinked(tree), ensure_ascii=False).encode())


def html_of(blocks: Sequence[Block], summary: EvidenceSummary) -> bytes:
    """One HTML page of the document's blocks, with its styles inside and nothing to load."""
    shown = [_for_markdown(block) for block in _with_figure(blocks, summary)]
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": shown}
    body = run_pandoc(["-f", "json", "-t", "html5", "--wrap=none"], json.dumps(tree, ensure_ascii=False).encode())
    return page_of(f"Evidence summary: {summary.project}", body.decode()).encode()


def summary_blocks(summary: EvidenceSummary, style: str, *, matrix_alone: bool = False) -> list[Block]:
    """The blocks of the document, references formatted and numbered within their groups."""
    text = matrix_document_markdown(summary) if matrix_alone else evidence_summary_markdown(summary)
    blocks = _dated(read_markdown(text), summary)
    if not summary.entries:
        return blocks
    printed = dict(format_references([_plain_item(entry) for entry in summary.entries], style))
    start = _heading(blocks, REFERENCES_HEADING)
    end = _heading(blocks, LIST_HEADING)
    numbered = _numbered(blocks[start:end], printed, summary)
    after = blocks[end + 1 :]
    if not after or after[0]["t"] != "Div":
        raise DocumentChanged("the place of the reference list is missing")
    return [*blocks[:start], *numbered, *after[1:]]


def _plain_item(entry: ExportEntry) -> Mapping[str, Any]:
    """The CSL item without its note: the marks stand in front of the reference, once."""
    return {name: value for name, value in to_csl(entry).items() if name != "note"}


def _dated(blocks: list[Block], summary: EvidenceSummary) -> list[Block]:
    """The line on the time says what the time is: that of the last change, so that equal state gives equal files."""
    moment = f"{summary.generated_at:%Y-%m-%d %H:%M} {summary.generated_at.tzname() or ''}".strip()
    line = {
        "t": "Div",
        "c": [_style(DETAIL_STYLE), [_paragraph(f"State of the project at {moment}. Made with LitLedger.")]],
    }
    if len(blocks) < 2 or blocks[1]["t"] != "Para":
        raise DocumentChanged("the line on the time is missing")
    return [blocks[0], line, *blocks[2:]]


def _numbered(blocks: Sequence[Block], printed: Mapping[str, list[Block]], summary: EvidenceSummary) -> list[Block]:
    """The groups with their bullets as references under their numbers; every entry exactly once."""
    entries, numbers = {entry.key: entry for entry in summary.entries}, numbers_of(summary)
    made: list[Block] = []
    placed = 0
    for block in blocks:
        keys = [_cited(item) for item in block["c"]] if block["t"] == "BulletList" else []
        if not keys or None in keys:
            made.append(block)
            continue
        items = [
            (numbers[str(key)], _reference(entries[str(key)], printed[str(key)], item))
            for key, item in zip(keys, block["c"], strict=True)
        ]
        made += _lists(sorted(items, key=lambda item: item[0]))
        placed += len(items)
    if placed != len(entries):
        raise DocumentChanged(f"{placed} of {len(entries)} references found their place")
    return made


def _lists(items: Sequence[tuple[int, list[Block]]]) -> list[Block]:
    """Numbered lists of the items: a new list wherever a number is left out, because it stands in another group."""
    lists: list[Block] = []
    following = 0
    for number, blocks in items:
        if number != following:
            lists.append({"t": "OrderedList", "c": [[number, {"t": "Decimal"}, {"t": "Period"}], []]})
        lists[-1]["c"][1].append(blocks)
        following = number + 1
    return lists


def _cited(item: list[Block]) -> str | None:
    """The key that a bullet of core's list cites."""
    for block in item:
        for inline in block["c"] if block["t"] in {"Plain", "Para"} else ():
            if inline["t"] == "Cite":
                return str(inline["c"][0][0]["citationId"])
    return None


def _reference(entry: ExportEntry, printed: Sequence[Block], item: Sequence[Block]) -> list[Block]:
    """One numbered reference: marks, the reference in the chosen style, then what core says of its check."""
    first, *rest = printed
    inlines = [*_marks(entry), *first["c"]]
    if entry.record.doi and "https://doi.org/" not in json.dumps(printed):
        inlines += _doi_link(entry.record.doi)
    place = [anchor(entry.key), [], [["custom-style", REFERENCE_STYLE]]]
    blocks = [{"t": "Div", "c": [place, [{"t": "Para", "c": inlines}, *rest]]}]
    if detail := _behind_citation(item):
        blocks.append({"t": "Div", "c": [_style(DETAIL_STYLE), [{"t": "Para", "c": detail}]]})
    return blocks


def _marks(entry: ExportEntry) -> list[Block]:
    return [
        part
        for mark in entry.marks
        for part in ({"t": "Span", "c": [_style(MARK_STYLE), [{"t": "Str", "c": mark}]]}, {"t": "Space"})
    ]


def _doi_link(doi: str) -> list[Block]:
    """The DOI as a link, for styles that print none."""
    url = identifier_url(Identifier(Scheme.DOI, doi))
    text = [{"t": "Str", "c": f"https://doi.org/{doi}"}]
    return [{"t": "Space"}, {"t": "Link", "c": [["", [], []], text, [url, ""]]}]


def _behind_citation(item: Sequence[Block]) -> list[Block]:
    """What stands behind the citation of a bullet, without the full stop that ends it."""
    inlines = list(item[0]["c"])
    place = next(number for number, inline in enumerate(inlines) if inline["t"] == "Cite")
    rest = inlines[place + 1 :]
    while rest and (rest[0]["t"] in {"Space", "SoftBreak"} or rest[0] == {"t": "Str", "c": "."}):
        rest.pop(0)
    return rest


def _heading(blocks: Sequence[Block], text: str) -> int:
    for number, block in enumerate(blocks):
        if block["t"] == "Header" and block["c"][0] == 1 and _text(block["c"][2]) == text:
            return number
    raise DocumentChanged(f"the heading “{text}” is missing")


def _text(inlines: Sequence[Block]) -> str:
    return "".join(" " if part["t"] in {"Space", "SoftBreak"} else str(part.get("c", "")) for part in inlines)


def _style(name: str) -> list[Any]:
    return ["", [], [["custom-style", name]]]


def _paragraph(text: str) -> Block:
    return {"t": "Para", "c": [{"t": "Str", "c": text}]}


def _for_word(block: Block) -> Block:
    """Search strings in their own style, warnings at the top as notices; all else as it is."""
    if block["t"] == "CodeBlock":
        parts: list[Block] = []
        for number, line in enumerate(block["c"][1].split("\n")):
            parts += [{"t": "LineBreak"}] * bool(number) + [{"t": "Str", "c": line}]
        return {"t": "Div", "c": [_style(QUERY_STYLE), [{"t": "Para", "c": parts}]]}
    if (
        block["t"] == "Para"
        and block["c"][0]["t"] == "Strong"
        and _text(block["c"][0]["c"]).startswith(("SANDBOX", "CHECKS BEFORE"))
    ):
        return {"t": "Div", "c": [_style(NOTICE_STYLE), [block]]}
    return block


def _with_figure(blocks: Sequence[Block], summary: EvidenceSummary) -> list[Block]:
    """The blocks with the figure of the flow above its table, as part of the document itself."""
    if not summary.flow.png:
        return list(blocks)
    at = next((n for n, b in enumerate(blocks) if b["t"] == "Header" and _text(b["c"][2]) == FLOW_HEADING), None)
    if at is None:
        return list(blocks)
    address = f"data:image/png;base64,{base64.b64encode(summary.flow.png).decode()}"
    alt = [{"t": "Str", "c": summary.flow.alt}]
    image = {"t": "Image", "c": [["", [], [["width", "15cm"]]], alt, [address, ""]]}
    return [*blocks[: at + 1], {"t": "Para", "c": [image]}, *blocks[at + 1 :]]


def _across(blocks: Sequence[Block]) -> list[Block]:
    """The pages of a wide matrix lie across: a section of its own around the part with the table."""
    starts = [at for at, block in enumerate(blocks) if block["t"] == "Header" and block["c"][0] == 1]
    start = next((at for at in starts if _text(blocks[at]["c"][2]) == MATRIX_HEADING), None)
    if start is None:
        return list(blocks)
    end = next((at for at, block in enumerate(blocks) if at > start and block["t"] == "Header"), len(blocks))
    wide = any(block["t"] == "Table" and len(block["c"][2]) >= _WIDE for block in blocks[start:end])
    if not wide:
        return list(blocks)
    before = [section_break(across=False)] if start else []
    part = [_small(block) if block["t"] == "Table" else block for block in blocks[start:end]]
    return [*blocks[:start], *before, *part, section_break(across=True), *blocks[end:]]


def _small(node: Any) -> Any:
    """A table with the paragraphs of its cells in the matrix's own style."""
    if isinstance(node, list):
        return [_small(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("t") in ("Plain", "Para"):
        return {"t": "Div", "c": [_style(MATRIX_STYLE), [{"t": "Para", "c": node["c"]}]]}
    return {name: _small(value) for name, value in node.items()}


def _unlinked(node: Any) -> Any:
    """The tree with links to places of the document as their text."""
    if isinstance(node, list):
        return [
            part for item in node for part in (_unlinked_one(item) if isinstance(item, dict) else [_unlinked(item)])
        ]
    return {name: _unlinked(value) for name, value in node.items()} if isinstance(node, dict) else node


def _unlinked_one(node: Block) -> list[Any]:
    if node.get("t") == "Link" and str(node["c"][2][0]).startswith(f"#{anchor('')}"):
        text: list[Any] = _unlinked(node["c"][1])
        return text
    return [_unlinked(node)]


def _for_markdown(block: Block) -> Block:
    """Headings one level down, below the title, which is the only heading of the first level."""
    if block["t"] == "Div" and ["custom-style", "Title"] in block["c"][0][2]:
        return {"t": "Header", "c": [1, ["", [], []], block["c"][1][0]["c"]]}
    if block["t"] == "Header":
        return {"t": "Header", "c": [block["c"][0] + 1, *block["c"][1:]]}
    return block
