"""A candidate as copies and exports see it: its record with the verdict, the notices and who found it."""

from __future__ import annotations

from collections.abc import Sequence

from litapp.core.formats.entry import EntryVerdict, ExportEntry
from litapp.core.verification.status import PublicationState
from litapp.projects.people import name_of
from litapp.verification.models import VerdictStatus, Verification
from litapp.verification.presentation import source_label
from searches.models import Candidate

NOT_CHECKED = "not checked yet"


def entry_of(candidate: Candidate, *, key: str, sandbox: bool = False) -> ExportEntry:
    """The candidate under the citation key `key`. Needs its verification (with `manual_by`) joined; no query."""
    verification = candidate.verification
    verdict, note = verdict_of(verification)
    confirmed = verification if verification is not None and verdict is EntryVerdict.VERIFIED else None
    return ExportEntry(
        record=candidate.merged_record,
        key=key,
        verdict=verdict,
        verified_by=tuple(source_label(name) for name in confirmed.verified_by) if confirmed else (),
        verified_on=confirmed.verified_on if confirmed else None,
        verdict_note=note,
        status=PublicationState(verification.publication_state if verification else ""),
        status_date=verification.notice_date if verification else "",
        notice_doi=verification.notice_doi if verification else "",
        notice_pmid=verification.notice_pmid if verification else "",
        found_in=tuple(source_label(name) for name in candidate.sources),
        sandbox=sandbox,
    )


def verdict_of(verification: Verification | None) -> tuple[EntryVerdict, str]:
    """The verdict that may be given out, and why it is what it is.

    "Verified" needs a confirming source and no field found wrong; without them it goes out as unverified.
    """
    if verification is None:
        return EntryVerdict.UNVERIFIED, NOT_CHECKED
    reasons = _sentence(verification.reasons)
    if verification.status == VerdictStatus.MANUAL:
        day = f", {verification.manual_at:%Y-%m-%d}" if verification.manual_at else ""
        by = f"{name_of(verification.manual_by)}{day}"
        return EntryVerdict.MANUAL, ": ".join(part for part in (by, verification.manual_reason) if part)
    if verification.status == VerdictStatus.SUSPECT:
        return EntryVerdict.SUSPECT, reasons
    if verification.status == VerdictStatus.VERIFIED and verification.verified_by and not verification.wrong:
        return EntryVerdict.VERIFIED, ""
    return EntryVerdict.UNVERIFIED, reasons if verification.checked_at else NOT_CHECKED


def _sentence(reasons: Sequence[str]) -> str:
    return "; ".join(str(reason).rstrip(".") for reason in reasons if reason)
