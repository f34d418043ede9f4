"""Full texts: the search for each one, every place that was asked, every file that came, what people brought."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Project

USER = settings.AUTH_USER_MODEL


class FullText(LeasedStep):
    """The search for one reference's full text: a unit of background work, started anew any number of times.

    Whether a full text is there, its accepted copies say; whether it is decided, `searches.ReportRetrieval` says.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="full_texts")
    reference = models.OneToOneField("references.Reference", on_delete=models.CASCADE, related_name="full_text")
    requested_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    round = models.PositiveIntegerField(default=1)
    """Rises each time the search is begun anew; attempts belong to a round."""
    resolver = models.CharField(max_length=500, blank=True, default="")
    """The address of the own resolver of whoever asked, as it was then; "" = none is asked."""
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "id"], name="full_text_queue")]

    def __str__(self) -> str:
        return f"full text of reference {self.reference_id}"


class FullTextAttempt(models.Model):
    """One place that was asked in one round, and what it gave. Append-only.

    `source` is the place of the chain ("unpaywall", "landing" …); `url` "" = a source was asked where the paper lies.
    `outcome` is a `core.fulltext.Outcome`. `answer` is the archived answer (empty where nothing was sent).
    """

    full_text = models.ForeignKey(FullText, on_delete=models.CASCADE, related_name="places_asked")
    round = models.PositiveIntegerField(default=1)
    source = models.CharField(max_length=40)
    url = models.TextField(blank=True, default="")
    outcome = models.CharField(max_length=16)
    message = models.TextField(blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    version = models.CharField(max_length=60, blank=True, default="")
    answer = models.ForeignKey(SourceAnswer, null=True, on_delete=models.PROTECT, related_name="full_text_attempts")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.source}: {self.outcome}"


class FullTextUpload(LeasedStep):
    """Files that a person brought at once; they are opened and matched in the background. `done` counts files.

    `reference` is set where they were brought for one reference: then another paper is still asked about.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="full_text_uploads")
    reference = models.ForeignKey(
        "references.Reference", null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )  # fmt: skip
    requested_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    files = models.JSONField(default=list)
    """[{name, sha256, size}], zip files as they came."""
    counts = models.JSONField(default=dict, blank=True)
    """files, accepted, asked, declined."""

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"upload {self.pk}: {len(self.files)} files"


class CopyState(models.TextChoices):
    """ASKED = a person has to say whether it is the paper."""

    ACCEPTED = "accepted", "Full text"
    ASKED = "asked", "To be looked at"
    DECLINED = "declined", "Not taken"


class FullTextCopy(models.Model):
    """A file that may be a reference's full text: fetched or brought. The bytes lie in the archive of answers."""

    class Kind(models.TextChoices):
        PDF = "pdf", "PDF"
        XML = "xml", "Text in XML (JATS)"
        OTHER = "other", "Something else"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="full_text_copies")
    reference = models.ForeignKey(
        "references.Reference", null=True, blank=True, on_delete=models.CASCADE, related_name="full_text_copies"
    )  # fmt: skip
    upload = models.ForeignKey(FullTextUpload, null=True, blank=True, on_delete=models.CASCADE, related_name="copies")
    kind = models.CharField(max_length=5, choices=Kind, default=Kind.PDF)
    state = models.CharField(max_length=8, choices=CopyState)
    outcome = models.CharField(max_length=16)
    """What the rules said of it."""
    why = models.TextField(blank=True, default="")
    source = models.CharField(max_length=40)
    url = models.TextField(blank=True, default="")
    file_name = models.CharField(max_length=255, blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    version = models.CharField(max_length=60, blank=True, default="")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(null=True, blank=True)
    answer = models.ForeignKey(SourceAnswer, on_delete=models.PROTECT, related_name="full_text_copies")
    suggested = models.JSONField(default=list, blank=True)
    """Ids of the references that it may belong to, the likeliest first."""
    brought_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """The person who answered; empty = the rules."""
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["reference", "sha256"],
                condition=models.Q(reference__isnull=False),
                name="a_file_once_per_reference",
            ),
            models.CheckConstraint(
                condition=~models.Q(state=CopyState.ACCEPTED) | models.Q(reference__isnull=False),
                name="an_accepted_copy_belongs_to_a_reference",
            ),
        ]
        indexes = [models.Index(fields=["project", "state"], name="copies_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}: {self.state}"


class ResolverAddress(models.Model):
    """A person's own proxy or link resolver. No address is preset; it is asked only for that person's own searches."""

    user = models.OneToOneField(USER, on_delete=models.CASCADE, related_name="resolver_address")
    address = models.CharField(max_length=500)
    set_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"resolver of user {self.user_id}"
