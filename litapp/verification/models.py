"""Verifications: the verdict on one record, and each check behind it with its evidence."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceAnswer
from litapp.projects.models import Project


class VerdictStatus(models.TextChoices):
    VERIFIED = "verified", "Verified"
    SUSPECT = "suspect", "Suspect"
    UNVERIFIED = "unverified", "Unverified"
    MANUAL = "manual", "Manual"


class PublicationState(models.TextChoices):
    """Stands beside the verdict and above it on the badge. NONE = no source asked knows of any notice."""

    NONE = "", "None known"
    RETRACTED = "retracted", "Retracted"
    PARTLY_RETRACTED = "partly_retracted", "Partly retracted"
    CONCERN = "concern", "Expression of concern"
    WITHDRAWN = "withdrawn", "Withdrawn"
    CORRECTED = "corrected", "Corrected"
    NOTICE = "notice", "Notice"
    REINSTATED = "reinstated", "Reinstated"


class Priority(models.IntegerChoices):
    """Order of work: lower first."""

    INCLUDED = 10, "Included"
    ASKED = 20, "Asked by a person"
    RETRIEVED = 50, "Retrieved"


class Verification(LeasedStep):
    """The check of one record in one project. It is its own unit of background work (a worker leases a batch).

    `record` is the record as checked (canonical dict), `record_hash` its sha256: a changed record is checked again.
    `returned_by` are the sources whose answers the record came from; a check at one of them proves nothing new.
    `status`, `kind`, `reasons`, `passed`, `asked` are what `core.verification.judge` says of the stored checks.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="verifications")
    record = models.JSONField()
    record_hash = models.CharField(max_length=64)
    returned_by = models.JSONField(default=list)
    priority = models.PositiveSmallIntegerField(choices=Priority, default=Priority.RETRIEVED)
    status = models.CharField(max_length=10, choices=VerdictStatus, default=VerdictStatus.UNVERIFIED)
    kind = models.CharField(max_length=10, blank=True, default="")
    reasons = models.JSONField(default=list)
    wrong = models.JSONField(default=list)
    """Names of the fields found wrong."""
    passed = models.PositiveSmallIntegerField(default=0)
    asked = models.PositiveSmallIntegerField(default=0)
    verified_by = models.JSONField(default=list)
    checked_at = models.DateTimeField(null=True, blank=True)
    """When the last round of checks ended; empty = not checked yet."""
    verified_on = models.DateField(null=True, blank=True)
    """Day of the last success; empty unless verified."""
    publication_state = models.CharField(max_length=20, choices=PublicationState, blank=True, default="")
    notice_doi = models.CharField(max_length=300, blank=True, default="")
    notice_pmid = models.CharField(max_length=20, blank=True, default="")
    notice_date = models.CharField(max_length=20, blank=True, default="")
    state_asked_of = models.JSONField(default=list)
    """Sources that were asked whether the paper is retracted, with success."""
    silent = models.JSONField(default=dict)
    """Source -> why it could not be asked in the last round (`providers.causes`); {} = all answered."""
    manual_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    manual_reason = models.TextField(blank=True, default="")
    manual_at = models.DateTimeField(null=True, blank=True)
    ask_afresh = models.BooleanField(default=False)
    """A person asked for a new check: stored answers are not reused in the next round."""
    round = models.PositiveSmallIntegerField(default=0)
    """Number of the latest round of checks; 0 = none yet."""
    rules_version = models.PositiveSmallIntegerField(default=0)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["state", "priority", "id"], name="verification_queue"),
            models.Index(fields=["project", "status"], name="verification_by_status"),
        ]


class CheckOutcome(models.TextChoices):
    PASS = "pass", "Pass"
    FAIL = "fail", "Fail"
    SKIPPED = "skipped", "Skipped"


class Check(models.Model):
    """One question asked of one source, and what its answer said, field by field. Append-only.

    `round` groups the checks of one pass; the verdict rests on the latest round, older ones stay readable.
    `fields` is a list of {field, ours, theirs, verdict, why}.
    """

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="checks")
    round = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveSmallIntegerField()
    rule = models.CharField(max_length=40)
    source = models.CharField(max_length=40)
    outcome = models.CharField(max_length=8, choices=CheckOutcome)
    reason = models.TextField(blank=True, default="")
    kind = models.CharField(max_length=10, blank=True, default="")
    wrong = models.JSONField(default=list)
    independent = models.BooleanField(default=True)
    """False where the source is the only one that returned the record in the first place."""
    fields = models.JSONField(default=list)
    answers = models.ManyToManyField(SourceAnswer, related_name="checks")
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["verification", "round", "position"]
        constraints = [
            models.UniqueConstraint(fields=["verification", "round", "position"], name="checks_of_a_round_in_order")
        ]
