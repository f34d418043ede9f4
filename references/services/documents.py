"""Turns an evidence summary into documents: core's Markdown, citations formatted by pandoc, then Word or Markdown.

Core's text lists the references grouped by verdict with citations, and a reference list behind. Here both become one:
each group is a numbered list of the references as the chosen style prints them, the marks in front, numbers running on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from litapp.core.formats.csljson import to_csl
from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.markdown import evidence_summary_markdown
from litapp.core.formats.summary import EvidenceSummary
from litapp.core.identifiers import Identifier, Scheme, identifier_url
from references.services.pandoc import Block, DocumentError, format_references, read_markdown, run_pandoc, write_docx
from references.services.word_template import (
    DETAIL_STYLE,
    MARK_STYLE,
    NOTICE_STYLE,
    QUERY_STYLE,
    REFERENCE_STYLE,
    word_template,
)

_LIST_HEADING = "Reference list"
_REFERENCES_HEADING = "References by verdict"


class DocumentChanged(DocumentError):
    """Core's text does not have the parts that are put together here: a fault of LitLedger, not of the user."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The summary could not be put together ({what}).", "Tell your administrator; use .bib or .ris meanwhile."
        )


def summary_docx(summary: EvidenceSummary, style: str) -> bytes:
    """The summary as a Word file. Raises UnknownStyle and the errors of `pandoc`."""
    title, *blocks = summary_blocks(summary, style)
    blocks = [_for_word(block) for block in blocks]
    footer = "LitLedger evidence summary" + (" · SANDBOX DATA, do not cite" if summary.sandbox else "")
    meta = {
        "title": {"t": "MetaInlines", "c": title["c"][1][0]["c"]},
        "lang": {"t": "MetaString", "c": "en"},
    }
    return write_docx(blocks, meta, template=word_template(footer), epoch=summary.generated_at)


def summary_markdown(summary: EvidenceSummary, style: str) -> bytes:
    """The summary as Markdown that any reader shows (CommonMark with tables). Raises like `summary_docx`."""
    blocks = [_for_markdown(block) for block in summary_blocks(summary, style)]
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    writer = ["-f", "json", "-t", "gfm-raw_html-tex_math_dollars-tex_math_gfm", "--wrap=none"]
    return run_pandoc(writer, json.dumps(tree, ensure_ascii=False).encode())


def summary_blocks(summary: EvidenceSummary, style: str) -> list[Block]:
    """The blocks of the document, references formatted and numbered within their groups."""
    blocks = read_markdown(evidence_summary_markdown(summary))
    blocks = _dated(blocks, summary)
    if not summary.entries:
        return blocks
    printed = dict(format_references([_plain_item(entry) for entry in summary.entries], style))
    entries = {entry.key: entry for entry in summary.entries}
    start = _heading(blocks, _REFERENCES_HEADING)
    end = _heading(blocks, _LIST_HEADING)
    numbered = _numbered(blocks[start:end], printed, entries)
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


def _numbered(
    blocks: Sequence[Block], printed: Mapping[str, list[Block]], entries: Mapping[str, ExportEntry]
) -> list[Block]:
    """The groups with their bullets as numbered references; every entry exactly once."""
    made: list[Block] = []
    number = 1
    for block in blocks:
        keys = [_cited(item) for item in block["c"]] if block["t"] == "BulletList" else []
        if not keys or None in keys:
            made.append(block)
            continue
        items = [
            _reference(entries[str(key)], printed[str(key)], item) for key, item in zip(keys, block["c"], strict=True)
        ]
        made.append({"t": "OrderedList", "c": [[number, {"t": "Decimal"}, {"t": "Period"}], items]})
        number += len(items)
    if number - 1 != len(entries):
        raise DocumentChanged(f"{number - 1} of {len(entries)} references found their place")
    return made


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
    blocks = [{"t": "Div", "c": [_style(REFERENCE_STYLE), [{"t": "Para", "c": inlines}, *rest]]}]
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
        if block["t"] == "Header" and _text(block["c"][2]) == text:
            return number
    raise DocumentChanged(f"the heading “{text}” is missing")


def _text(inlines: Sequence[Block]) -> str:
    return "".join(" " if part["t"] in {"Space", "SoftBreak"} else str(part.get("c", "")) for part in inlines)


def _style(name: str) -> list[Any]:
    return ["", [], [["custom-style", name]]]


def _paragraph(text: str) -> Block:
    return {"t": "Para", "c": [{"t": "Str", "c": text}]}


def _for_word(block: Block) -> Block:
    """Search strings in their own style, the sandbox warning as a notice; all else as it is."""
    if block["t"] == "CodeBlock":
        parts: list[Block] = []
        for number, line in enumerate(block["c"][1].split("\n")):
            parts += [{"t": "LineBreak"}] * bool(number) + [{"t": "Str", "c": line}]
        return {"t": "Div", "c": [_style(QUERY_STYLE), [{"t": "Para", "c": parts}]]}
    if (
        block["t"] == "Para"
        and len(block["c"]) == 1
        and block["c"][0]["t"] == "Strong"
        and "SANDBOX" in _text(block["c"][0]["c"])
    ):
        return {"t": "Div", "c": [_style(NOTICE_STYLE), [block]]}
    return block


def _for_markdown(block: Block) -> Block:
    """Headings one level down, below the title, which is the only heading of the first level."""
    if block["t"] == "Div" and ["custom-style", "Title"] in block["c"][0][2]:
        return {"t": "Header", "c": [1, ["", [], []], block["c"][1][0]["c"]]}
    if block["t"] == "Header":
        return {"t": "Header", "c": [block["c"][0] + 1, *block["c"][1:]]}
    return block
