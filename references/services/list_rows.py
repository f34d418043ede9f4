"""A checked list as pages, files and reports tell it: each entry with its verdict, its findings and its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.records import PartialDate, Record, Scheme
from litapp.core.verification.status import PublicationState
from litapp.projects.people import name_of
from litapp.verification.findings import Finding, findings_of
from litapp.verification.models import Verification
from litapp.verification.presentation import FIELD_LABELS, source_label
from references.models import EntryKind, ListEntry

VERDICT_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "identity": "Suspect: no such paper, or another one",
        "details": "Suspect: details are wrong",
        "retracted": "Retracted, withdrawn or of concern",
        "unverified": "Unverified",
        "unreadable": "Could not be read",
        "manual": "Confirmed by a person",
        "verified": "Verified",
        "checking": "Not checked yet",
        "duplicate": "Repeated in the list",
        "other": "Not a reference",
    }
)
"""The filters of `models_lists.FILTERS` in words, worst first."""
NOT_READ = "This entry could not be read."


@dataclass(frozen=True, slots=True)
class ListRow:
    """One entry with everything to be said of it. `verdict` is verified, suspect, unverified, manual, unreadable, other
    or checking; `group` the filter of the list that shows it."""

    entry: ListEntry
    finding: Finding | None
    verdict: str
    group: str
    reasons: tuple[str, ...]

    @property
    def verification(self) -> Verification | None:
        return self.entry.verification

    @property
    def paper(self) -> Record | None:
        """The record to show: what was read of the entry, or where only a text was brought and the paper was found,
        the source's."""
        if self.finding is None:
            return None
        record = self.finding.record
        return record if record.title or self.finding.matched is None else self.finding.matched

    @property
    def wrong_names(self) -> str:
        return ", ".join(FIELD_LABELS.get(name, name).lower() for name in (self.finding.wrong if self.finding else ()))


def rows_of(entries: Iterable[ListEntry]) -> list[ListRow]:
    """The rows in the order given; the entries need their verification (with `manual_by`) and `duplicate_of` joined."""
    listed = list(entries)
    found = {f.verification_id: f for f in findings_of([e.verification for e in listed if e.verification is not None])}
    return [_row(entry, found.get(entry.verification_id or 0)) for entry in listed]


def _row(entry: ListEntry, finding: Finding | None) -> ListRow:
    if finding is None:
        verdict = "other" if entry.kind == EntryKind.OTHER else "unreadable"
        return ListRow(entry, None, verdict, verdict, (entry.problem or NOT_READ,))
    if not finding.finished and finding.verdict != "manual":
        return ListRow(entry, finding, "checking", "checking", ())
    group = finding.verdict if finding.verdict != "suspect" else finding.kind or "details"
    return ListRow(entry, finding, finding.verdict, group, finding.reasons)


def export_entry(row: ListRow, key: str, *, sandbox: bool) -> ExportEntry:
    """The entry under a citation key, for a file. A verified one is the source's record; any other stands as it was
    brought, with its mark and the reason; a text without fields stands in the title."""
    finding, verification = row.finding, row.verification
    record = exported_record(row)
    if finding is None or verification is None:
        return ExportEntry(record, key, EntryVerdict.UNVERIFIED, verdict_note=" ".join(row.reasons), sandbox=sandbox)
    confirmed = finding.verdict == "verified" and bool(finding.verified_by) and finding.finished
    note = " ".join(finding.reasons) if finding.finished else "not checked yet"
    verdict = EntryVerdict.VERIFIED if confirmed else EntryVerdict.UNVERIFIED
    if finding.verdict == "suspect":
        verdict = EntryVerdict.SUSPECT
    elif finding.verdict == "manual":
        verdict, note = EntryVerdict.MANUAL, f"{name_of(verification.manual_by)}: {verification.manual_reason}"
    return ExportEntry(
        record=record,
        key=key,
        verdict=verdict,
        verified_by=tuple(source_label(name) for name in finding.verified_by) if confirmed else (),
        verified_on=verification.verified_on if confirmed else None,
        verdict_note="" if confirmed else note,
        status=PublicationState(finding.state),
        status_date=finding.state_date,
        notice_doi=finding.notice_doi,
        notice_pmid=finding.notice_pmid,
        sandbox=sandbox,
    )


def exported_record(row: ListRow) -> Record:
    """The record that goes into a file for this entry."""
    finding = row.finding
    if finding is not None and finding.verdict == "verified" and finding.matched is not None:
        return finding.matched
    if finding is not None and finding.record.title:
        return finding.record
    identifiers = finding.record.identifiers if finding is not None else ()
    return Record(
        source="brought", source_id="", title=" ".join(row.entry.text.split()), csl_type="document",
        date=PartialDate(), identifiers=tuple(i for i in identifiers if i.scheme is not Scheme.ISSN),
    )  # fmt: skip
