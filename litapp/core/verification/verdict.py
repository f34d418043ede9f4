"""From checks to a verdict."""

from __future__ import annotations

from collections.abc import Iterable

from litapp.core.verification.evidence import CheckResult, Verdict


def judge(checks: Iterable[CheckResult]) -> Verdict:
    """The verdict that the checks give together; a pure function of them, whatever their order."""
    raise NotImplementedError
