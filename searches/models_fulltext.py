"""Whether the report of a paper was retrieved in full: PRISMA reads its boxes "sought" and "not retrieved" here."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.core.fulltext_reasons import REASONS
from litapp.projects.models import Project

REASON_CHOICES = [(code, text) for code, text in REASONS.items()]


class RetrievalOutcome(models.TextChoices):
    """SOUGHT = somebody asked for it, and nothing is decided: never counted as not retrieved."""

    SOUGHT = "sought", "Sought, not decided"
    RETRIEVED = "retrieved", "Retrieved"
    NOT_RETRIEVED = "not_retrieved", "Not retrieved"


class ReportRetrieval(models.Model):
    """How the search for one candidate's full text stands. The history is in the project's log and in the attempts.

    Written by `searches.services.report_retrieval` alone (called from `references`).
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="report_retrievals")
    candidate = models.OneToOneField(
        "searches.Candidate", on_delete=models.CASCADE, related_name="report_retrieval"
    )  # fmt: skip
    outcome = models.CharField(max_length=14, choices=RetrievalOutcome, default=RetrievalOutcome.SOUGHT)
    reason = models.CharField(max_length=12, choices=REASON_CHOICES, blank=True, default="")
    """Why it was not retrieved; set with NOT_RETRIEVED only."""
    because = models.TextField(blank=True, default="")
    """A sentence: what the reason rests on, or what stands in the way of a decision."""
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """Who decided; empty = LitLedger, by rule, from what the places said."""
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "outcome"], name="retrievals_by_outcome")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(outcome=RetrievalOutcome.NOT_RETRIEVED, reason__in=list(REASONS))
                | (~models.Q(outcome=RetrievalOutcome.NOT_RETRIEVED) & models.Q(reason="")),
                name="a_reason_exactly_where_not_retrieved",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: candidate {self.candidate_id}"
