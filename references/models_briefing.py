"""Briefings: the newest papers on a topic as PubMed returned them, each run a version that never changes again."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Project

TOPICS = [("question", "A question or query"), ("gene", "A gene"), ("disease", "A disease")]


class Briefing(LeasedStep):
    """One run of a briefing. `done` counts papers whose summary is written, `total` all of them.

    `document` is what the files are written from (`core.formats.briefing`); empty until the run has ended.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="briefings")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click makes one briefing."""
    topic = models.CharField(max_length=10, choices=TOPICS, default="question")
    asked = models.TextField()
    asked_key = models.CharField(max_length=64)
    """sha256 of topic and words: runs of the same briefing share it."""
    number = models.PositiveIntegerField()
    """The version: 1 for the first run of a topic, one more for each further one."""
    papers = models.PositiveSmallIntegerField(default=10)
    with_model = models.BooleanField(default=False)
    input_sha256 = models.CharField(max_length=64)
    warnings = models.JSONField(default=list, blank=True)
    found = models.PositiveBigIntegerField(null=True, blank=True)
    """What PubMed reports; empty = it did not say."""
    query_sent = models.TextField(blank=True, default="")
    read_at = models.DateTimeField(null=True, blank=True)
    """When PubMed's records were stored; empty = not asked yet."""
    document = models.JSONField(default=dict, blank=True)
    environment = models.JSONField(default=dict, blank=True)
    """Versions of what made it, as they were when the run ended."""
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "asked_key", "number"], name="briefing_versions_are_numbered")
        ]

    def __str__(self) -> str:
        return f"Briefing {self.asked[:60]}, version {self.number}"


class BriefingPaper(models.Model):
    """One paper of a briefing: the record as PubMed stated it, and its summary once it is written."""

    briefing = models.ForeignKey(Briefing, on_delete=models.CASCADE, related_name="entries")
    place = models.PositiveSmallIntegerField()
    """From 1, the newest first."""
    source_record = models.ForeignKey(SourceRecord, on_delete=models.PROTECT, related_name="briefing_papers")
    summary = models.JSONField(default=dict, blank=True)
    """`core.formats.briefing.opening_summary` or a model's; {} = not written yet."""

    class Meta:
        ordering = ["briefing", "place"]
        constraints = [models.UniqueConstraint(fields=["briefing", "place"], name="papers_of_a_briefing_in_order")]

    def __str__(self) -> str:
        return f"paper {self.place} of briefing {self.briefing_id}"


class ColumnDraft(LeasedStep):
    """A paragraph that the optional model drafts from one column of the matrix; it becomes a topic of the summary.

    Where no usable text came, nothing is written: `message` says why.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="column_drafts")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    column = models.CharField(max_length=40)
    """`matrix_reading.ColumnHead.key`."""
    label = models.CharField(max_length=80)
    """What the column was called."""
    cells = models.PositiveIntegerField(default=0)
    """Filled cells that were given to the model."""
    left_out = models.PositiveIntegerField(default=0)
    """Filled cells beyond what is given at once."""
    model = models.CharField(max_length=200, blank=True, default="")
    usage = models.JSONField(null=True, blank=True)
    topic = models.ForeignKey(
        "references.SummaryTopic", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"draft {self.pk} of column {self.label}"
