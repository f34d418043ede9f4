"""The project's reference list and what was exported from it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.projects.models import Project
from searches.models import Candidate

USER = settings.AUTH_USER_MODEL


class ReferenceQuerySet(models.QuerySet["Reference"]):
    def current(self) -> ReferenceQuerySet:
        """References that stand in the list now."""
        return self.filter(removed_at=None)


class Reference(models.Model):
    """An included candidate in the project's shared list. Its key never changes and is never given twice.

    Taking a paper out sets `removed_at`; including it again brings back the same row and key.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="references")
    candidate = models.OneToOneField(Candidate, on_delete=models.PROTECT, related_name="reference")
    key = models.CharField(max_length=120)
    note = models.TextField(blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    """Rises with every change: a save on an older version is refused and shows both texts."""
    added_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = ReferenceQuerySet.as_manager()

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="citation_key_once_per_project")]


class ExportFormat(models.TextChoices):
    BIBTEX = "bib", "BibTeX (.bib)"
    RIS = "ris", "RIS (.ris)"
    PMIDS = "pmids", "PMID list (.txt)"
    DOCX = "docx", "Evidence summary for Word (.docx)"
    MARKDOWN = "md", "Evidence summary as Markdown (.md)"
    CSL = "csl", "CSL-JSON (.json)"


class Scope(models.TextChoices):
    VERIFIED = "verified", "Verified only"
    ALL = "all", "All, with marks"


class Export(LeasedStep):
    """One file made from the reference list: who, when, what it left out, and the hash of its bytes."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(USER, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.UUIDField(unique=True)
    format = models.CharField(max_length=8, choices=ExportFormat)
    scope = models.CharField(max_length=8, choices=Scope)
    style = models.CharField(max_length=120, blank=True, default="")
    included = models.JSONField(default=list)
    left_out = models.JSONField(default=list)
    """[{key, title, why}] of references that the scope leaves out: named, never dropped in silence."""
    files = models.JSONField(default=list)
    """[{name, sha256, size, media_type}] in the data folder's exports."""

    objects = LeasedStepQuerySet.as_manager()
