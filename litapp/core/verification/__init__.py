"""Verification as pure functions: evidence in, checks out; checks in, verdict out. Recomputable offline.

`check_record` turns stored answers into checks, `judge` turns checks into a verdict, `publication_status` unites the
notices (retracted, concern ...) of all sources. See docs/decisions/0005-matching-and-verdicts.md.
"""

from litapp.core.verification.evidence import (
    Answered,
    Asked,
    CheckResult,
    Found,
    Kind,
    Result,
    Status,
    Verdict,
)
from litapp.core.verification.rules import RULES, RULES_VERSION, check_record
from litapp.core.verification.rules.hearing import is_confirmed, needs_search
from litapp.core.verification.sources import ORGANISATIONS, SILENCE_SOURCES, organisation_behind, organisation_of
from litapp.core.verification.status import PublicationState, PublicationStatus, publication_status
from litapp.core.verification.suggestions import Correction, corrections, nearest
from litapp.core.verification.verdict import judge

__all__ = [
    "ORGANISATIONS",
    "RULES",
    "RULES_VERSION",
    "SILENCE_SOURCES",
    "Answered",
    "Asked",
    "CheckResult",
    "Correction",
    "Found",
    "Kind",
    "PublicationState",
    "PublicationStatus",
    "Result",
    "Status",
    "Verdict",
    "check_record",
    "corrections",
    "is_confirmed",
    "judge",
    "nearest",
    "needs_search",
    "organisation_behind",
    "organisation_of",
    "publication_status",
]
