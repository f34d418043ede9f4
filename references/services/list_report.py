"""The report on a checked list: counts by verdict and kind, each finding with its evidence; Markdown, Word, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from litapp.core.markup import escape_markdown, plain_text
from litapp.core.records import Record, record_to_dict
from litapp.verification.findings import Finding
from litapp.verification.presentation import FIELD_LABELS, RULE_QUESTIONS, source_label
from references.models import ReferenceListCheck
from references.services.list_checks import is_sandbox_list
from references.services.list_rows import VERDICT_WORDS, ListRow, rows_of
from references.services.pandoc import read_markdown, run_pandoc, write_docx
from references.services.word_template import word_template

SANDBOX = "SANDBOX DATA: nothing of this is true of the literature. Do not cite."
SHOWN_TEXT = 600
"""Characters of an entry's own text in the report; the whole stands in the list."""
_TOLD = ("identity", "retracted", "details", "unreadable", "unverified", "manual")
"""Groups whose entries are told one by one; verified ones are listed in a line each."""


def all_rows(list_check: ReferenceListCheck) -> list[ListRow]:
    """Every piece of the list, worst first, stray pieces last."""
    return rows_of(
        list_check.entries.worst_first().select_related("verification__manual_by", "verification", "duplicate_of")
    )


def checked_at(list_check: ReferenceListCheck, rows: Iterable[ListRow]) -> datetime:
    """When anything that the report shows changed last; the list's beginning if nothing was checked."""
    moments = [moment for row in rows if row.verification for moment in
               (row.verification.checked_at, row.verification.manual_at) if moment]  # fmt: skip
    return max([*moments, list_check.created_at]).astimezone(UTC)


def report_markdown(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> str:
    """The report as Markdown. Equal state gives equal text."""
    counts = list_check.entries.counts()
    lines = [f"# Reference check: {escape_markdown(list_check.title)}", ""]
    if is_sandbox_list(list_check):
        lines += [f"**{SANDBOX}**", ""]
    lines += [f"State at {checked_at(list_check, rows):%Y-%m-%d %H:%M} UTC. Made with LitLedger.", ""]
    lines += ["| Verdict | Entries |", "|---|---:|"]
    lines += [f"| {VERDICT_WORDS[name]} | {counts[name]} |" for name in VERDICT_WORDS if name != "other"]
    lines += [f"| **All entries** | **{counts['all']}** |", ""]
    if counts["other"]:
        lines += [f"{counts['other']} further pieces of the text are no references; they are named at the end.", ""]
    lines += [f"{escape_markdown(note)}\n" for note in list_check.notes]
    for name in _TOLD:
        told = [row for row in rows if (row.group == name or (name == "retracted" and _is_retracted(row)))]
        told = [row for row in told if name == "retracted" or not _is_retracted(row)]
        if told:
            lines += [f"## {VERDICT_WORDS[name]} ({len(told)})", ""]
            lines += [line for row in told for line in _finding_lines(row)]
    verified = [row for row in rows if row.group == "verified" and not _is_retracted(row)]
    if verified:
        lines += [f"## Verified ({len(verified)})", "", *[_verified_line(row) for row in verified], ""]
    unchecked = [row for row in rows if row.group == "checking"]
    if unchecked:
        lines += [f"## Not checked yet ({len(unchecked)})", "", *[f"- {_name(row)}" for row in unchecked], ""]
    stray = [row for row in rows if row.group == "other"]
    if stray:
        lines += [f"## Not references ({len(stray)})", ""]
        lines += [
            f"- {_lines_of(row)}: {escape_markdown(_short(row.entry.text, 160))} — {row.reasons[0]}" for row in stray
        ]
    return "\n".join(lines).rstrip() + "\n"


def _is_retracted(row: ListRow) -> bool:
    return row.finding is not None and row.finding.state in ("retracted", "partly_retracted", "withdrawn", "concern")


def _finding_lines(row: ListRow) -> Iterator[str]:
    """One entry: what was brought, why the verdict, right values, nearest papers, checks."""
    yield f"### {_name(row, words=False)}"
    yield ""
    yield f"> {escape_markdown(_short(row.entry.text))}"
    yield ""
    finding = row.finding
    if finding is not None and finding.state:
        where = finding.notice_doi or (f"PMID {finding.notice_pmid}" if finding.notice_pmid else "")
        told = ", ".join(
            part for part in (finding.state_label, finding.state_date, where and f"notice {where}") if part
        )
        yield f"- **{escape_markdown(told)}**"
    for reason in row.reasons:
        yield f"- {escape_markdown(reason)}"
    if finding is not None:
        yield from _evidence_lines(row, finding)
    yield ""


def _evidence_lines(row: ListRow, finding: Finding) -> Iterator[str]:
    for correction in finding.corrections:
        name = FIELD_LABELS.get(correction.field, correction.field)
        yield (
            f"- {name}: written “{escape_markdown(plain_text(correction.ours))}”, "
            f"{correction.source_label} has “**{escape_markdown(plain_text(correction.theirs))}**”"
        )
    for number, suggestion in enumerate(finding.suggestions, start=1):
        yield f"- Did you mean ({number}): {escape_markdown(_paper(suggestion.record))} ({suggestion.source_label})"
    if row.entry.duplicate_of is not None:
        yield f"- Repeats entry {row.entry.duplicate_of.number}"
    if finding.matched is not None and finding.matched.published_as:
        named = ", ".join(f"{i.scheme.value.upper()} {i.value}" for i in finding.matched.published_as)
        yield f"- A preprint; published as {escape_markdown(named)}"
    for check in finding.checks:
        asked = f", {check.asked_at:%Y-%m-%d}" if check.asked_at else ""
        question = RULE_QUESTIONS.get(check.rule, check.rule.replace("_", " "))
        answers = f", answers {', '.join(map(str, check.answer_ids))}" if check.answer_ids else ""
        yield f"- Check: {question}; {check.source_label}{asked}: {check.outcome}{answers}"
    for source, why in finding.unanswered:
        yield f"- {source_label(source)} could not be asked: {escape_markdown(why)}"


def _verified_line(row: ListRow) -> str:
    again = f" (repeats entry {row.entry.duplicate_of.number})" if row.entry.duplicate_of is not None else ""
    by = ", ".join(source_label(name) for name in (row.finding.verified_by if row.finding else ()))
    return f"- {_name(row)} — confirmed by {by}{again}"


def _name(row: ListRow, *, words: bool = True) -> str:
    label = f" [{row.entry.label}]" if row.entry.label and row.entry.label != str(row.entry.number) else ""
    told = _paper(row.paper) if row.paper is not None and row.paper.title else _short(row.entry.text, 160)
    name = f"Entry {row.entry.number}{label}, {_lines_of(row)}"
    return f"{escape_markdown(name)}: {escape_markdown(told)}" if words else escape_markdown(name)


def _lines_of(row: ListRow) -> str:
    first, last = row.entry.first_line, row.entry.last_line
    if not first:
        return f"record {row.entry.number}"
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _paper(record: Record) -> str:
    """Authors, title, journal, year and identifier, on one line."""
    people = [person.literal or person.family for person in record.authors[:3]]
    names = ", ".join(people) + (", et al." if len(record.authors) > 3 else "")
    where = " ".join(part for part in (record.journal, str(record.year or "")) if part)
    number = f"doi:{record.doi}" if record.doi else f"PMID {record.pmid}" if record.pmid else ""
    return ". ".join(part.rstrip(".") for part in (names, plain_text(record.title), where, number) if part)


def _short(text: str, most: int = SHOWN_TEXT) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def report_docx(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> bytes:
    """The report as a Word file. Raises the errors of `pandoc`."""
    blocks = read_markdown(report_markdown(list_check, rows))
    footer = "LitLedger reference check" + (" · SANDBOX DATA, do not cite" if is_sandbox_list(list_check) else "")
    meta = {"lang": {"t": "MetaString", "c": "en"}}
    return write_docx(blocks, meta, template=word_template(footer), epoch=checked_at(list_check, rows))


def checked_markdown(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> str:
    """The list itself in its own order, every entry with its verdict in front."""
    lines = [f"# {escape_markdown(list_check.title)}, checked", ""]
    if is_sandbox_list(list_check):
        lines += [f"**{SANDBOX}**", ""]
    ordered = sorted((row for row in rows if row.group != "other"), key=lambda row: row.entry.number)
    for row in ordered:
        verdict = VERDICT_WORDS[row.group]
        state = f"{row.finding.state_label.upper()}. " if row.finding is not None and row.finding.state else ""
        paper = row.finding.matched if row.finding is not None and row.group == "verified" else None
        text = _paper(paper) if paper is not None else _short(row.entry.text, 4_000)
        lines.append(f"{row.entry.number}. **[{escape_markdown(state + verdict)}]** {escape_markdown(text)}")
        if row.group not in ("verified", "checking") and row.reasons:
            lines += ["", f"    {escape_markdown(' '.join(row.reasons))}", ""]
    return "\n".join(lines) + "\n"


def checked_docx(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> bytes:
    """The checked list as a Word file. Raises the errors of `pandoc`."""
    blocks = read_markdown(checked_markdown(list_check, rows))
    footer = "LitLedger checked references" + (" · SANDBOX DATA, do not cite" if is_sandbox_list(list_check) else "")
    meta = {"lang": {"t": "MetaString", "c": "en"}}
    return write_docx(blocks, meta, template=word_template(footer), epoch=checked_at(list_check, rows))


def plain_report(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> bytes:
    """The report as Markdown that any reader shows, without pandoc's escapes. Raises the errors of `pandoc`."""
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": read_markdown(report_markdown(list_check, rows))}
    writer = ["-f", "json", "-t", "gfm-raw_html-tex_math_dollars-tex_math_gfm", "--wrap=none"]
    return run_pandoc(writer, json.dumps(tree, ensure_ascii=False).encode())


def report_json(list_check: ReferenceListCheck, rows: Sequence[ListRow]) -> dict[str, Any]:
    """Everything for programs. `schema` "litledger.list-check.v1"; entries in the list's order."""
    ordered = sorted(rows, key=lambda row: row.entry.place)
    return {
        "schema": "litledger.list-check.v1",
        "title": list_check.title,
        "file": list_check.file_name,
        "format": list_check.format,
        "encoding": list_check.encoding,
        "sandbox": is_sandbox_list(list_check),
        "checked": checked_at(list_check, rows).isoformat(),
        "notes": list(list_check.notes),
        "counts": list_check.entries.counts(),
        "entries": [_json_entry(row) for row in ordered if row.group != "other"],
        "not_references": [
            {"lines": [row.entry.first_line, row.entry.last_line], "text": row.entry.text, "why": row.reasons[0]}
            for row in ordered
            if row.group == "other"
        ],
    }


def _json_entry(row: ListRow) -> dict[str, Any]:
    entry, finding = row.entry, row.finding
    told: dict[str, Any] = {
        "number": entry.number,
        "label": entry.label,
        "lines": [entry.first_line, entry.last_line],
        "text": entry.text,
        "verdict": row.verdict,
        "kind": finding.kind if finding else "",
        "reasons": list(row.reasons),
        "duplicate_of": entry.duplicate_of.number if entry.duplicate_of is not None else None,
    }
    if finding is not None:
        told |= {
            "wrong": list(finding.wrong),
            "corrections": [
                {"field": c.field, "written": c.ours, "right": c.theirs, "source": c.source}
                for c in finding.corrections
            ],
            "status": finding.state,
            "status_date": finding.state_date,
            "notice": finding.notice_doi or finding.notice_pmid,
            "status_asked_of": list(finding.state_asked_of),
            "verified_by": list(finding.verified_by),
            "matched": _facts(finding.matched),
            "did_you_mean": [{"source": s.source, "record": _facts(s.record)} for s in finding.suggestions],
            "checks": [
                {
                    "rule": c.rule,
                    "source": c.source,
                    "outcome": c.outcome,
                    "reason": c.reason,
                    "answers": list(c.answer_ids),
                }
                for c in finding.checks
            ],
            "unanswered": dict(finding.unanswered),
        }
    return told


def _facts(record: Record | None) -> dict[str, Any] | None:
    """A record without abstract and headings."""
    if record is None:
        return None
    left = ("abstract", "mesh", "keywords", "warnings", "comments")
    return {name: value for name, value in record_to_dict(record).items() if name not in left}
