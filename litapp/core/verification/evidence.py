"""The values of verification: what was asked and answered, what each check said, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from litapp.core.matching.verdicts import FieldVerdict
from litapp.core.records import Record


class Asked(StrEnum):
    """How a source was asked. What a search finds is a guess: it may confirm, never accuse."""

    IDENTIFIER = "identifier"
    SEARCH = "search"


class Answered(StrEnum):
    """How the source answered. FAILED and NOT_ASKED prove nothing."""

    FOUND = "found"
    ABSENT = "absent"
    FAILED = "failed"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True, slots=True)
class Found:
    """One answer of one source to one question.

    `question` is the normalised identifier ("10.1000/x", "12345678", "2101.00001") when `how` is IDENTIFIER, else the
    title that was searched. A search that returned several records is several Found, one a record, same `answer_id`.
    `source` "doiorg" stands for the handle system: outcome FOUND without a record means that the DOI is registered
    (the agency's name in `message`). `message` tells why a source failed or was not asked.
    """

    source: str
    organisation: str
    how: Asked
    question: str
    outcome: Answered
    record: Record | None = None
    scheme: str = ""
    answer_id: int | None = None
    asked_at: datetime | None = None
    message: str = ""


class Result(StrEnum):
    """Outcome of a check."""

    PASS = "pass"  # noqa: S105 - a check's outcome, no password
    FAIL = "fail"
    SKIPPED = "skipped"


class Kind(StrEnum):
    """What a failed check says: IDENTITY = no such paper, or another one; DETAILS = the paper exists, fields differ.

    On a skipped check IDENTITY means that the question left open forbids "verified".
    """

    NONE = ""
    IDENTITY = "identity"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check. The verdict is a pure function of a record's CheckResults, so they are what is stored.

    `fields` is the whole comparison with the source's record; `wrong` names the fields that this check finds wrong
    (a field that differs from one source but agrees with an authoritative other one is not among them).
    `independent` is False where the source is the only one that returned the record in the first place.
    """

    rule: str
    source: str
    outcome: Result
    reason: str = ""
    kind: Kind = Kind.NONE
    fields: tuple[FieldVerdict, ...] = ()
    wrong: tuple[str, ...] = ()
    independent: bool = True
    answer_ids: tuple[int, ...] = ()
    asked_at: datetime | None = None


class Status(StrEnum):
    """The badge. A person may set "manual" beside it; that is never computed here."""

    VERIFIED = "verified"
    SUSPECT = "suspect"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks say together. `passed` of `total` counts checks that were decided (pass or fail).

    `verified_by` are the confirming independent sources, in order; `verified_on` the last success among them.
    `wrong` are the fields found wrong, in the order of the field list.
    """

    status: Status
    kind: Kind = Kind.NONE
    reasons: tuple[str, ...] = ()
    passed: int = 0
    total: int = 0
    verified_by: tuple[str, ...] = ()
    verified_on: datetime | None = None
    wrong: tuple[str, ...] = ()
