"""One reference as every export sees it: the record, its key, its verdict and its publication status."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from litapp.core.records import Notice, NoticeKind, Record
from litapp.core.verification.status import PublicationState

UNVERIFIED_MARK = "[UNVERIFIED - NEEDS MANUAL CHECK]"
SANDBOX_MARK = "[SANDBOX DATA]"


class EntryVerdict(StrEnum):
    """The badge as exports show it. MANUAL: a person vouches for the reference, no source confirmed it."""

    VERIFIED = "verified"
    SUSPECT = "suspect"
    UNVERIFIED = "unverified"
    MANUAL = "manual"


_MARK_WORDS = {
    PublicationState.RETRACTED: "RETRACTED",
    PublicationState.PARTLY_RETRACTED: "PARTLY RETRACTED",
    PublicationState.WITHDRAWN: "WITHDRAWN",
    PublicationState.CONCERN: "EXPRESSION OF CONCERN",
}
_NOTICE_STATES = {
    NoticeKind.RETRACTION: PublicationState.RETRACTED,
    NoticeKind.WITHDRAWAL: PublicationState.WITHDRAWN,
    NoticeKind.PARTIAL_RETRACTION: PublicationState.PARTLY_RETRACTED,
}
NOT_CITABLE_STATES = frozenset(_NOTICE_STATES.values())
"""States in which a paper must not be cited as if it were fine, whatever its verdict."""

_FINAL_STOP = re.compile(r"[^\s.]{3,}\.\Z")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.+/-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ExportEntry:
    """One reference to export. `verdict` may be given as its text.

    `verified_by` are the confirming sources, `verified_on` the day of the last success; both only count for VERIFIED.
    `verdict_note` says why the verdict is what it is. `status` with `status_date` (as the source states it, any
    precision) and the notice's DOI or PMID comes from all sources together; where it says nothing but the record
    itself carries a retraction, that counts. `found_in` are the sources that returned the record. Raises ValueError
    for a key that no format could hold, for an unknown verdict, and for VERIFIED without a confirming source.
    """

    record: Record
    key: str
    verdict: EntryVerdict = EntryVerdict.UNVERIFIED
    verified_by: tuple[str, ...] = ()
    verified_on: date | None = None
    verdict_note: str = ""
    status: PublicationState = PublicationState.NORMAL
    status_date: str = ""
    notice_doi: str = ""
    notice_pmid: str = ""
    found_in: tuple[str, ...] = ()
    sandbox: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", EntryVerdict(self.verdict))
        object.__setattr__(self, "status", PublicationState(self.status))
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"“{self.key}” is no citation key: letters, digits and _ : . + / - only.")
        if self.verdict is EntryVerdict.VERIFIED and not self.verified_by:
            raise ValueError(f"{self.key} is called verified, but no source is named that confirmed it.")
        if self.status is PublicationState.NORMAL and not self.record.is_notice:
            self._take_status_from_record()

    def _take_status_from_record(self) -> None:
        reinstated = any(n.kind is NoticeKind.REINSTATEMENT for n in self.record.notices)
        notice: Notice | None = next((n for n in self.record.notices if n.kind in _NOTICE_STATES), None)
        if notice is not None and not reinstated:
            object.__setattr__(self, "status", _NOTICE_STATES[notice.kind])
            object.__setattr__(self, "status_date", notice.date)
            object.__setattr__(self, "notice_doi", notice.doi)
            object.__setattr__(self, "notice_pmid", notice.pmid)

    @property
    def title(self) -> str:
        """The title with its markup, without the full stop that PubMed ends titles with (that of "U.S." stays)."""
        title = (self.record.title or self.record.original_title).strip()
        return title[:-1] if _FINAL_STOP.search(title) else title

    @property
    def verified_value(self) -> str:
        """What the field `verified` says: "true" only for VERIFIED, "manual" for MANUAL, else "false"."""
        if self.verdict is EntryVerdict.MANUAL:
            return "manual"
        return "true" if self.verdict is EntryVerdict.VERIFIED else "false"

    @property
    def verification_text(self) -> str:
        """ "verified: true; verified_by: crossref; verified_on: 2026-01-02", for formats with notes but no such
        fields."""
        parts = [f"verified: {self.verified_value}"]
        if self.verified_value == "true":
            parts.append(f"verified_by: {' + '.join(self.verified_by)}")
            if self.verified_on:
                parts.append(f"verified_on: {self.verified_on.isoformat()}")
        return "; ".join(parts)

    @property
    def citable(self) -> bool:
        """Verified, and neither retracted (wholly or partly) nor withdrawn. A person's word alone is not enough."""
        return self.verdict is EntryVerdict.VERIFIED and self.status not in NOT_CITABLE_STATES

    @property
    def status_mark(self) -> str:
        """The text `[RETRACTED date, notice DOI]` or its like; empty for a paper in good standing.

        What no source stated (date, notice) is left out.
        """
        word = _MARK_WORDS.get(self.status)
        if word is None:
            return ""
        notice = self.notice_doi or (f"PMID {self.notice_pmid}" if self.notice_pmid else "")
        first = f"{word} {self.status_date}".strip()
        return f"[{first}, notice {notice}]" if notice else f"[{first}]"

    @property
    def verdict_mark(self) -> str:
        """`[UNVERIFIED - NEEDS MANUAL CHECK]` for SUSPECT and UNVERIFIED, else empty."""
        return UNVERIFIED_MARK if self.verdict in (EntryVerdict.SUSPECT, EntryVerdict.UNVERIFIED) else ""

    @property
    def marks(self) -> tuple[str, ...]:
        """What must stand at the entry wherever it is exported: status first, then verdict, then sandbox."""
        marks = (self.status_mark, self.verdict_mark, SANDBOX_MARK if self.sandbox else "")
        return tuple(mark for mark in marks if mark)

    @property
    def note(self) -> str:
        """The marks and the reason of the verdict, in one line; "" for a sound verified entry without a reason."""
        reason = " ".join(self.verdict_note.split())
        if reason and self.verdict is EntryVerdict.MANUAL:
            reason = f"Checked by hand: {reason}"
        return " ".join([*self.marks, *([reason] if reason else [])])


def require_distinct_keys(keys: list[str]) -> None:
    """Raises ValueError naming a key that two entries share (without regard to case): one of them would be lost."""
    seen: set[str] = set()
    for key in keys:
        if key.lower() in seen:
            raise ValueError(f"Two references share the citation key {key}; one would overwrite the other.")
        seen.add(key.lower())
