"""Writes CSL JSON, the form that pandoc's citeproc and Zotero read."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from litapp.core.cited_names import cited_authors
from litapp.core.formats.entry import ExportEntry, require_distinct_keys
from litapp.core.identifiers import Scheme
from litapp.core.markup import BOLD, ITALIC, SUB, SUP, plain_text, runs
from litapp.core.records import PartialDate, Person

__all__ = ["to_csl", "write_csljson"]


def to_csl(entry: ExportEntry, *, marks_in_title: bool = False) -> dict[str, Any]:
    """One CSL item: `id` is the citation key, `note` carries marks and reason, empty fields are left out.

    With `marks_in_title` the marks also stand after the title, for printed reference lists: styles print titles, but
    few print notes.
    """
    record = entry.record
    arxiv = record.identifier(Scheme.ARXIV)
    title = csl_markup(entry.title)
    if marks_in_title and entry.marks:
        shown = " ".join(csl_markup(mark) for mark in entry.marks)
        title = f'{title} <span class="nocase">{shown}</span>'.strip()
    item = {
        "id": entry.key,
        "type": "article" if record.is_preprint else record.csl_type or "document",
        "title": title,
        "author": [name for person in cited_authors(record) if (name := _author(person))],
        "container-title": plain_text(record.journal),
        "container-title-short": plain_text(record.journal_abbreviation),
        "publisher": plain_text(record.publisher),
        "volume": plain_text(record.volume),
        "issue": plain_text(record.issue),
        "page": re.sub(r"[\u2010-\u2015\u2212]", "-", plain_text(record.pages)),
        "issued": _issued(record.date),
        "ISSN": ", ".join(record.issns),
        "ISBN": record.identifier(Scheme.ISBN),
        "DOI": record.doi,
        "PMID": record.pmid,
        "PMCID": record.identifier(Scheme.PMCID),
        "archive": "arXiv" if arxiv else "",
        "archive_location": arxiv,
        "URL": record.url,
        "language": record.languages[0] if len(record.languages) == 1 else "",
        "note": entry.note,
    }
    return {name: value for name, value in item.items() if value}


def write_csljson(entries: Sequence[ExportEntry], *, marks_in_title: bool = False) -> str:
    """A JSON list of CSL items in the order given. Raises ValueError for a repeated key."""
    require_distinct_keys([entry.key for entry in entries])
    items = [to_csl(entry, marks_in_title=marks_in_title) for entry in entries]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def csl_markup(text: str) -> str:
    """Text with CSL's own rich-text tags (i, b, sub, sup); all other text is as it is (CSL JSON has no escapes)."""
    out = []
    for run in runs(text):
        shown = run.text
        for style in (SUP, SUB, BOLD, ITALIC):
            if style in run.styles:
                shown = f"<{style}>{shown}</{style}>"
        out.append(shown)
    return "".join(out)


def _author(person: Person) -> dict[str, str]:
    if not person.family:
        whole = plain_text(person.literal or person.given)
        return {"literal": whole} if whole else {}
    parts = {"family": person.family, "given": person.given, "suffix": person.suffix}
    return {name: plain_text(value) for name, value in parts.items() if value}


def _issued(date: PartialDate) -> dict[str, Any]:
    if date.year is None:
        return {"literal": date.text} if date.text else {}
    parts = [date.year]
    if date.month is not None:
        parts.append(date.month)
        if date.day is not None:
            parts.append(date.day)
    return {"date-parts": [parts]}
