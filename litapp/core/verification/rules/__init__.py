"""The rules of verification: each takes one claimed record with its evidence and gives checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from litapp.core.matching import JournalNames
from litapp.core.matching.journals import NO_JOURNAL_NAMES
from litapp.core.records import Record
from litapp.core.verification.evidence import CheckResult, Found
from litapp.core.verification.rules.fields import fields_agree
from litapp.core.verification.rules.hearing import Hearing
from litapp.core.verification.rules.identifiers import identifier_resolves, identifiers_agree
from litapp.core.verification.rules.silence import title_known
from litapp.core.verification.rules.titles import title_cross_source
from litapp.core.verification.sources import SILENCE_SOURCES

RULES_VERSION = 3
"""Rises when the same evidence can give other checks."""

RULES: Mapping[str, Callable[[Hearing], tuple[CheckResult, ...]]] = MappingProxyType(
    {
        "identifier_resolves": identifier_resolves,
        "identifiers_agree": identifiers_agree,
        "title_cross_source": title_cross_source,
        "title_known": title_known,
        "fields_agree": fields_agree,
    }
)
"""Name of a rule -> its function. The order is the order of the checks on the evidence card."""


def check_record(
    claimed: Record,
    returned_by: Iterable[str],
    evidence: Iterable[Found],
    *,
    journals: JournalNames = NO_JOURNAL_NAMES,
    silence_sources: tuple[str, ...] = SILENCE_SOURCES,
) -> tuple[CheckResult, ...]:
    """All checks of one claimed record. `returned_by` are the keys of the sources that returned it (empty for a
    reference that a person brought). The order of the evidence does not matter.

    `journals` are known names of journals. `silence_sources` must all have answered before silence may accuse.
    """
    hearing = Hearing.of(claimed, returned_by, evidence, journals, silence_sources)
    return tuple(check for rule in RULES.values() for check in rule(hearing))
