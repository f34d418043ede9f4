"""Why a decision is not taken: each with a sentence for the person who made it. Nothing was saved then."""

from __future__ import annotations

from searches.models import Candidate


class DecisionRefused(Exception):
    """The decision cannot be taken as it is; the message says why and what to do."""


class StaleCandidate(DecisionRefused):
    """The candidate changed since the page was shown: nothing was decided. `candidate` is how it is now; where it was
    merged into another, that one."""

    def __init__(self, candidate: Candidate) -> None:
        super().__init__(
            "Somebody decided on this record meanwhile, or it was joined with another. Look at it again and decide."
        )
        self.candidate = candidate


class StageClosed(DecisionRefused):
    """The stage takes no votes (any more, yet, or on this record)."""


class NotYours(DecisionRefused):
    """The record is not this person's to screen: it has its screeners."""


class ReasonMissing(DecisionRefused):
    """At full text an exclusion needs a reason."""


class NothingToUndo(Exception):
    """The person has no decision in this project that can be taken back."""
