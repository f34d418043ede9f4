"""What the PRISMA flow needs to be counted at any past date: append-only rows, written where the facts happen."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.core.prisma.events import METHOD_WORDS, Method
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL
METHODS = [(method.value, METHOD_WORDS[method]) for method in Method]


class RecordMove(models.Model):
    """A source record left a candidate: for another one, or (its import was undone) for none. Append-only.

    Written by `services.prisma_moves`. Where a record is now says its link; where it was before, the moves since.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    source_record = models.ForeignKey("ledger.SourceRecord", on_delete=models.PROTECT, related_name="+", db_index=False)
    left = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="+", db_index=False)
    came_to = models.ForeignKey(
        "searches.Candidate", null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["project", "created_at"], name="record_moves_by_time")]

    def __str__(self) -> str:
        return f"record {self.source_record_id}: from candidate {self.left_id} to {self.came_to_id or 'none'}"


class ImportMethod(models.Model):
    """A person says under which box of PRISMA an import's records were identified. Append-only; the latest counts.

    Without one, the name of the import's database says it (`core.prisma.methods`).
    """

    record_import = models.ForeignKey("searches.RecordImport", on_delete=models.CASCADE, related_name="methods")
    method = models.CharField(max_length=12, choices=METHODS)
    chosen_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"import {self.record_import_id}: {self.method}"


class ReportOutcome(models.Model):
    """How the search for a report stood from a time on: not retrieved and why, or not so any more. Append-only.

    Written by `services.prisma_moves` whenever `ReportRetrieval` is.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    candidate = models.ForeignKey("searches.Candidate", on_delete=models.CASCADE, related_name="report_outcomes")
    not_retrieved = models.BooleanField()
    reason = models.CharField(max_length=200, blank=True, default="")
    """In words, as the flow prints it."""
    actor = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """Empty = LitLedger, by rule."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"candidate {self.candidate_id}: {self.reason if self.not_retrieved else 'not lost'}"


class PrismaStatement(models.Model):
    """What a person states of an item of PRISMA-S that the log cannot know, signed. Append-only; the latest of an item
    counts, an empty one takes it back."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="prisma_statements")
    item = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True, default="")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click states once."""
    stated_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(item__gte=1, item__lte=16), name="prisma_s_has_16_items")
        ]
        indexes = [models.Index(fields=["project", "item", "-id"], name="statements_by_item")]

    def __str__(self) -> str:
        return f"item {self.item} of project {self.project_id}"
