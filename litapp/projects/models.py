"""Projects, who works in them with which role, invitations, and the append-only log of what happened."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class Role(models.TextChoices):
    """What a member may do; the rights of each are in `projects.permissions`, nowhere else."""

    OWNER = "owner", "Owner"
    LEAD = "lead", "Lead"
    LIBRARIAN = "librarian", "Librarian"
    SCREENER = "screener", "Screener"
    READER = "reader", "Reader"


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: object) -> ProjectQuerySet:
        """Projects the user is a member of, not deleted."""
        return self.filter(memberships__user=user, deleted_at=None)


class Project(models.Model):
    """One review or reference list of a team. Deleting hides it (`deleted_at`); the ledger stays."""

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    sandbox = models.BooleanField(default=False)
    """Made while the sources were the sandbox: its pages and exports say so for ever."""

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_person")]

    def __str__(self) -> str:
        return f"user {self.user_id} in project {self.project_id}: {self.role}"


class OwnKey(models.Model):
    """A person's own key for a source, sealed (`projects.services.sealing`); its last four characters are shown."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_keys")
    source = models.CharField(max_length=40)
    sealed = models.TextField()
    last_four = models.CharField(max_length=4)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "source"], name="one_own_key_per_source")]

    def __str__(self) -> str:
        return f"key of user {self.user_id} for {self.source}"


class Invitation(models.Model):
    """An invitation by link. Only a hash of the link's token is kept."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10, choices=Role)
    note = models.CharField(max_length=200, blank=True, default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation {self.pk} to project {self.project_id}: {self.role}"

    @property
    def is_pending(self) -> bool:
        return not self.accepted_at and not self.revoked_at and self.expires_at > timezone.now()


class Event(models.Model):
    """Who did what, when, on what: append-only, each entry hashes the one before it (per project)."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="events")
    sequence = models.PositiveIntegerField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """Empty = LitLedger itself (a background step)."""
    verb = models.CharField(max_length=60)
    """What happened, e.g. "plan.approved"; the list is in `projects.services.events`."""
    subject = models.CharField(max_length=80, blank=True, default="")
    """What it happened to, e.g. "candidate:17"."""
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    previous_hash = models.CharField(max_length=64, blank=True, default="")
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sequence"], name="events_in_one_order")]
        ordering = ["project", "sequence"]
        indexes = [models.Index(fields=["project", "subject"])]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.sequence} {self.verb}"
