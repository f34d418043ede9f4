"""What became of a published paper: the union of the notices of all sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.records import Notice, Record
from litapp.core.verification.evidence import Found


class PublicationState(StrEnum):
    """The state to show. CORRECTED is a note only; NOTICE = the record is itself a notice, never a retracted paper."""

    NORMAL = ""
    RETRACTED = "retracted"
    PARTLY_RETRACTED = "partly_retracted"
    CONCERN = "concern"
    WITHDRAWN = "withdrawn"
    CORRECTED = "corrected"
    REINSTATED = "reinstated"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class StatusNotice:
    """A notice and the source that states it."""

    source: str
    notice: Notice
    answer_id: int | None = None


@dataclass(frozen=True, slots=True)
class PublicationStatus:
    """State, the notices behind it, and which sources were asked (answered) and which not."""

    state: PublicationState = PublicationState.NORMAL
    notices: tuple[StatusNotice, ...] = ()
    asked: tuple[str, ...] = ()
    not_answered: tuple[str, ...] = ()
    date: str = ""
    notice_doi: str = ""
    notice_pmid: str = ""


def publication_status(claimed: Record, evidence: Iterable[Found], records: Iterable[Record] = ()) -> PublicationStatus:
    """Unite the notices of `records` (the record as each source returned it) and of the evidence that is about the
    claimed work."""
    raise NotImplementedError
