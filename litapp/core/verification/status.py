"""What became of a published paper: the union of the notices of all sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from litapp.core.matching import Agreement
from litapp.core.matching.authors import compare_authors
from litapp.core.matching.titles import compare_titles_of
from litapp.core.normalise import strip_status_prefix, title_key
from litapp.core.records import Notice, NoticeKind, Record
from litapp.core.verification.evidence import Answered, Asked, Found


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
    """State, the notices behind it, and which sources were asked (answered) and which not.

    `date`, `notice_doi` and `notice_pmid` are those of the notice that gives the state, where any source states them.
    """

    state: PublicationState = PublicationState.NORMAL
    notices: tuple[StatusNotice, ...] = ()
    asked: tuple[str, ...] = ()
    not_answered: tuple[str, ...] = ()
    date: str = ""
    notice_doi: str = ""
    notice_pmid: str = ""


_STATES = (
    (NoticeKind.RETRACTION, PublicationState.RETRACTED),
    (NoticeKind.WITHDRAWAL, PublicationState.WITHDRAWN),
    (NoticeKind.PARTIAL_RETRACTION, PublicationState.PARTLY_RETRACTED),
    (NoticeKind.CONCERN, PublicationState.CONCERN),
    (NoticeKind.CORRECTION, PublicationState.CORRECTED),
)
"""Gravest first."""

_NOTICE_TITLE = re.compile(
    r"\A\W*(?:(?P<partial>partial(?:ly)?\s+retract\w*)|(?P<retraction>(?:notice\s+of\s+)?retract(?:ion|ed)\b)|"
    r"(?P<concern>(?:editorial\s+)?expression\s+of\s+concern)|(?P<withdrawal>withdraw(?:al|n)\b)|"
    r"(?P<correction>(?:author\s+|publisher\s+)?(?:correction|erratum|errata|corrigendum|corrigenda)\b))",
    re.IGNORECASE,
)
_NOTICE_KINDS = {
    "partial": NoticeKind.PARTIAL_RETRACTION,
    "retraction": NoticeKind.RETRACTION,
    "concern": NoticeKind.CONCERN,
    "withdrawal": NoticeKind.WITHDRAWAL,
    "correction": NoticeKind.CORRECTION,
}
_NOTICE_TYPES = {
    "retraction of publication": NoticeKind.RETRACTION,
    "retraction notice": NoticeKind.RETRACTION,
    "expression of concern": NoticeKind.CONCERN,
    "published erratum": NoticeKind.CORRECTION,
}


def notice_kind(record: Record) -> NoticeKind | None:
    """What kind of notice the record itself is, or None for any other record."""
    for kind in record.publication_types:
        if kind.lower() in _NOTICE_TYPES:
            return _NOTICE_TYPES[kind.lower()]
    if record.is_notice:
        found = _NOTICE_TITLE.match(record.title)
        return _NOTICE_KINDS[found.lastgroup] if found and found.lastgroup else NoticeKind.RETRACTION
    return None


def is_notice_about(record: Record, claimed: Record) -> bool:
    """True when `record` is a notice whose title names the claimed paper, which is not itself a notice."""
    if notice_kind(record) is None or len(claimed.title) < 15:
        return False
    if _NOTICE_TITLE.match(strip_status_prefix(claimed.title)):
        return False
    ours, theirs = (title_key(strip_status_prefix(t)).replace(" ", "") for t in (claimed.title, record.title))
    return ours != theirs and ours in theirs


def publication_status(claimed: Record, evidence: Iterable[Found], records: Iterable[Record] = ()) -> PublicationStatus:
    """Unite the notices of `records` (the record as each source returned it) and of the evidence that is about the
    claimed work. A retracted or withdrawn mark before a source's title counts as its notice."""
    answers = tuple(evidence)
    asked = {found.source for found in answers if found.outcome in (Answered.FOUND, Answered.ABSENT)}
    unanswered = {found.source for found in answers} - asked
    stated: list[StatusNotice] = []
    is_notice = False
    for record, answer_id, by_identifier in _about(claimed, answers, records):
        asked.add(record.source)
        if is_notice_about(record, claimed):
            kind = notice_kind(record) or NoticeKind.RETRACTION
            own = Notice(kind, doi=record.doi, pmid=record.pmid, text=record.title)
            stated.append(StatusNotice(record.source, own, answer_id))
        elif notice_kind(record) is not None:
            is_notice = is_notice or by_identifier or record.title == claimed.title
        else:
            stated += [StatusNotice(record.source, notice, answer_id) for notice in _notices(record)]
    unique = sorted(set(stated), key=_notice_order)
    state, named = _state(unique)
    if is_notice:
        state, named = PublicationState.NOTICE, ()
    return PublicationStatus(
        state=state,
        notices=tuple(unique),
        asked=tuple(sorted(asked)),
        not_answered=tuple(sorted(unanswered - asked)),
        date=min((s.notice.date for s in named if s.notice.date), default=""),
        notice_doi=next((s.notice.doi for s in named if s.notice.doi), ""),
        notice_pmid=next((s.notice.pmid for s in named if s.notice.pmid), ""),
    )


def _about(
    claimed: Record, answers: tuple[Found, ...], records: Iterable[Record]
) -> Iterable[tuple[Record, int | None, bool]]:
    """The records that are about the claimed work: by identifier when the title fits or is a notice's, by search when
    title and people fit."""
    for own in records:
        yield own, None, True
    for found in answers:
        record = found.record
        if record is None or found.outcome is not Answered.FOUND:
            continue
        if not (record.notices or notice_kind(record) or record.title != strip_status_prefix(record.title)):
            continue
        _, title = compare_titles_of(claimed, record)
        people = compare_authors(
            claimed.authors,
            record.authors,
            ours_complete=claimed.authors_complete,
            theirs_complete=record.authors_complete,
        )
        fits = title.verdict in (Agreement.SAME, Agreement.VARIANT) and not people.foreign
        by_identifier = found.how is Asked.IDENTIFIER
        same_people = people.matched > 0 and title.reworded
        if fits or is_notice_about(record, claimed) or (by_identifier and same_people):
            yield record, found.answer_id, by_identifier


def _notices(record: Record) -> Iterable[Notice]:
    yield from record.notices
    if record.title != strip_status_prefix(record.title) and not record.notices:
        withdrawn = "withdrawn" in record.title.lower()
        yield Notice(NoticeKind.WITHDRAWAL if withdrawn else NoticeKind.RETRACTION, text=record.title)


def _state(stated: list[StatusNotice]) -> tuple[PublicationState, tuple[StatusNotice, ...]]:
    kinds = {s.notice.kind for s in stated}
    grave = [s for s in stated if s.notice.kind in (NoticeKind.RETRACTION, NoticeKind.WITHDRAWAL)]
    back = [s for s in stated if s.notice.kind is NoticeKind.REINSTATEMENT]
    if back and not any(s.notice.date > max(b.notice.date for b in back) for s in grave if s.notice.date):
        return PublicationState.REINSTATED, tuple(back)
    for kind, state in _STATES:
        if kind in kinds:
            return state, tuple(s for s in stated if s.notice.kind is kind)
    return PublicationState.NORMAL, ()


def _notice_order(stated: StatusNotice) -> tuple[str, ...]:
    notice = stated.notice
    return (notice.kind.value, notice.date or "9", notice.doi, notice.pmid, stated.source, notice.text)
