"""The project's reference list, what was exported from it, and lists that were brought to be checked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings
from django.db import models
from django.db.models import Count, Q

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.projects.models import Project
from litapp.verification.models import VerdictStatus
from references.models_briefing import Briefing, BriefingPaper, ColumnDraft
from references.models_fulltext import (
    CopyState,
    FullText,
    FullTextAttempt,
    FullTextCopy,
    FullTextUpload,
    ResolverAddress,
)
from references.models_lists import FILTERS, EntryKind, ListEntry, ListEntryQuerySet, ReferenceListCheck
from references.models_matrix import CellState, FilledBy, MatrixCell, MatrixChange, OwnColumn
from references.models_summary import (
    ArchiveName,
    ReviewStep,
    SentenceDecision,
    SummaryKind,
    SummarySetup,
    SummaryTopic,
    TopicQuote,
)
from searches.models import Candidate
from searches.querysets import RETRACTED_STATES

USER = settings.AUTH_USER_MODEL
__all__ = [
    "FILTERS",
    "VERDICTS",
    "ArchiveName",
    "Briefing",
    "BriefingPaper",
    "CellState",
    "ColumnDraft",
    "CopyState",
    "EntryKind",
    "Export",
    "ExportFormat",
    "FilledBy",
    "FullText",
    "FullTextAttempt",
    "FullTextCopy",
    "FullTextUpload",
    "ListEntry",
    "ListEntryQuerySet",
    "MatrixCell",
    "MatrixChange",
    "OwnColumn",
    "Reference",
    "ReferenceListCheck",
    "ReferenceQuerySet",
    "ResolverAddress",
    "ReviewStep",
    "Scope",
    "SentenceDecision",
    "SummaryKind",
    "SummarySetup",
    "SummaryTopic",
    "TopicQuote",
]
_CHECK = "candidate__verification__"
_UNCHECKED = Q(candidate__verification=None) | Q(
    **{f"{_CHECK}status": VerdictStatus.UNVERIFIED, f"{_CHECK}checked_at__isnull": True}
)
VERDICTS: Mapping[str, Q] = MappingProxyType(
    {
        "retracted": Q(**{f"{_CHECK}publication_state__in": RETRACTED_STATES}),
        "verified": Q(**{f"{_CHECK}status": VerdictStatus.VERIFIED}),
        "suspect": Q(**{f"{_CHECK}status": VerdictStatus.SUSPECT}),
        "unverified": Q(**{f"{_CHECK}status": VerdictStatus.UNVERIFIED, f"{_CHECK}checked_at__isnull": False}),
        "unchecked": _UNCHECKED,
        "manual": Q(**{f"{_CHECK}status": VerdictStatus.MANUAL}),
    }
)
"""Filters of the reference list. "retracted" stands beside the verdict; the others part the list."""


class ReferenceQuerySet(models.QuerySet["Reference"]):
    """Reads of the reference list."""

    def current(self) -> ReferenceQuerySet:
        """References that stand in the list now."""
        return self.filter(removed_at=None)

    def for_list(self) -> ReferenceQuerySet:
        """With what a row of the list shows, in one query."""
        return self.select_related(
            "candidate", "candidate__verification", "candidate__verification__manual_by", "added_by"
        ).defer("candidate__search_text", "candidate__provenance", "candidate__verification__record")

    def with_verdict(self, name: str) -> ReferenceQuerySet:
        """Those that the filter `name` of VERDICTS shows; all of them for any other name."""
        return self.filter(VERDICTS[name]) if name in VERDICTS else self

    def verdict_counts(self) -> dict[str, int]:
        """How many each filter of VERDICTS would show, and "all". One query."""
        counts = {name: Count("pk", filter=condition) for name, condition in VERDICTS.items()}
        return {**self.order_by().aggregate(all=Count("pk"), **counts)}


class Reference(models.Model):
    """An included candidate in the project's shared list. Its key never changes and is never given twice.

    Taking a paper out sets `removed_at`; including it again brings back the same row and key.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="references")
    candidate = models.OneToOneField(Candidate, on_delete=models.PROTECT, related_name="reference")
    came_from = models.ForeignKey(Candidate, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The candidate it was made for, where that was merged into `candidate` since."""
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

    def __str__(self) -> str:
        return self.key


class ExportFormat(models.TextChoices):
    BIBTEX = "bib", "BibTeX (.bib)"
    RIS = "ris", "RIS (.ris)"
    NBIB = "nbib", "PubMed (.nbib)"
    CSV = "csv", "Table (.csv)"
    YAML = "yaml", "Reference ledger (.yaml)"
    PMIDS = "pmids", "PMID list (.txt)"
    DOIS = "dois", "DOI list (.txt)"
    DOCX = "docx", "Evidence summary for Word (.docx)"
    MARKDOWN = "md", "Evidence summary as Markdown (.md)"
    CSL = "csl", "CSL-JSON (.json)"
    REVIEW = "review", "Evidence summary, everything (.zip)"
    MATRIX = "matrix", "Literature matrix (.docx, .csv, .md)"
    ARCHIVE = "archive", "Archive folder (.zip)"


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
    extends_sha256 = models.CharField(max_length=64, blank=True, default="")
    """A .bib that the person brought and that this export extends; "" = it stands for itself."""
    included = models.JSONField(default=list)
    left_out = models.JSONField(default=list)
    """[{key, title, why}] of references that the scope leaves out: named, never dropped in silence."""
    files = models.JSONField(default=list)
    """[{name, sha256, size, media_type}] in the data folder's exports."""
    gate = models.JSONField(default=dict, blank=True)
    """What the checks before the output found (`core.gate.report_to_dict`); {} = they were not made."""
    override_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    override_reason = models.CharField(max_length=300, blank=True, default="")
    override_at = models.DateTimeField(null=True, blank=True)
    """A person let the output go although checks failed: who, why, when. It is printed in the document."""

    objects = LeasedStepQuerySet.as_manager()

    def __str__(self) -> str:
        return f"export {self.pk}: {self.format}, {self.scope}"
