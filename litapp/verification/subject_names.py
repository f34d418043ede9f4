"""What the references that are checked are called in the history. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from litapp.verification.models import Verification


def verifications(project_id: int, ids: Collection[int]) -> dict[int, str]:
    """Titles, or the text as it was brought, by id."""
    rows = Verification.objects.filter(project=project_id, pk__in=ids)
    return {
        pk: str(title or text[:200] or f"reference {pk}")
        for pk, title, text in rows.values_list("pk", "record__title", "text")
    }
