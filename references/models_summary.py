"""The evidence summary: its kind and limits, the topics of its findings, what people decided of single sentences."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.projects.models import Project
from references.models_matrix import MatrixCell

USER = settings.AUTH_USER_MODEL
LONGEST_TEXT = 40_000
"""Characters of a topic's own text, and of the limitations."""


class SummaryKind(models.TextChoices):
    RAPID = "rapid", "Rapid evidence summary"
    SYSTEMATIC = "systematic", "Systematic review, with the steps done"


class ReviewStep(models.TextChoices):
    """Steps of a systematic review that a person may state as done. What LitLedger can count, it tells itself."""

    PROTOCOL = "protocol", "Protocol registered or published before the search"
    SOURCES = "sources", "At least two bibliographic databases searched"
    PEER_REVIEW = "press", "Search strategy peer reviewed (PRESS)"
    OTHER = "other", "Registers, citations or grey literature searched"
    DUAL_SCREENING = "dual", "Titles and abstracts screened by two people independently"
    FULL_TEXT = "full_text", "Full texts assessed against the criteria"
    DUAL_EXTRACTION = "extraction", "Data extracted or checked by two people"
    BIAS = "bias", "Risk of bias assessed (outside LitLedger)"
    CERTAINTY = "certainty", "Certainty of the evidence rated (outside LitLedger)"


class SummarySetup(models.Model):
    """What a project's evidence summary is called and what people say of its limits. One a project."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="summary_setup")
    kind = models.CharField(max_length=12, choices=SummaryKind, default=SummaryKind.RAPID)
    steps = models.JSONField(default=list)
    """Values of ReviewStep that a person states as done."""
    limitations = models.TextField(blank=True, default="")
    """Own text; cites by `[@key]`."""
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"summary of project {self.project_id}"


class SummaryTopic(models.Model):
    """One topic of the findings, with a person's own text. The text cites by `[@key]`; pages show numbers."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="summary_topics")
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True, default="")
    drafted_by = models.CharField(max_length=200, blank=True, default="")
    """The language model that drafted the text, also where a person has changed it since; "" = a person wrote it."""
    position = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.title


class TopicQuote(models.Model):
    """A cell of the matrix whose quote stands under a topic."""

    topic = models.ForeignKey(SummaryTopic, on_delete=models.CASCADE, related_name="quotes")
    cell = models.ForeignKey(MatrixCell, on_delete=models.CASCADE, related_name="topics")
    added_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["topic", "pk"]
        constraints = [models.UniqueConstraint(fields=["topic", "cell"], name="quote_once_in_a_topic")]

    def __str__(self) -> str:
        return f"cell {self.cell_id} in topic {self.topic_id}"


class SentenceDecision(models.Model):
    """A person's word that a sentence may stand although it lacks something. It ends when the sentence changes."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sentence_decisions")
    name = models.CharField(max_length=64)
    """`core.matrix.claims.claim_name` of the sentence."""
    sentence = models.TextField()
    lacked = models.JSONField(default=list)
    """What it lacked when it was decided, in words."""
    reason = models.CharField(max_length=300)
    decided_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_decision_a_sentence")]

    def __str__(self) -> str:
        return f"decision on “{self.sentence[:40]}”"


class ArchiveName(models.Model):
    """The folder of a project's archive. Given once, it never changes, whatever the project is called later."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="archive_name")
    slug = models.CharField(max_length=80, unique=True)

    def __str__(self) -> str:
        return self.slug
