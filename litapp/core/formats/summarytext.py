"""The evidence summary as pandoc Markdown, the one source of every document that is made of it.

Every text of a user or a source is escaped (`core.markup`): no sign in it can become a heading, a link, raw HTML or a
citation. In the text a reference is its number, a link to its entry; numbers follow the text. In the list of references
each entry holds pandoc's citation (`[@key]`), which is replaced by the reference as the chosen style prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from litapp.core.formats.entry import NOT_CITABLE_STATES, EntryVerdict, ExportEntry, require_distinct_keys
from litapp.core.formats.markdown import markdown_table
from litapp.core.formats.matrixtable import MatrixTable, citation_link, matrix_markdown, quotes_markdown
from litapp.core.formats.summary import EvidenceSummary, FindingTopic, LeftOutReference, SearchLine, Transparency
from litapp.core.markup import escape_markdown, pandoc_markdown, plain_text
from litapp.core.matrix.claims import KEY, cited_keys

__all__ = [
    "LIST_HEADING",
    "REFERENCES_HEADING",
    "evidence_summary_markdown",
    "matrix_document_markdown",
    "numbers_of",
    "reference_groups",
    "reference_list_markdown",
]
REFERENCES_HEADING = "References"
LIST_HEADING = "Reference list"
MATRIX_HEADING = "Literature matrix"
FLOW_HEADING = "Flow of records"
_SANDBOX_TEXT = "SANDBOX DATA: practice records, not the result of a real search. Do not cite from this document."
_RETRACTED = ("Retracted or withdrawn", "Their sources took these back, wholly or partly. Do not cite them as sound.")
_GROUPS = (
    (EntryVerdict.VERIFIED, "Verified", "Confirmed by a source."),
    (EntryVerdict.MANUAL, "Checked by hand", "No source confirmed these; a person vouches for them."),
    (EntryVerdict.SUSPECT, "Suspect", "A check found a contradiction. Do not cite before you have looked."),
    (EntryVerdict.UNVERIFIED, "Unverified", "No source has confirmed these. Check them by hand before you cite them."),
)


@dataclass(frozen=True, slots=True)
class _Citing:
    """How the text cites: by number, with the mark of what was taken back or is not confirmed right behind it."""

    numbers: Mapping[str, int]
    marks: Mapping[str, str]

    def link(self, keys: Sequence[str]) -> str:
        """The numbers as links, then the marks."""
        marks = dict.fromkeys(self.marks[key] for key in keys if self.marks.get(key))
        return citation_link(keys, self.numbers) + "".join(f" **{escape_markdown(mark)}**" for mark in marks)


_CITED = re.compile(rf"\[\s*{KEY}(?:\s*[;,]\s*{KEY})*\s*\]")


def reference_groups(entries: Sequence[ExportEntry]) -> list[tuple[str, str, list[ExportEntry]]]:
    """(heading, meaning, entries): what was retracted or withdrawn first, whatever its verdict; then by verdict."""
    retracted = [entry for entry in entries if entry.status in NOT_CITABLE_STATES]
    groups = [(*_RETRACTED, retracted)]
    groups += [
        (heading, meaning, [e for e in entries if e.verdict is verdict and e.status not in NOT_CITABLE_STATES])
        for verdict, heading, meaning in _GROUPS
    ]
    return [group for group in groups if group[2]]


def numbers_of(summary: EvidenceSummary) -> dict[str, int]:
    """Key -> number: in the order in which the text cites, then those that it does not cite, by their groups."""
    known = {entry.key for entry in summary.entries}
    order: list[str] = []
    for topic in summary.topics:
        order += [quote.key for quote in topic.quotes]
        order += cited_keys(topic.text)
    order += summary.guidelines
    order += cited_keys(summary.limitations_text)
    order += [entry.key for _, _, group in reference_groups(summary.entries) for entry in group]
    cited = [key for key in dict.fromkeys(order) if key in known]
    return {key: number for number, key in enumerate(cited, start=1)}


def evidence_summary_markdown(summary: EvidenceSummary) -> str:
    """The evidence summary as pandoc Markdown. The same summary gives the same text.

    Raises ValueError when two references share a key.
    """
    numbers = numbers_of(summary)
    marks = {
        entry.key: " ".join(mark for mark in (entry.status_mark, entry.verdict_mark) if mark)
        for entry in summary.entries
    }
    citing = _Citing(numbers, marks)
    parts = _head(f"Evidence summary: {escape_markdown(summary.project)}", summary)
    if summary.transparency:
        parts.append(
            f"**{escape_markdown(summary.transparency.kind)}.** {escape_markdown(summary.transparency.kind_text)}"
        )
    parts += ["# Question", escape_markdown(summary.question) or "No question was given."]
    parts += _pico(summary)
    parts += _search(summary)
    parts += _flow(summary)
    parts += _findings(summary.topics, citing)
    parts += _guidelines(summary, citing)
    if summary.matrix is not None:
        parts += _matrix(summary.matrix, numbers)
    parts += _limitations(summary, citing)
    parts += _references(summary.entries, numbers, [_left_out(reference) for reference in summary.left_out])
    parts += _verification(summary.entries, numbers)
    if summary.transparency:
        parts += _transparency(summary.transparency)
    parts += ["# What this summary does not say", _bullets(escape_markdown(text) for text in summary.disclaimers)]
    return "\n\n".join(part for part in parts if part) + "\n"


def matrix_document_markdown(summary: EvidenceSummary) -> str:
    """The literature matrix as a document of its own: the table, the quotes behind it, the references."""
    numbers = numbers_of(summary)
    parts = _head(f"Literature matrix: {escape_markdown(summary.project)}", summary)
    parts += _matrix(summary.matrix or MatrixTable(), numbers)
    parts += _references(summary.entries, numbers, [_left_out(reference) for reference in summary.left_out])
    return "\n\n".join(part for part in parts if part) + "\n"


def reference_list_markdown(entries: Sequence[ExportEntry], title: str = "References") -> str:
    """References alone, in their groups, as pandoc Markdown with citeproc citations."""
    head = [f'::: {{custom-style="Title"}}\n{escape_markdown(title)}\n:::']
    if any(entry.sandbox for entry in entries):
        head.append(f"**{_SANDBOX_TEXT}**")
    order = [entry.key for _, _, group in reference_groups(entries) for entry in group]
    return "\n\n".join([*head, *_references(entries, {key: n for n, key in enumerate(order, 1)}, ())]) + "\n"


def _head(title: str, summary: EvidenceSummary) -> list[str]:
    parts = [
        f'::: {{custom-style="Title"}}\n{title}\n:::',
        f"Generated {_time(summary.generated_at)} with LitLedger.",
    ]
    if summary.sandbox:
        parts.append(f"**{_SANDBOX_TEXT}**")
    if summary.overrides:
        parts.append("**CHECKS BEFORE THIS OUTPUT DID NOT ALL PASS.** A person let it go out all the same:")
        parts.append(_bullets(escape_markdown(line) for line in summary.overrides))
    return parts


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
    flow = summary.flow
    table = _wide_table(("Part", "Step", "Number"), (30, 50, 20), flow.rows)
    return [f"# {FLOW_HEADING}", table, _bullets(escape_markdown(note) for note in flow.notes)]


def _findings(topics: Sequence[FindingTopic], citing: _Citing) -> list[str]:
    if not topics:
        return []
    parts = ["# Findings by topic"]
    for topic in topics:
        parts.append(f"## {escape_markdown(topic.title) or 'Topic'}")
        quotes = [
            f"\u201c{' '.join(pandoc_markdown(one.quote).split())}\u201d {citing.link([one.key])}"
            + (f" ({escape_markdown(one.where)})" if one.where else "")
            for one in topic.quotes
            if one.key in citing.numbers
        ]
        if quotes:
            parts.append(_bullets(quotes))
        if topic.drafted_by:
            parts.append(f"*AI draft: {escape_markdown(topic.drafted_by)}; check against the abstracts.*")
        parts += _own_text(topic.text, citing)
        if not quotes and not topic.text.strip():
            parts.append("Nothing is told under this topic yet.")
    return parts


def _own_text(text: str, citing: _Citing) -> list[str]:
    """A person's text: paragraphs and bullets ("- "), everything else escaped, citations as numbers."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines and all(line.startswith(("- ", "* ", "• ")) for line in lines):
            parts.append(_bullets(_cited_line(line[2:], citing) for line in lines))
        elif lines:
            parts.append(_cited_line(" ".join(lines), citing))
    return parts


def _cited_line(line: str, citing: _Citing) -> str:
    """Escaped text with its citations as links; a key that is not in the list stays as it was written."""
    out, position = "", 0
    for found in _CITED.finditer(line):
        keys = cited_keys(found[0])
        if all(key in citing.numbers for key in keys):
            out += _joined(line[position : found.start()], out) + citing.link(keys)
            position = found.end()
    return out + _joined(line[position:], out)


def _joined(text: str, before: str) -> str:
    """Escaped, with the blanks at both ends kept, which escaping trims."""
    if not text.strip():
        return " " if text and before else ""
    lead = " " if before and text[0].isspace() else ""
    shown = escape_markdown(text if not before else f"x{text.strip()}")
    return lead + (shown.removeprefix("x") if before else shown) + (" " if text[-1].isspace() else "")


def _guidelines(summary: EvidenceSummary, citing: _Citing) -> list[str]:
    if summary.matrix is None and not summary.guidelines:
        return []
    titles = {entry.key: entry.title for entry in summary.entries}
    parts = ["# Guidelines found"]
    found = [
        f"{pandoc_markdown(titles[key]) or 'No title'} {citing.link([key])}"
        for key in summary.guidelines
        if key in citing.numbers
    ]
    return [*parts, _bullets(found) if found else "None of the references is called a guideline by its sources."]


def _matrix(table: MatrixTable, numbers: Mapping[str, int]) -> list[str]:
    parts = [f"# {MATRIX_HEADING}"]
    if table.basis_text:
        parts.append(f"The references rest on: {escape_markdown(table.basis_text)}.")
    parts += [
        "*not reported*: somebody looked, and it is not said. \u2014: nobody has looked.",
        *matrix_markdown(table, numbers),
        "## Words behind the matrix",
        *quotes_markdown(table, numbers),
    ]
    return parts


def _limitations(summary: EvidenceSummary, citing: _Citing) -> list[str]:
    own = _own_text(summary.limitations_text, citing)
    told = [_bullets(escape_markdown(line) for line in summary.limitations)] if summary.limitations else []
    return ["# Limitations", *own, *told] if own or told else []


def _references(entries: Sequence[ExportEntry], numbers: Mapping[str, int], left_out: Sequence[str]) -> list[str]:
    require_distinct_keys([entry.key for entry in entries])
    parts = [f"# {REFERENCES_HEADING}"]
    if not entries:
        parts.append("No reference is in this export.")
    for heading, meaning, group in reference_groups(entries):
        lines = [_reference_line(entry) for entry in sorted(group, key=lambda entry: numbers[entry.key])]
        parts += [f"## {heading} ({len(group)})", meaning, _bullets(lines)]
    if left_out:
        parts += [f"## Left out of this export ({len(left_out)})", _bullets(left_out)]
    if entries:
        parts += [f"# {LIST_HEADING}", "::: {#refs}\n:::"]
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


def _verification(entries: Sequence[ExportEntry], numbers: Mapping[str, int]) -> list[str]:
    if not entries:
        return []
    rows = []
    for entry in sorted(entries, key=lambda one: numbers[one.key]):
        verified = entry.verdict is EntryVerdict.VERIFIED
        rows.append(
            (
                str(numbers[entry.key]),
                entry.key,
                entry.verdict.value,
                " + ".join(entry.verified_by) if verified else "",
                entry.verified_on.isoformat() if verified and entry.verified_on else "",
                plain_text(" ".join(part for part in (entry.status_mark, entry.verdict_note) if part)),
            )
        )
    head = ("No.", "Key", "Verdict", "Confirmed by", "On", "Notice, reason")
    return ["# Verification", _wide_table(head, (6, 26, 14, 20, 16, 26), rows)]


def _wide_table(head: Sequence[str], widths: Sequence[int], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns share the page as `widths` says, whatever is in them."""
    lines = [markdown_table(head, ()).splitlines()[0], "|" + "|".join("-" * width for width in widths) + "|"]
    return "\n".join(lines + markdown_table(head, rows).splitlines()[2:])


def _transparency(told: Transparency) -> list[str]:
    parts = ["# How this summary was made", f"Kind: {escape_markdown(told.kind)}. {escape_markdown(told.kind_text)}"]
    if told.steps:
        parts.append(markdown_table(("Step of a systematic review", "Done"), told.steps).rstrip())
    return [*parts, _bullets(escape_markdown(line) for line in told.statements)]


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


def _time(moment: datetime | date) -> str:
    """Date and time to the minute with the time zone's name; a day alone where only that is known."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()
