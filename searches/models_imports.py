"""Imports: what a person brought into a project (a file, a list of identifiers, one record), entry by entry."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from litapp.jobs.models import LeasedStep, LeasedStepQuerySet
from litapp.ledger.models import SourceAnswer, SourceRecord
from litapp.projects.models import Project


class ImportKind(models.TextChoices):
    FILE = "file", "File"
    IDENTIFIERS = "identifiers", "List of identifiers"
    BY_HAND = "by_hand", "Record added by hand"


class RecordImport(LeasedStep):
    """A search that was run elsewhere, as its file tells it, and what PRISMA-S asks of it. Its own background work.

    `done` counts the entries of the file that were looked at, in their order: a killed worker's successor goes on
    behind them. Each is an `ImportedEntry`, read or skipped: read + skipped is always `done`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=12, choices=ImportKind, default=ImportKind.FILE)
    request_id = models.UUIDField(unique=True)
    """Made by the form: a double click imports once."""
    imported_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    database = models.CharField(max_length=120)
    """The database that was searched, as PRISMA counts it."""
    platform = models.CharField(max_length=120, blank=True, default="")
    searched_on = models.DateField(null=True, blank=True)
    query = models.TextField(blank=True, default="")
    """The query as it was run."""
    count_exported = models.PositiveIntegerField(null=True, blank=True)
    """How many records the database said it exported; empty = not told."""
    answer = models.OneToOneField(SourceAnswer, on_delete=models.PROTECT, related_name="record_import")
    """The file in the ledger, as it came: its records point at it."""
    file_name = models.CharField(max_length=255, blank=True, default="")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(default=0)
    bytes_read = models.PositiveBigIntegerField(default=0)
    """How far the file was read, for the progress bar."""
    format = models.CharField(max_length=60, blank=True, default="")
    encoding = models.CharField(max_length=60, blank=True, default="")
    read = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    dropped = models.JSONField(default=dict, blank=True)
    """Field of the file -> how many records had it; LitLedger has no place for it."""
    lacking = models.JSONField(default=dict, blank=True)
    """Field of a record (title, authors, year, abstract, identifier) -> how many records read lack it."""
    notes = models.JSONField(default=list, blank=True)
    """Sentences about the file as a whole."""
    url = models.TextField(blank=True, default="")
    accessed_on = models.DateField(null=True, blank=True)
    """Address and day of access of a record that was added by hand."""
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    undo_requested_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = LeasedStepQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(done=models.F("read") + models.F("skipped")), name="every_entry_is_read_or_skipped"
            ),
            models.UniqueConstraint(
                fields=["project", "sha256"], condition=models.Q(undone_at=None), name="a_file_is_imported_once"
            ),
        ]

    def __str__(self) -> str:
        return f"Import {self.pk}: {self.database}"

    @property
    def can_resume(self) -> bool:
        """It ended before its file did, and can go on."""
        return self.state in ("cancelled", "failed") and self.undone_at is None


class ImportedEntry(models.Model):
    """One record of an imported file: read (it has a source record) or skipped, and why. Append-only."""

    record_import = models.ForeignKey(RecordImport, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    """Place among the records of the file, from 1."""
    first_line = models.PositiveIntegerField(default=0)
    last_line = models.PositiveIntegerField(default=0)
    problem = models.TextField(blank=True, default="")
    """Why it was skipped; "" = it was read."""
    text = models.TextField(blank=True, default="")
    """What stands in the file: of skipped entries (cut where long) and of rows of an identifier list (whole)."""
    scheme = models.CharField(max_length=20, blank=True, default="")
    """What a row of an identifier list is (`core.records.Scheme`)."""
    identifier = models.CharField(max_length=300, blank=True, default="")
    title = models.CharField(max_length=300, blank=True, default="")
    source_record = models.ForeignKey(
        SourceRecord, null=True, blank=True, on_delete=models.PROTECT, related_name="imported_entries"
    )
    withdrawn = models.ForeignKey(
        "searches.Candidate", null=True, blank=True, on_delete=models.SET_NULL, related_name="withdrawn_entries"
    )
    """The candidate that was withdrawn when the import was undone: its decisions come back with the file."""
    dropped = models.JSONField(default=list, blank=True)
    claimed = models.JSONField(default=dict, blank=True)
    """`verified`, `verified_by`, `verified_on` as the file says them: shown, never trusted."""
    warnings = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["record_import", "number"], name="entries_are_numbered"),
            models.CheckConstraint(
                condition=models.Q(problem="", source_record__isnull=False)
                | (~models.Q(problem="") & models.Q(source_record=None)),
                name="an_entry_is_read_or_skipped",
            ),
        ]

    def __str__(self) -> str:
        return f"Record {self.number} of import {self.record_import_id}"
