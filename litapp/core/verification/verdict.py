"""From checks to a verdict."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.matching import COMPARED_FIELDS
from litapp.core.verification.evidence import CheckResult, Kind, Result, Status, Verdict

CONFIRMING = ("identifier_resolves", "title_cross_source")
"""Rules whose pass shows that the paper exists; agreement of fields or of identifiers alone does not."""
_RULES = ("identifier_resolves", "identifiers_agree", "title_cross_source", "title_known", "fields_agree")
_FIELDS = (*COMPARED_FIELDS, "arxiv")


def judge(checks: Iterable[CheckResult]) -> Verdict:
    """The verdict that the checks give together; a pure function of them, whatever their order.

    Suspect when any check fails; verified when a source that did not itself bring the record confirms it, none fails
    and no identifier stays open; else unverified, with what stood in the way.
    """
    ordered = sorted(checks, key=_order)
    decided = [check for check in ordered if check.outcome is not Result.SKIPPED]
    failed = [check for check in decided if check.outcome is Result.FAIL]
    passed = [check for check in decided if check.outcome is Result.PASS]
    confirming = [check for check in passed if check.rule in CONFIRMING and check.independent]
    open_identity = [c for c in ordered if c.outcome is Result.SKIPPED and c.kind is Kind.IDENTITY]
    wrong = {name for check in failed for name in check.wrong}
    if failed:
        status = Status.SUSPECT
        kind = Kind.IDENTITY if any(check.kind is Kind.IDENTITY for check in failed) else Kind.DETAILS
        reasons = _told(sorted(failed, key=lambda check: check.kind is not Kind.IDENTITY))
    elif confirming and not open_identity:
        status, kind, reasons = Status.VERIFIED, Kind.NONE, _told(confirming)
    else:
        status, kind = Status.UNVERIFIED, Kind.NONE
        skipped = [c for c in ordered if c.outcome is Result.SKIPPED]
        reasons = _told(open_identity if confirming else sorted(skipped, key=lambda c: c.rule != "title_known"))
        if not reasons:
            reasons = ("Only the source that returned the record confirms it." if passed else "No source was asked.",)
    times = [check.asked_at for check in confirming if check.asked_at is not None]
    return Verdict(
        status=status,
        kind=kind,
        reasons=reasons,
        passed=len(passed),
        total=len(decided),
        verified_by=tuple(dict.fromkeys(check.source for check in confirming)),
        verified_on=max(times, default=None) if status is Status.VERIFIED else None,
        wrong=tuple(name for name in _FIELDS if name in wrong),
    )


def _order(check: CheckResult) -> tuple[int, str, str, str]:
    rank = _RULES.index(check.rule) if check.rule in _RULES else len(_RULES)
    return rank, check.source, check.outcome.value, check.reason


def _told(checks: Iterable[CheckResult]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check.reason for check in checks if check.reason))
