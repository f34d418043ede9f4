"""Records as text for the command line: Markdown to read, BibTeX and JSON to go on with."""

from __future__ import annotations

import json
from collections.abc import Sequence

from django.conf import settings

from litapp.core.citations import assign_citation_keys
from litapp.core.formats.bibtex import write_bibtex
from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.identifiers import identifier_url
from litapp.core.markup import escape_markdown, plain_text
from litapp.core.records import Record, Scheme, record_to_dict
from litapp.core.verification import Status, Verdict

FORMATS = ("md", "bib", "json")
NAMED_AUTHORS = 6
_LINKED = (Scheme.PMID, Scheme.DOI, Scheme.PMCID, Scheme.ARXIV)


def print_records(
    records: Sequence[Record], answer_ids: Sequence[int], form: str, verdicts: Sequence[Verdict | None] = ()
) -> str:
    """The records in one of FORMATS. Without a verdict a record is unverified, and BibTeX says so in its entry."""
    if form == "json":
        rows = [
            {**record_to_dict(record), "answer": answer} for record, answer in zip(records, answer_ids, strict=True)
        ]
        return json.dumps({"sandbox": bool(settings.SANDBOX_URL), "records": rows}, ensure_ascii=False, indent=2)
    if form == "bib":
        keys = assign_citation_keys(records, frozenset())
        known = [*verdicts, *[None] * (len(records) - len(verdicts))]
        entries = [_entry(record, key, verdict) for record, key, verdict in zip(records, keys, known, strict=True)]
        return write_bibtex(entries).rstrip("\n")
    head = ["**Sandbox data, not from a real source.**"] if settings.SANDBOX_URL else []
    return "\n\n".join([*head, *(markdown_record(record, number) for number, record in enumerate(records, start=1))])


def _entry(record: Record, key: str, verdict: Verdict | None) -> ExportEntry:
    said = verdict or Verdict(Status.UNVERIFIED)
    return ExportEntry(
        record,
        key,
        verdict=EntryVerdict(said.status.value),
        verified_by=said.verified_by,
        verified_on=said.verified_on.date() if said.verified_on else None,
        found_in=(record.source,),
        sandbox=bool(settings.SANDBOX_URL),
    )


def markdown_record(record: Record, number: int) -> str:
    """One record as a numbered Markdown paragraph with its identifiers as links and its abstract."""
    authors = "; ".join(person.name for person in record.authors[:NAMED_AUTHORS])
    if len(record.authors) > NAMED_AUTHORS or not record.authors_complete:
        authors += "; et al."
    place = [record.journal or record.journal_abbreviation, str(record.year or ""), _volume(record)]
    links = [
        f"{scheme.value.upper()} [{value}]({identifier_url(one)})"
        for scheme in _LINKED
        for one in record.identifiers
        if one.scheme is scheme and (value := one.value)
    ]
    lines = [f"## {number}. {escape_markdown(plain_text(record.title))}"]
    lines += [_marks(record)] if _marks(record) else []
    lines += [escape_markdown(text) for text in (authors, ". ".join(part for part in place if part)) if text]
    lines += [" · ".join(links)] if links else []
    lines += [f"Source: {record.source} {escape_markdown(record.source_id)}"]
    lines += [
        f"**{escape_markdown(part.label)}.** {escape_markdown(plain_text(part.text))}"
        if part.label
        else escape_markdown(plain_text(part.text))
        for part in record.abstract
    ]
    return "\n\n".join(lines)


def _volume(record: Record) -> str:
    issue = f"({record.issue})" if record.issue else ""
    pages = f":{record.pages}" if record.pages else ""
    return f"{record.volume}{issue}{pages}"


def _marks(record: Record) -> str:
    """The notices that the source itself states."""
    if record.is_notice:
        return ""
    return " ".join(
        f"**{notice.kind.value.replace('_', ' ')} {notice.date}**".replace(" **", "**") for notice in record.notices
    )


def verdict_line(verdict: Verdict) -> str:
    """One line of a verdict: the word, who confirmed it, and the reasons."""
    parts = [f"Verdict: {verdict.status.value} ({verdict.passed} of {verdict.total} checks passed)"]
    if verdict.verified_by:
        parts.append(f"confirmed by {' + '.join(verdict.verified_by)}")
    return " ".join(["; ".join(parts) + ".", *verdict.reasons])
