"""Writes Markdown: copies of candidate lists, and the pandoc source of the evidence summary.

Every text of a user or a source is escaped (`core.markup`): no sign in it can become a heading, a link, raw HTML or a
citation. Citations are pandoc's (`[@key]`): citeproc numbers them in the order of the text and prints the list of
references, with links, in any CSL style. Give it `formats.csljson.write_csljson(entries, marks_in_title=True)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from litapp.core.formats.csvsafe import Cell, write_csv
from litapp.core.formats.entry import EntryVerdict, ExportEntry, require_distinct_keys
from litapp.core.formats.summary import EvidenceSummary, LeftOutReference, SearchLine
from litapp.core.identifiers import Identifier, Scheme, identifier_url
from litapp.core.markup import escape_markdown, pandoc_markdown, plain_text
from litapp.core.records import Record

__all__ = [
    "CandidateRow",
    "candidates_csv",
    "candidates_markdown",
    "evidence_summary_markdown",
    "markdown_table",
    "reference_list_markdown",
]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate as its list shows it. `marks` are texts such as `[RETRACTED …]`; `found_in` are source names."""

    record: Record
    verdict: str = ""
    marks: tuple[str, ...] = ()
    decision: str = ""
    fit: str = ""
    found_in: tuple[str, ...] = ()


_COLUMNS = (
    "Title",
    "First author",
    "Last author",
    "Year",
    "Journal",
    "PMID",
    "DOI",
    "Verdict",
    "Marks",
    "Fit",
    "Decision",
    "Found in",
)


def _cells(row: CandidateRow) -> list[Cell]:
    record = row.record
    names = [name for person in record.authors if (name := plain_text(person.name))]
    return [
        plain_text(record.title or record.original_title),
        names[0] if names else "",
        names[-1] if len(names) > 1 and record.authors_complete else "",
        record.year,
        plain_text(record.journal or record.journal_abbreviation),
        record.pmid,
        record.doi,
        row.verdict,
        " ".join(row.marks),
        row.fit,
        row.decision,
        ", ".join(row.found_in),
    ]


def candidates_csv(rows: Iterable[CandidateRow]) -> str:
    """Candidates as a CSV table (see `formats.csvsafe`). A last author is named only where the list is whole."""
    return write_csv(_COLUMNS, (_cells(row) for row in rows))


def candidates_markdown(rows: Iterable[CandidateRow]) -> str:
    """Candidates as a Markdown table, PMID and DOI as links."""
    body = []
    for row in rows:
        cells = [escape_markdown("" if cell is None else str(cell)) for cell in _cells(row)]
        cells[5] = _link(Scheme.PMID, row.record.pmid)
        cells[6] = _link(Scheme.DOI, row.record.doi)
        body.append(cells)
    return _table(_COLUMNS, body)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table of plain texts, escaped."""
    return _table([escape_markdown(name) for name in header], ([escape_markdown(cell) for cell in row] for row in rows))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _link(scheme: Scheme, value: str) -> str:
    return f"[{escape_markdown(value)}](<{identifier_url(Identifier(scheme, value))}>)" if value else ""


# --- evidence summary ---

_SANDBOX_TEXT = "SANDBOX DATA: practice records, not the result of a real search. Do not cite from this document."
_GROUPS = (
    (EntryVerdict.VERIFIED, "Verified", "Confirmed by a source."),
    (EntryVerdict.MANUAL, "Checked by hand", "No source confirmed these; a person vouches for them."),
    (EntryVerdict.SUSPECT, "Suspect", "A check found a contradiction. Do not cite before you have looked."),
    (EntryVerdict.UNVERIFIED, "Unverified", "No source has confirmed these. Check them by hand before you cite them."),
)


def evidence_summary_markdown(summary: EvidenceSummary) -> str:
    """The evidence summary as pandoc Markdown with citeproc citations. The same summary gives the same text.

    Raises ValueError when two references share a key.
    """
    parts = [
        f'::: {{custom-style="Title"}}\nEvidence summary: {escape_markdown(summary.project)}\n:::',
        f"Generated {_time(summary.generated_at)} with LitLedger.",
    ]
    if summary.sandbox:
        parts.append(f"**{_SANDBOX_TEXT}**")
    parts += ["# Question", escape_markdown(summary.question) or "No question was given."]
    parts += _pico(summary)
    parts += _search(summary)
    parts += _flow(summary)
    parts += _references(summary.entries, [_left_out(reference) for reference in summary.left_out])
    parts += ["# What this summary does not say", _bullets(escape_markdown(text) for text in summary.disclaimers)]
    return "\n\n".join(part for part in parts if part) + "\n"


def reference_list_markdown(entries: Sequence[ExportEntry], title: str = "References") -> str:
    """References alone, grouped by verdict, as pandoc Markdown with citeproc citations."""
    head = [f'::: {{custom-style="Title"}}\n{escape_markdown(title)}\n:::']
    if any(entry.sandbox for entry in entries):
        head.append(f"**{_SANDBOX_TEXT}**")
    return "\n\n".join([*head, *_references(entries, ())]) + "\n"


def _pico(summary: EvidenceSummary) -> list[str]:
    pico = summary.pico
    rows = [
        (name, value)
        for name, value in (
            ("Population", pico.population),
            ("Intervention", pico.intervention),
            ("Comparison", pico.comparison),
            ("Outcome", pico.outcome),
        )
        if value.strip()
    ]
    return [markdown_table(("PICO", ""), rows).rstrip()] if rows else []


def _search(summary: EvidenceSummary) -> list[str]:
    parts = ["# Search as run"]
    if summary.plan_label:
        parts.append(f"Search plan: {escape_markdown(summary.plan_label)}")
    if summary.filters:
        parts += ["Limits:", _bullets(escape_markdown(text) for text in summary.filters)]
    if not summary.searches:
        return [*parts, "No search was run."]
    rows = [
        (
            f"{line.source}: {line.label}" if line.label else line.source,
            _time(line.ran_at) if line.ran_at else "not sent",
            _reported(line),
            f"{line.fetched:,}",
            f"{line.state}: {line.reason}" if line.reason else line.state,
        )
        for line in summary.searches
    ]
    parts.append(markdown_table(("Source", "Run at", "Records reported", "Records fetched", "State"), rows).rstrip())
    parts.append("The exact query of each source:")
    for line in summary.searches:
        name = f"{line.source}, {line.label}" if line.label else line.source
        parts.append(f"**{escape_markdown(name)}**")
        parts.append(_verbatim(line.query) if line.query.strip() else "No query was sent.")
        if line.notes:
            parts.append(_bullets(escape_markdown(note) for note in line.notes))
    return parts


def _reported(line: SearchLine) -> str:
    if line.reported is None:
        return "not stated"
    return f"{line.reported:,}" if line.exact else f"about {line.reported:,} (no exact count)"


def _flow(summary: EvidenceSummary) -> list[str]:
    counts = summary.counts
    rows = [(f"Records identified: {source}", f"{number:,}") for source, number in counts.identified]
    rows += [
        ("Records identified, all sources", f"{counts.identified_total:,}"),
        ("Duplicate records removed", f"{counts.duplicates_removed:,}"),
        ("Records left to screen", f"{counts.candidates:,}"),
        ("Screened", f"{counts.screened:,}"),
        ("Excluded", f"{counts.excluded:,}"),
    ]
    rows += [(f"Excluded: {reason}", f"{number:,}") for reason, number in counts.excluded_reasons]
    rows += [
        ("Maybe (no decision yet for or against)", f"{counts.maybe:,}"),
        ("Not yet screened", f"{counts.not_yet_screened:,}"),
        ("Included", f"{counts.included:,}"),
    ]
    return ["# Flow of records", markdown_table(("Step", "Records"), rows).rstrip()]


def _references(entries: Sequence[ExportEntry], left_out: Sequence[str]) -> list[str]:
    require_distinct_keys([entry.key for entry in entries])
    parts = ["# References by verdict"]
    if not entries:
        parts.append("No reference is in this export.")
    for verdict, heading, meaning in _GROUPS:
        group = [entry for entry in entries if entry.verdict is verdict]
        if group:
            parts += [f"## {heading} ({len(group)})", meaning, _bullets(_reference_line(entry) for entry in group)]
    if left_out:
        parts += [f"## Left out of this export ({len(left_out)})", _bullets(left_out)]
    if entries:
        parts += ["# Reference list", "::: {#refs}\n:::"]
    return parts


def _reference_line(entry: ExportEntry) -> str:
    """Title, marks, citation and who confirmed it."""
    title = pandoc_markdown(entry.title) or "No title"
    marks = "".join(f" **{escape_markdown(mark)}**" for mark in entry.marks)
    line = f"{title}{marks} {_citation(entry.key)}."
    if entry.verdict is EntryVerdict.VERIFIED:
        line += f" Confirmed by {escape_markdown(' + '.join(entry.verified_by))}"
        line += f", {entry.verified_on.isoformat()}." if entry.verified_on else "."
    elif entry.verdict_note.strip():
        line += f" {escape_markdown(entry.verdict_note.strip().rstrip('.'))}."
    if entry.found_in:
        line += f" Found in {escape_markdown(', '.join(entry.found_in))}."
    return line


def _left_out(reference: LeftOutReference) -> str:
    title = pandoc_markdown(reference.title) or "No title"
    return f"{title} ({escape_markdown(reference.key)}): {escape_markdown(reference.why)}"


def _citation(key: str) -> str:
    """Braces keep a full stop or colon at the end of a key in the key."""
    return f"[@{{{key}}}]"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _verbatim(text: str) -> str:
    """A code block that holds `text` exactly, whatever backticks are in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", re.sub(r"\r\n?", "\n", text))
    return f"{fence}\n{lines}\n{fence}"


def _time(moment: datetime) -> str:
    """Date and time to the minute with the time zone's name."""
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()
