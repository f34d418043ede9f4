"""Verifications: the verdict on one reference, each check behind it with its evidence, and notices about it."""

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

    A reference that came as text only (`from_text`) has it in `text`; its `record` then holds what the sources' answers
    let us find in the text, and is nearly empty before the first round.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="verifications")
    text = models.TextField(blank=True, default="")
    """The citation as it was written, where there is one."""
    from_text = models.BooleanField(default=False)
    """True where the reference came as text only, and is matched as such."""
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
    ask_afresh_at = models.JSONField(default=list)
    """The sources the person chose for that; [] = all."""
    matched = models.JSONField(default=dict)
    """The most authoritative record of this work that the last round found (canonical dict); {} = none."""
    suggestions = models.JSONField(default=list)
    """The nearest real papers, nearest first, where the work itself was not found: [{source, record, answer_id}]."""
    evidence_hash = models.CharField(max_length=64, blank=True, default="")
    """sha256 of which answers the last round rests on: the same answers give the same checks."""
    round = models.PositiveSmallIntegerField(default=0)
    """Number of the latest round of checks; 0 = none yet."""
    rules_version = models.PositiveSmallIntegerField(default=0)

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["state", "priority", "id"], name="verification_queue"),
            models.Index(fields=["project", "status"], name="verification_by_status"),
        ]


class KnownAnswer(models.Model):
    """The latest answer of a source to one question, so that nothing is asked twice: derived from the ledger.

    `question` is "scheme:identifier", or "search:" with the sha256 of what was searched. `records` holds what was read
    from the answer (canonical dicts), [] for a "no". A failure is never kept here.
    """

    source = models.CharField(max_length=40)
    question = models.CharField(max_length=400)
    found = models.BooleanField()
    records = models.JSONField(default=list)
    note = models.CharField(max_length=200, blank=True, default="")
    """What else the answer said (doi.org: the registration agency)."""
    answer = models.ForeignKey(SourceAnswer, on_delete=models.CASCADE, related_name="+")
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "question"], name="one_answer_to_a_question")]


class RetractionFile(models.Model):
    """A loaded list of retractions (Retraction Watch's CSV). Only the rows of the latest one are kept."""

    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    rows = models.PositiveIntegerField(default=0)
    unusable = models.PositiveIntegerField(default=0)
    """Rows without DOI and PMID, or of an unknown kind."""
    loaded_at = models.DateTimeField(auto_now_add=True)


class ListedRetraction(models.Model):
    """One row of the loaded list: what happened to the paper with this DOI or PMID."""

    file = models.ForeignKey(RetractionFile, on_delete=models.CASCADE, related_name="listed")
    line = models.PositiveIntegerField()
    doi = models.CharField(max_length=300, blank=True, default="", db_index=True)
    pmid = models.CharField(max_length=20, blank=True, default="", db_index=True)
    kind = models.CharField(max_length=30)
    """`core.records.NoticeKind`."""
    notice_doi = models.CharField(max_length=300, blank=True, default="")
    notice_pmid = models.CharField(max_length=20, blank=True, default="")
    date = models.CharField(max_length=20, blank=True, default="")
    title = models.TextField(blank=True, default="")


class StatusNotice(models.Model):
    """Tells a project that one of its references was retracted (or the like) since it was last looked at.

    It stands on the project's pages until a member has seen it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="status_notices")
    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="status_notices")
    state = models.CharField(max_length=20, choices=PublicationState)
    earlier_state = models.CharField(max_length=20, choices=PublicationState, blank=True, default="")
    raised_at = models.DateTimeField(auto_now_add=True)
    seen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-raised_at", "-id"]
        indexes = [models.Index(fields=["project", "seen_at"], name="notices_not_seen")]


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
