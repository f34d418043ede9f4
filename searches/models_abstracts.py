"""The search for missing abstracts: who asked for it, and what each source said of each paper."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Project


class AbstractFill(LeasedStep):
    """One request to find the abstracts that are missing, for `chosen` candidates. Its own unit of background work.

    `done` counts candidates that were looked at, `total` all of them; `counts` says how they ended.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="abstract_fills")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click asks once."""
    chosen = models.JSONField(default=list)
    """Ids of the candidates, in the order in which they are looked at; fixed when it was asked for."""
    counts = models.JSONField(default=dict, blank=True)
    """wanted, filled, present (had one meanwhile), missing, no_identifier; filled_by: source -> papers."""
    troubles = models.JSONField(default=list, blank=True)
    """Sentences: which source could not be asked for how many papers, and why."""

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Search {self.pk} for missing abstracts"


class AbstractLookup(models.Model):
    """What one source said when it was asked, by identifier, for the abstract of one candidate. Append-only."""

    class Outcome(models.TextChoices):
        FILLED = "filled", "gave the abstract"
        NO_ABSTRACT = "no_abstract", "has the paper without an abstract"
        ABSENT = "absent", "does not have the paper"
        OTHER_PAPER = "other_paper", "has another paper under this identifier"
        NOT_ASKED = "not_asked", "could not be asked"

    fill = models.ForeignKey(AbstractFill, on_delete=models.CASCADE, related_name="lookups")
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="abstract_lookups")
    source = models.CharField(max_length=40)
    scheme = models.CharField(max_length=20)
    identifier = models.CharField(max_length=300)
    outcome = models.CharField(max_length=12, choices=Outcome)
    message = models.TextField(blank=True, default="")
    answer = models.ForeignKey(SourceAnswer, null=True, on_delete=models.PROTECT, related_name="+")
    source_record = models.ForeignKey(SourceRecord, null=True, on_delete=models.PROTECT, related_name="+")
    """The record that gave the abstract; set with FILLED only."""
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fill", "candidate", "source"], name="a_source_is_asked_once_a_fill"),
        ]
        indexes = [models.Index(fields=["candidate", "-id"], name="abstract_lookups_of")]

    def __str__(self) -> str:
        return f"{self.source} {self.get_outcome_display()}: candidate {self.candidate_id}"
