"""Tells the floors above what was decided (`settings.DECISION_LISTENERS`), within the same transaction."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.utils.module_loading import import_string

from litapp.projects.models import Project


def tell_listeners(*, project: Project, candidate_ids: Sequence[int]) -> None:
    """Call every listener with the candidates whose decision changed or that were merged.

    A merged candidate is told together with the one it was merged into (`Candidate.merged_into`).
    """
    for path in settings.DECISION_LISTENERS:
        import_string(path)(project=project, candidate_ids=list(candidate_ids))
