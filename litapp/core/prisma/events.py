"""What happens to records on their way into a review, as the flow counts it. Facts with a time; nothing is a total.

A record is an entry as a source or file gave it; a paper is what records are grouped into (a candidate, a report); a
study groups reports. Ids are whatever the caller's log has.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

Id = int


class Method(StrEnum):
    """How records were identified, by the boxes of PRISMA 2020."""

    DATABASE = "database"
    REGISTER = "register"
    WEBSITE = "website"
    ORGANISATION = "organisation"
    CITATIONS = "citations"
    PREVIOUS = "previous"

    @property
    def is_other(self) -> bool:
        """In the column of other methods."""
        return self in (Method.WEBSITE, Method.ORGANISATION, Method.CITATIONS)


METHOD_WORDS = {
    Method.DATABASE: "Database",
    Method.REGISTER: "Register",
    Method.WEBSITE: "Website or hand search",
    Method.ORGANISATION: "Organisation",
    Method.CITATIONS: "Citation searching",
    Method.PREVIOUS: "Previous version of this review",
}


class Where(NamedTuple):
    """Where a record was identified: the method, and the name of the database, register, website ..."""

    method: Method
    name: str


class Found(NamedTuple):
    """A record was identified, and put into a paper."""

    at: datetime
    record: Id
    paper: Id
    where: Where


class Moved(NamedTuple):
    """A record was put into another paper; None = it was taken out of the review (its import was undone)."""

    at: datetime
    record: Id
    paper: Id | None


class Merged(NamedTuple):
    """One paper stands for another from now on, and for those that the other stood for."""

    at: datetime
    kept: Id
    absorbed: Id


class Parted(NamedTuple):
    """A paper that was merged stands for itself again."""

    at: datetime
    paper: Id


class Removed(NamedTuple):
    """A paper was removed before screening: by a tool, or for another reason. `reason` names the tool or says why."""

    at: datetime
    paper: Id
    reason: str
    by_tool: bool = False


class Restored(NamedTuple):
    """A removal was taken back."""

    at: datetime
    paper: Id


class Stopped(NamedTuple):
    """Somebody accepted a stopping certificate: papers found by then that nobody has looked at are not screened any
    more. They leave as marked by an automation tool (`tool` names it), unless somebody decides on one after all."""

    at: datetime
    tool: str


class Decided(NamedTuple):
    """One entry of the log of decisions; its meaning is that of `core.screening.Entry`."""

    at: datetime
    order: int
    paper: Id
    fulltext: bool
    reviewer: Hashable
    decision: str
    reason: str = ""
    request: Hashable = None
    undoes: Hashable = None
    resolution: bool = False


class StagesSet(NamedTuple):
    """How the review is screened from now on: votes a record needs at each stage, whether full texts are assessed."""

    at: datetime
    title_votes: int = 1
    fulltext_votes: int = 1
    uses_fulltext: bool = False


class VotesNeeded(NamedTuple):
    """One paper needs another number of votes at a stage than the stage says (calibration); 0 = as the stage says."""

    at: datetime
    paper: Id
    fulltext: bool
    votes: int


class Retrieval(NamedTuple):
    """How the search for a full text ended: `not_retrieved` with the reason, or it was retrieved (or is open again)."""

    at: datetime
    paper: Id
    not_retrieved: bool
    reason: str = ""


class Joined(NamedTuple):
    """Papers report one study."""

    at: datetime
    study: Id
    papers: tuple[Id, ...]


class Left(NamedTuple):
    """Papers do not belong to a study any more."""

    at: datetime
    study: Id
    papers: tuple[Id, ...]


Event = (
    Found
    | Moved
    | Merged
    | Parted
    | Removed
    | Restored
    | Stopped
    | Decided
    | StagesSet
    | VotesNeeded
    | Retrieval
    | Joined
    | Left
)
