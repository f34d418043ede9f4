"""A briefing as JSON (published schema), Markdown and HTML: written from one document, the same bytes every time."""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from litapp.core.briefing import OPENING_LABEL, UNAVAILABLE, Method, date_text, opening, short_authors
from litapp.core.markup import escape_markdown, plain_text
from litapp.core.records import Record

SCHEMA_VERSION = "1"
SCHEMA_FILE = Path(__file__).with_name("briefing.v1.schema.json")


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The published schema."""
    found: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return found


def problems(document: dict[str, Any]) -> list[str]:
    """What the schema says against a document; [] = it is one."""
    found = Draft202012Validator(schema(), format_checker=Draft202012Validator.FORMAT_CHECKER).iter_errors(document)
    return [f"{'/'.join(map(str, one.absolute_path)) or 'document'}: {one.message}" for one in found]


def opening_summary(
    record: Record, *, fallback: str | None = None, attempted: dict[str, str] | None = None
) -> dict[str, Any]:
    """The summary that needs no model: the opening of the abstract, or that there is none.

    `fallback` says why a model's text is not there, `attempted` which one was asked.
    """
    text = opening(record.abstract)
    return {
        "text": text or UNAVAILABLE,
        "label": OPENING_LABEL if text else UNAVAILABLE,
        "method": (Method.OPENING if text else Method.UNAVAILABLE).value,
        "provider": None,
        "model": None,
        "prompt_version": None,
        "usage": None,
        "fallback_reason": fallback,
        "attempted": attempted,
    }


def paper_entry(record: Record, summary: dict[str, Any]) -> dict[str, Any]:
    """One paper of the document. What the source did not give is null, never made up."""
    text = "\n\n".join(
        f"{part.label}: {plain_text(part.text)}" if part.label else plain_text(part.text) for part in record.abstract
    )
    return {
        "title": plain_text(record.title) or None,
        "authors": short_authors(record.authors),
        "date": date_text(record.date),
        "journal": record.journal or None,
        "pmid": record.pmid or None,
        "doi": record.doi or None,
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{record.pmid}/" if record.pmid else record.url or None,
        "abstract": text or None,
        "sections": [
            {"label": part.label or None, "nlm_category": part.category or None, "text": plain_text(part.text)}
            for part in record.abstract
        ],
        "notices": sorted({notice.kind.value for notice in record.notices}),
        "summary": summary,
    }


def briefing_json(document: dict[str, Any]) -> str:
    """The document as JSON text."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def briefing_markdown(document: dict[str, Any]) -> str:
    """The document to read, in Markdown."""
    lines = [f"# Briefing: {escape_markdown(document['query']['asked'])}", ""]
    lines += [_facts(document), ""]
    lines += [f"> {escape_markdown(text)}" for text in document["warnings"]] + ([""] if document["warnings"] else [])
    if not document["papers"]:
        lines += ["No paper was found.", ""]
    for number, paper in enumerate(document["papers"], start=1):
        title = escape_markdown(paper["title"] or "No title")
        lines.append(f"## {number}. [{title}]({paper['url']})" if paper["url"] else f"## {number}. {title}")
        lines += ["", escape_markdown(_where(paper)), ""]
        if paper["notices"]:
            lines += [f"**{escape_markdown(_notices(paper))}**", ""]
        lines += [escape_markdown(paper["summary"]["text"]), "", f"*{escape_markdown(paper['summary']['label'])}*", ""]
        if note := _fallback(paper["summary"]):
            lines += [f"*{escape_markdown(note)}*", ""]
        if paper["sections"]:
            lines += ["<details><summary>Abstract</summary>", ""]
            for part in paper["sections"]:
                head = f"**{escape_markdown(part['label'])}** " if part["label"] else ""
                lines += [head + escape_markdown(part["text"]), ""]
            lines += ["</details>", ""]
    return "\n".join(lines).rstrip() + "\n"


def briefing_html(document: dict[str, Any]) -> str:
    """The document to read, as one page without scripts or outside parts."""
    asked = escape(document["query"]["asked"])
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Briefing: {asked}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><main>",
        f"<h1>Briefing: {asked}</h1><p>{escape(_facts(document))}</p>",
    ]
    parts += [f'<p class="warning">{escape(text)}</p>' for text in document["warnings"]]
    if not document["papers"]:
        parts.append("<p>No paper was found.</p>")
    parts += [_article(number, paper) for number, paper in enumerate(document["papers"], start=1)]
    return "\n".join([*parts, "</main></body></html>"]) + "\n"


_STYLE = (
    "body{font:1rem/1.5 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1d1d1b;background:#fff}"
    "h1,h2{line-height:1.25}.label,.where{font-family:system-ui,sans-serif;font-size:.85rem;color:#555}"
    ".warning,.notice{border-left:4px solid #a34700;padding-left:.7rem}summary{cursor:pointer}"
)


def _article(number: int, paper: dict[str, Any]) -> str:
    title = escape(paper["title"] or "No title")
    linked = f'<a href="{escape(paper["url"])}">{title}</a>' if paper["url"] else title
    summary = paper["summary"]
    pieces = [f"<article><h2>{number}. {linked}</h2>", f'<p class="where">{escape(_where(paper))}</p>']
    if paper["notices"]:
        pieces.append(f'<p class="notice"><strong>{escape(_notices(paper))}</strong></p>')
    pieces.append(f'<p>{escape(summary["text"])}</p><p class="label">{escape(summary["label"])}</p>')
    if note := _fallback(summary):
        pieces.append(f'<p class="label">{escape(note)}</p>')
    if paper["sections"]:
        inner = "".join(
            "<p>"
            + (f"<strong>{escape(part['label'])}</strong> " if part["label"] else "")
            + f"{escape(part['text'])}</p>"
            for part in paper["sections"]
        )
        pieces.append(f"<details><summary>Abstract</summary>{inner}</details>")
    return "\n".join([*pieces, "</article>"])


def _facts(document: dict[str, Any]) -> str:
    counts, query = document["counts"], document["query"]
    found = "—" if counts["found"] is None else f"{counts['found']:,}"
    tokens = counts["tokens"]
    used = f" Tokens used: {tokens:,}." if tokens is not None else ""
    return (
        f"{counts['papers']} of {found} papers that PubMed reports, newest first. Version {document['version']}, "
        f"{document['generated_at']}. Query: {query['sent']}{used}"
    )


def _where(paper: dict[str, Any]) -> str:
    authors = ", ".join(paper["authors"]) or "No author given"
    pieces = [
        authors,
        paper["journal"] or "",
        paper["date"] or "no date",
        f"PMID {paper['pmid']}" if paper["pmid"] else "",
    ]
    return ". ".join(piece.rstrip(".") for piece in pieces if piece) + "."


def _notices(paper: dict[str, Any]) -> str:
    return "Notices on this paper: " + ", ".join(kind.replace("_", " ") for kind in paper["notices"])


def _fallback(summary: dict[str, Any]) -> str:
    reason = summary["fallback_reason"]
    return f"No AI summary: {reason}" if reason else ""
