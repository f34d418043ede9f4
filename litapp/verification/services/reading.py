"""Stored checks back as values, so that a verdict can be said again offline."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from litapp.core.verification import CheckResult
from litapp.verification.findings import check_value
from litapp.verification.models import Verification
from litapp.verification.services.outcomes import apply_verdict


def check_values(row: Verification) -> tuple[CheckResult, ...]:
    """The latest round of checks of a verification, in their order."""
    return tuple(map(check_value, row.checks.filter(round=row.round).prefetch_related("answers")))


@transaction.atomic
def verdict_again(*, verification_id: int) -> bool:
    """Say the verdict again from the stored checks, asking nobody. True if anything changed (new rules)."""
    row = Verification.objects.select_for_update().get(pk=verification_id)
    if not row.round:
        return False
    before = (row.status, row.kind, row.reasons, row.wrong, row.passed, row.asked, row.verified_by, row.verified_on)
    apply_verdict(row, check_values(row), row.checked_at or timezone.now())
    row.save()
    after = (row.status, row.kind, row.reasons, row.wrong, row.passed, row.asked, row.verified_by, row.verified_on)
    return before != after
