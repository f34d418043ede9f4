"""What it means when no usable answer comes: the failures of a connection, in words for a clinician."""

from __future__ import annotations

from litapp.core.ports import Outcome
from litapp.providers.base import Classification


class Failure(Exception):
    """No answer came, or none that may be kept. Carries what it means; its text holds no secret."""

    def __init__(self, verdict: Classification, kind: str) -> None:
        super().__init__(kind)
        self.verdict, self.kind = verdict, kind


def silent(label: str) -> Failure:
    """Nothing came in time."""
    return Failure(
        Classification(
            Outcome.TRANSIENT, f"{label} did not answer in time.", hint="Try again later.", code="timeout", repeats=1
        ),
        "timeout",
    )


def unavailable(label: str, what: str, kind: str) -> Failure:
    """The source cannot be used just now; this says nothing about any record."""
    return Failure(
        Classification(
            Outcome.TRANSIENT,
            f"{label} is not available: it {what}.",
            hint="A login page of the network may be in the way. Open any web page once, then try again.",
            code="refused_address",
            repeats=0,
        ),
        kind,
    )


def too_large(label: str) -> Failure:
    """The answer is larger than accepted."""
    return Failure(
        Classification(
            Outcome.PERMANENT,
            f"{label} sent more data than LitLedger accepts in one answer.",
            hint="Ask for less at once.",
            code="too_large",
        ),
        "body too large",
    )


def not_unpacked(label: str) -> Failure:
    """The compression of the answer is damaged."""
    return Failure(Classification(Outcome.MALFORMED, f"{label} sent data that cannot be unpacked."), "bad compression")


def unreachable(label: str) -> Failure:
    """No connection came about."""
    return Failure(
        Classification(
            Outcome.TRANSIENT,
            f"{label} could not be reached.",
            hint="Check this computer's internet connection, or try again later.",
            code="unreachable",
        ),
        "no connection",
    )


def broken_off(label: str) -> Failure:
    """The connection ended before the answer did."""
    return Failure(
        Classification(Outcome.TRANSIENT, f"The connection to {label} broke off.", hint="Try again later.", code="cut"),
        "connection broke off",
    )
