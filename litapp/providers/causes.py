"""Why a source could not be asked, in the few kinds that a person tells apart."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from litapp.core.ports import Outcome
from litapp.providers.base import SourceError


class Cause(StrEnum):
    """The kind of a failure. The value is what is stored."""

    RATE_LIMITED = "rate_limited"
    BUDGET = "budget"
    UNREACHABLE = "unreachable"
    SLOW = "slow"
    LEFT_ALONE = "left_alone"
    TROUBLE = "trouble"
    UNREADABLE = "unreadable"
    REFUSED = "refused"
    KEY = "key"
    SWITCHED_OFF = "switched_off"


WORDS: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.RATE_LIMITED: "rate-limited",
        Cause.BUDGET: "its daily budget is spent",
        Cause.UNREACHABLE: "it could not be reached",
        Cause.SLOW: "it did not answer in time",
        Cause.LEFT_ALONE: "it was in trouble and left alone",
        Cause.TROUBLE: "it had a problem of its own",
        Cause.UNREADABLE: "its answers could not be read",
        Cause.REFUSED: "it refused the requests",
        Cause.KEY: "its key was not accepted",
        Cause.SWITCHED_OFF: "it is switched off here",
    }
)
"""How each kind is said within brackets."""

_BY_CODE: Mapping[str, Cause] = MappingProxyType(
    {
        "budget_spent": Cause.BUDGET,
        "unreachable": Cause.UNREACHABLE,
        "refused_address": Cause.UNREACHABLE,
        "timeout": Cause.SLOW,
        "query_timeout": Cause.SLOW,
        "left_alone": Cause.LEFT_ALONE,
        "bad_key": Cause.KEY,
        "switched_off": Cause.SWITCHED_OFF,
    }
)
_BY_OUTCOME: Mapping[Outcome, Cause] = MappingProxyType(
    {
        Outcome.RATE_LIMITED: Cause.RATE_LIMITED,
        Outcome.MALFORMED: Cause.UNREADABLE,
        Outcome.PERMANENT: Cause.REFUSED,
    }
)


def cause_of(error: SourceError) -> Cause:
    """The kind of this failure."""
    return _BY_CODE.get(error.code) or _BY_OUTCOME.get(error.outcome, Cause.TROUBLE)


def words_of(cause: str) -> str:
    """A stored kind in words; one this version does not know as it stands."""
    try:
        return WORDS[Cause(cause)]
    except ValueError:
        return cause
