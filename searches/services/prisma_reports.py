"""A person says that a report that waits for its assessment cannot be had, or can (PRISMA "reports not retrieved")."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from litapp.projects.models import Project
from litapp.projects.services.events import record_event
from searches.blinding import stages_of
from searches.models import Candidate, Decision, NotRetrieved, ReportRetrieval, RetrievalOutcome
from searches.services.report_retrieval import retrieval_note


class ReportProblem(ValueError):
    """The report cannot be marked so; the message says why."""


@transaction.atomic
def report_mark(*, project: Project, actor: Any, candidate_id: int, reason: str) -> bool:
    """Mark a report that waits for its assessment as not retrieved, for one of `NotRetrieved`; "" = it is sought again.
    False where it stands so already. Raises ReportProblem; Candidate.DoesNotExist for one of another project."""
    if reason not in NotRetrieved.values:
        raise ReportProblem("Choose why the report could not be retrieved.")
    candidate = Candidate.objects.select_for_update(no_key=True).get(pk=candidate_id, project=project)
    if candidate.merged_into_id is not None or candidate.withdrawn_at is not None:
        raise ReportProblem("This record was joined with another, or taken away. Look at the list again.")
    if not stages_of(project).uses_fulltext or candidate.decision != Decision.INCLUDE:
        raise ReportProblem("Only reports that were included by title and abstract are sought for a full-text stage.")
    if candidate.fulltext in (Decision.INCLUDE, Decision.EXCLUDE):
        raise ReportProblem("This report was assessed, so that it was retrieved. Take that decision back first.")
    known = ReportRetrieval.objects.filter(candidate=candidate).first()
    if (known.reason if known else "") == reason:
        return False
    outcome = RetrievalOutcome.NOT_RETRIEVED if reason else RetrievalOutcome.SOUGHT
    retrieval_note(candidate=candidate, outcome=outcome, actor=actor, reason=reason)
    record_event(
        project=project,
        actor=actor,
        verb="screening.not_retrieved",
        subject=f"candidate:{candidate.pk}",
        payload={"reason": reason, "title": candidate.title},
    )
    return True
