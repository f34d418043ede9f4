"""The rules of verification: each takes a claimed record, its origins and the evidence, and gives checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from litapp.core.matching import JournalNames
from litapp.core.matching.journals import NO_JOURNAL_NAMES
from litapp.core.records import Record
from litapp.core.verification.evidence import CheckResult, Found

RULES: Mapping[str, Callable[..., tuple[CheckResult, ...]]] = MappingProxyType({})


def check_record(
    claimed: Record,
    returned_by: Iterable[str],
    evidence: Iterable[Found],
    *,
    journals: JournalNames = NO_JOURNAL_NAMES,
) -> tuple[CheckResult, ...]:
    """All checks of one claimed record. `returned_by` are the keys of the sources that returned it (empty for a
    reference that a person brought). Order of evidence does not matter."""
    raise NotImplementedError
